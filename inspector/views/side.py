"""What the side panes have in common: a thread, when they load, and their four states.

A side pane loads when it is first seen and again when the data changed, never while it is hidden; a
reload keeps selection and scroll.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector import format
from inspector.jobs import Jobs
from inspector.panes import Pane

LEAST_WIDTH = 200


class SidePane(QWidget):
    """One thread's something: loads what ``fetch`` gives off the GUI thread, and hands it to ``show_loaded``."""

    go_to_request = Signal(int)
    """The user asked for a request, by its id."""

    noun = "things"
    """What the pane shows, for its sentences: ``files``."""

    def __init__(self, reader: Any, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.reader = reader
        self.jobs = jobs
        self.thread_id: str | None = None
        self.pane = Pane(self)
        self.pane.setMinimumWidth(LEAST_WIDTH)  # a long name in a message must not widen the window
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.pane)
        self._stale = True
        self._loading = False
        self._again = False
        self._problem = ""
        self._no_thread()

    # -- what the window calls -------------------------------------------------------------

    def set_thread(self, thread_id: str | None) -> None:
        """Show another thread's."""
        if thread_id == self.thread_id:
            return
        self.jobs.cancel((self, "list"))
        self.thread_id = thread_id
        self._loading = self._again = False
        self._stale = True
        self.thread_left()
        if thread_id is None:
            self._no_thread()
        elif self.isVisible():
            self._load()
        else:
            self.pane.show_empty(f"The {self.noun} are read when this pane is shown.")

    def set_problem(self, problem: str) -> None:
        """What of the thread can't be read: a list that is empty for that reason says so."""
        if problem != self._problem:
            self._problem = problem
            self.refresh()

    def refresh(self) -> None:
        """The data may have changed: read again what is shown."""
        if self.thread_id is None:
            return
        self._stale = True
        if self._loading:
            self._again = True
        elif self.isVisible():
            self._load()

    # -- what a pane says of itself ------------------------------------------------------------

    def fetch(self, thread_id: str) -> Any:
        """Read everything that the lists show. Runs in a job."""
        raise NotImplementedError

    def show_loaded(self, found: Any) -> None:
        """Take over what ``fetch`` returned, and say with ``pane`` whether it is empty."""
        raise NotImplementedError

    def show_failed(self, sentence: str) -> None:
        """``fetch`` failed."""
        self.pane.show_error(sentence, self._load)

    def thread_left(self) -> None:
        """Forget what was shown of the thread before."""

    def close_jobs(self) -> None:
        """Ask this pane's jobs to stop; before it goes away."""
        self.jobs.cancel((self, "list"))

    # -- inside ----------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        """Load what was not loaded while nobody looked."""
        super().showEvent(event)
        if self._stale and not self._loading and self.thread_id is not None:
            self._load()

    def _no_thread(self) -> None:
        self.pane.show_empty("No thread is selected.", f"Select a thread at the left to see its {self.noun}.")

    def _load(self) -> None:
        thread_id = self.thread_id
        if thread_id is None:
            return
        self._stale = False
        self._loading = True
        self._again = False
        if self.pane.state() != "content":
            self.pane.show_loading(f"Reading the {self.noun}")
        self.jobs.run(
            f"Reading the {self.noun}",
            self.fetch,
            thread_id,
            done=self._loaded,
            failed=self._failed,
            key=(self, "list"),
        )

    def _loaded(self, found: Any) -> None:
        self._loading = False
        self.show_loaded(found)
        if self._problem and self.pane.state() == "empty":
            self.pane.show_empty(
                f"Whether the thread has {self.noun} is not known.",
                f"Not all of it can be read: {format.one_line(self._problem, 400)}.",
            )
        self._go_on()

    def _failed(self, sentence: str) -> None:
        self._loading = False
        self.show_failed(sentence)
        self._go_on()

    def _go_on(self) -> None:
        if self._again:
            self._stale = True
            if self.isVisible():
                self._load()
