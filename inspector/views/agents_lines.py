"""A list in the form of an agent: one line of fields a member, added, moved and removed by keyboard as well."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from inspector import format
from inspector.panes import tint
from inspector.tab_order import focus_first
from inspector.views.agents_fields import LineField
from inspector.views.agents_page import index_in, wrapped
from inspector.views.buttons import WordButton, tool_button

if TYPE_CHECKING:
    from engine.blueprint import Problem

SHOWN = 100
"""Lines that are shown at most; the members after them are kept as they are."""


class Member(QWidget):
    """The fields of one member. Overridden: ``fill`` and ``value``."""

    edited = Signal()

    def fill(self, value: Any) -> None:
        """Show a member without telling."""
        raise NotImplementedError

    def value(self) -> Any:
        """The member as typed."""
        raise NotImplementedError


class TextMember(Member):
    """A member that is a text of one line."""

    def __init__(self, name: str, hint: str = "") -> None:
        super().__init__()
        self.field = LineField(name, hint)
        self.field.edited.connect(lambda _value: self.edited.emit())
        self.setFocusProxy(self.field)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.field)

    def fill(self, value: Any) -> None:
        """Show a text."""
        self.field.fill(value)

    def value(self) -> str:
        """The text."""
        return self.field.text()


class Lines(QWidget):
    """The members of one setting in order. Alt+Up and Alt+Down move the one that has the keyboard."""

    edited = Signal(object)

    def __init__(self, what: str, make: Callable[[], Member], new: Callable[[], Any], *, empty: str = "",
                 ordered: bool = True, add: str = "", name_of: Callable[[Any], str] | None = None,
                 parent: QWidget | None = None) -> None:  # fmt: skip
        """``what`` names one member: ``memory file``; ``new`` gives the value of one that is added. Where each has
        a name of its own, ``name_of`` gives it."""
        super().__init__(parent)
        self._what, self._make, self._new, self._ordered = what, make, new, ordered
        self._lines: list[_Line] = []
        self._rest: list[Any] = []
        self._empty = wrapped(empty, muted=True)
        self._name_of = name_of
        self._more = wrapped("", muted=True)
        self._more.hide()
        self.twice = wrapped("", error=True)
        self.twice.hide()
        self.add_button = WordButton(add or f"Add a {what}", self.add)
        self._stack = QVBoxLayout()
        self._stack.setContentsMargins(0, 0, 0, 0)
        self._stack.setSpacing(4)
        self.foot = QHBoxLayout()
        self.foot.setContentsMargins(0, 0, 0, 0)
        self.foot.setSpacing(6)
        self.foot.addWidget(self.add_button)
        self.foot.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self._empty)
        column.addLayout(self._stack)
        column.addWidget(self._more)
        column.addWidget(self.twice)
        column.addLayout(self.foot)
        self.edited.connect(self._look_for_twins)

    def members(self) -> list[Member]:
        """The fields of the members that are shown."""
        return [line.member for line in self._lines]

    def fill(self, values: Sequence[Any] | None) -> None:
        """Show these members; fields that show the same already stay as they are."""
        given = list(values or ())
        shown, self._rest = given[:SHOWN], given[SHOWN:]
        while len(self._lines) > len(shown):
            self._drop(len(self._lines) - 1)
        while len(self._lines) < len(shown):
            self._grow()
        for line, value in zip(self._lines, shown, strict=True):
            line.member.fill(value)
        self._arrange()
        self._look_for_twins(given)

    def value(self) -> list[Any]:
        """All members in order."""
        return [*(line.member.value() for line in self._lines), *self._rest]

    def add(self) -> None:
        """A new member at the end, with the keyboard in it."""
        self.insert(self._new())

    def insert(self, value: Any) -> None:
        """This member at the end of those that are shown, with the keyboard in it."""
        if len(self._lines) >= SHOWN:
            return
        line = self._grow()
        line.member.fill(value)
        self._arrange()
        self.edited.emit(self.value())
        focus_first(line.member)

    def remove(self, at: int) -> None:
        """Without this one; the keyboard goes to the next."""
        self._drop(at)
        self._arrange()
        self.edited.emit(self.value())
        focus_first(self._lines[min(at, len(self._lines) - 1)].member if self._lines else self.add_button)

    def shift(self, at: int, by: int) -> None:
        """A member to another place; the keyboard goes with it."""
        to = at + by
        if self._ordered and 0 <= at < len(self._lines) and 0 <= to < len(self._lines):
            line = self._lines.pop(at)
            self._lines.insert(to, line)
            self._stack.removeWidget(line)
            self._stack.insertWidget(to, line)
            self.edited.emit(self.value())

    def show_problems(self, found: Mapping[int, Sequence[Problem]]) -> None:
        """Say under each line what is wrong with it."""
        for at, line in enumerate(self._lines):
            line.show_problems(found.get(at, ()))

    def focus_on(self, problem: str) -> bool:
        """Give the keyboard to the member that a problem's field names."""
        at = index_in("x[" + problem.partition("[")[2], "x")
        if at is None or at >= len(self._lines):
            return False
        return focus_first(self._lines[at].member)

    def place_of(self, widget: QObject) -> int:
        """The line that a widget is in; -1 for none."""
        return next((at for at, line in enumerate(self._lines) if line is widget), -1)

    def _look_for_twins(self, values: Sequence[Any]) -> None:
        """Two members of one name can't both be kept: say it while both stand there."""
        if self._name_of is not None:
            names = [self._name_of(value) for value in values]
            twins = sorted({name for name in names if names.count(name) > 1})
            words = format.one_line(", ".join(twins)) or f"A {self._what} without a name"
            self.twice.setText(f"! {words} stands there twice; only the last of them counts and is kept.")
            self.twice.setVisible(bool(twins))

    def _grow(self) -> _Line:
        line = _Line(self._make(), self, self._what, self._ordered)
        line.member.edited.connect(lambda: self.edited.emit(self.value()))
        self._lines.append(line)
        self._stack.addWidget(line)
        line.show()  # at once: it is to take the keyboard
        return line

    def _drop(self, at: int) -> None:
        line = self._lines.pop(at)
        self._stack.removeWidget(line)
        line.hide()
        line.deleteLater()

    def _arrange(self) -> None:
        self._empty.setVisible(not self._lines and bool(self._empty.text()))
        self._more.setVisible(bool(self._rest))
        if self._rest:
            self._more.setText(f"{format.count(len(self._rest), 'more line')} are not shown, and kept as they are.")
        self.add_button.setEnabled(len(self._lines) < SHOWN)


class _Line(QWidget):
    """One member with its buttons and its problems."""

    def __init__(self, member: Member, lines: Lines, what: str, ordered: bool) -> None:
        super().__init__()
        self.member, self._lines = member, lines
        self._problem = wrapped("", error=True)
        self._problem.hide()
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        row.addWidget(member, 1)
        if ordered:
            for sign, words, by in (("↑", "Move up (Alt+Up)", -1), ("↓", "Move down (Alt+Down)", 1)):
                button = tool_button(sign, words, lambda by=by: lines.shift(lines.place_of(self), by))  # type: ignore[misc]
                button.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the keys do the same
                row.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        self.remove_button = tool_button("×", f"Remove this {what}", lambda: lines.remove(lines.place_of(self)))
        self.remove_button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        row.addWidget(self.remove_button, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(1)
        column.addLayout(row)
        column.addWidget(self._problem)

    def show_problems(self, problems: Sequence[Problem]) -> None:
        """Say them."""
        words = [f"{'! ' if each.level == 'error' else 'Note: '}{each.sentence}" for each in problems]
        self._problem.setText(format.marked("\n".join(words)))
        self._problem.setVisible(bool(words))
        tint(self._problem, "error" if any(each.level == "error" for each in problems) else "muted")

    def event(self, event: QEvent) -> bool:
        """Alt+Up and Alt+Down move the line, whichever of its fields has the keyboard."""
        if event.type() == QEvent.Type.ShortcutOverride and _step(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """As above: fields leave these keys to what they stand in."""
        by = _step(event)
        if by:
            self._lines.shift(self._lines.place_of(self), by)
        else:
            super().keyPressEvent(event)


def _step(event: QEvent) -> int:
    if not isinstance(event, QKeyEvent) or event.modifiers() != Qt.KeyboardModifier.AltModifier:
        return 0
    return {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()), 0)
