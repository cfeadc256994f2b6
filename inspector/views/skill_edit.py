"""Editing a SKILL.md: the same editor as memory has, its verdict as one types, and a new skill from the template."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from engine.trace.model import MemoryFile, SkillRow
from inspector import memory_files, workbench
from inspector.drafts import Drafts
from inspector.jobs import Jobs
from inspector.panes import plain_label
from inspector.views.buttons import WordButton, tool_button
from inspector.views.memory_buffers import Buffers
from inspector.views.memory_edit import MemoryEdit
from inspector.views.note_bar import NoteBar
from inspector.views.parts import MARGIN, Line

_READ_ONLY = "It lies in the thread's state: it can be read here, not edited."


class SkillEdits(QWidget):
    """One SKILL.md at a time; what was typed in the others is kept."""

    saved = Signal()
    closed = Signal()
    changed = Signal()
    """Something can be saved, or is unsaved, as it was not before."""

    def __init__(self, jobs: Jobs, workspace: Path | None, drafts: Drafts | None) -> None:
        super().__init__()
        self.path: str | None = None
        self._key: tuple[str, str] = ("", "")
        self.buffers = Buffers(jobs, workspace, drafts, self)
        self.buffers.opened.connect(self._opened)
        self.buffers.failed.connect(self._not_opened)
        self.edit = MemoryEdit(jobs)
        self.edit.bench.show_mode("preview")
        self.edit.saved.connect(self.saved)
        self.edit.changed.connect(self.changed)
        self._title = plain_label(muted=True)
        head = QHBoxLayout()
        head.setContentsMargins(MARGIN, 4, 4, 0)
        head.addWidget(self._title, 1)
        head.addWidget(tool_button("×", "Close the editor; what is typed is kept", self.close_edit))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(Line())
        column.addLayout(head)
        column.addWidget(self.edit, 1)

    def open(self, skill: SkillRow, reader: Any, thread_id: str) -> None:
        """Edit this skill's file."""
        self.path = skill.path
        self._title.setText("Editing SKILL.md")
        self.edit.bench.effect.set_thread(thread_id or None)
        self._key = _key(skill)
        buffer = self.buffers.get(self._key)
        self.edit.set_buffer(buffer)
        if buffer is None:
            self.edit.text.show_loading("Reading SKILL.md")
            opening = partial(memory_files.open_file, reader, thread_id, _as_file(skill))
            self.buffers.open(self._key, "Reading SKILL.md", opening)

    def edits(self, skill: SkillRow) -> bool:
        """Whether this skill's file is the one that is edited."""
        return self.path is not None and self._key == _key(skill)

    def look(self, skills: Sequence[SkillRow]) -> None:
        """The files as they stand now."""
        for skill in skills:
            buffer = self.buffers.get(_key(skill))
            if buffer is not None:
                buffer.look(_as_file(skill))
        self.edit.bench.refresh()

    def close_edit(self) -> None:
        """Back to the text as it stands."""
        self.path = None
        self.closed.emit()

    def has_unsaved(self) -> bool:
        """Whether any has text that is not stored."""
        return self.buffers.has_unsaved()

    def flush(self) -> None:
        """Put all unsaved text on disk now."""
        self.buffers.flush()

    def hideEvent(self, event: QHideEvent) -> None:
        """What is typed must be on disk when the window goes."""
        super().hideEvent(event)
        self.flush()

    def _opened(self, key: tuple[str, str]) -> None:
        if self.path is not None and key == self._key:
            self.edit.set_buffer(self.buffers.get(key))

    def _not_opened(self, key: tuple[str, str], sentence: str) -> None:
        if self.path is not None and key == self._key:
            self.edit.text.show_error(sentence)


class NewSkill(QWidget):
    """Asks for a name and a description, and writes the template."""

    created = Signal(str)

    def __init__(self, jobs: Jobs, workspace: Path | None) -> None:
        super().__init__()
        self._jobs, self._workspace = jobs, workspace
        self.name, self.description = QLineEdit(), QLineEdit()
        self.name.setPlaceholderText("name-with-hyphens")
        self.name.setAccessibleName("Name of the new skill")
        self.description.setPlaceholderText("What it is for and when to use it: all the model sees of it")
        self.description.setAccessibleName("Description of the new skill")
        self.create_button = WordButton("Create", self._create)
        self.note = NoteBar("Creating a skill")
        self.description.returnPressed.connect(self._create)
        buttons = QHBoxLayout()
        buttons.addWidget(self.create_button)
        buttons.addWidget(WordButton("Cancel", self.hide))
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN, 2, MARGIN, 4)
        column.setSpacing(4)
        for field in (self.name, self.description):
            column.addWidget(field)
        column.addLayout(buttons)
        column.addWidget(self.note)
        self.hide()

    def open(self) -> None:
        """Ask."""
        self.note.clear()
        self.show()
        self.name.setFocus()

    def _create(self) -> None:
        if self._workspace is None:
            return
        self._jobs.run(
            "Creating the skill",
            workbench.new_skill,
            self._workspace,
            self.name.text().strip(),
            self.description.text(),
            done=self._done,
            failed=self._failed,
            key=(self, "create"),
        )

    def _done(self, path: str) -> None:
        self.name.clear()
        self.description.clear()
        self.hide()
        self.created.emit(path)

    def _failed(self, sentence: str) -> None:
        self.note.say(sentence, ("Close", self.note.clear), kind="error")


def _key(skill: SkillRow) -> tuple[str, str]:
    """Two agents may have different skills at one path."""
    return (skill.path, skill.within)


def _as_file(skill: SkillRow) -> MemoryFile:
    return MemoryFile(
        path=skill.path,
        text=skill.text,
        version=skill.version,
        size=len((skill.text or "").encode("utf-8", "surrogatepass")),
        place=skill.place,
        read_only="" if skill.within else _READ_ONLY,
        within=skill.within,
        modified_at=None,
        in_thread=None,
    )
