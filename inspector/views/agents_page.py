"""One section of the form of an agent: rows of label, field, what it comes to, and what is wrong with it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from inspector import format
from inspector.models.agents import effective_line
from inspector.panes import plain_label, tint
from inspector.tab_order import focus_first
from inspector.views.parts import Line
from inspector.views.quiet import quiet

if TYPE_CHECKING:
    from engine.blueprint import Problem
    from inspector.agent_edit import AgentEdit
    from inspector.agent_jobs import Judged

LABEL_WIDTH = 136
EFFECTIVE_WIDTH = 224
WIDEST = 980


@dataclass
class Row:
    """One field with what stands around it."""

    field: str
    widget: QWidget
    problem: QLabel
    effective: str = ""
    """Name of the effective value that stands beside it."""
    value: QLabel | None = None
    note: QLabel | None = None
    shown: list[str] = dataclasses.field(default_factory=list)


class Page(QScrollArea):
    """A section: scrolls as a whole, and knows which problem belongs to which row."""

    title = ""
    about = ""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        quiet(self)
        self.edit: AgentEdit | None = None
        self.rows: list[Row] = []
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(self.title)
        body = QWidget()
        body.setMaximumWidth(WIDEST)
        self._grid = QGridLayout()
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(14)
        self._grid.setVerticalSpacing(5)
        self._grid.setColumnMinimumWidth(0, LABEL_WIDTH)
        self._grid.setColumnStretch(1, 1)
        column = QVBoxLayout(body)
        column.setContentsMargins(18, 12, 18, 18)
        column.setSpacing(6)
        head = plain_label(self.title)
        font = QFont(head.font())
        font.setBold(True)
        head.setFont(font)
        column.addWidget(head)
        column.addWidget(wrapped(self.about, muted=True))
        column.addSpacing(4)
        column.addLayout(self._grid)
        self._rest = QWidget()
        column.addWidget(self._rest, 1)
        self.setWidget(body)

    # -- building --------------------------------------------------------------------------------

    def add(self, name: str, label: str, widget: QWidget, *, effective: str = "", hint: str = "",
            grow: bool = False) -> Row:  # fmt: skip
        """A row; ``effective`` names the value that stands beside it, else the field is as wide as the page.

        One that may ``grow`` takes the height that the others leave.
        """
        at = self._grid.rowCount()
        title = plain_label(label)
        title.setWordWrap(True)
        title.setContentsMargins(0, 4, 0, 0)
        title.setFixedWidth(LABEL_WIDTH)
        self._grid.addWidget(title, at, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(widget, at, 1, 1, 1 if effective else 2,
                             Qt.AlignmentFlag(0) if grow else Qt.AlignmentFlag.AlignTop)  # fmt: skip
        if grow:
            self._grid.setRowStretch(at, 1)
            self._rest.hide()
        row = Row(name, widget, wrapped("", error=True), effective)
        if effective:
            row.value, row.note = wrapped(""), wrapped("", muted=True)
            beside = QWidget()
            beside.setFixedWidth(EFFECTIVE_WIDTH)
            stack = QVBoxLayout(beside)
            stack.setContentsMargins(0, 4, 0, 0)
            stack.setSpacing(0)
            stack.addWidget(row.value)
            stack.addWidget(row.note)
            self._grid.addWidget(beside, at, 2, Qt.AlignmentFlag.AlignTop)
        if hint:
            self._grid.addWidget(wrapped(hint, muted=True), at + 1, 1, 1, 2)
        self._grid.addWidget(row.problem, at + 2, 1, 1, 2)
        row.problem.hide()
        self.rows.append(row)
        return row

    def group(self, title: str, about: str = "") -> None:
        """A heading between rows."""
        at = self._grid.rowCount()
        head = plain_label(title)
        font = QFont(head.font())
        font.setBold(True)
        head.setFont(font)
        head.setContentsMargins(0, 12, 0, 0)
        self._grid.addWidget(head, at, 0, 1, 3)
        self._grid.addWidget(Line(), at + 1, 0, 1, 3)
        if about:
            self._grid.addWidget(wrapped(about, muted=True), at + 2, 0, 1, 3)

    def bind(self, name: str, label: str, widget: Any, **more: Any) -> Row:
        """A row whose field is one setting of the form."""
        row = self.add(name, label, widget, **more)
        widget.edited.connect(lambda value: self._put(name, value))
        return row

    # -- showing ---------------------------------------------------------------------------------

    def set_edit(self, edit: AgentEdit | None) -> None:
        """Show another agent, or the same one anew."""
        self.edit = edit
        if edit is not None:
            self.fill(edit)

    def fill(self, edit: AgentEdit) -> None:
        """Show what is typed. Rows of ``bind`` show themselves."""
        for row in self.rows:
            if row.field in edit.state["form"] and hasattr(row.widget, "fill"):
                row.widget.fill(edit.get(row.field))

    def judge(self, judged: Judged) -> None:
        """Show problems and effective values."""
        for row in self.rows:
            self.show_problems(row, [each for each in judged.problems if belongs(each.field, row.field)])
            if row.value is not None and row.note is not None:
                value = judged.effective.get(row.effective)
                row.value.setText(effective_line(value))
                row.note.setText(value.note if value is not None else "")
                row.note.setVisible(bool(row.note.text()))

    def show_problems(self, row: Row, problems: Sequence[Problem]) -> None:
        """Say under a row what is wrong with it."""
        row.shown = [f"{'! ' if each.level == 'error' else 'Note: '}{each.sentence}" for each in problems]
        row.problem.setText(format.marked("\n".join(row.shown)))
        row.problem.setVisible(bool(row.shown))
        tint(row.problem, "error" if any(each.level == "error" for each in problems) else "muted")

    def takes(self, problem: str) -> Row | None:
        """The row where a problem of this field stands, if it is here."""
        found = [row for row in self.rows if belongs(problem, row.field)]
        return max(found, key=lambda row: len(row.field), default=None)

    def show_field(self, name: str) -> bool:
        """Give the keyboard to the field of a problem; False when it isn't here."""
        row = self.takes(name)
        if row is None:
            return False
        target = row.widget
        focus_on = getattr(target, "focus_on", None)
        if focus_on is None or not focus_on(name):
            focus_first(target)
        self.ensureWidgetVisible(target, 20, 60)
        return True

    def _put(self, name: str, value: Any) -> None:
        if self.edit is not None:
            self.edit.set(name, value)


def belongs(problem: str, name: str) -> bool:
    """Whether a problem's field is this one or lies inside it."""
    return problem == name or problem.startswith((f"{name}.", f"{name}["))


def index_in(problem: str, name: str) -> int | None:
    """``tools[2]`` in ``tools`` is 2."""
    rest = problem.removeprefix(f"{name}[")
    number = rest.partition("]")[0]
    return int(number) if rest != problem and number.isdigit() else None


def by_index(problems: Sequence[Problem], name: str) -> Mapping[int, list[Problem]]:
    """The problems of the members of a list, by their places."""
    found: dict[int, list[Problem]] = {}
    for problem in problems:
        at = index_in(problem.field, name)
        if at is not None:
            found.setdefault(at, []).append(problem)
    return found


class _Wrapped(QLabel):
    """Plain text that wraps; it asks for one line, and takes what its width needs."""

    def __init__(self) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def minimumSizeHint(self) -> QSize:
        """A word of one line: QLabel's own is the height at the least width."""
        return QSize(20, self.fontMetrics().height())


def wrapped(text: str, *, muted: bool = False, error: bool = False) -> QLabel:
    """A label of plain text that wraps instead of pushing the window wider."""
    label = _Wrapped()
    label.setText(text)
    if muted or error:
        tint(label, "error" if error else "muted")
    return label
