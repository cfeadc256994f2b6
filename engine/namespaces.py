"""Namespaces of the store: their parts, and what stands in them for the identity of a run.

The store joins parts by dots, so a part must hold none: an id that has one is written otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.errors import UsageError

_LABEL = re.compile(r"[A-Za-z0-9\-_@+:~]+")
_PLACEHOLDERS = ("{tenant}", "{user}")


@dataclass(frozen=True)
class Identity:
    """For whom an agent runs: its runtime context. The model never sees it, and no tool takes it as an argument."""

    tenant: str
    user: str


def filled(parts: Sequence[str], identity: Identity | None) -> tuple[str, ...]:
    """The parts of a namespace for this identity.

    Raises:
        UsageError: a part stands for an identity that is missing, empty, or has characters that a namespace can't.
    """
    if not any(part in _PLACEHOLDERS for part in parts):
        return tuple(parts)
    if identity is None:
        raise UsageError(f"The namespace {' / '.join(parts)} needs the identity of the run. Give a tenant and a user.")
    values = {"{tenant}": ("tenant", identity.tenant), "{user}": ("user", identity.user)}
    return tuple(label_of(*values[part]) if part in values else part for part in parts)


def label_of(what: str, id: str) -> str:
    """An id as one part of a namespace: a dot becomes ``~2e`` and a tilde ``~7e``, so that no two ids meet.

    Raises:
        UsageError: it is empty, or has characters that the store's namespaces can't hold.
    """
    if not isinstance(id, str) or not id.strip():
        raise UsageError(f"The {what} of the run's identity is empty, so its files can't be kept apart. Name one.")
    label = id.replace("~", "~7e").replace(".", "~2e")
    if not _LABEL.fullmatch(label):
        raise UsageError(
            f"The {what} {id!r} can't name a namespace. Letters without accents, digits and - _ . @ + : ~ can be used."
        )
    return label


def id_of(label: str) -> str:
    """The id that a part of a namespace stands for; the other way of :func:`label_of`."""
    return label.replace("~2e", ".").replace("~7e", "~")


def check_parts(where: str, parts: Sequence[str]) -> None:
    """Raise ``UsageError`` for parts that no namespace can have; ``where`` begins the sentence."""
    if not parts:
        raise UsageError(f"{where} lies in the store, and no namespace is named. Name one, like memories.")
    for part in parts:
        if part not in _PLACEHOLDERS and not (isinstance(part, str) and _LABEL.fullmatch(part)):
            raise UsageError(
                f"{where}: {part!r} can't be a part of a namespace. A part is {{tenant}}, {{user}}, or letters "
                "without accents, digits and - _ @ + : ~. Parts are set apart by /."
            )
    if parts[0] == "langgraph":
        raise UsageError(f"{where}: LangGraph keeps the namespace langgraph for itself. Name another.")


def check_apart(namespaces: Iterable[Sequence[str]]) -> None:
    """Raise ``UsageError`` for two that some identity would make one: a tenant may be called ``memories``."""
    different = list(dict.fromkeys(tuple(parts) for parts in namespaces))
    for at, one in enumerate(different):
        for other in different[at + 1 :]:
            meet = len(one) == len(other) and all(
                a == b or a in _PLACEHOLDERS or b in _PLACEHOLDERS for a, b in zip(one, other, strict=True)
            )
            if meet:
                raise UsageError(
                    f"The namespaces {' / '.join(one)} and {' / '.join(other)} are the same for some identities. "
                    "Give each a part of its own at the same position."
                )
