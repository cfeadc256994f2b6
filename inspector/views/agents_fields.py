"""Fields of the form of an agent: each is filled without telling, and tells what the user changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QResizeEvent, QValidator, QWheelEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QCompleter,
    QDoubleSpinBox,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QSizePolicy,
    QWidget,
)

from inspector import format, theme
from inspector.views.focus_edge import FocusEdge
from inspector.views.quiet import quiet

MOST = 2_000_000_000
"""The largest number that a field takes."""
Size = Any
"""``default``, ``off``, None, or a list of ``tokens``, ``messages`` or ``fraction`` and an amount."""


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


class NumberField(QDoubleSpinBox):
    """A number; the wheel that passes over it changes nothing."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setButtonSymbols(QDoubleSpinBox.ButtonSymbols.NoButtons)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setFont(theme.figure_font())
        self.whole()

    def whole(self) -> None:
        """Take whole numbers."""
        self.setDecimals(0)
        self.setRange(0, MOST)
        self.setSingleStep(1000)

    def textFromValue(self, value: float) -> str:
        """Thousands are parted as everywhere in the window."""
        return f"{value:g}" if self.decimals() else format.exact(int(value))

    def valueFromText(self, text: str) -> float:
        """A number as anybody parts it."""
        try:
            return float(_plain(text))
        except ValueError:
            return self.minimum()

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        """Digits, whatever parts them; a point only in a share."""
        plain = _plain(text)
        try:
            number = float(plain)
        except ValueError:
            state = QValidator.State.Intermediate if plain in ("", ".", "0.") else QValidator.State.Invalid
            return state, text, position
        good = (self.decimals() > 0 or plain.isdecimal()) and self.minimum() <= number <= self.maximum()
        return (QValidator.State.Acceptable if good else QValidator.State.Invalid), text, position

    def share(self) -> None:
        """Take a share of the window."""
        self.setDecimals(3)
        self.setRange(0, 1)
        self.setSingleStep(0.05)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Left to whoever scrolls."""
        event.ignore()


_UNITS = (
    ("tokens", "a number of tokens"), ("messages", "a number of messages"), ("fraction", "a fraction of the window"),
)  # fmt: skip
_BLANKS = str.maketrans("", "", " ,\u2009\u202f\u00a0")
_FIRST = {"tokens": 100_000, "messages": 50, "fraction": 0.85}
"""What a number begins with, when its unit is chosen."""


def _plain(text: str) -> str:
    return text.translate(_BLANKS)


class SizeField(QWidget):
    """A size: by default, off, or a number of tokens or messages, or a fraction of the window."""

    edited = Signal(object)

    def __init__(self, name: str, *, default: Any = "default", off: bool = True, plain: bool = False,
                 first: float | None = None, verb: str = "at", parent: QWidget | None = None) -> None:  # fmt: skip
        """``plain``: a limit in tokens alone, a bare number. ``default`` is the value that leaves it to the engine."""
        super().__init__(parent)
        self._plain, self._first = plain, first
        choices: list[tuple[Any, str]] = [(default, "engine’s default")] if default != () else []
        choices += [("off", "off")] if off else []
        units = _UNITS[:1] if plain else _UNITS
        self.choice = ChoiceField(name, [*choices, *((unit, f"{verb} {words}".strip()) for unit, words in units)])
        self.number = NumberField(f"{name}: number")
        self.number.setFixedWidth(120)
        self.setFocusProxy(self.choice)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self.choice, 1)
        row.addWidget(self.number)
        self.choice.edited.connect(self._chosen)
        self.number.valueChanged.connect(lambda _value: self.edited.emit(self.value()))

    def fill(self, value: Size) -> None:
        """Show a size."""
        unit, amount = self._parts(value)
        self.choice.fill(unit)
        self._show_number(unit)
        if amount is not None:
            with QSignalBlocker(self.number):
                self.number.setValue(float(amount))

    def value(self) -> Size:
        """The size that is typed."""
        unit = self.choice.value()
        if unit not in _FIRST:
            return unit
        amount: int | float = self.number.value()
        amount = round(amount, 3) if unit == "fraction" else int(amount)
        return amount if self._plain else [unit, amount]

    def _parts(self, value: Size) -> tuple[Any, float | None]:
        if isinstance(value, (int, float)) and not isinstance(value, bool) and self._plain:
            return "tokens", value
        if isinstance(value, (list, tuple)) and len(value) == 2 and value[0] in _FIRST:
            return value[0], value[1] if isinstance(value[1], (int, float)) else 0
        return value, None

    def _chosen(self, unit: Any) -> None:
        self._show_number(unit)
        if unit in _FIRST:
            with QSignalBlocker(self.number):
                self.number.setValue(self._first or _FIRST[unit] if unit != "fraction" else _FIRST[unit])
        self.edited.emit(self.value())

    def _show_number(self, unit: Any) -> None:
        with QSignalBlocker(self.number):
            self.number.share() if unit == "fraction" else self.number.whole()
        self.number.setVisible(unit in _FIRST)


class CheckField(QCheckBox):
    """On or off."""

    edited = Signal(object)

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.setAccessibleName(words)
        self.clicked.connect(lambda on: self.edited.emit(bool(on)))

    def fill(self, value: Any) -> None:
        """Show it."""
        self.setChecked(bool(value))
