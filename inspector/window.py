"""The main window: opens and closes a source, runs commands, and tells the parts what happened.

Where the parts stand is in ``parts``, what they show in ``desk``, what can be done in ``actions``.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QMainWindow, QWidget

from inspector import (
    actions,
    chart_verbs,
    clipboard,
    dialogs,
    format,
    memory_links,
    run_verbs,
    share_verbs,
    store_verbs,
)
from inspector.agents_here import AgentsHere
from inspector.answering import Answering
from inspector.beginning import Beginning
from inspector.commands import Commands
from inspector.desk import Desk
from inspector.following import Following
from inspector.going import Goal
from inspector.jobs import Jobs
from inspector.leaving import Leaving
from inspector.opening import Opened, Opener, called
from inspector.panes import Pane
from inspector.parts import Parts
from inspector.prefs import Prefs
from inspector.running import Running
from inspector.session import Session
from inspector.streaming import Streaming
from inspector.tab_order import following
from inspector.turns import Turns

if TYPE_CHECKING:
    from engine.trace.model import RequestRow

CHART_MS = 1500
"""The chart is imported by then, also when there is no request to show before."""


class MainWindow(QMainWindow):
    """Threads at the left, requests in the middle, what surrounds them at the right."""

    def __init__(self, prefs: Prefs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.prefs = prefs
        self.jobs = Jobs(self)
        self.desk: Desk | None = None
        self.ask: Callable[..., bool] = dialogs.ask
        self._opener = Opener(self.jobs, self)
        self._chart: Any = None
        self.running: Running | None = None
        self.agents: AgentsHere | None = None
        """Of a workspace that can be written."""
        self._wanted: Path | None = None
        self._begun = False
        self._closing = False
        self.setWindowTitle("Context Inspector")
        self.turns = Turns(self.jobs, self)
        self.parts = Parts(self, self.jobs, prefs, self.turns)
        self.status, self.centre, self.around = self.parts.status, self.parts.centre, self.parts.around
        self.threads, self.threads_dock = self.parts.threads, self.parts.threads_dock
        self.composer = self.parts.composer
        self.following = Following(self.turns, self.composer, prefs, self)
        self.answering = Answering(
            self.jobs, self.turns, self.parts.answer, self.composer, self.following, prefs.drafts
        )
        self._leaving = Leaving(self, self.turns, self.status)
        self.beginning = Beginning(self)
        self.commands = Commands(self)
        self.commands.scope("centre", self.centre)
        self.commands.scope("table", self.centre.requests)
        self.commands.scope("chart", self.centre.chart)
        self.commands.scope("answer", self.parts.answer)
        self.commands.add(*actions.all_commands(self))
        self.commands.name_in_place(*actions.IN_PLACE)
        self.commands.build_menus(self.menuBar())
        self._connect()
        self.parts.restore()
        self.commands.refresh()

    @property
    def session(self) -> Session | None:
        """The open source's session."""
        return self.desk.session if self.desk is not None else None

    # -- opening -----------------------------------------------------------------------------

    def open_after_paint(self, path: Path | None, goal: Goal | None = None) -> None:
        """Open a source once the window has been painted, at a thread; None for the default workspace."""
        self._wanted, self.beginning.goal = path, goal
        self._begun = False

    def open(self, path: Path | None) -> None:
        """Open a source now; the one before is closed, after a question when work would be lost."""
        self._begun = True
        if not self._leaving.may_leave(self.ask, self._has_unsaved()):
            return
        self._close_desk()
        self._wanted = path
        self.threads.show_loading(f"Opening {called(path)}", self._cancel_opening)
        self.status.show_source(called(path))
        self._opener.open(path)

    def choose_file(self) -> None:
        """Ask for a file and open it."""
        start = str(self.desk.opened.path.parent) if self.desk else ""
        name, _filter = QFileDialog.getOpenFileName(self, "Open a workspace or a database", start)
        if name:
            self.open(Path(name))

    def _cancel_opening(self) -> None:
        self._opener.cancel()
        self._opening_cancelled("open")

    def _cancelled(self, key: object) -> None:
        if self.session is not None:
            self.session.reading.cancelled(key)
        self._opening_cancelled(key)

    def _opening_cancelled(self, key: object) -> None:
        if key == "open":
            name = called(self._wanted)
            self._open_failed(f"{name[0].upper()}{name[1:]} was not opened: cancelled.")

    def _open_failed(self, sentence: str) -> None:
        self.parts.empty()
        self.threads.show_error(sentence, lambda: self.open(self._wanted))
        self.status.show_source("")

    def _show_progress(self, done: int, total: int | None, text: str) -> None:
        self.threads.show_progress(done, total, text)
        middle = self.centre.requests.widget()
        if self.desk is None and isinstance(middle, Pane):
            middle.show_empty(
                "The demo threads are being made.",
                "The real engine runs them here, offline, with scripted answers. It takes a few seconds, once.",
            )

    def _source_ready(self, opened: Opened, views: dict[str, Any]) -> None:
        self.desk = desk = Desk(opened, views, self.jobs, self.centre, self.around, self.threads, self)
        if self._chart is not None:
            self._put_chart(desk)
        state = self.prefs.raw("columns")
        if state is not None:
            desk.requests.restore_columns(state)
        table = desk.requests.table
        table.customContextMenuRequested.connect(lambda at: self._context("request", table.viewport(), at))
        desk.look_into.connect(lambda: self.focus("request"))
        desk.filter.arrived.connect(self.following.arrived)
        session = desk.session
        self.following.use(session, desk.source)
        session.threads_changed.connect(self.beginning.threads_read, Qt.ConnectionType.SingleShotConnection)
        session.thread_changed.connect(self._thread_changed)
        session.request_changed.connect(self._request_changed)
        session.rows_changed.connect(self._rows_changed)
        desk.problem.connect(self.status.show_problem)
        desk.request.area_changed.connect(self.commands.refresh)
        memory_links.remember(desk, self.prefs)
        for name in ("memory", "skills"):
            desk.around[name].changed.connect(self.commands.refresh)
        store_verbs.connect(self, desk)
        desk.around["files"].places_wanted.connect(lambda: self.commands.run("help.places"))
        session.detail_ready.connect(self.commands.refresh)
        session.detail_ready.connect(lambda *_detail: self._opener.load_chart())
        QTimer.singleShot(CHART_MS, self, self._opener.load_chart)
        why = f"This source is read only: {opened.read_only}" if opened.read_only else ""
        self.running = None if why else Running(opened.path)
        self.agents = None if why else AgentsHere(self)
        self.composer.open(str(opened.path), self.running, why)
        self.answering.use(session, opened.path, bool(why))
        Streaming(self.turns, session, desk.request.live, desk)
        self.status.show_source(str(opened.path), "read only" if why else "", why)
        name = format.one_line(opened.path.name, 80).replace("[*]", "[*][*]")  # Qt's mark of unsaved work
        self.setWindowTitle(f"{name} – Context Inspector")
        self.threads.show_loading("Reading the list of threads")
        session.start()
        self.commands.refresh()

    def _chart_ready(self, view: Any) -> None:
        self._chart = view
        self.answering.begin()
        if self.desk is not None:
            self._put_chart(self.desk)

    def _put_chart(self, desk: Desk) -> None:
        desk.put_chart(self._chart, self.prefs.text(chart_verbs.PREF, chart_verbs.FIRST))
        desk.chart.menu_wanted.connect(lambda at: self.commands.context_menu("chart", self).popup(at))
        self.commands.refresh()

    # -- what the user does --------------------------------------------------------------------

    def can_write(self) -> bool:
        """Whether threads of this source can be run on."""
        return self.desk is not None and not self.desk.opened.read_only

    def choose_thread(self, thread_id: str) -> None:
        """Show another thread; unsaved memory stays with its pane."""
        if self.desk is None or thread_id == self.desk.session.thread_id:
            return
        if self.desk.has_unsaved():
            self.status.show_note("A memory file has changes that are not saved. They are kept.")
        self.beginning.select(thread_id)

    def new_thread(self) -> None:
        """The next message starts a thread."""
        if self.session is not None:
            self.session.select_thread(None)
            self.focus("composer")

    def send(self) -> None:
        """Send what is typed: in the panel where that has the keyboard, else the message."""
        panel, focus = self.parts.answer, QApplication.focusWidget()
        inside = focus is not None and panel.isAncestorOf(focus)
        if panel.can_send() and (inside or not self.composer.can_send()):
            panel.send()
        elif not inside and self.agents is not None:
            self.composer.send(self.agents.new_thread_id)

    def focus(self, name: str) -> None:
        """Show a part of the window and give it the keyboard."""
        self.parts.focus(name)

    # -- what happened -------------------------------------------------------------------------

    def _connect(self) -> None:
        self._opener.ready.connect(self._source_ready)
        self._opener.failed.connect(self._open_failed)
        self._opener.progressed.connect(self._show_progress)
        self._opener.chart_ready.connect(self._chart_ready)
        self.status.cancelled.connect(self._cancelled)
        self.status.cancelled.connect(lambda key: share_verbs.cancelled(self, key))
        clipboard.notifier().masked.connect(self.status.show_masked)
        self.threads.thread_chosen.connect(self.choose_thread)
        self.threads.list.customContextMenuRequested.connect(
            lambda at: self._context("thread", self.threads.list.viewport(), at)
        )
        self.composer.send_button.clicked.connect(self.send)
        self.composer.agent_wanted.connect(lambda: self.commands.run("thread.agent"))
        self.composer.stop_button.clicked.connect(self.composer.stop)
        self.composer.state_changed.connect(self.commands.refresh)
        self.composer.details_wanted.connect(lambda: run_verbs.show_failure(self))
        self.parts.answer.changed.connect(self.commands.refresh)
        self.turns.changed.connect(self._runs_changed)
        self.status.runs.chosen.connect(self.choose_thread)
        self.around.changed.connect(self.commands.refresh)

    def _thread_changed(self, thread_id: str | None) -> None:
        self.following.thread_changed()
        self.composer.set_thread(thread_id, self.following.kept_model(thread_id))
        self.answering.thread_changed()
        if self.desk is not None and thread_id is not None:
            self.prefs.select_thread(self.desk.source, thread_id)
        self.commands.refresh()

    def _request_changed(self, row: RequestRow | None) -> None:
        self.status.show_request(row)
        if self.desk is not None and row is not None:
            self.prefs.select_request(self.desk.source, row.thread_id, row.id)
        self.commands.refresh()

    def _rows_changed(self) -> None:
        if self.session is not None:
            self.status.show_request(self.session.request_row())
            self.following.rows_changed()
            self.commands.refresh()

    def _runs_changed(self, _thread: str) -> None:
        states = {turn.thread_id: turn.state for turn in self.turns.running()}
        self.threads.set_live(states)
        self.status.runs.show_runs(self.turns.running(), self.session.threads if self.session else None)

    def _context(self, name: str, where: QWidget, at: Any) -> None:
        self.commands.context_menu(name, self).popup(where.mapToGlobal(at))

    # -- closing -----------------------------------------------------------------------------

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask when work would be lost; stop the run; remember; wait for the threads."""
        if not self._leaving.may_close(self.ask, self._has_unsaved()):
            event.ignore()
            return
        self._closing = True
        self.composer.save_draft(now=True)
        self.answering.drafts.flush(now=True)
        self.parts.remember()
        self.hide()
        self._close_desk()
        self.jobs.close()
        event.accept()

    def _has_unsaved(self) -> bool:
        return self.desk is not None and self.desk.has_unsaved()

    def _close_desk(self) -> None:
        desk, self.desk = self.desk, None
        self.following.use(None)
        self.answering.use(None)
        if desk is None:
            return
        agents, self.agents = self.agents, None
        if agents is not None:
            agents.close()
            agents.deleteLater()
        self.composer.open("", None, "Nothing is open.")
        running, self.running = self.running, None
        if running is not None:
            self.jobs.after_all(running.close)
        self.prefs.set("columns", desk.requests.column_state())
        desk.close(self.jobs)
        self.parts.empty()
        desk.deleteLater()

    # -- Qt ------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Panes change sides when the window is too narrow for them."""
        super().resizeEvent(event)
        if not self._closing:
            QTimer.singleShot(0, self, self.parts.fit_width)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Tab leads as one reads."""
        target = following(self, QApplication.focusWidget(), forward)
        if target is None:
            return False
        target.setFocus(Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason)
        return True

    def event(self, event: QEvent) -> bool:
        """What was wanted is opened after the first paint."""
        handled = super().event(event)
        if event.type() == QEvent.Type.Paint and not self._begun:
            self._begun = True
            QTimer.singleShot(0, self, lambda: self.open(self._wanted))
        return handled
