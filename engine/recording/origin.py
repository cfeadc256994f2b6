"""Who contributed what to a request, read from its layers."""

from __future__ import annotations

from collections.abc import Sequence
from operator import is_
from typing import Any

from engine.kinds import CALLER
from engine.recording.observers import Call, Layer, tool_name


def blocks_of(system: Any) -> list[Any]:
    """Blocks of a system message: its list, or its one string; nothing without a message."""
    if system is None:
        return []
    return list(system.content) if isinstance(system.content, list) else [system.content]


def origin_of(call: Call) -> dict[str, Any]:
    """Contributors, and what they go by.

    ``system`` holds one a block, ``tools`` one by name, ``messages`` those who changed messages, ``order`` the
    middlewares, outermost first; ``rules`` as :mod:`engine.recording.rules` tells them.
    """
    layers = call.layers
    system: list[str] = []
    blocks: list[Any] = []
    tools = dict(call.assembly.tools)
    changed: list[str] = []
    before: Layer | None = None
    for index, layer in enumerate(layers):
        if layer is None:
            continue
        who = call.assembly.names[index - 1] if index else CALLER
        if before is None or layer.system is not before.system:
            now = blocks_of(layer.system)
            system, blocks = _owners(blocks, system, now, who), now
        if before is not None and layer.tools is not before.tools:
            known = {_name(tool) for tool in before.tools}
            tools |= {_name(tool): who for tool in layer.tools if _name(tool) not in known}
        if before is not None and layer.messages is not before.messages:
            same = len(layer.messages) == len(before.messages) and all(map(is_, layer.messages, before.messages))
            if not same:
                changed.append(who)
        before = layer
    order, rules = call.assembly.names, call.assembly.rules
    return {"system": system, "tools": tools, "messages": changed, "order": order, "rules": rules}


def origin_without_layers(system: Any, tools: Sequence[Any], known: bool) -> dict[str, Any]:
    """Contributors of a request whose middlewares were not seen: the caller, or (not ``known``) nobody knows."""
    who = CALLER if known else ""
    return {"system": [who] * len(blocks_of(system)), "tools": {} if known else {tool_name(tool): "" for tool in tools}}


def _owners(before: list[Any], owners: list[str], now: list[Any], who: str) -> list[str]:
    """Contributor of each block: of one that was there before the one that it had, wherever it stood."""
    left = list(range(len(before)))
    found = []
    for at, block in enumerate(now):
        places = ([at] if at in left else []) + left
        place = next((place for place in places if _continues(before[place], block)), None)
        if place is not None:
            left.remove(place)
        found.append(who if place is None else owners[place])
    return found


def _continues(old: Any, new: Any) -> bool:
    """Whether a block is the one before, perhaps with a cache marker put on it."""
    if isinstance(old, str) or isinstance(new, str):
        text = old if isinstance(old, str) else old.get("text")
        return bool(text == (new if isinstance(new, str) else new.get("text")))
    return bool(old == new or {**old, **new} == new)


def _name(tool: Any) -> str:
    return str(tool.get("name") if isinstance(tool, dict) else tool.name)
