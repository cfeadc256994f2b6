"""A witness beside the model: what a chat model object itself received, independent of the recorder."""

from __future__ import annotations

import copy
import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import SystemMessage, message_to_dict
from pydantic import PrivateAttr

from engine import Reader
from engine.agent.scripted import ScriptedChat


@dataclass
class Witness:
    """Collects what witnessed models receive, as JSON texts; any number of models share one."""

    calls: list[dict[str, Any]] = field(default_factory=list)

    def note(self, messages: list[Any], stop: Any, kwargs: dict[str, Any]) -> None:
        """Keep a copy of one call's arguments."""
        given = {name: value for name, value in kwargs.items() if name != "run_manager"}
        self.calls.append(
            {
                "messages": [text(message_to_dict(copy.deepcopy(message))) for message in messages],
                "tools": [text(tool) for tool in given.pop("tools", None) or ()],
                "kwargs": text(given),
                "stop": text(stop),
                "system_blocks": _blocks(messages),
            }
        )


class WitnessedChat(ScriptedChat):
    """The scripted model with a witness at its own methods."""

    _witness: Witness | None = PrivateAttr(default=None)

    def _note(self, messages: Any, stop: Any, kwargs: dict[str, Any]) -> None:
        if self._witness is not None:
            self._witness.note(messages, stop, kwargs)

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> Any:
        self._note(messages, stop, kwargs)
        return super()._generate(messages, stop=stop, run_manager=run_manager, **kwargs)

    async def _agenerate(self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> Any:
        self._note(messages, stop, kwargs)
        return await super()._agenerate(messages, stop=stop, run_manager=run_manager, **kwargs)

    def _stream(self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> Any:
        self._note(messages, stop, kwargs)
        yield from super()._stream(messages, stop=stop, run_manager=run_manager, **kwargs)

    async def _astream(self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> Any:
        self._note(messages, stop, kwargs)
        async for chunk in super()._astream(messages, stop=stop, run_manager=run_manager, **kwargs):
            yield chunk


def witnessed(model: Any, witness: Witness) -> Any:
    """The same model object, with a witness."""
    object.__setattr__(model, "__class__", WitnessedChat)
    model.__pydantic_private__ = {**(model.__pydantic_private__ or {}), "_witness": witness}
    return model


def text(value: Any) -> str:
    """JSON text that keeps the order of keys."""
    return json.dumps(value, ensure_ascii=True, default=lambda item: {"__unserializable__": _name(item)})


def as_recorded(reader: Reader, request_id: int) -> dict[str, Any]:
    """What the record says that the model received, in the witness's form."""
    detail = reader.request(request_id)
    system = reader.system_message(request_id)
    messages = [reader.message(row.part) for row in detail.messages]
    return {
        "messages": [text(message) for message in ([system] if system else []) + messages],
        "tools": [text(reader.value(row.part)) for row in detail.tools],
        "kwargs": text(detail.provider["kwargs"]),
        "stop": text(detail.provider["stop"]),
        "system_blocks": [text(reader.value(block.part)) for block in detail.system],
    }


def differences(witness: Witness, reader: Reader) -> tuple[Counter[str], Counter[str]]:
    """Calls received and not recorded, and recorded and not received."""
    received = Counter(text(call) for call in witness.calls)
    recorded: Counter[str] = Counter()
    for thread in reader.threads():
        recorded.update(text(as_recorded(reader, id)) for id in reader.request_ids(thread.thread_id))
    return received - recorded, recorded - received


def _blocks(messages: list[Any]) -> list[str]:
    if not messages or not isinstance(messages[0], SystemMessage):
        return []
    content = messages[0].content
    return [text(block) for block in (content if isinstance(content, list) else [content])]


def _name(item: Any) -> str:
    return f"{type(item).__module__}.{type(item).__qualname__}"
