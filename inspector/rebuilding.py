"""A request made again with the agent's own code, in a process of its own. Called in jobs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector.jobs import Progress

if TYPE_CHECKING:
    from engine.trace.model import RequestRow


@dataclass(frozen=True)
class Remade:
    """A request that was made again, and what it has that the recorded one hasn't."""

    source: Any
    """Answers as a reader does for its pieces; ``source.detail`` is the request."""
    row: RequestRow
    rows: tuple[Any, ...]
    """One piece of both each: ``area``, ``what``, ``title``, ``recorded``, ``rebuilt``."""
    untold: tuple[str, ...]
    """Areas that the record doesn't tell."""

    def sentence(self) -> str:
        """What the comparison says in one line."""
        counts: dict[str, int] = {}
        for row in self.rows:
            counts[row.what] = counts.get(row.what, 0) + 1
        if set(counts) <= {"same"}:
            return f"Equal to what was recorded, in all {len(self.rows)} pieces."
        told = ", ".join(f"{count} {what}" for what, count in counts.items())
        if not self.untold:
            return f"It differs from what was recorded: {told}."
        return f"The record does not tell {' and '.join(self.untold)}; the rebuilt request adds them. Pieces: {told}."


def remake(reader: Any, path: Path, row: RequestRow, agent: str, progress: Progress) -> Remade:
    """Run the agent's code up to the request of ``row``.

    Raises:
        InspectorError: as ``engine.rebuild.parent.rebuild``.
    """
    from engine.rebuild.parent import rebuild
    from engine.rebuild.shown import RebuiltSource, compare_with_recorded

    made = rebuild(path, row.thread_id, agent, row.checkpoint_id, stop=progress.stop)
    progress.check()
    source, recorded = RebuiltSource(made, row), reader.request(row.id)
    untold = tuple(area for area in ("system", "tools") if area in recorded.not_recorded)
    return Remade(source, row, tuple(compare_with_recorded(reader, recorded, source)), untold)


def agents_near(path: Path) -> list[str]:
    """Names of agents in a ``langgraph.json`` beside a database or in a folder above it."""
    import json

    for folder in list(path.resolve().parents)[:4]:
        config = folder / "langgraph.json"
        if config.is_file():
            try:
                graphs = json.loads(config.read_text(encoding="utf-8"))["graphs"]
                return [f"{config}:{name}" for name in graphs]
            except (OSError, ValueError, KeyError, TypeError):
                return []
    return []
