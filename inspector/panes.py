"""A pane and its four states: loading, empty, error, filled.

A pane knows nothing of what it shows. Every text put on it is plain text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
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
        _Tint(label).use("muted")
    return label


Tint = Literal["text", "muted", "error"]


def tint(label: QLabel, name: Tint) -> None:
    """Give a label this colour of the scheme in force, and of the next one."""
    keeper = label.findChild(_Tint, options=Qt.FindChildOption.FindDirectChildrenOnly) or _Tint(label)
    keeper.use(name)


class _Tint(QObject):
    """Child of a label that colours it again when the scheme changes."""

    def __init__(self, label: QLabel, name: Tint = "text") -> None:
        super().__init__(label)
        self._label = label
        self._name = name
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
    """A stack of four: what is loading, what would be here, what went wrong, the content.

    A window has some eighty of them and shows a few: their pages are made when they are seen.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._content: QWidget | None = None
        self._state = "empty"
        self._loading = _Loading()
        self._message = _Message()
        self._loading_page: _LoadingPage | None = None
        self._message_page: _MessagePage | None = None
        self._pages = QStackedLayout(self)
        self._pages.setContentsMargins(0, 0, 0, 0)
        self._pages.addWidget(QWidget(self))  # until it is shown: the first one would be, and would load
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(LOADING_DELAY_MS)
        self._timer.timeout.connect(self._reveal_loading)

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
            self._state = "content"
            self._pages.setCurrentWidget(self._content)
            holder = self.window().focusWidget()  # also while another window has the keyboard
            if holder is not None and holder.isAncestorOf(self):  # it waited for something to give it to
                focus_first(self._content)

    def show_loading(self, what: str, cancel: Callable[[], None] | None = None) -> None:
        """Loading ``what``; appears after 200 ms, until then the pane stays as it is."""
        self._loading = _Loading(format.one_line(what), cancel)
        if self._state == "loading":
            self._show_page()
        else:
            self._timer.start()

    def set_progress(self, done: int, total: int | None, text: str = "") -> None:
        """How far the loading is; ``total`` None when that is not known."""
        amount = f"{format.exact(done)} of {format.exact(total)}" if total else ""
        far = format.one_line(" · ".join(part for part in (text, amount) if part))
        self._loading = replace(self._loading, done=done, total=total or 0, far=far)
        if self._loading_page is not None:
            self._loading_page.show_loading(self._loading)

    def show_empty(self, title: str, how_to_get_it: str = "") -> None:
        """Nothing is here: what would be, and how to get it."""
        self._say("empty", _Message(format.marked(title), format.marked(how_to_get_it)))

    def show_error(self, sentence: str, retry: Callable[[], None] | None = None) -> None:
        """Something failed: what happened, to what, and what to do next."""
        self._say("error", _Message(format.marked(f"! {sentence}"), "", True, retry))

    def state(self) -> str:
        """``loading``, ``empty``, ``error`` or ``content``: what is on the screen now."""
        return self._state

    def message(self) -> str:
        """The text of the empty or error state."""
        return "\n".join(part for part in (self._message.title, self._message.how) if part)

    # -- pages -----------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        """Now its page is needed."""
        super().showEvent(event)
        self._show_page()

    def _say(self, state: str, message: _Message) -> None:
        self._timer.stop()
        self._state, self._message = state, message
        if self.isVisible():
            self._show_page()
        else:
            self._pages.setCurrentIndex(0)

    def _reveal_loading(self) -> None:
        self._state = "loading"
        if self.isVisible():
            self._show_page()
        else:
            self._pages.setCurrentIndex(0)

    def _show_page(self) -> None:
        if self._state == "loading":
            if self._loading_page is None:
                self._loading_page = _LoadingPage(self)
                self._pages.addWidget(self._loading_page)
            self._loading_page.show_loading(self._loading)
            self._pages.setCurrentWidget(self._loading_page)
        elif self._state != "content":
            if self._message_page is None:
                self._message_page = _MessagePage(self)
                self._pages.addWidget(self._message_page)
            self._message_page.show_message(self._message)
            self._pages.setCurrentWidget(self._message_page)


@dataclass(frozen=True)
class _Loading:
    """What is loading, and how far."""

    what: str = ""
    cancel: Callable[[], None] | None = None
    done: int = 0
    total: int = 0
    far: str = ""


@dataclass(frozen=True)
class _Message:
    """What would be here, or what went wrong."""

    title: str = ""
    how: str = ""
    is_error: bool = False
    retry: Callable[[], None] | None = None


class _LoadingPage(QWidget):
    """What is loading, a bar, how far, Cancel."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._cancel: Callable[[], None] | None = None
        self.what = plain_label()
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setMaximumWidth(260)
        self.bar.setFixedHeight(6)
        self.bar.setAccessibleName("Progress")
        self.far = plain_label(muted=True)
        self.cancel_button = QPushButton("Cancel")
        self.cancel_button.setAccessibleName("Cancel loading")
        self.cancel_button.clicked.connect(self._cancelled)
        _centred(self, self.what, self.bar, self.far, self.cancel_button)

    def show_loading(self, loading: _Loading) -> None:
        """Say this."""
        self._cancel = loading.cancel
        self.what.setText(loading.what)
        self.bar.setRange(0, loading.total)
        self.bar.setValue(loading.done if loading.total else 0)
        self.far.setText(loading.far)
        self.cancel_button.setVisible(loading.cancel is not None)

    def _cancelled(self) -> None:
        if self._cancel is not None:
            self._cancel()


class _MessagePage(QWidget):
    """A sentence, what to do about it, Try again."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._retry: Callable[[], None] | None = None
        self.title = plain_label()
        self.how = plain_label(muted=True)
        for label in (self.title, self.how):
            label.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
            label.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
            label.setAccessibleName("Message")
        self.retry_button = QPushButton("Try again")
        self.retry_button.setAccessibleName("Try again")
        self.retry_button.clicked.connect(self._retried)
        _centred(self, self.title, self.how, self.retry_button)

    def show_message(self, message: _Message) -> None:
        """Say this."""
        self._retry = message.retry
        self.title.setText(message.title)
        tint(self.title, "error" if message.is_error else "text")
        self.how.setText(message.how)
        self.how.setVisible(bool(message.how))
        self.retry_button.setVisible(message.retry is not None)

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
            widget.setAlignment(Qt.AlignmentFlag.AlignCenter)
            widget.setWordWrap(True)
            widget.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
            column.addWidget(widget)
        else:
            column.addWidget(widget, 0, Qt.AlignmentFlag.AlignHCenter)
    column.addStretch(3)
    outer.addLayout(column)
