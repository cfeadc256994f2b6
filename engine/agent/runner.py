"""Running one turn of a thread in a worker thread with an asyncio loop of its own.

The caller (a window, a terminal, a test) starts a turn, takes updates from a queue when it
likes, and may stop it: the loop's task is cancelled, which takes milliseconds, and the
thread stays one that can go on.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import uuid
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from engine.agent.settings import AgentSettings
from engine.errors import InspectorError, UsageError
from engine.wire.secrets import without_keys
from engine.workspace import Workspace

if TYPE_CHECKING:
    from engine.recording import Recorder

_KEPT = 20_000  # updates that nobody has taken yet


@dataclass(frozen=True, slots=True)
class Update:
    """Something that happened in a run."""

    kind: Literal["token", "request", "tool", "done", "failed", "stopped"]
    text: str = ""


class Runner:
    """Runs turns in one workspace, any number side by side, and records them all with one recorder.

    Keep it as long as the workspace is open: what the recorder knows of a thread makes the
    next turn cheap. Close it when done.

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

        Without ``settings`` a demo thread goes on with its own agent, any other with the default
        one: on ``model`` (``provider:model``) where one is given, else on the offline scripted model.

        Raises:
            UsageError: the message is empty, or the thread is running already.
        """
        if not message.strip():
            raise UsageError("The message is empty. Type something to send.")
        with self._lock:
            self._runs = [run for run in self._runs if not run.finished]
            if any(run.thread_id == thread_id for run in self._runs):
                raise UsageError("This thread is running already. Stop it, or wait until it is done.")
            run = Run(self, thread_id, message, model, settings, title)
            self._runs.append(run)
        return run.start()

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
                from engine.recording import Recorder  # deferred: LangChain takes a second to import

                self._recorder = Recorder(self.workspace, self._recorded)
            return self._recorder

    def _recorded(self, thread_id: str) -> None:
        for run in self._runs:
            if run.thread_id == thread_id:
                run.tell(Update("request"))


class Run:
    """A turn that is running or over. All methods may be called from any thread."""

    def __init__(
        self,
        runner: Runner,
        thread_id: str,
        message: str,
        model: str | None,
        settings: AgentSettings | None,
        title: str | None,
    ) -> None:
        self.thread_id = thread_id
        self._runner, self._message, self._title = runner, message, title or _title(message)
        self._model, self._settings = model, settings
        self._updates: deque[Update] = deque(maxlen=_KEPT)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._stop = False
        self._over = threading.Event()
        self.error: str | None = None
        self.answer = ""
        """Text of the last message, once the run is done."""
        self.lost = 0
        """Entries that could not be recorded meanwhile."""
        self.lost_reason = ""
        self._thread = threading.Thread(target=self._work, name=f"run {thread_id}"[:60], daemon=True)

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

    def stop(self) -> None:
        """Ask the run to stop; it is over within a second unless a synchronous tool holds it."""
        self._stop = True
        if self._loop is not None and self._task is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed: the run is over
                self._loop.call_soon_threadsafe(self._task.cancel)

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the run is over; False when it takes longer."""
        return self._over.wait(seconds)

    def _work(self) -> None:
        status = "failed"
        try:
            status = self._recorded_run()
        except Exception as error:  # the thread's last resort: the user must hear of it
            self.error = without_keys(f"{type(error).__name__}: {error}")
        finally:
            self.tell(Update(status, self.error or self.answer))  # type: ignore[arg-type]
            self._over.set()

    def _recorded_run(self) -> str:
        recorder = self._runner.recorder()
        lost, token, status = recorder.losses.count, uuid.uuid4().hex, "done"
        try:
            settings = self._settings or _settings_for(self.thread_id, self._model)
            recorder.begin_run(token, self.thread_id, self._title, settings.name, _describe(settings))
            asyncio.run(self._main(recorder, settings))
        except asyncio.CancelledError:
            status = "stopped"
        except InspectorError as error:
            status, self.error = "failed", str(error)
        except Exception as error:  # a provider's or a tool's failure, of whatever class, is the user's to see
            status, self.error = "failed", without_keys(f"{type(error).__name__}: {error}")
        recorder.end_run(token, self.thread_id, status, self.error)
        recorder.flush()
        self.lost, self.lost_reason = recorder.losses.count - lost, recorder.losses.reason
        return status

    async def _main(self, recorder: Recorder, settings: AgentSettings) -> None:
        self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        if self._stop:
            raise asyncio.CancelledError
        await self._turn(recorder, settings)

    async def _turn(self, recorder: Recorder, settings: AgentSettings) -> None:
        from engine.agent.build import build_agent  # deferred: deepagents takes seconds to import

        agent = build_agent(self._runner.workspace, settings, recorder)
        try:
            config: dict[str, Any] = {
                "configurable": {"thread_id": self.thread_id},
                "callbacks": [recorder.handler],
            }
            with recorder.observing():
                stream = agent.graph.astream(
                    {"messages": [{"role": "user", "content": self._message}]},
                    config,
                    stream_mode=["messages", "updates"],
                )
                async for mode, data in stream:
                    self._heard(mode, data)
        finally:
            agent.close()

    def _heard(self, mode: str, data: Any) -> None:
        if mode == "messages":
            message, metadata = data
            # The summarizer's words are no part of the conversation.
            if metadata.get("lc_source") != "summarization" and message.type.startswith(("ai", "AI")) and message.text:
                self.tell(Update("token", message.text))
        elif isinstance(data, Mapping):
            for node, update in data.items():
                if node == "tools":
                    self.tell(Update("tool"))
                for message in update.get("messages", ()) if isinstance(update, Mapping) else ():
                    if getattr(message, "type", "") == "ai" and message.text:
                        self.answer = message.text


def _title(message: str) -> str:
    return " ".join(message[:400].split())[:100]


def _describe(settings: AgentSettings) -> dict[str, Any]:
    """What the record keeps of an agent's settings."""
    model = settings.model if isinstance(settings.model, str) else type(settings.model).__name__
    return {"model": model, "memory": list(settings.memory), "skills": list(settings.skills), **settings.tags}


def _settings_for(thread_id: str, model: str | None) -> AgentSettings:
    from engine.agent.defaults import settings_for  # deferred: LangChain takes a second to import

    return settings_for(thread_id, model)
