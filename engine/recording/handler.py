"""The callback: when a model call starts and how it ends.

Runs inline, so that what it sets in the context is seen by the model's own methods.
"""

from __future__ import annotations

import asyncio
import functools
import time
from collections.abc import Callable
from typing import Any, TypeVar
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler

from engine.failures import Failure, failure_of
from engine.recording.model import expect, may_be_rewritten
from engine.recording.observers import Call, Follower, current
from engine.recording.tree import NOWHERE, Place
from engine.wire.tap import Line, Log

_M = TypeVar("_M", bound=Callable[..., None])
_STOPPED = (asyncio.CancelledError, KeyboardInterrupt, GeneratorExit, SystemExit)


def quiet(method: _M) -> _M:
    """A fault in a callback is a loss of the record, and neither the program's nor its log's."""

    @functools.wraps(method)
    def guarded(self: Any, *args: Any, **kwargs: Any) -> None:
        try:
            method(self, *args, **kwargs)
        except Exception as error:  # whatever it is, the run must not notice
            self._log.lose(1, f"{type(error).__name__}: {error}")

    return guarded  # type: ignore[return-value]


def how_it_ended(error: BaseException) -> tuple[str, str | None]:
    """Status of what ended with this, and the sentence for a failure."""
    if isinstance(error, _STOPPED):
        return "stopped", None
    return "failed", failure_of(error).sentence


class OpenRequest:
    """A model call between its start and its end."""

    def __init__(
        self,
        run_id: UUID,
        traced: list[Any],
        serialized: Any,
        extra: dict[str, Any],
        line: Line,
        started: Callable[[OpenRequest, list[Any], Any, dict[str, Any], bool], None],
    ) -> None:
        self.run_id, self.token = run_id, str(run_id)
        self.traced = traced
        self.metadata: dict[str, Any] = extra.get("metadata") or {}
        self.serialized = serialized or {}
        self.extra = extra
        self.line = line
        self.started_at = time.time()
        self.call: Call | None = current.get()
        self.place: Place = NOWHERE
        self.model: Any = None
        self.thread_id = ""
        self.run: str | None = None
        """Where the request went in the record."""
        self.told = False
        self._started = started

    def receive(self, model: Any, messages: list[Any], stop: Any, given: dict[str, Any], exact: bool = True) -> None:
        """What the model's own method got; the first time counts."""
        if not self.told:
            self.told = True
            self.model = model
            self._started(self, messages, stop, given, exact)
            self.line.release()


class Handler(BaseCallbackHandler, Follower):
    """Follows chat model calls for a recorder; see :class:`engine.recording.recorder.Recorder`."""

    run_inline = True
    ignore_chain = ignore_agent = ignore_retriever = ignore_retry = ignore_custom_event = True
    file: Any = None
    """Where it records to; of two that record to one file, only one follows a run."""

    def __init__(
        self,
        started: Callable[[OpenRequest, list[Any], Any, dict[str, Any], bool], None],
        ended: Callable[[OpenRequest, str, Any, Failure | None], None],
        log: Log,
    ) -> None:
        self._started, self._ended, self._log = started, ended, log
        self._open: dict[UUID, OpenRequest] = {}
        self._last: tuple[int, Failure | None] = (0, None)

    @quiet
    def on_chat_model_start(self, serialized: Any, messages: list[list[Any]], *, run_id: UUID, **kwargs: Any) -> None:
        self._begin(serialized, messages, run_id, kwargs, NOWHERE)

    def _begin(self, serialized: Any, messages: Any, run_id: UUID, kwargs: dict[str, Any], place: Place) -> None:
        line = Line(str(run_id), self._log)
        opened = OpenRequest(run_id, messages[0], serialized, kwargs, line, self._started)
        opened.place = place
        self._open[run_id] = opened
        expect(opened)
        line.open()

    @quiet
    def on_llm_end(self, response: Any, *, run_id: UUID, **kwargs: Any) -> None:
        self._close(run_id, "done", response)

    @quiet
    def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        self._close(run_id, how_it_ended(error)[0], kwargs.get("response"), error)

    def _close(self, run_id: UUID, status: str, response: Any, error: BaseException | None = None) -> None:
        opened = self._open.pop(run_id, None)
        if opened is None:
            return
        failure = None
        if status == "failed" and error is not None:
            failure = self._failure(error, opened.metadata)
        if not opened.told:
            given = opened.extra.get("invocation_params") or {}
            kwargs = {name: given[name] for name in ("tools", "tool_choice") if name in given}
            messages = self._best(opened)
            opened.receive(None, messages, given.get("stop"), kwargs, exact=not any(map(may_be_rewritten, messages)))
        opened.line.release()
        opened.line.close(f"{failure.cls}: {failure.message}" if failure is not None else None)
        self._ended(opened, status, response, failure)

    def _failure(self, error: BaseException, metadata: dict[str, Any]) -> Failure:
        """What an error means. One that passes through another model's call stays the first one's."""
        failure = failure_of(error, metadata.get("ls_provider"), metadata.get("ls_model_name"))
        known, before = self._last
        if known == id(error) and before is not None and before.message == failure.message:
            return before
        self._last = (id(error), failure)
        return failure

    @staticmethod
    def _best(opened: OpenRequest) -> list[Any]:
        """Messages of a call whose model was not observed: the innermost observer's, else the callback's."""
        call = opened.call
        if call is not None and call.inside and call.layers and (layer := call.layers[-1]) is not None:
            whole = [*([layer.system] if layer.system else []), *layer.messages]
            if len(whole) == len(opened.traced):
                return whole
        return opened.traced

    # A program may copy its configuration, or send it to another process.

    def __copy__(self) -> Handler:
        return self

    def __deepcopy__(self, memo: Any) -> Handler:
        return self

    def __reduce__(self) -> Any:
        return BaseCallbackHandler, ()
