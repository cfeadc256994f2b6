"""What the thread that is shown waits for, and who is told of the answer.

While a run of ours goes on, the run says whether it waits for an answer by hand. While none does, the thread's
checkpoint says whether it waits for a decision, or can be gone on with: that is looked up in a job, and only for a
thread whose last run did not end well.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject

from engine.running import Answers, HandReply, HandRequest
from inspector.answer_drafts import AnswerDrafts
from inspector.following import Following
from inspector.jobs import Failure, Jobs
from inspector.prefs import Drafts
from inspector.running import OwnAgent, Standing, own_agent, seen, standing
from inspector.session import Session
from inspector.turns import Turn, Turns
from inspector.views.answer_panel import AnswerPanel
from inspector.views.composer import Composer

_STATUSES = ("interrupted", "failed", "stopped")
_LOOKED_BACK = 50
"""Requests among which the one that failed last is looked for."""


class Answering(QObject):
    """Between the runs, the panel, the composer and the session of the open source."""

    def __init__(
        self, jobs: Jobs, turns: Turns, panel: AnswerPanel, composer: Composer, following: Following, drafts: Drafts
    ) -> None:
        super().__init__(panel)
        self._jobs, self._turns, self.panel, self._composer, self._following = jobs, turns, panel, composer, following
        self._session: Session | None = None
        self._path: Path | None = None
        self._read_only = False
        self._begun = False
        self._standing = Standing()
        self._lead = False
        """Whether the request that has begun to wait is to be shown."""
        self._asked: tuple[Any, ...] = ()
        self._answered: dict[str, list[str]] = {}
        """Ids of the questions that a run is to answer, by thread, until it has taken the answers."""
        self.drafts = AnswerDrafts(jobs, drafts, self)
        self.drafts.came.connect(lambda _thread: self._show())
        turns.changed.connect(self._turn_changed)
        turns.ended.connect(self._ended)
        turns.accepted.connect(self._accepted)
        turns.hand_asked.connect(self._hand_asked)
        panel.made.connect(self._connect)
        panel.left.connect(composer.edit.setFocus)

    def _connect(self) -> None:
        question, hand = self.panel.question, self.panel.hand
        for page in (question, hand):
            page.typed.connect(self._keep)
            page.show_request.connect(self._following.show_request)
        question.answered.connect(self._answer)
        hand.replied.connect(self._reply)
        hand.model_asked.connect(self._let_model)

    def use(self, session: Session | None, path: Path | None = None, read_only: bool = False) -> None:
        """Work on another source."""
        self._session, self._path, self._read_only = session, path, read_only
        self.drafts.use("" if path is None else str(path))
        self.thread_changed()
        if session is not None:
            session.threads_changed.connect(self.look)
            session.rows_changed.connect(self._say_standing)

    def thread_changed(self) -> None:
        """Another thread is shown."""
        self._asked, self._standing, self._lead = (), Standing(), False
        self.panel.close_panel()
        self._look_up_agent()
        self.look()

    def begin(self) -> None:
        """The first request is shown: what needs long imports may be looked up from now on."""
        if not self._begun:
            self._begun = True
            self._look_up_agent()
            self.look()

    def _look_up_agent(self) -> None:
        thread = self._thread
        if thread is not None and self._path is not None and not self._read_only and self._begun:
            self._jobs.run("Looking up the thread's agent", own_agent, self._path, thread,
                           done=partial(self._own_known, thread), failed=lambda _failure: None,
                           key=(self, "own"), quiet=True, lane="imports")  # fmt: skip

    def look(self) -> None:
        """Look up how the thread stands, where that may have changed."""
        session, thread = self._session, self._thread
        row = session.thread_row() if session is not None else None
        if thread is None or row is None or self._path is None or self._turns.is_running(thread):
            self._show()
            return
        if row.status not in _STATUSES or not self._begun:
            self._standing = Standing()
            self._show()
            return
        asked = (thread, row.status, row.updated_at, row.requests)
        if asked == self._asked:
            self._show()
            return
        self._asked = asked
        self.drafts.load(thread)
        look, at = (seen, session.reader) if self._read_only and session is not None else (standing, self._path)
        self._jobs.run("Looking what the thread waits for", look, at, thread,
                       done=partial(self._known, thread), failed=partial(self._not_known, thread),
                       key=(self, "standing"), quiet=True, lane="imports")  # fmt: skip

    @property
    def _thread(self) -> str | None:
        return self._session.thread_id if self._session is not None else None

    # -- what jobs found ---------------------------------------------------------------------

    def _own_known(self, thread: str, own: OwnAgent) -> None:
        if thread == self._thread:
            self._composer.model.set_own(own.name, own.model)

    def _known(self, thread: str, found: Standing) -> None:
        if thread == self._thread:
            self._standing = found
            self._show()

    def _not_known(self, thread: str, _failure: Failure) -> None:
        """It is looked at again with the next change: the file was locked, or is damaged and says so elsewhere."""
        if thread == self._thread:
            self._asked, self._standing = (), Standing()
            self._show()

    # -- what runs tell ------------------------------------------------------------------------

    def _turn_changed(self, thread: str) -> None:
        if thread == self._thread and (self.panel.asks_hand() or self.panel.asks_decision()):
            self._show()

    def _hand_asked(self, thread: str, first: bool) -> None:
        if thread == self._thread:
            self._lead = first  # else another answer is being typed
            self._show()

    def _lead_to_request(self) -> None:
        """Who drives a run sees what the model would see, and can type at once; nothing that is typed is left."""
        self._lead = False
        request = self.panel.hand.current()
        if request is not None and request.request is not None:
            self._following.show_request(request.request)
        if self._composer.edit.hasFocus() and not self._composer.edit.text():
            self.panel.take_focus()

    def _accepted(self, turn: Turn) -> None:
        for question in self._answered.pop(turn.thread_id, ()) if turn.what == "answer" else ():
            self.drafts.put(turn.thread_id, question, {})

    def _ended(self, turn: Turn) -> None:
        if turn.thread_id == self._thread:
            self._asked = ()
            if self._session is not None:
                self._session.poll()
            self.look()

    # -- the panel ---------------------------------------------------------------------------

    def _show(self) -> None:
        thread, turn = self._thread, self._turns.of(self._thread)
        if thread is not None and turn is not None and not turn.over:
            if turn.hands and not turn.stopping:
                self.drafts.load(thread)
                if self.drafts.is_read(thread):
                    self.panel.hand.set_models(self._composer.model.models())
                    self.panel.hand.show_requests(turn.hands, partial(self._typed_before, thread, turn.hands))
                    self.panel.show_hand()
                    if self._lead:
                        self._lead_to_request()
            elif self.panel.asks_hand() and not turn.stopping:
                self.panel.hand.show_requests((), lambda _request: {})  # it stays: nothing jumps between two requests
            else:
                self.panel.close_panel()
            return
        questions = self._standing.questions
        if thread is not None and questions and self.drafts.is_read(thread):
            self.panel.question.show_questions(questions, partial(self.drafts.get, thread), read_only=self._read_only)
            self.panel.show_question()
        elif not questions:
            self.panel.close_panel()
        self._say_standing()

    def _say_standing(self) -> None:
        session = self._session
        row = session.thread_row() if session is not None else None
        if session is None or row is None or self._turns.is_running(self._thread):
            return
        sentence, failed = "", False
        if self._standing.questions:
            sentence = f"The thread waits for {'a' if self._read_only else 'your'} decision."
        elif row.status == "failed":
            last = [session.rows.row(id) for id in session.rows.ids[-_LOOKED_BACK:]]
            error = next((each.error for each in reversed(last) if each is not None and each.error), None)
            sentence, failed = f"The last run failed: {error}" if error else "The last run failed.", True
        elif row.status == "stopped" and self._standing.can_go_on:
            sentence = "The last run was stopped before it was done."
        self._composer.set_standing(
            sentence, failed=failed, can_go_on=self._standing.can_go_on, waits=bool(self._standing.questions)
        )

    def _typed_before(self, thread: str, requests: list[HandRequest], request: HandRequest) -> dict[str, Any]:
        tokens = [each.token for each in requests]
        return self.drafts.adopt(thread, request.token, request.agent or "", tokens)

    def _keep(self, key: str, typed: dict[str, Any]) -> None:
        if self._thread is not None:
            self.drafts.put(self._thread, key, typed)

    def _answer(self, answers: Answers) -> None:
        if self._thread is not None:
            self._answered[self._thread] = list(answers)
            self._composer.begin("answer", "answer", answers)

    # -- answers by hand -------------------------------------------------------------------------

    def _reply(self, token: str, reply: HandReply) -> None:
        self._give(token, "Sending the answer", lambda run: run.reply(token, reply))

    def _let_model(self, token: str, model: str) -> None:
        self._give(token, f"Asking {model}", lambda run: run.let_provider(token, model))

    def _give(self, token: str, what: str, do: Any) -> None:
        thread, turn = self._thread, self._turns.of(self._thread)
        if thread is None or turn is None or turn.run is None:
            return
        self._jobs.run(
            what, do, turn.run,
            done=lambda _nothing: self.drafts.put(thread, token, {}),
            failed=partial(self.panel.hand.refused, token), key=(self, token), quiet=True,
        )  # fmt: skip
