"""Skills of a thread's agent: the line in the menu that every request pays for, against the full text to edit."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from engine.trace.model import SkillRow
from engine.workbench import Merge
from inspector import format
from inspector.drafts import Drafts
from inspector.file_content import content_of
from inspector.jobs import Jobs
from inspector.models.skills import SkillItem, SkillsModel, linked
from inspector.panes import plain_label
from inspector.searching import Searchable
from inspector.views.apply_bar import ApplyBar
from inspector.views.buttons import WordButton
from inspector.views.items_table import ItemsTable
from inspector.views.note_bar import NoteBar
from inspector.views.parts import BESIDE_NEVER, MARGIN, AspectSplitter, Line, heading
from inspector.views.plain_text import Link
from inspector.views.side import SidePane
from inspector.views.skill_edit import NewSkill, SkillEdits
from inspector.views.skill_facts import SkillFacts
from inspector.views.text import TextView


class SkillsView(SidePane):
    """A table of the skills over the selected one: as listed to the model, and its SKILL.md."""

    changed = Signal()
    """Something can be saved, or is unsaved, as it was not before."""
    go_to_thread = Signal(str, int)
    """The user asked for a request of a thread, by their ids."""

    noun = "skills"

    def __init__(
        self,
        reader: Any,
        jobs: Jobs,
        workspace_path: str | Path | None = None,
        parent: QWidget | None = None,
        drafts: Drafts | None = None,
    ) -> None:
        super().__init__(reader, jobs, parent)
        read_only = bool(getattr(reader, "read_only", ""))
        self.workspace = None if workspace_path is None or read_only else Path(workspace_path)
        self._shown: SkillItem | None = None
        self.model = SkillsModel()
        self.table: ItemsTable[SkillItem] = ItemsTable(
            self.model, "Skills of the thread", ("", "~888", "~8.8k", "Listed", "Read")
        )
        self.table.sort_by_header()
        self.facts = SkillFacts()
        self.facts.go_to_request.connect(self.go_to_request)
        self.facts.file_chosen.connect(self._show_file)
        self.note = NoteBar("Problem of the skill")
        self.menu_title = heading("As listed to the model")
        self.menu = TextView(jobs, "Menu line as listed to the model")
        self.full_title = heading("SKILL.md")
        self.full = TextView(jobs, "Text of SKILL.md")
        self.costs = plain_label(muted=True)
        self.costs.setWordWrap(True)
        self.costs.setContentsMargins(MARGIN, 2, MARGIN, 2)
        self.edits = SkillEdits(jobs, self.workspace, drafts)
        self.edits.saved.connect(self.refresh)
        self.edits.closed.connect(self._editing)
        self.edits.changed.connect(self.changed)
        self.edits.edit.bench.versions.go_to_request.connect(self.go_to_thread)
        self.applying = ApplyBar(jobs, self.workspace, "skills")
        self.applying.applied.connect(self.refresh)
        self.edit_button = WordButton("Edit", self._edit)
        self.new_button = WordButton("New skill…", self._new)
        self.form = NewSkill(jobs, self.workspace)
        self.form.created.connect(self._created)
        self._wanted = ""
        self._build()
        self.table.current_changed.connect(self._selected)
        self.table.opened.connect(lambda _item: self.full.edit.setFocus())

    def _build(self) -> None:
        for text in (self.menu, self.full):
            text.setMinimumSize(100, 44)  # the list of skills is worth more than four lines of each text
        upper = _column(Line(), self.facts, self.note, self.menu_title, (self.menu, 1))
        texts = AspectSplitter(upper, _column(Line(), self.full_title, (self.full, 1)), (2, 3), least=BESIDE_NEVER)
        texts.fit_first(190)
        self.texts = texts
        lower = _column((texts, 1), (self.edits, 1))
        self.splitter = AspectSplitter(self.table, lower, (1, 2))
        tools = QHBoxLayout()
        tools.setContentsMargins(MARGIN, 4, MARGIN, 4)
        tools.addWidget(self.edit_button)
        tools.addWidget(self.new_button)
        tools.addStretch(1)
        row = QWidget()
        row.setLayout(tools)
        row.setVisible(self.workspace is not None)
        self.pane.set_content(_column(row, self.form, self.costs, self.applying, (self.splitter, 1)))
        self._editing()

    def find_target(self) -> Searchable | None:
        """The text of SKILL.md, or the editor."""
        return self.edits.edit.find_target() if self.edits.isVisible() else self.full.find_target()

    def has_unsaved(self) -> bool:
        """Whether any SKILL.md has text that is not stored."""
        return self.edits.has_unsaved()

    def forget(self, deleted: Callable[[str], bool]) -> None:
        """Forget what was typed into skills whose place was deleted for good."""
        self.edits.buffers.forget(deleted)

    def flush(self) -> None:
        """Put all unsaved text on disk now."""
        self.edits.flush()

    def put_merge(self, path: str, merge: Merge) -> None:
        """Put a merge of a SKILL.md as it stands into the editor; nothing is saved."""
        self.edits.edit.deciding.put_merge(path, merge)
        if self.table.select(path):
            self._edit()
        else:
            self._wanted = path
            self.refresh()

    def _edit(self) -> None:
        """The editor in the place of the text."""
        item = self.table.current()
        if item is not None:
            self.edits.open(item.skill, self.reader, self.thread_id or "")
            self._editing()

    def _editing(self) -> None:
        on = self.edits.path is not None
        self.texts.setVisible(not on)
        self.edits.setVisible(on)

    def _new(self) -> None:
        self.form.open()

    def _created(self, path: str) -> None:
        self._wanted = path
        self.refresh()

    def fetch(self, thread_id: str) -> list[SkillItem]:
        """The skills, and the ids of the requests in which they showed."""
        skills = list(self.reader.skills(thread_id))
        wanted = set().union(*map(linked, skills)) if skills else set()
        numbers: dict[int, int] = {}
        if wanted:
            ids = self.reader.request_ids(thread_id)
            near = [ids[number - 1] for number in sorted(wanted) if 0 < number <= len(ids)]
            numbers = {row.number: row.id for row in self.reader.request_rows(near)}
        return [
            SkillItem(skill, {number: numbers[number] for number in sorted(linked(skill)) if number in numbers})
            for skill in skills
        ]

    def show_loaded(self, found: list[SkillItem]) -> None:
        """Bring the table up to date; what is read of the shown skill only when it changed."""
        self.model.set_items(found)
        drifted = [item.skill.path for item in found if item.skill.drift not in (None, "none", "not-loaded")]
        self.applying.show_thread(self.thread_id, drifted)
        self.applying.refresh()
        self._tell_costs(found)
        self.edits.look([item.skill for item in found])
        if not found and self.workspace is None:
            self.pane.show_empty(
                "The thread's agent has no skills.",
                "A skill is a folder with a SKILL.md under /skills/; it is listed at a thread's first run.",
            )
            return
        self.pane.show_content()
        self.splitter.fit_first(self.table.height_of(len(found)))
        if self._wanted and self.table.select(self._wanted):
            self._wanted = ""
            self._edit()
        self.table.select_first()
        now = self.table.current()
        if now is not None and now != self._shown:
            self._selected(now)

    def thread_left(self) -> None:
        """Forget the skills of the thread before."""
        self.model.set_items([])
        self._selected(None)

    def _selected(self, item: SkillItem | None) -> None:
        self._shown = item
        self.note.clear()
        if item is None:
            self.facts.show_skill(None)
            self.menu.clear("No skill is selected.", "Select one above to see its line and its text.")
            self.full.clear()
            self.edit_button.setEnabled(False)
            return
        skill = item.skill
        self.edit_button.setEnabled(True)
        if self.edits.path is not None and not self.edits.edits(skill):
            self.edits.open(skill, self.reader, self.thread_id or "")
        differs = skill.drift not in (None, "none", "not-loaded") and skill.menu_now != skill.menu
        links: list[QWidget] = (
            [
                Link("As this thread sees it", partial(self._show_menu, skill, False)),
                Link("As a new thread sees it", partial(self._show_menu, skill, True)),
            ]
            if differs
            else []
        )
        self.facts.show_skill(item, links)
        why = _why(skill)
        if why:
            self.note.say(why, kind="error" if not skill.listed else "")
        self._show_menu(skill, False)
        self._show_file(skill.path)

    def _show_menu(self, skill: SkillRow, now: bool) -> None:
        """The line in the thread's menu, or in the one that a new thread would load."""
        seen = skill.menu_now if now else skill.menu or (skill.description if skill.listed is not False else "")
        tokens = "" if now else f" · {format.tokens(skill.menu_tokens)} tokens"
        self.menu_title.setText(("As a new thread lists it" if now else "As listed to the model") + tokens)
        if seen:
            self.menu.set_text(seen)
        else:
            self.menu.clear("It is not listed to the model.")  # why stands above it

    def _show_file(self, path: str) -> None:
        """The text of SKILL.md, or of a file beside it."""
        if self._shown is None:
            return
        skill = self._shown.skill
        tokens = f" · {format.tokens(skill.full_tokens)} tokens" if skill.full_tokens is not None else ""
        name = path.removeprefix(skill.path.rsplit("/", 1)[0] + "/")
        self.full_title.setText(format.marked(name) + (tokens if path == skill.path else ""))
        self.full.load(f"Reading {format.one_line(name, 40)}", partial(_text, self.reader, self.thread_id or "", path))

    def _tell_costs(self, found: list[SkillItem]) -> None:
        listed = [item.skill for item in found if item.skill.listed]
        self.costs.setVisible(bool(listed))
        if not listed:
            return
        menu = sum(skill.menu_tokens for skill in listed)
        full = sum(skill.full_tokens or 0 for skill in listed)
        ten = (round(10 * menu / len(listed)), round(10 * full / len(listed)))
        self.costs.setText(
            f"{len(listed)} of {len(found)} listed: {format.tokens(menu)} tokens in every request, "
            f"{format.tokens(full)} if all are read. Ten like these: {format.tokens(ten[0])} listed, "
            f"{format.tokens(ten[1])} read."
        )


def _why(skill: SkillRow) -> str:
    """Why it is not listed, or is listed otherwise than it reads; with its line."""
    if skill.overridden_by:
        return f"Not listed: {skill.overridden_by} is listed under its name instead."
    where = f"Line {skill.line}: " if skill.line else ""
    if skill.problem:
        return f"{where}{skill.problem}"
    warned = next((one for one in skill.findings if one.level != "note"), None)
    if warned is None:
        return ""
    return f"Line {warned.line}: {warned.sentence}" if warned.line else warned.sentence


def _text(reader: Any, thread_id: str, path: str) -> str:
    content = content_of(path, reader.file(thread_id, path))
    return content.text if content.is_text else f"{content.note}\n\n{content.text}"


def _column(*parts: QWidget | tuple[QWidget, int]) -> QWidget:
    made = QWidget()
    column = QVBoxLayout(made)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    for part in parts:
        widget, stretch = part if isinstance(part, tuple) else (part, 0)
        column.addWidget(widget, stretch)
    return made
