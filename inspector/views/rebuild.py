"""A request made again with the agent's own code: which agent, the question, the result beside what was recorded."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QDir, Qt, QTimer
from PySide6.QtGui import QHideEvent, QIcon
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from engine.errors import AgentCodeFailed
from engine.trace.model import RequestRow
from inspector import format, rebuilding
from inspector.jobs import Failure, Jobs
from inspector.panes import Pane, plain_label
from inspector.rebuilding import Remade
from inspector.views.buttons import WordButton
from inspector.views.labels import ElidedLabel
from inspector.views.rebuilt import RebuiltView
from inspector.views.text_window import TextWindow

HOW = "module:attribute, path/to/file.py:attribute or path/to/langgraph.json:name"
ABOUT = (
    "The agent's code is run in a process of its own, over a private copy of the database, up to the moment at "
    "which its model would be called. No model is called and no connection is made."
)


class RebuildWindow(QDialog):
    """Asks before anything is run; what it runs can be cancelled."""

    def __init__(
        self, jobs: Jobs, reader: Any, path: Path, row: RequestRow, agent: str, ask: Callable[..., bool],
        keep: Callable[[str], None], parent: QWidget | None = None,
    ) -> None:  # fmt: skip
        """``agent`` is the one that was used last; ``keep`` remembers the next."""
        super().__init__(parent)
        self.setWindowTitle(f"Rebuild request {row.number}")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._jobs, self._reader, self._path, self._row, self._ask, self._keep = jobs, reader, path, row, ask, keep
        self._began = 0.0
        self.result_view = RebuiltView(jobs)
        self.field = QLineEdit(agent)
        self.field.setPlaceholderText(HOW)
        self.field.setAccessibleName("Agent")
        self.field.returnPressed.connect(self.start)
        self.says = ElidedLabel()
        self.details_button = WordButton("Show the whole error", self._show_details)
        self._details = ""
        self.pane = Pane()
        self._build()
        self._clock = QTimer(self)
        self._clock.setInterval(500)
        self._clock.timeout.connect(self._tick)
        self.pane.show_empty("The request appears here as this agent's code makes it today.", ABOUT)
        if not agent:
            jobs.run("Looking for a langgraph.json", rebuilding.agents_near, path, done=self._offer,
                     key=(self, "near"), quiet=True)  # fmt: skip

    def start(self) -> None:
        """Ask, then run the agent's code."""
        agent = self.field.text().strip()
        if not agent:
            self.pane.show_error(f"Name the agent first: {HOW}.")
            return
        where = format.one_line(agent, 200)
        question = f"This runs the code of {where} on this machine, with your rights. {ABOUT} Run it?"
        if not self._ask(self, question, "Run it", "Do not run it"):
            return
        self._keep(agent)
        self._began = time.monotonic()
        self._clock.start()
        self.run_button.setEnabled(False)
        self._tell("")
        what = f"Running the agent's code up to request {self._row.number}"
        self.pane.show_loading(what, self._cancelled)
        self._jobs.run(what, rebuilding.remake, self._reader, self._path, self._row, agent,
                       done=self._show, failed=self._failed, key=(self, "rebuild"))  # fmt: skip

    def hideEvent(self, event: QHideEvent) -> None:
        """Nobody waits for it any more."""
        super().hideEvent(event)
        if not event.spontaneous():
            self._stop()

    def _show(self, remade: Remade) -> None:
        self._over()
        self._tell(remade.sentence())
        self.result_view.show_remade(remade)
        self.pane.show_content()

    def _failed(self, failure: Failure) -> None:
        self._over()
        error = failure.error
        self._tell("", error.details if isinstance(error, AgentCodeFailed) else "")
        self.pane.show_error(str(failure), self.start)

    def _cancelled(self) -> None:
        self._stop()
        self.pane.show_error("The request was not rebuilt: cancelled. The process was ended.", self.start)

    def _stop(self) -> None:
        self._jobs.cancel((self, "rebuild"))
        self._over()

    def _over(self) -> None:
        self._clock.stop()
        self.run_button.setEnabled(True)

    def _tick(self) -> None:
        self.pane.set_progress(0, None, f"{time.monotonic() - self._began:.0f} s")

    def _tell(self, sentence: str, details: str = "") -> None:
        self._details = details
        self.says.set_text(sentence)
        self.says.setVisible(bool(sentence))
        self.details_button.setVisible(bool(details))

    def _show_details(self) -> None:
        details = self._details
        TextWindow(self._jobs, "What the agent's code said", lambda: details, self).show()

    def _offer(self, agents: list[str]) -> None:
        if agents and not self.field.text():
            self.field.setText(agents[0])

    def _choose(self) -> None:
        dialog = QFileDialog(self, "Choose the agent's file", str(self._path.parent or QDir.homePath()),
                             "Agents (*.py langgraph.json *.json)")  # fmt: skip
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self.use_file)
        dialog.open()

    def use_file(self, name: str) -> None:
        """Put a chosen file into the field; of a Python file the attribute is left to be typed."""
        self.field.setText(f"{name}:" if name.endswith(".py") else name)
        self.field.setFocus()
        self.field.end(False)

    def _build(self) -> None:
        line = QHBoxLayout()
        line.addWidget(plain_label("Agent"))
        line.addWidget(self.field, 1)
        choose = QPushButton("Choose a file…")
        choose.clicked.connect(self._choose)
        self.run_button = QPushButton("Rebuild…")
        self.run_button.clicked.connect(self.start)
        for button in (choose, self.run_button):
            button.setAutoDefault(False)
            line.addWidget(button)
        told = QHBoxLayout()
        told.addWidget(self.says, 1)
        told.addWidget(self.details_button)
        self.says.hide()
        self.details_button.hide()
        self.pane.set_content(self.result_view)
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        close = box.button(QDialogButtonBox.StandardButton.Close)
        close.setIcon(QIcon())
        close.setAutoDefault(False)
        box.rejected.connect(self.close)
        column = QVBoxLayout(self)
        column.addLayout(line)
        column.addLayout(told)
        column.addWidget(self.pane, 1)
        column.addWidget(box)
        self.resize(1100, 720)
        self.field.setFocus()


def open_rebuild(window: Any, row: RequestRow) -> RebuildWindow:
    """The window for a request of the source that is open."""
    desk, prefs = window.desk, window.prefs
    made = RebuildWindow(
        window.jobs, desk.opened.reader, desk.opened.path, row, prefs.agent(desk.source), window.ask,
        partial(prefs.keep_agent, desk.source), window,
    )  # fmt: skip
    desk.destroyed.connect(made.close)
    made.show()
    return made
