"""Commands of masked secrets: to the next one, show it, mask it again. One at a time, in the text with the keyboard."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QApplication

from inspector import verbs
from inspector.commands import Command

if TYPE_CHECKING:
    from inspector.window import MainWindow


def secret_commands(w: MainWindow) -> list[Command]:
    """For the menu Edit."""

    def text() -> bool:  # what it holds comes later than the part does: not asked for here
        return marks_of(w) is not None

    return [
        Command("secret.next", "Next masked secret", lambda: step(w), "Edit", ("Ctrl+Shift+N",), text, separated=True,
                hint="Puts the cursor of the text on it."),
        Command("secret.show", "Show the secret under the cursor", lambda: show(w), "Edit", ("Ctrl+Shift+S",), text,
                hint="This one only, until another text comes. A click on the mask does the same."),
        Command("secret.mask", "Mask the shown secrets again", lambda: mask(w), "Edit", ("Ctrl+Shift+M",), text,
                hint="Those of this text; another text is masked as it comes."),
    ]  # fmt: skip


def marks_of(w: MainWindow) -> Any:
    """The secrets of the text with the keyboard, else of the one that Ctrl+F means; None without a text."""
    own = getattr(QApplication.focusWidget(), "secrets", None)
    if own is not None:
        return own
    edit = getattr(verbs.find_target(w), "edit", None)
    return getattr(edit, "secrets", None)


def step(w: MainWindow) -> None:
    """Go to the next masked one."""
    if (marks := marks_of(w)) is not None and not marks.step():
        w.status.show_note("No masked secret is drawn in this text.")


def show(w: MainWindow) -> None:
    """Show the one under the cursor."""
    if (marks := marks_of(w)) is not None and not marks.show_here():
        w.status.show_note("The cursor is on no masked secret.")


def mask(w: MainWindow) -> None:
    """Mask all of this text again."""
    if (marks := marks_of(w)) is not None and not marks.mask():
        w.status.show_note("No secret of this text is shown.")
