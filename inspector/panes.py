"""A pane and its four states: loading, empty, error, filled.

A pane knows nothing of what it shows. Every text put on it is plain text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from inspector import format, theme
from inspector.tab_order import focus_first

LOADING_DELAY_MS = 200
"""A quick answer never flashes a progress bar."""


def plain_label(text: str = "", parent: QWidget | None = None, *, muted: bool = False) -> QLabel:
    """A label that shows ``text`` letter by letter; every label with data is made here."""
    label = QLabel(parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setText(text)
    if muted:
        tint(label, "muted")
    return label


Tint = Literal["text", "muted", "error"]


def tint(label: QLabel, name: Tint) -> None:
    """Give a label this colour of the scheme in force, and of the next one."""
    keeper = label.findChild(_Tint, options=Qt.FindChildOption.FindDirectChildrenOnly) or _Tint(label)
    keeper.use(name)


class _Tint(QObject):
    """Child of a label that colours it again when the scheme changes."""

    def __init__(self, label: QLabel) -> None:
        super().__init__(label)
        self._label = label
        self._name: Tint = "text"
        theme.notifier().changed.connect(self._colour)

    def use(self, name: Tint) -> None:
        """Another colour."""
        self._name = name
        self._colour()

    def _colour(self) -> None:
        wanted = {"text": theme.text_colour, "muted": theme.muted_colour, "error": theme.error_colour}
        palette = self._label.palette()
        palette.setColor(self._label.foregroundRole(), wanted[self._name]())
        self._label.setPalette(palette)


class Pane(QWidget):
    """A stack of four: what is loading, what would be here, what went wrong, the content."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._content: QWidget | None = None
        self._cancel: Callable[[], None] | None = None
        self._retry: Callable[[], None] | None = None
        self._pages = QStackedLayout(self)
        self._pages.setContentsMargins(0, 0, 0, 0)
        self._build_loading()
        self._build_message()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(LOADING_DELAY_MS)
        self._timer.timeout.connect(self._reveal_loading)
        self._pages.setCurrentWidget(self._message_page)

    # -- states ----------------------------------------------------------------------------

    def set_content(self, widget: QWidget) -> None:
        """The widget of the filled state; once."""
        if self._content is not None:
            raise ValueError("the pane already has its content")
        self._content = widget
        self._pages.addWidget(widget)
        self.setFocusProxy(widget)

    def show_content(self) -> None:
        """Filled."""
        self._timer.stop()
        if self._content is not None:
            self._pages.setCurrentWidget(self._content)
            holder = QApplication.focusWidget()
            if holder is not None and holder.isAncestorOf(self):  # it waited for something to give it to
                focus_first(self._content)

    def show_loading(self, what: str, cancel: Callable[[], None] | None = None) -> None:
        """Loading ``what``; appears after 200 ms, until then the pane stays as it is."""
        self._cancel = cancel
        self._what.setText(format.one_line(what))
        self._bar.setRange(0, 0)
        self._far.setText("")
        self._cancel_button.setVisible(cancel is not None)
        if self.state() != "loading":
            self._timer.start()

    def set_progress(self, done: int, total: int | None, text: str = "") -> None:
        """How far the loading is; ``total`` None when that is not known."""
        self._bar.setRange(0, total or 0)
        self._bar.setValue(done if total else 0)
        amount = f"{format.exact(done)} of {format.exact(total)}" if total else ""
        self._far.setText(format.one_line(" · ".join(part for part in (text, amount) if part)))

    def show_empty(self, title: str, how_to_get_it: str = "") -> None:
        """Nothing is here: what would be, and how to get it."""
        self._show_message(title, how_to_get_it, error=False, retry=None)

    def show_error(self, sentence: str, retry: Callable[[], None] | None = None) -> None:
        """Something failed: what happened, to what, and what to do next."""
        self._show_message(sentence, "", error=True, retry=retry)

    def state(self) -> str:
        """``loading``, ``empty``, ``error`` or ``content``: what is on the screen now."""
        current = self._pages.currentWidget()
        if current is self._loading_page:
            return "loading"
        if current is self._message_page:
            return "error" if self._is_error else "empty"
        return "content"

    def message(self) -> str:
        """The text of the empty or error state."""
        return "\n".join(part for part in (self._title.text(), self._how.text()) if part)

    # -- pages -----------------------------------------------------------------------------

    def _build_loading(self) -> None:
        self._loading_page = QWidget(self)
        self._what = plain_label()
        self._what.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._what.setWordWrap(True)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setMaximumWidth(260)
        self._bar.setFixedHeight(6)
        self._bar.setAccessibleName("Progress")
        self._far = plain_label(muted=True)
        self._far.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._far.setWordWrap(True)
        self._cancel_button = QPushButton("Cancel")
        self._cancel_button.setAccessibleName("Cancel loading")
        self._cancel_button.clicked.connect(self._cancelled)
        _centred(self._loading_page, self._what, self._bar, self._far, self._cancel_button)
        self._pages.addWidget(self._loading_page)

    def _build_message(self) -> None:
        self._is_error = False
        self._message_page = QWidget(self)
        self._title = plain_label()
        self._how = plain_label(muted=True)
        for label in (self._title, self._how):
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            label.setWordWrap(True)
            label.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
            label.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
            label.setAccessibleName("Message")
        self._retry_button = QPushButton("Try again")
        self._retry_button.setAccessibleName("Try again")
        self._retry_button.clicked.connect(self._retried)
        self._retry_button.hide()
        _centred(self._message_page, self._title, self._how, self._retry_button)
        self._pages.addWidget(self._message_page)

    def _show_message(self, title: str, how: str, *, error: bool, retry: Callable[[], None] | None) -> None:
        self._timer.stop()
        self._is_error = error
        self._retry = retry
        self._title.setText(format.marked(f"! {title}" if error else title))
        self._how.setText(format.marked(how))
        self._how.setVisible(bool(how))
        self._retry_button.setVisible(retry is not None)
        tint(self._title, "error" if error else "text")
        self._pages.setCurrentWidget(self._message_page)

    def _reveal_loading(self) -> None:
        self._pages.setCurrentWidget(self._loading_page)

    def _cancelled(self) -> None:
        if self._cancel is not None:
            self._cancel()

    def _retried(self) -> None:
        if self._retry is not None:
            self._retry()


def _centred(page: QWidget, *widgets: QWidget) -> None:
    outer = QHBoxLayout(page)
    outer.setContentsMargins(16, 16, 16, 16)
    column = QVBoxLayout()
    column.setSpacing(6)
    column.addStretch(2)
    for widget in widgets:
        if isinstance(widget, QLabel):
            # A long word must not widen the window, not even from a page that is hidden.
            widget.setWordWrap(True)
            widget.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
            column.addWidget(widget)
        else:
            column.addWidget(widget, 0, Qt.AlignmentFlag.AlignHCenter)
    column.addStretch(3)
    outer.addLayout(column)
