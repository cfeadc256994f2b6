"""Letting go of a run that can't be ended: a tool or a model that holds its thread and hears of no cancelling.

Python can't end a thread. So whatever blocks is called in threads that nobody waits for, and a run that is over
writes no more checkpoints, whatever still comes back in it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata

from engine.checkpoints import WorkspaceSaver
from engine.errors import InspectorError
from engine.workspace import Workspace


class LooseThreads(ThreadPoolExecutor):
    """An event loop's executor with a thread a call; neither the loop's end nor the process's waits for one."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call ``fn`` in a thread of its own."""
        future: Future[Any] = Future()

        def work() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                result = fn(*args, **kwargs)
            except BaseException as error:  # the future's to raise, of whatever class
                future.set_exception(error)
            else:
                future.set_result(result)

        threading.Thread(target=work, name="step of a run", daemon=True).start()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Nothing is waited for."""


class RunSaver(WorkspaceSaver):
    """The saver of one run: it takes nothing more once the run is over."""

    def __init__(self, workspace: Workspace, over: threading.Event) -> None:
        super().__init__(workspace)
        self._over = over

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Save a checkpoint."""
        self._refuse()
        return super().put(config, checkpoint, metadata, new_versions)

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Save writes."""
        self._refuse()
        super().put_writes(config, writes, task_id, task_path)

    def _refuse(self) -> None:
        if self._over.is_set():
            raise InspectorError("This run was stopped; what came of it afterwards is not kept.")
