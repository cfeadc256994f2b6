"""The callback: when a model call starts and how it ends.

Runs inline, so that what it sets in the context is seen by the model's own methods.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler

from engine.recording import model as model_door
from engine.recording.observers import Call, current
from engine.wire.secrets import without_keys
from engine.wire.tap import Line, Log


class OpenRequest:
    """A model call between its start and its end."""

    def __init__(self, token: str, metadata: dict[str, Any], serialized: Any, extra: dict[str, Any]) -> None:
        self.token = token
        self.metadata = metadata
        self.serialized = serialized or {}
        self.extra = extra
        self.started_at = time.time()
        self.call: Call | None = None
        self.traced: list[Any] = []
        self.told = False
        self.line: Line | None = None


class Handler(BaseCallbackHandler):
    """Follows chat model calls for a recorder; see :class:`engine.recording.recorder.Recorder`."""

    run_inline = True
    ignore_chain = ignore_agent = ignore_retriever = ignore_retry = ignore_custom_event = True

    def __init__(
        self,
        started: Callable[[OpenRequest, list[Any], Any, dict[str, Any], bool], None],
        ended: Callable[[OpenRequest, str, Any, str | None], None],
        log: Log,
    ) -> None:
        self._started, self._ended, self._log = started, ended, log
        self._open: dict[UUID, OpenRequest] = {}

    def on_chat_model_start(self, serialized: Any, messages: list[list[Any]], *, run_id: UUID, **kwargs: Any) -> None:
        opened = OpenRequest(str(run_id), kwargs.get("metadata") or {}, serialized, kwargs)
        opened.traced = messages[0]
        opened.call = current.get()
        self._open[run_id] = opened
        line = opened.line = Line(opened.token, self._log)

        def receive(received: list[Any], stop: Any, given: dict[str, Any]) -> None:
            if not opened.told:
                opened.told = True
                self._started(opened, received, stop, given, True)
                line.release()

        model_door.receiver.set(receive)
        line.open()

    def on_llm_end(self, response: Any, *, run_id: UUID, **kwargs: Any) -> None:
        self._close(run_id, "done", response, None)

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        stopped = isinstance(error, (asyncio.CancelledError, KeyboardInterrupt, GeneratorExit))
        sentence = None if stopped else without_keys(f"{type(error).__name__}: {error}")
        self._close(run_id, "stopped" if stopped else "failed", kwargs.get("response"), sentence)

    def _close(self, run_id: UUID, status: str, response: Any, error: str | None) -> None:
        opened = self._open.pop(run_id, None)
        if opened is None:
            return
        model_door.receiver.set(None)
        if not opened.told:
            opened.told = True
            given = opened.extra.get("invocation_params") or {}
            kwargs = {name: given[name] for name in ("tools", "tool_choice") if name in given}
            self._started(opened, self._best(opened), given.get("stop"), kwargs, False)
        if opened.line is not None:
            opened.line.release()
            opened.line.close(error)
        self._ended(opened, status, response, error)

    @staticmethod
    def _best(opened: OpenRequest) -> list[Any]:
        """Messages of a call whose model was not observed: the innermost observer's, else the callback's."""
        call = opened.call
        if call is not None and call.inside and call.layers and (layer := call.layers[-1]) is not None:
            whole = [*([layer.system] if layer.system else []), *layer.messages]
            if len(whole) == len(opened.traced):
                return whole
        return opened.traced
