"""Earlier texts of a memory file: those that saves replaced, offered in a menu."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QMenu, QWidget

from inspector import format, memory_files
from inspector.jobs import Jobs
from inspector.memory_files import Earlier

MOST = 40


class EarlierTexts(QWidget):
    """Asks for the texts in a job and pops the menu up; never seen itself."""

    chosen = Signal(object)
    """An ``Earlier`` was chosen."""
    failed = Signal(str)

    def __init__(self, jobs: Jobs, parent: QWidget) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._below: QWidget | None = None
        self.hide()

    def ask(self, workspace: Path, path: str, below: QWidget) -> None:
        """Offer the earlier texts of a file below a button."""
        self._below = below
        self._jobs.run(
            "Looking for earlier texts",
            memory_files.earlier,
            workspace,
            path,
            done=self._show,
            failed=self.failed.emit,
            key=(self, "earlier"),
        )

    def menu(self, found: list[Earlier]) -> QMenu:
        """The menu, the latest text first."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if not found:
            menu.addAction("No save has replaced a text of this file").setEnabled(False)
        for one in found[:MOST]:
            title = f"Replaced {one.at[:19].replace('T', ' ')} UTC · {format.size(one.size)}"
            action = menu.addAction(format.menu_text(title), partial(self.chosen.emit, one))
            action.setEnabled(one.text is not None)
        return menu

    def _show(self, found: list[Earlier]) -> None:
        if self._below is not None:
            self.menu(found).popup(self._below.mapToGlobal(QPoint(0, self._below.height())))
