"""Ids of LangGraph's tasks, made as it makes them.

A subagent's namespace ends in the id of the task that it ran in; while that task has left no
result, its id alone tells which tool call it is. A task that has written nothing has its id
nowhere in the file.
"""

from __future__ import annotations

import binascii
from collections.abc import Sequence

from xxhash import xxh3_128_hexdigest

from engine.sources.runs import Send

_PUSH, _PULL = "__pregel_push", "__pregel_pull"


def send_task_ids(checkpoint_id: str, namespace: str, step: int | None, sends: Sequence[Send]) -> dict[str, Send]:
    """Task id → what it was asked to do, for the tasks that run from a checkpoint."""
    if not sends or step is None:
        return {}
    try:
        seed = binascii.unhexlify(checkpoint_id.replace("-", ""))
    except ValueError:
        return {}
    return {_id(seed, namespace, step, send.node, _PUSH, str(place)): send for place, send in enumerate(sends)}


def branch_task_id(checkpoint_id: str, namespace: str, step: int | None, node: str) -> str | None:
    """Id of the task that a branch to a node starts from a checkpoint; None where it can't be told."""
    try:
        seed = binascii.unhexlify(checkpoint_id.replace("-", ""))
    except ValueError:
        return None
    return None if step is None else _id(seed, namespace, step, node, _PULL, f"branch:to:{node}")


def _id(seed: bytes, namespace: str, step: int, node: str, *cause: str) -> str:
    inner = f"{namespace}|{node}" if namespace else node
    digest = xxh3_128_hexdigest(seed + "".join((inner, str(step + 1), node, *cause)).encode())
    return f"{digest[:8]}-{digest[8:12]}-{digest[12:16]}-{digest[16:20]}-{digest[20:32]}"
