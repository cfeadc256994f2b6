"""The workbench beside the editor: what the model gets, the versions, and whom a save concerns; one at a time."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from inspector.jobs import Jobs
from inspector.panes import plain_label
from inspector.views.bench_effect import EffectPane
from inspector.views.bench_preview import PreviewPane
from inspector.views.bench_versions import VersionsPane
from inspector.views.buttons import tool_button
from inspector.views.memory_buffer import MemoryBuffer
from inspector.views.memory_watch import PreviewWatch
from inspector.views.parts import MARGIN

TITLES = {"preview": "What the model gets", "versions": "Versions", "effect": "If saved"}


class MemoryBench(QWidget):
    """Shows one of its panes, or none."""

    changed = Signal()
    """Another pane is shown, or none."""

    def __init__(self, jobs: Jobs, watch: PreviewWatch, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.mode = ""
        self.preview, self.versions, self.effect = PreviewPane(jobs, watch), VersionsPane(jobs), EffectPane(jobs)
        self._panes: dict[str, PreviewPane | VersionsPane | EffectPane] = {
            "preview": self.preview,
            "versions": self.versions,
            "effect": self.effect,
        }
        self._title = plain_label()
        head = QHBoxLayout()
        head.setContentsMargins(MARGIN, 4, 4, 0)
        head.addWidget(self._title, 1)
        head.addWidget(tool_button("×", "Close this part", lambda: self.show_mode("")))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        for pane in self._panes.values():
            pane.hide()
            column.addWidget(pane, 1)
        self.setMinimumWidth(100)

    def toggler(self, mode: str) -> Callable[[], None]:
        """What a button of this mode does."""
        return lambda: self.show_mode("" if self.mode == mode else mode)

    def show_mode(self, mode: str) -> None:
        """Show a pane by its name; the empty one for none."""
        self.mode = mode
        self._title.setText(TITLES.get(mode, ""))
        for name, pane in self._panes.items():
            pane.setVisible(name == mode)
        if mode:
            self._panes[mode].refresh()
        self.changed.emit()

    def set_buffer(self, buffer: MemoryBuffer | None) -> None:
        """Another file."""
        for pane in self._panes.values():
            pane.set_buffer(buffer)

    def refresh(self) -> None:
        """What is stored may be another."""
        if self.mode in ("versions", "effect"):
            self._panes[self.mode].refresh()
