"""Ids of the tasks that LangGraph gives to what was asked for by name, made as it makes them.

A subagent's namespace ends in the id of the task that it ran in; while that task has left no
result, its id alone tells which tool call it is.
"""

from __future__ import annotations

import binascii
from collections.abc import Sequence

from xxhash import xxh3_128_hexdigest

from engine.sources.runs import Send

_PUSH = "__pregel_push"


def send_task_ids(checkpoint_id: str, namespace: str, step: int | None, sends: Sequence[Send]) -> dict[str, Send]:
    """Task id → what it was asked to do, for the tasks that run from a checkpoint."""
    if not sends or step is None:
        return {}
    try:
        seed = binascii.unhexlify(checkpoint_id.replace("-", ""))
    except ValueError:
        return {}
    found = {}
    for place, send in enumerate(sends):
        inner = f"{namespace}|{send.node}" if namespace else send.node
        parts = (inner, str(step + 1), send.node, _PUSH, str(place))
        digest = xxh3_128_hexdigest(seed + "".join(parts).encode())
        id = f"{digest[:8]}-{digest[8:12]}-{digest[12:16]}-{digest[16:20]}-{digest[20:32]}"
        found[id] = send
    return found
