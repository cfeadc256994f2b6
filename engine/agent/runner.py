"""Running agents in one workspace: turns, going on, answering questions, summarizing on demand."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from engine import importing
from engine.agent import turns
from engine.agent.run import Run, Work
from engine.agent.settings import AgentSettings
from engine.errors import UsageError
from engine.running import Answers, HandRequest, Question, Update
from engine.workspace import Workspace

if TYPE_CHECKING:
    from engine.agent.hand import Desk
    from engine.recording import Recorder


class Runner:
    """Runs agents in one workspace, any number of threads side by side, and records them all with one recorder.

    Keep it as long as the workspace is open: what the recorder knows of a thread makes the next turn cheap.
    Close it when done. Everywhere, without ``settings`` a thread goes on with its own agent, else with the default
    one: on ``model`` (``provider:model``) where one is given.

    Raises:
        UsageError: there is no such file.
        WorkspaceError: the file is not a workspace.
    """

    def __init__(self, path: str | Path) -> None:
        self.workspace = Workspace.open(path)
        self._lock = threading.Lock()
        self._recorder: Recorder | None = None
        self._runs: list[Run] = []

    def start(
        self,
        thread_id: str,
        message: str,
        model: str | None = None,
        settings: AgentSettings | None = None,
        title: str | None = None,
    ) -> Run:
        """Send a message to a thread and run its agent in the background.

        To a thread that waits for a decision, the message is one: the calls that wait are not run.

        Raises:
            UsageError: the message is empty, or the thread is running already.
        """
        if not message.strip():
            raise UsageError("The message is empty. Type something to send.")
        return self._begin(thread_id, turns.message(message), model, settings, title or _title(message))

    def resume(self, thread_id: str, model: str | None = None, settings: AgentSettings | None = None) -> Run:
        """Go on with a turn that failed or was stopped, from its last checkpoint, without a new message.

        Tools that were interrupted run again.

        Raises:
            UsageError: the thread is running, waits for an answer, or has nothing left to do.
        """
        with importing.lock:  # deferred: LangChain takes a second to import
            from engine.agent.questions import can_go_on, pending_questions

        self._refuse_running(thread_id)
        if pending_questions(self.workspace.path, thread_id):
            raise UsageError("This thread waits for an answer. Answer its question to go on.")
        if not can_go_on(self.workspace.path, thread_id):
            raise UsageError("This thread has nothing left to do. Send a message to go on.")
        return self._begin(thread_id, turns.go_on, model, settings, thread_id)

    def questions(self, thread_id: str) -> tuple[Question, ...]:
        """What a thread waits for; see :func:`engine.agent.questions.pending_questions`."""
        with importing.lock:
            from engine.agent.questions import pending_questions

        return pending_questions(self.workspace.path, thread_id)

    def answer(
        self, thread_id: str, answers: Answers, model: str | None = None, settings: AgentSettings | None = None
    ) -> Run:
        """Answer questions that a thread waits for, and run on. A question that is left out is asked again.

        Raises:
            UsageError: the thread is running or waits for nothing, or an answer is of the wrong form or number, is not
                allowed, or has arguments that don't fit their tool. Nothing was changed then.
        """
        with importing.lock:
            from engine.agent.deciding import resuming, told

        self._refuse_running(thread_id)
        questions = self.questions(thread_id)
        values = resuming(questions, answers)
        decided = [(item.request, told(item, answers[item.id])) for item in questions if item.id in answers]
        recorder = self.recorder()

        def begun() -> None:
            for request, data in decided:
                recorder.note(thread_id, request, "decision", data)

        return self._begin(thread_id, turns.answered(values, begun), model, settings, thread_id)

    def compact(self, thread_id: str, model: str | None = None, settings: AgentSettings | None = None) -> Run:
        """Summarize a thread's older messages now, as the engine does by itself when the window fills.

        The run's ``result`` is a :class:`engine.running.Compaction`. It fails, and changes nothing, where there is
        nothing to summarize.

        Raises:
            UsageError: the thread is running, or waits for an answer.
        """
        with importing.lock:
            from engine.agent.compacting import compact
            from engine.agent.questions import has_state

        self._refuse_running(thread_id)
        if not has_state(self.workspace.path, thread_id):
            raise UsageError("This thread has no messages yet, so there is nothing to summarize.")
        if self.questions(thread_id):
            raise UsageError("This thread waits for an answer. Answer its question, then compact it.")
        return self._begin(thread_id, compact, model, settings, thread_id)

    def running(self, thread_id: str) -> Run | None:
        """The run that goes on in a thread."""
        with self._lock:
            return next((run for run in self._runs if run.thread_id == thread_id and not run.finished), None)

    def close(self) -> None:
        """Stop what is running and finish the record."""
        for run in self._runs:
            run.stop()
        for run in self._runs:
            run.wait(10)
        if self._recorder is not None:
            self._recorder.close()

    def recorder(self) -> Recorder:
        """The one recorder of this workspace; made at the first run."""
        with self._lock:
            if self._recorder is None:
                with importing.lock:  # deferred: LangChain takes a second to import
                    from engine.recording import Recorder

                self._recorder = Recorder(self.workspace)
            return self._recorder

    def desk(self, run: Run) -> Desk:
        """Where a run's requests wait for answers by hand."""
        with importing.lock:  # deferred: LangChain takes a second to import
            from engine.agent.hand import desk_of

        def show(request: HandRequest) -> None:
            run.tell(Update("hand", hand=request))

        return desk_of(run.thread_id, show, self.workspace, self.recorder())

    def note_questions(self, thread_id: str) -> None:
        """Record what a run has stopped at, on the requests that asked for the calls."""
        with importing.lock:
            from engine.agent.deciding import asked
            from engine.trace import Reader

        with closing(Reader(self.workspace.path)) as reader:
            known = {event.data.get("id") for event in reader.events(thread_id) if event.kind == "interrupt"}
        for question in self.questions(thread_id):
            if question.id not in known:
                self.recorder().note(thread_id, question.request, "interrupt", asked(question))

    def _refuse_running(self, thread_id: str) -> None:
        if self.running(thread_id) is not None:
            raise UsageError("This thread is running already. Stop it, or wait until it is done.")

    def _begin(self, thread_id: str, work: Work, model: str | None, settings: AgentSettings | None, title: str) -> Run:
        made: Callable[[], AgentSettings] = (
            (lambda: settings)
            if settings is not None
            else (lambda: _settings_for(self.workspace.path, thread_id, model))
        )
        with self._lock:
            self._runs = [run for run in self._runs if not run.finished]
            if any(run.thread_id == thread_id for run in self._runs):
                raise UsageError("This thread is running already. Stop it, or wait until it is done.")
            run = Run(self, thread_id, work, made, title)
            self._runs.append(run)
        return run.start()


def _title(message: str) -> str:
    return " ".join(message[:400].split())[:100]


def _settings_for(path: Path, thread_id: str, model: str | None) -> AgentSettings:
    with importing.lock:  # deferred: LangChain takes a second to import
        from engine.agent.defaults import settings_for

    return settings_for(thread_id, model, path)
