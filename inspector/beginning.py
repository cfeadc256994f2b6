"""What a source that was just opened shows first: what was asked for, the first look, or what was left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from inspector.going import Goal
from inspector.views.welcome import Welcome

if TYPE_CHECKING:
    from inspector.window import MainWindow


class Beginning(QObject):
    """Selects the first thread and request, once the threads of a source are read."""

    def __init__(self, w: MainWindow) -> None:
        super().__init__(w)
        self._w = w
        self.goal: Goal | None = None
        """The thread, and request, that the next source is opened for."""

    def threads_read(self) -> None:
        """The threads are there."""
        w, desk = self._w, self._w.desk
        assert desk is not None
        ids = [row.thread_id for row in desk.session.threads or ()]
        goal, self.goal = self.goal, None
        if goal is not None and goal.thread_id in ids:
            self._go_to(goal)
        elif desk.opened.is_default and not w.prefs.flag("welcome_seen"):
            self.show_welcome()
            desk.first_look(w.jobs, self._first_look)
        elif ids:
            kept = w.prefs.selected_thread(desk.source)
            self.select(kept if kept in ids else ids[0])
        if goal is not None and goal.thread_id not in ids:
            w.status.show_problem(f"There is no thread “{goal.thread_id}” in this file.")
        if w.focusWidget() is None:  # the arrow keys step from the beginning
            w.focus("requests")

    def select(self, thread_id: str) -> None:
        """Show a thread, at the request that was looked at last."""
        desk = self._w.desk
        if desk is not None:
            desk.session.select_thread(thread_id, self._w.prefs.selected_request(desk.source, thread_id))

    def show_welcome(self) -> None:
        """The three lines of the first start."""
        welcome = Welcome()
        welcome.dismissed.connect(self._welcome_dismissed)
        self._w.centre.top.put(welcome)
        self._w.centre.top.show()

    def _welcome_dismissed(self) -> None:
        self._w.centre.top.hide()
        self._w.prefs.set("welcome_seen", True)

    def _go_to(self, goal: Goal) -> None:
        assert self._w.desk is not None
        if goal.number is None:
            self.select(goal.thread_id)
        else:
            self._w.desk.going.to_number(goal.thread_id, goal.number)

    def _first_look(self, found: tuple[str, int] | None) -> None:
        session = self._w.session
        if session is None or session.thread_id is not None:
            return
        if found is not None:
            session.select_thread(*found)
        elif session.threads:
            self.select(session.threads[0].thread_id)
