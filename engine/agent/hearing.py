"""What a run tells while it goes on: words of the conversation, requests and tools as they start and end."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler

from engine.failures import chain_of, failure_of
from engine.running import Update

_STOPPED = (asyncio.CancelledError, KeyboardInterrupt)
_SUMMARY = "summarization"


def words_in(event: Any) -> str:
    """Words of the conversation in an event of the stream ``messages``; empty for any other thing in it.

    Only the main agent's model node speaks. A summarizer doesn't: it is marked, in older engines only tagged, or
    works in a node of its own.
    """
    if not isinstance(event, tuple) or len(event) != 2:
        return ""
    message, metadata = event
    if not isinstance(metadata, Mapping) or metadata.get("lc_source") == _SUMMARY:
        return ""
    if "nostream" in (metadata.get("tags") or ()) or metadata.get("langgraph_node", "model") != "model":
        return ""
    more = getattr(message, "additional_kwargs", None)
    if isinstance(more, Mapping) and more.get("lc_source") == _SUMMARY:
        return ""
    kind, text = getattr(message, "type", None), getattr(message, "text", None)
    if not isinstance(kind, str) or not kind.lower().startswith("ai") or not isinstance(text, str):
        return ""
    return str(text)


def answers_in(event: Any) -> Iterator[str]:
    """Texts of the answers in an event of the stream ``updates``."""
    for update in event.values() if isinstance(event, Mapping) else ():
        messages = update.get("messages") if isinstance(update, Mapping) else None
        for message in messages if isinstance(messages, list) else getattr(messages, "value", None) or ():
            if getattr(message, "type", "") == "ai" and isinstance(message.text, str) and message.text:
                yield str(message.text)


def interrupted_in(event: Any) -> bool:
    """Whether an event of the stream ``updates`` says that the run stopped at a question."""
    return isinstance(event, Mapping) and bool(event.get("__interrupt__"))


class Progress(BaseCallbackHandler):
    """Tells of a run's requests and tools, from whatever thread they are called in."""

    run_inline = True
    ignore_chain = ignore_retriever = ignore_retry = ignore_custom_event = True

    def __init__(self, tell: Callable[[Update], None]) -> None:
        self._tell = tell
        self._lock = threading.Lock()
        self._open: dict[UUID, Update] = {}
        self.summaries: list[str] = []
        """Tokens of the summarizing requests, as the record names them."""
        self._models: dict[UUID, tuple[str | None, str | None]] = {}
        self._failed: tuple[BaseException | None, tuple[str | None, str | None]] = (None, (None, None))
        self._counts = {"request": 0, "tool": 0}

    def on_chat_model_start(self, serialized: Any, messages: Any, *, run_id: UUID, **kwargs: Any) -> None:
        metadata = kwargs.get("metadata") or {}
        namespace = str(metadata.get("langgraph_checkpoint_ns") or "").rpartition("|")[0]
        if metadata.get("lc_source") == _SUMMARY:
            purpose = "summary"
            self.summaries.append(str(run_id))
        elif metadata.get("langgraph_node") != "model" or "by_hand" in metadata:
            purpose = "other"
        else:
            purpose = "subagent" if "tools:" in namespace else "agent"
        self._models[run_id] = (metadata.get("ls_provider"), metadata.get("ls_model_name"))
        self._start(run_id, "request", str(metadata.get("lc_agent_name") or ""), purpose)

    def on_tool_start(self, serialized: Any, input_str: str, *, run_id: UUID, **kwargs: Any) -> None:
        self._start(run_id, "tool", str((serialized or {}).get("name") or kwargs.get("name") or ""))

    def _start(self, run_id: UUID, kind: Any, name: str, purpose: str = "") -> None:
        with self._lock:
            self._counts[kind] += 1
            update = Update(kind, name=name, state="started", number=self._counts[kind], purpose=purpose)
            self._open[run_id] = update
        self._tell(update)

    def sentence_of(self, error: BaseException) -> str:
        """What a failure of the run means; of a model's, with whose model it was."""
        cause, whose = self._failed
        own = failure_of(error)
        known = cause is not None and any(each is cause for each in chain_of(error))
        if cause is not None and known and (error is cause or own.kind != "other"):  # the engine raises some anew
            return failure_of(cause, *whose).sentence
        return own.sentence

    def on_llm_end(self, response: Any, *, run_id: UUID, **kwargs: Any) -> None:
        self._models.pop(run_id, None)
        self._end(run_id, "done")

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        whose = self._models.pop(run_id, (None, None))
        if error is not self._failed[0]:  # one that passes through another model's call stays the first one's
            self._failed = (error, whose)
        self._end(run_id, "stopped" if isinstance(error, _STOPPED) else "failed")

    def on_tool_end(self, output: Any, *, run_id: UUID, **kwargs: Any) -> None:
        self._end(run_id, "failed" if getattr(output, "status", None) == "error" else "done")

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        waits = any(cls.__name__ == "GraphInterrupt" for cls in type(error).__mro__)
        self._end(run_id, "stopped" if waits or isinstance(error, _STOPPED) else "failed")

    def _end(self, run_id: UUID, state: Any) -> None:
        with self._lock:
            begun = self._open.pop(run_id, None)
        if begun is not None:
            self._tell(Update(begun.kind, name=begun.name, state=state, number=begun.number, purpose=begun.purpose))
