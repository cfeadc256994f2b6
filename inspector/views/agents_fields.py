"""Fields of the form of an agent: each is filled without telling, and tells what the user changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import (
    QComboBox,
    QCompleter,
    QLineEdit,
    QPlainTextEdit,
    QSizePolicy,
    QWidget,
)

from inspector import theme
from inspector.views.focus_edge import FocusEdge
from inspector.views.quiet import quiet
from inspector.views.tick import Tick


class LineField(QLineEdit):
    """A text of one line; where it may be missing, an empty one is None."""

    edited = Signal(object)

    def __init__(self, name: str, hint: str = "", *, optional: bool = False, known: QAbstractItemModel | None = None,
                 parent: QWidget | None = None) -> None:  # fmt: skip
        super().__init__(parent)
        self._optional = optional
        self.setAccessibleName(name)
        self.setPlaceholderText(hint)
        self.textChanged.connect(lambda _text: self.edited.emit(self.value()))
        if known is not None:
            completer = QCompleter(known, self)
            completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
            completer.setFilterMode(Qt.MatchFlag.MatchContains)
            completer.setMaxVisibleItems(12)
            self.setCompleter(completer)
            popup = completer.popup()
            assert popup is not None  # a completer makes its own
            quiet(popup)
            popup.setAccessibleName(f"{name}: suggestions")

    def fill(self, value: Any) -> None:
        """Show a value."""
        text = "" if value is None else str(value)
        if text != self.text():
            with QSignalBlocker(self):
                self.setText(text)
                self.setCursorPosition(0)

    def value(self) -> str | None:
        """What is typed."""
        return self.text() or (None if self._optional else "")


class ProseField(QPlainTextEdit):
    """A text of many lines; Tab leads on. It grows with them from ``lines`` to ``most``, 0: takes what there is."""

    edited = Signal(object)

    def __init__(self, name: str, hint: str = "", *, lines: int = 4, most: int = 16, optional: bool = False,
                 mono: bool = True, parent: QWidget | None = None) -> None:  # fmt: skip
        super().__init__(parent)
        quiet(self)
        FocusEdge(self)
        self._optional, self._mono = optional, mono
        self.setAccessibleName(name)
        self.setPlaceholderText(hint)
        self.setTabChangesFocus(True)
        if mono:
            self.setFont(theme.mono_font())
        self._lines, self._most = lines, most
        self.setMinimumHeight(self._height(lines))
        if most:
            self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            self.document().documentLayout().documentSizeChanged.connect(lambda _size: self._fit())
            self._fit()
        self.textChanged.connect(lambda: self.edited.emit(self.value()))

    def fill(self, value: Any) -> None:
        """Show a value; the cursor and undo stay when it is there already."""
        text = "" if value is None else str(value)
        if text != self.text():
            with QSignalBlocker(self):
                self.setPlainText(text)

    def text(self) -> str:
        """As typed: no-break spaces stay, line ends are ``\\n``."""
        return self.document().toRawText().replace("\u2029", "\n").replace("\u2028", "\n")

    def value(self) -> str | None:
        """What is typed."""
        return self.text() or (None if self._optional else "")

    def sizeHint(self) -> QSize:
        """As high as it is fixed."""
        return QSize(240, self.minimumHeight())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width wraps otherwise."""
        super().resizeEvent(event)
        if self._most:
            self._fit()

    def _fit(self) -> None:
        lines = round(self.document().documentLayout().documentSize().height())  # in lines, for plain text
        policy = Qt.ScrollBarPolicy
        self.setVerticalScrollBarPolicy(policy.ScrollBarAsNeeded if lines > self._most else policy.ScrollBarAlwaysOff)
        height = self._height(max(self._lines, min(self._most, lines)))
        if height != self.minimumHeight():
            self.setFixedHeight(height)

    def _height(self, lines: int) -> int:
        margins = 2 * (self.frameWidth() + int(self.document().documentMargin()))
        return lines * QFontMetrics(self.font()).lineSpacing() + margins


class ChoiceField(QComboBox):
    """One of a few values, by their words. A value that is none of them is shown as it is, and kept."""

    edited = Signal(object)

    def __init__(self, name: str, choices: Sequence[tuple[Any, str]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._values = [value for value, _words in choices]
        self._known = len(choices)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(min(12, max(len(words) for _value, words in choices)))
        self.setAccessibleName(name)
        self.view().setAccessibleName(f"{name}: choices")
        self.addItems([words for _value, words in choices])
        self.currentIndexChanged.connect(lambda _index: self.edited.emit(self.value()))

    def fill(self, value: Any) -> None:
        """Show a value."""
        with QSignalBlocker(self):
            while self.count() > self._known:
                self.removeItem(self.count() - 1)
            self._values = self._values[: self._known]
            if value not in self._values:
                self._values.append(value)
                self.addItem(str(value)[:60] or "not set")
            self.setCurrentIndex(self._values.index(value))

    def value(self) -> Any:
        """The value that is chosen."""
        return self._values[self.currentIndex()]

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Left to whoever scrolls."""
        event.ignore()


class CheckField(Tick):
    """On or off."""

    edited = Signal(object)

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.setAccessibleName(words)
        self.clicked.connect(lambda on: self.edited.emit(bool(on)))

    def fill(self, value: Any) -> None:
        """Show it."""
        self.setChecked(bool(value))
