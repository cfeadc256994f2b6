"""What a deletion takes, and the proof that it went."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DeletionItem:
    """One kind of thing that goes."""

    what: str
    """``checkpoints``, ``requests``, ``parts`` …, in words."""
    count: int
    bytes: int


@dataclass(frozen=True, slots=True)
class DeletionPlan:
    """Everything known about a thread or a namespace, to be looked at before it goes."""

    threads: tuple[str, ...]
    """Thread ids that go."""
    namespace: str | None
    """Namespace of the store that goes, its sub-namespaces too."""
    items: tuple[DeletionItem, ...]
    files: tuple[tuple[str, int], ...]
    """Files that go with it, by path, and their bytes: offloaded results, histories, the thread's own, or memory."""
    copies: tuple[str, ...]
    """Threads that stay and hold copies of these files in their state and requests."""
    kept: tuple[str, ...]
    """What stays although it has to do with it, in words."""
    seal: str
    """Names what was counted; a deletion is refused when there is something else by then."""

    @property
    def bytes(self) -> int:
        """Of all that goes."""
        return sum(item.bytes for item in self.items)


@dataclass(frozen=True, slots=True)
class DeletionProof:
    """What was deleted, and how it was made sure of."""

    deleted: tuple[DeletionItem, ...]
    left: tuple[DeletionItem, ...]
    """Rows that still name it, counted again afterwards; empty when it is gone."""
    searched: int
    """Pieces of what was deleted that were looked for in the bytes of the file and beside it."""
    found: int
    """Of these, found: old pages that another program still keeps, or that are not overwritten yet."""
    size_before: int
    """Bytes of the file."""
    size_after: int
    note: str
    """What has to be done yet, in words; empty when nothing has."""

    @property
    def gone(self) -> bool:
        """Whether nothing of it is left in the file."""
        return not self.left and not self.found
