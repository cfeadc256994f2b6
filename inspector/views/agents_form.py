"""One agent as a form: its name, what is wrong with it, and its sections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QStringListModel, Qt, Signal
from PySide6.QtGui import QFont, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QHBoxLayout, QListView, QStackedWidget, QVBoxLayout, QWidget

from inspector import format, theme
from inspector.agent_checks import Checks
from inspector.agent_commands import SECTIONS
from inspector.jobs import Jobs
from inspector.models.agents import problems_line
from inspector.panes import plain_label
from inspector.tab_order import focus_first
from inspector.views.agents_context import ContextPage
from inspector.views.agents_fields import LineField
from inspector.views.agents_files import FilesPage
from inspector.views.agents_model import ModelPage, PromptPage
from inspector.views.agents_problems import ProblemsBar
from inspector.views.agents_rules import RulesPage
from inspector.views.agents_subagents import SubagentsPage
from inspector.views.agents_texts import MemoryPage
from inspector.views.agents_tools import ToolsPage
from inspector.views.agents_trust import TrustDialog
from inspector.views.bar_delegate import BarDelegate
from inspector.views.buttons import WordButton
from inspector.views.note_bar import NoteBar
from inspector.views.parts import Line
from inspector.views.quiet import quiet

if TYPE_CHECKING:
    from engine.blueprint import ToolSource
    from inspector.agent_edit import AgentEdit
    from inspector.agent_jobs import Judged

NAV_WIDTH = 152


class AgentForm(QWidget):
    """Shows an ``AgentEdit`` and puts what is typed into it."""

    changed = Signal()
    """Something was typed, saved or loaded."""
    save_wanted = Signal()
    use_wanted = Signal()
    start_wanted = Signal()

    def __init__(self, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self.edit: AgentEdit | None = None
        self.known = QStringListModel(self)
        """Models that are offered."""
        self.checks = Checks(jobs, self)
        self.name = LineField("Name of the agent", "Name")
        font = QFont(self.name.font())
        font.setBold(True)
        self.name.setFont(font)
        self.state = plain_label("", muted=True)
        self.save_button = WordButton("Save", self.save_wanted.emit)
        self.use_button = WordButton("Use for this thread", self.use_wanted.emit)
        self.start_button = WordButton("New thread with it", self.start_wanted.emit)
        self.note = NoteBar("What happened to the agent")
        self.problems = ProblemsBar()
        self.model = ModelPage(self.known)
        self.prompt = PromptPage()
        self.tools = ToolsPage(jobs)
        self.subagents = SubagentsPage(self.known)
        self.memory = MemoryPage()
        self.context = ContextPage(self.known)
        self.files = FilesPage()
        self.rules = RulesPage()
        self.pages: tuple[Any, ...] = (
            self.model, self.prompt, self.tools, self.subagents, self.memory, self.context, self.files, self.rules,
        )  # fmt: skip
        self.nav = QListView()
        self._sections = QStandardItemModel(self)
        self.stack = QStackedWidget()
        self._build()
        self._connect()

    # -- showing ---------------------------------------------------------------------------------

    def set_edit(self, edit: AgentEdit | None) -> None:
        """Show another agent, or the same one as it was loaded anew."""
        if self.edit is not None:
            self.edit.changed.disconnect(self._changed)
        self.edit = edit
        self.note.clear()
        for page in self.pages:
            page.set_edit(edit)
        if edit is not None:
            self.name.fill(edit.name)
            edit.changed.connect(self._changed)
            self._changed()
            self.tools.show_tools(self.checks.listed)
        self.checks.set_edit(edit)

    def fill(self) -> None:
        """What was saved may be written a little otherwise than it was typed."""
        if self.edit is not None:
            self.name.fill(self.edit.name)
            for page in self.pages:
                page.set_edit(self.edit)
            self._changed()

    def show_section(self, index: int) -> None:
        """Show a section and give the keyboard to its first field."""
        self.nav.setCurrentIndex(self._sections.index(index, 0))
        focus_first(self.pages[index])

    def step_section(self, by: int) -> None:
        """The next or previous section, around the ends."""
        self.show_section((self.nav.currentIndex().row() + by) % len(self.pages))

    def show_field(self, field: str) -> bool:
        """Give the keyboard to the field that a problem names; False when it has none here."""
        name = field.partition(".")[0].partition("[")[0]
        for index, page in enumerate(self.pages):
            if page.takes(field) is not None or page.takes(name) is not None:
                self.nav.setCurrentIndex(self._sections.index(index, 0))
                return bool(page.show_field(field) or page.show_field(name))
        return False

    # -- inside ----------------------------------------------------------------------------------

    def _build(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(12, 8, 12, 8)
        head.setSpacing(8)
        head.addWidget(self.name, 1)
        head.addWidget(self.state)
        for button in (self.save_button, self.use_button, self.start_button):
            head.addWidget(button)
        for title in SECTIONS:
            item = QStandardItem(title)
            item.setEditable(False)
            self._sections.appendRow(item)
        quiet(self.nav)
        self.nav.setModel(self._sections)
        self.nav.setAccessibleName("Sections")
        self.nav.setFixedWidth(NAV_WIDTH)
        self.nav.setFrameShape(QListView.Shape.NoFrame)
        self.nav.setItemDelegate(BarDelegate(self.nav))
        self.nav.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for page in self.pages:
            self.stack.addWidget(page)
        body = QHBoxLayout()
        body.setContentsMargins(0, 0, 0, 0)
        body.setSpacing(0)
        body.addWidget(self.nav)
        body.addWidget(self.stack, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.note)
        column.addWidget(self.problems)
        column.addWidget(Line())
        column.addLayout(body, 1)
        self.nav.setCurrentIndex(self._sections.index(0, 0))

    def _connect(self) -> None:
        self.name.edited.connect(lambda text: self.edit.set_name(text) if self.edit is not None else None)
        self.nav.selectionModel().currentChanged.connect(lambda index: self.stack.setCurrentIndex(index.row()))
        self.problems.chosen.connect(self.show_field)
        self.checks.judged.connect(self._judged)
        theme.notifier().changed.connect(self._colours_changed)
        self.checks.tools_listed.connect(self._tools_listed)
        self.checks.failed.connect(self._not_checked)
        self.checks.said.connect(self._said)
        self.checks.key_said.connect(self._key_said)
        self.model.remember_key.connect(self.checks.remember_key)
        self.model.forget_key.connect(self.checks.forget_key)
        for lines in (self.tools.sources, self.subagents.form.tools.sources):
            lines.looked.connect(self._look)
            lines.list_wanted.connect(self.checks.list_tools)
            lines.distrusted.connect(self.checks.distrust)

    def _changed(self) -> None:
        if self.edit is not None:
            self.state.setText("Not saved" if self.edit.dirty else "Saved")
            self.save_button.setEnabled(self.edit.dirty)
            self.changed.emit()

    def _judged(self, judged: Judged) -> None:
        self.problems.show_problems(judged.problems)
        for index, page in enumerate(self.pages):
            page.judge(judged)
            here = [each for each in judged.problems if self._place_of(each.field) == index]
            errors = sum(each.level == "error" for each in here)
            item = self._sections.item(index)
            item.setText(f"{SECTIONS[index]}  ! {len(here)}" if here else SECTIONS[index])
            item.setForeground(theme.error_colour() if errors else theme.text_colour())
            said = problems_line(errors, len(here) - errors)
            item.setData(f"{SECTIONS[index]}, {said}" if said else SECTIONS[index],
                         int(Qt.ItemDataRole.AccessibleTextRole))  # fmt: skip
        self.subagents.form.tools.sources.judge(judged, self.checks.listed)

    def _colours_changed(self) -> None:
        if self.edit is not None and self.edit.judged is not None:
            self.problems.show_problems(())
            self._judged(self.edit.judged)

    def _place_of(self, field: str) -> int:
        name = field.partition(".")[0].partition("[")[0]
        return next((n for n, page in enumerate(self.pages) if page.takes(field) or page.takes(name)), -1)

    def _tools_listed(self) -> None:
        self.tools.show_tools(self.checks.listed)

    def _not_checked(self, sentence: str) -> None:
        self.note.say(sentence, ("Try again", self.checks.ask), ("Close", self.note.clear), kind="error")

    def _said(self, source: str, sentence: str, failed: bool) -> None:
        for lines in (self.tools.sources, self.subagents.form.tools.sources):
            lines.say(source, sentence, failed)

    def _key_said(self, sentence: str, done: bool) -> None:
        self.model.key.say(format.one_line(sentence, 400))
        if done:
            self.model.key.kept()

    def _look(self, source: ToolSource) -> None:
        dialog = TrustDialog(self._jobs, source, self.window())
        dialog.allowed.connect(self.checks.trust)
        dialog.open()
