"""A selected row that could be seen before its view became lower can be seen after."""

from __future__ import annotations

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView


def keep_in_sight(view: QAbstractItemView, event: QResizeEvent) -> None:
    """Call it from the view's ``resizeEvent``, after the base class."""
    rect = view.visualRect(view.currentIndex())
    if not rect.isEmpty() and rect.top() < event.oldSize().height() and rect.bottom() >= event.size().height():
        view.scrollTo(view.currentIndex())
