"""Asks before the code of tools runs for the first time: what would run, its bytes, and the code itself."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from inspector import agent_jobs, format
from inspector.jobs import Jobs
from inspector.views.agents_page import wrapped
from inspector.views.plain_text import PathLabel
from inspector.views.text import TextView

if TYPE_CHECKING:
    from engine.blueprint import ToolSource

DIGEST_SHOWN = 16


class TrustDialog(QDialog):
    """Shows the code that a tool's name stands for. Nothing of it has run."""

    allowed = Signal(str, str)
    """The user lets it run: the tool's name, and the digest of what was shown."""

    def __init__(self, jobs: Jobs, source: ToolSource, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Let this code run")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._source = source
        self.says = wrapped(question(source))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 14, 16, 12)
        layout.setSpacing(8)
        layout.addWidget(self.says)
        for file in source.files:
            layout.addWidget(PathLabel(file))
        layout.addWidget(wrapped(f"SHA-256 {source.digest[:DIGEST_SHOWN]}…", muted=True))
        self.text = TextView(jobs, "Code of the tools")
        layout.addWidget(self.text, 1)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        cancel = buttons.button(QDialogButtonBox.StandardButton.Cancel)
        cancel.setIcon(QIcon())
        self.allow_button = buttons.addButton("Let it run", QDialogButtonBox.ButtonRole.AcceptRole)
        self.allow_button.setAutoDefault(False)
        cancel.setDefault(True)
        buttons.accepted.connect(self._allow)
        buttons.rejected.connect(self.reject)
        layout.addWidget(buttons)
        self.resize(760, 560)
        self.text.load("Reading the code", partial(agent_jobs.source_text, source))

    def _allow(self) -> None:
        self.allowed.emit(self._source.text, self._source.digest)
        self.accept()


def question(source: ToolSource) -> str:
    """What would run, in sentences."""
    files = "this file" if len(source.files) == 1 else f"these {len(source.files)} files"
    changed = "It was changed since you let it run. " if source.changed else ""
    return (
        f"{changed}Finding out the tools of “{format.one_line(source.text, 120)}” runs {files} and whatever "
        "that imports, with your rights on this computer: now to list them, and in every run of an agent that has "
        "them. You are asked once; a change of the code asks again."
    )
