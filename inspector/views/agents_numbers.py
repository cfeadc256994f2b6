"""Numbers and sizes in the form of an agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QValidator, QWheelEvent
from PySide6.QtWidgets import QDoubleSpinBox, QHBoxLayout, QWidget

from inspector import format, theme
from inspector.views.agents_fields import ChoiceField

MOST = 2_000_000_000
"""The largest number that a field takes."""
Size = Any
"""``default``, ``off``, None, or a list of ``tokens``, ``messages`` or ``fraction`` and an amount."""
_UNITS = (
    ("tokens", "a number of tokens"), ("messages", "a number of messages"), ("fraction", "a fraction of the window"),
)  # fmt: skip
_BLANKS = str.maketrans("", "", " ,\u2009\u202f\u00a0")
_FIRST: Mapping[str, float] = {"tokens": 100_000, "messages": 50, "fraction": 0.85}
"""What a number begins with, when its unit is chosen: a limit,"""
KEPT: Mapping[str, float] = {"tokens": 20_000, "messages": 6, "fraction": 0.1}
"""and what is left once it was passed."""


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


def _plain(text: str) -> str:
    return text.translate(_BLANKS)


class SizeField(QWidget):
    """A size: by default, off, or a number of tokens or messages, or a fraction of the window."""

    edited = Signal(object)

    def __init__(self, name: str, *, default: Any = "default", off: bool = True, plain: bool = False,
                 first: Mapping[str, float] = _FIRST, verb: str = "at") -> None:  # fmt: skip
        """``plain``: a limit in tokens alone, a bare number. ``default`` is the value that leaves it to the engine."""
        super().__init__()
        self._plain, self._first = plain, first
        choices: list[tuple[Any, str]] = [(default, "engine’s default")] if default != () else []
        choices += [("off", "off")] if off else []
        units = _UNITS[:1] if plain else _UNITS
        self.choice = ChoiceField(name, [*choices, *((unit, f"{verb} {words}".strip()) for unit, words in units)])
        self.number = NumberField(f"{name}: number")
        self.number.setFixedWidth(100)
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
                self.number.setValue(self._first[unit])
        self.edited.emit(self.value())

    def _show_number(self, unit: Any) -> None:
        with QSignalBlocker(self.number):
            self.number.share() if unit == "fraction" else self.number.whole()
        self.number.setVisible(unit in _FIRST)
