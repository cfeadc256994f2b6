"""Which text Ctrl+F means: that of the part which has the keyboard.

A view that shows a text answers ``find_target``; the window climbs from the focus to the nearest one.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from PySide6.QtWidgets import QWidget


class Searchable(Protocol):
    """A text that can be searched and copied whole."""

    def open_find(self) -> None:
        """Open the search bar."""

    def step_find(self, back: bool = False) -> None:
        """Go to the next match, or the one before."""

    def copy_all(self) -> None:
        """Copy the whole true text."""


@runtime_checkable
class Replaceable(Searchable, Protocol):
    """A text that is edited: what is found in it can be replaced."""

    def can_replace(self) -> bool:
        """Whether it can be edited now."""

    def open_replace(self) -> None:
        """Open the search bar with what replaces."""


def searchable(widget: QWidget | None) -> Searchable | None:
    """The text that belongs to a widget: its own, or that of the nearest view around it."""
    while widget is not None:
        find_target = getattr(widget, "find_target", None)
        if find_target is not None and (found := find_target()) is not None:
            return found
        widget = widget.parentWidget()
    return None
