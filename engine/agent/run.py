"""One run of an agent: a worker thread with an asyncio loop of its own.

The caller (a window, a terminal, a test) takes updates from a queue when it likes, and may stop it: the loop's
task is cancelled, which takes milliseconds. What can't be cancelled is let go of, so a stop takes effect within a
second in any case.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import uuid
from collections import deque
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from engine import importing
from engine.agent.settings import AgentSettings
from engine.agent.written import described
from engine.errors import InspectorError, NothingToDo
from engine.failures import failure_of
from engine.running import HandReply, HandRequest, Update

if TYPE_CHECKING:
    from engine.agent.build import Agent
    from engine.agent.hand import Desk
    from engine.agent.hearing import Progress
    from engine.agent.runner import Runner

_KEPT = 20_000  # updates that nobody has taken yet
_PATIENCE = 0.6  # seconds that a run gets to end by itself once it is stopped

Work = Callable[["Run", "Agent", dict[str, Any]], Awaitable[None]]
"""What a run does with its agent, under a configuration that names its thread."""


class Run:
    """A run that is going on or over. All methods may be called from any thread."""

    def __init__(
        self, runner: Runner, thread_id: str, work: Work, settings: Callable[[], AgentSettings], title: str
    ) -> None:
        self.thread_id = thread_id
        self._runner, self._work, self._settings, self._title = runner, work, settings, title
        self._updates: deque[Update] = deque(maxlen=_KEPT)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._desk: Desk | None = None
        self.progress: Progress | None = None
        """The callback that tells of its requests and tools, once its agent is made."""
        self._lock = threading.Lock()
        self._stop: threading.Timer | None = None
        self._token: str | None = None
        """Of the run in the record, once it has begun there."""
        self._losses = 0
        self._undone = False
        """Whether it is to leave nothing in the record, as there was nothing to do."""
        self._ending = threading.Event()
        """Set when it is decided how the run ended; what it does from then on is not kept."""
        self._over = threading.Event()
        self.interrupted = False
        """Whether it stopped at a question, see :func:`engine.agent.questions.pending_questions`."""
        self.error: str | None = None
        self.answer = ""
        """Text of the last message, once the run is done."""
        self.result: Any = None
        """What a run that is no turn has made: a :class:`engine.running.Compaction`."""
        self.lost = 0
        """Entries that could not be recorded meanwhile."""
        self.lost_reason = ""
        self._thread = threading.Thread(target=self._main, name=f"run {thread_id}"[:60], daemon=True)

    @property
    def finished(self) -> bool:
        """Whether the run is over, one way or another."""
        return self._over.is_set()

    def start(self) -> Run:
        """Begin; returns itself."""
        self._thread.start()
        return self

    def tell(self, update: Update) -> None:
        """Queue an update for whoever drains."""
        self._updates.append(update)

    def drain(self) -> list[Update]:
        """Updates since the last call, oldest first. Never waits."""
        taken = []
        with contextlib.suppress(IndexError):
            while True:
                taken.append(self._updates.popleft())
        return taken

    def waiting(self) -> list[HandRequest]:
        """Requests that wait for an answer by hand, oldest first."""
        return self._desk.waiting() if self._desk is not None else []

    def reply(self, token: str, reply: HandReply) -> None:
        """Answer a request by hand.

        Raises:
            UsageError: it waits no more, the reply is empty, or a call does not fit its tool's schema.
        """
        self._at_desk().reply(token, reply)

    def let_provider(self, token: str, model: str) -> None:
        """Let ``provider:model`` answer a request that waits for an answer by hand.

        Raises:
            UsageError: it waits no more, or there is no such model.
        """
        self._at_desk().let_provider(token, model)

    def _at_desk(self) -> Desk:
        if self._desk is None:
            raise InspectorError("Nothing in this run waits for an answer by hand.")
        return self._desk

    def note_compaction(self, messages: list[Any], before: Any, after: Any, calls: tuple[str, ...]) -> None:
        """Record a summary that was made on demand."""
        self._runner.recorder().compacted(self.thread_id, messages, before, after, calls)

    def stop(self) -> None:
        """Ask the run to stop; it is over within a second, and the thread can go on."""
        with self._lock:
            if self._stop is None and not self._over.is_set():
                self._stop = threading.Timer(_PATIENCE, self._finish, ("stopped",))
                self._stop.daemon = True
                self._stop.start()
        if self._loop is not None and self._task is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed: the run is over
                self._loop.call_soon_threadsafe(self._task.cancel)

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the run is over; False when it takes longer."""
        return self._over.wait(seconds)

    def _main(self) -> None:
        status, error = "failed", None
        try:
            self._work_through()
            status = "interrupted" if self.interrupted else "done"
        except asyncio.CancelledError:
            status = "stopped"
        except NothingToDo as fault:
            error, self._undone = str(fault), True
        except InspectorError as fault:
            error = str(fault)
        except Exception as fault:  # a provider's or a tool's failure, of whatever class, is the user's to see
            error = self.progress.sentence_of(fault) if self.progress is not None else failure_of(fault).sentence
        self._finish(status, error)

    def _work_through(self) -> None:
        with importing.lock:  # deferred: LangChain takes a second to import
            from engine.agent.letting_go import LooseThreads

        recorder = self._runner.recorder()
        settings = self._settings()
        with self._lock:
            if self._ending.is_set():
                raise asyncio.CancelledError
            self._token, self._losses = uuid.uuid4().hex, recorder.losses.count
            recorder.begin_run(self._token, self.thread_id, self._title, settings.name, described(settings))
        with asyncio.Runner() as loop:
            self._loop = loop.get_loop()
            self._loop.set_default_executor(LooseThreads())
            loop.run(self._in_loop(settings))

    async def _in_loop(self, settings: AgentSettings) -> None:
        with importing.lock:  # deferred: deepagents takes seconds to import
            from engine.agent.build import build_agent
            from engine.agent.hearing import Progress
            from engine.agent.letting_go import RunSaver

        self._task = asyncio.current_task()
        self._refuse_when_stopped()
        recorder = self._runner.recorder()
        self.progress, self._desk = Progress(self.tell), self._runner.desk(self)
        self._desk.open()
        agent = build_agent(
            self._runner.workspace, settings, recorder, saver=RunSaver(self._runner.workspace, self._ending)
        )
        try:
            self._refuse_when_stopped()
            with recorder.observing():
                config = {
                    "configurable": {"thread_id": self.thread_id},
                    "callbacks": [recorder.handler, self.progress],
                }
                await self._work(self, agent, config)
        finally:
            agent.close()

    def _refuse_when_stopped(self) -> None:
        if self._stop is not None:
            raise asyncio.CancelledError

    def _finish(self, status: str, error: str | None = None) -> None:
        """The run is over; the first to say so says how."""
        with self._lock:
            if self._ending.is_set():
                return
            self._ending.set()
            if self._stop is not None:
                self._stop.cancel()
        self.error = error
        try:
            if self._token is not None:
                recorder = self._runner.recorder()
                if self._undone:
                    recorder.undo_run(self._token, self.thread_id)
                else:
                    recorder.end_run(self._token, self.thread_id, status, error)
                if status == "interrupted":
                    self._runner.note_questions(self.thread_id)
                recorder.flush()
                self.lost, self.lost_reason = recorder.losses.count - self._losses, recorder.losses.reason
        finally:
            self.tell(Update(status, error or self.answer))  # type: ignore[arg-type]
            self._over.set()
