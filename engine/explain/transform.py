"""How the engine's own rules change one message on its way, worked out with the engine's own functions.

deepagents' and LangChain's functions are called, private ones among them; a contract test holds what is used.
They are imported when first needed: most messages are sent as they stand in the state.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import Any

from engine.canonical import from_json, to_json
from engine.importing import late
from engine.stubs import offload_path

OFFLOADED = "offloaded"
HYDRATED = "media brought back"
REJECTED = "rejected media left out"
REASONING = "reasoning dropped"
CUT = "arguments cut"
CLIPPED = "clipped"
UNSUPPORTED = "unsupported content replaced"
REWRITTEN = "content blocks rewritten"

FILESYSTEM_RULES = (OFFLOADED, HYDRATED, REJECTED)
SUMMARIZATION_RULES = (REASONING, CUT, CLIPPED)
ALL_RULES = (*FILESYSTEM_RULES, *SUMMARIZATION_RULES, UNSUPPORTED, REWRITTEN)

_FILESYSTEM = "deepagents.middleware.filesystem"
_SUMMARIZATION = "deepagents.middleware.summarization"
_ANSWERS = {"ai", "AIMessageChunk"}
_CUT_TOOLS = {"write_file", "edit_file"}
_LEFT = 20  # characters that deepagents leaves of an argument that it cuts
_NUMBERED = re.compile(r"^ *\d+(?:\.\d+)?(?:\t|  )(.*)$", re.MULTILINE)
_Variant = tuple[Any, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Place:
    """What the rules know of the message beside its contents."""

    kept: bool = False
    """Kept across a summary: its reasoning blocks must go."""
    kept_perhaps: bool = False
    """Perhaps so: how far the summary's conversation reached was not recorded."""
    read_path: str | None = None
    """Of a result of ``read_file``: the file that was read."""
    longest: int | None = None
    """Characters of an argument above which it is cut; None where it is not known."""
    cut_text: str = ""
    offloads: bool = True
    """Whether long user messages are offloaded at all."""
    profile: Mapping[str, Any] | None = None
    """Of the model; None where it is not known."""
    release: str | None = None
    """deepagents' release that made the request; None where it is not known."""


class Transforms:
    """Explains the difference of two messages."""

    def explain(
        self, raw: dict[str, Any], sent: dict[str, Any], rules: Iterable[str], place: Place
    ) -> tuple[str, ...] | None:
        """Names of the rules that make ``sent`` of ``raw``; None where no combination of them does."""
        try:
            goal = _load(sent)
            variants: list[_Variant] = [(_load(raw), ())]
        except Exception:  # a stranger's message that LangChain can't hold
            return None
        rewritten = False
        for rule in rules:
            if rule == REWRITTEN:
                rewritten = True
                continue
            variants = [
                (made, (*names, rule) if made is not message else names)
                for message, names in variants
                for made in self._RULES[rule](self, message, goal, place)
            ]
        wanted = _dump(goal)
        for message, names in variants:
            made = _dump(message)
            if made == wanted or (UNSUPPORTED in names and _without_made_ids(made) == _without_made_ids(wanted)):
                return names
        for message, names in variants if rewritten else ():
            if _same_but_blocks(_dump(message), wanted):
                return (*names, REWRITTEN)
        return None

    def invalid_call_answer(self, call: dict[str, Any]) -> dict[str, Any]:
        """What LangChain answers in place of a call that could not be parsed, but for its id."""
        return _dump(late("langchain.agents.factory")._invalid_tool_call_message(call))

    @cached_property
    def release(self) -> str:
        """The installed release of deepagents."""
        return str(late("deepagents").__version__)

    def _offloaded(self, message: Any, goal: Any, place: Place) -> list[Any]:
        path = goal.additional_kwargs.get("lc_evicted_to") or message.additional_kwargs.get("lc_evicted_to")
        if message.type != "human" or not isinstance(path, str) or not place.offloads:
            return [message]
        kwargs = {**message.additional_kwargs, "lc_evicted_to": path}
        tagged = message.model_copy(update={"id": message.id or goal.id, "additional_kwargs": kwargs})
        made = [late(_FILESYSTEM)._build_truncated_human_message(tagged, path)]
        if place.release != self.release and path in goal.text and _previews(goal.text, message.text):
            made.append(tagged.model_copy(update={"content": goal.content}))  # the wording is another release's
        return made

    def _hydrated(self, message: Any, goal: Any, place: Place) -> list[Any]:
        if not isinstance(message.content, list):
            return [message]
        refs = [isinstance(block, dict) and "deepagents_blob" in block for block in message.content]
        if not any(refs):
            return [message]
        payloads = {}
        for block in goal.content if isinstance(goal.content, list) else ():
            payload = block.get("base64") if isinstance(block, dict) else None
            if isinstance(payload, str) and (digest := _digest(payload)):
                payloads[digest] = payload
        return list(late("deepagents.middleware._blob_offload")._restore_payloads([message], payloads))

    def _rejected(self, message: Any, goal: Any, place: Place) -> list[Any]:
        made = late(_FILESYSTEM)._replace_rejected_file_content([message])[0]
        return [message] if made is message else [message, made]

    def _reasoning(self, message: Any, goal: Any, place: Place) -> list[Any]:
        if not (place.kept or place.kept_perhaps) or message.type not in _ANSWERS:
            return [message]
        made = late(_SUMMARIZATION)._drop_bound_reasoning(message)
        return [made] if place.kept or made is message else [message, made]

    def _cut(self, message: Any, goal: Any, place: Place) -> list[Any]:
        if message.type not in _ANSWERS or not message.tool_calls:
            return [message]
        if place.longest is None:
            calls = goal.tool_calls if _perhaps_cut(message.tool_calls, goal.tool_calls) else message.tool_calls
        else:
            settings: Any = SimpleNamespace(_max_arg_length=place.longest, _truncation_text=place.cut_text)
            cut = late(_SUMMARIZATION).SummarizationMiddleware._truncate_tool_call
            calls = [cut(settings, call) if call["name"] in _CUT_TOOLS else call for call in message.tool_calls]
        if calls == message.tool_calls:
            return [message]
        made = message.model_copy()
        made.tool_calls = calls
        return [message, made]

    def _clipped(self, message: Any, goal: Any, place: Place) -> list[Any]:
        if message.type != "tool" or message.content == goal.content:
            return [message]
        if place.read_path is not None:
            clip = late("deepagents.middleware._overflow_clip")
            return [message, clip._slice_read_file_tm(message, place.read_path)]
        path = offload_path(goal.text)
        if path is None:
            return [message]
        named = message if message.id is not None else message.model_copy(update={"id": goal.id})
        eviction = late("deepagents.middleware._message_eviction")
        text = eviction._render_too_large_tool_msg(
            tool_call_id=message.tool_call_id,
            file_path=path,
            content_str=eviction._extract_text_from_message(message),
        )
        made = [eviction._build_evicted_tool_message(named, eviction._build_evicted_content(named, text))]
        if place.release != self.release and _previews(goal.text, message.text):
            made.append(named.model_copy(update={"content": goal.content}))
        return [message, *made]

    def _unsupported(self, message: Any, goal: Any, place: Place) -> list[Any]:
        if message.type not in {"human", "tool"} or not isinstance(message.content, list):
            return [message]
        unsupported = late("deepagents.middleware.unsupported_content")
        model = SimpleNamespace(profile=place.profile or {})
        filtered = unsupported.UnsupportedContentMiddleware()._filter_message(message, model=model)
        # Which documents a model takes is not in its profile.
        open_question = place.profile is None or any(map(unsupported._is_inline_document, message.content_blocks))
        return [message, filtered] if open_question and filtered is not message else [filtered]

    _RULES = {
        OFFLOADED: _offloaded,
        HYDRATED: _hydrated,
        REJECTED: _rejected,
        REASONING: _reasoning,
        CUT: _cut,
        CLIPPED: _clipped,
        UNSUPPORTED: _unsupported,
    }


def differing(raw: dict[str, Any], sent: dict[str, Any]) -> list[str]:
    """Names of the fields in which two messages differ."""
    if raw.get("type") != sent.get("type"):
        return ["type"]
    old, new = raw.get("data") or {}, sent.get("data") or {}
    return [name for name in dict.fromkeys([*old, *new]) if old.get(name) != new.get(name)]


def _load(message: dict[str, Any]) -> Any:
    return late("langchain_core.messages").messages_from_dict([message])[0]


def _dump(message: Any) -> dict[str, Any]:
    return dict(from_json(to_json({"type": message.type, "data": message.model_dump()})))


def _same_but_blocks(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two messages differ in nothing but the spelling of their content blocks."""
    fields = differing(one, other)
    contents = [message["data"].get("content") for message in (one, other)]
    return (
        fields == ["content"]
        and all(isinstance(content, list) for content in contents)
        and len({len(content) for content in contents}) == 1
    )


def _previews(stub: str, whole: str) -> bool:
    """Whether the numbered lines of a preview stand in the text, whatever words another release puts around them."""
    lines = _NUMBERED.findall(stub)
    return bool(lines) and all(line in whole for line in lines)


def _perhaps_cut(old: list[Any], new: list[Any]) -> bool:
    """Whether calls differ in long arguments alone, of which the beginning is left."""
    if [(call["id"], call["name"], list(call["args"])) for call in old] != [
        (call["id"], call["name"], list(call["args"])) for call in new
    ]:
        return False
    return all(
        after == before
        or (
            was["name"] in _CUT_TOOLS
            and isinstance(before, str)
            and isinstance(after, str)
            and after[:_LEFT] == before[:_LEFT]
            and len(after) < len(before)
        )
        for was, now in zip(old, new, strict=True)
        for before, after in zip(was["args"].values(), now["args"].values(), strict=True)
    )


def _without_made_ids(message: dict[str, Any]) -> dict[str, Any]:
    """Without the ids that LangChain gives blocks anew whenever it reads them."""
    blocks = [
        {name: value for name, value in block.items() if name != "id" or not str(value).startswith("lc_")}
        if isinstance(block, dict)
        else block
        for block in message["data"]["content"]
    ]
    return {"type": message["type"], "data": {**message["data"], "content": blocks}}


def _digest(payload: str) -> str | None:
    try:
        return hashlib.sha256(base64.b64decode(payload, validate=True)).hexdigest()
    except (ValueError, binascii.Error):
        return None
