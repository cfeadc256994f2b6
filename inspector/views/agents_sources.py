"""Where tools come from: one line a source, with whether its code may run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QDir, Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QVBoxLayout

from inspector import format
from inspector.panes import tint
from inspector.views.agents_fields import LineField
from inspector.views.agents_lines import Lines, Member
from inspector.views.agents_page import wrapped
from inspector.views.buttons import WordButton

if TYPE_CHECKING:
    from engine.blueprint import ToolSchema, ToolSource
    from inspector.agent_jobs import Judged


class ToolMember(Member):
    """Where tools come from, and whether their code may run."""

    look = Signal(object)
    """Show the code of this source, and ask whether it may run."""
    list_wanted = Signal(object)
    distrust = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.source: ToolSource | None = None
        self.field = LineField("Source of tools", "/home/me/tools.py, tools.py:name or module:attribute")
        self.status = wrapped("", muted=True)
        self.list_button = WordButton("List tools", self._list)
        self.forbid_button = WordButton("No longer allow", lambda: self.distrust.emit(self.field.text()))
        self.setFocusProxy(self.field)
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self.field, 1)
        row.addWidget(self.list_button)
        row.addWidget(self.forbid_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(1)
        column.addLayout(row)
        column.addWidget(self.status)
        self.field.edited.connect(self._typed)
        self.show_source(None, None)

    def fill(self, value: str) -> None:
        """Show a source."""
        self.field.fill(value)

    def value(self) -> str:
        """The source."""
        return self.field.text()

    def show_source(self, source: ToolSource | str | None, tools: Sequence[ToolSchema] | None) -> None:
        """Say what is known of its code; a sentence of its own says why there is none."""
        self.source = source if source is not None and not isinstance(source, str) else None
        self.list_button.setEnabled(self.source is not None)
        self.list_button.setText("List tools" if self.source is None or self.source.trusted else "List tools…")
        self.forbid_button.setVisible(self.source is not None and self.source.trusted)
        words = status(self.source, tools)
        self.status.setText(format.marked(words))
        self.status.setVisible(bool(words))

    def say(self, sentence: str, error: bool = False) -> None:
        """What came of listing its tools."""
        self.status.setText(format.marked(f"! {sentence}" if error else sentence))
        tint(self.status, "error" if error else "muted")
        self.status.show()

    def _typed(self, _text: object) -> None:
        tint(self.status, "muted")
        self.show_source(None, None)
        self.edited.emit()

    def _list(self) -> None:
        if self.source is not None:
            tint(self.status, "muted")
            (self.list_wanted if self.source.trusted else self.look).emit(self.source)


class ToolLines(Lines):
    """The sources of an agent's tools, or of a subagent's."""

    looked = Signal(object)
    """Show the code of this ``ToolSource``, and ask whether it may run."""
    list_wanted = Signal(object)
    """List the tools of this ``ToolSource``, which may run."""
    distrusted = Signal(str)
    """The code of this source may run no longer."""

    def __init__(self, empty: str) -> None:
        super().__init__("source", self._member, lambda: "", add="Add by name", empty=empty)
        self.file_button = WordButton("Add a file…", self.add_file)
        self.foot.insertWidget(1, self.file_button)

    def add_file(self) -> None:
        """Ask for a Python file."""
        dialog = QFileDialog(self.window(), "Add a file with tools", QDir.homePath(), "Python (*.py)")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self.insert)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def sources(self) -> list[ToolMember]:
        """The lines that are shown."""
        return [member for member in self.members() if isinstance(member, ToolMember)]

    def judge(self, judged: Judged, listed: Mapping[str, Sequence[ToolSchema]]) -> None:
        """Say of each whether its code may run."""
        for member in self.sources():
            member.show_source(judged.sources.get(member.value()), listed.get(member.value()))

    def say(self, source: str, sentence: str, error: bool = False) -> None:
        """What came of listing the tools of a source."""
        for member in self.sources():
            if member.value() == source:
                member.say(sentence, error)

    def _member(self) -> ToolMember:
        member = ToolMember()
        member.look.connect(self.looked)
        member.list_wanted.connect(self.list_wanted)
        member.distrust.connect(self.distrusted)
        return member


def status(source: ToolSource | None, tools: Sequence[ToolSchema] | None) -> str:
    """``12 tools: add, subtract …``, or what must happen first."""
    if source is None:
        return ""
    if tools is not None and source.trusted:
        names = ", ".join(format.one_line(tool.name, 40) for tool in tools[:8])
        more = " …" if len(tools) > 8 else ""
        return f"{format.count(len(tools), 'tool')}: {names}{more}"
    return "You let this code run." if source.trusted else ""
