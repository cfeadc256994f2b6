"""The one way to the clipboard: true texts, with masks where likely secrets are, which is said."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication

from engine.masking import Masked, mask
from inspector.models.shown_text import for_clipboard


class _Notifier(QObject):
    masked = Signal(int)


class _State:
    notifier: _Notifier | None = None


def notifier() -> _Notifier:
    """The object whose ``masked`` is emitted with the number of secrets that a copy doesn't hold."""
    if _State.notifier is None:
        _State.notifier = _Notifier()
    return _State.notifier


def prepared(text: str) -> Masked:
    """A text without its likely secrets, for :func:`put`. Linear in the text: in a job where it may be long."""
    return mask(text)


def put(text: Masked) -> None:
    """Copy a text that is masked already."""
    QGuiApplication.clipboard().setText(for_clipboard(text.text))
    tell(text)


def put_text(text: str) -> None:
    """Copy a short text: a name, a row, a value."""
    put(prepared(text))


def put_true(text: str) -> None:
    """Copy a text as it is, because the user asked for this one."""
    QGuiApplication.clipboard().setText(for_clipboard(text))


def tell(text: Masked) -> None:
    """Say how many secrets a copy doesn't hold."""
    if text.secrets:
        notifier().masked.emit(len(text.secrets))
