"""The JSON shapes of ``explain``, ``diff`` and ``check``: stable, and documented in the README."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from engine.explain.explainer import Explainer
from engine.explain.model import Amount, AreaDiff, CacheUse, Change, Fates, Integrity, PartDiff, TextDiff, Waterfall
from engine.trace.model import RequestRow


def explained(explainer: Explainer, row: RequestRow) -> dict[str, Any]:
    """``request, thread_id, number, waterfall, fates, made, cache``."""
    fates = explainer.fates(row.id)
    return {
        "request": row.id,
        "thread_id": row.thread_id,
        "number": row.number,
        "waterfall": waterfall(explainer.waterfall(row.id)),
        "fates": _fates(fates),
        "made": [asdict(fate) for fate in fates.made],
        "cache": cache(explainer.cache(row.id)),
    }


def waterfall(value: Waterfall) -> dict[str, Any]:
    """``steps, total, problem``, and the contributor of every piece of the request."""
    return {
        "steps": [
            {
                "contributor": step.contributor,
                "changes": [_change(change) for change in step.changes],
                "amounts": _amounts(step.amounts),
                "total": _amounts(step.total),
            }
            for step in value.steps
        ],
        "total": _amounts(value.total),
        "contributors": {"system": value.system_by, "tools": value.tools_by, "messages": value.messages_by},
        "problem": value.problem or None,
    }


def cache(value: CacheUse) -> dict[str, Any]:
    """Cache use of one request; tokens are estimates but for ``reported`` and ``input_tokens``."""
    return asdict(value)


def difference(explainer: Explainer, request_id: int, other_id: int | None) -> dict[str, Any]:
    """Two requests: ``old, new, areas``; changed pieces with their ``spans``."""
    found = explainer.diff(request_id, other_id)
    return {
        "old": _named(found.old),
        "new": _named(found.new),
        "areas": {area.area: _area(explainer, area, found.old.id, found.new.id) for area in found.areas},
    }


def integrity(value: Integrity) -> dict[str, Any]:
    """``requests, unchecked, differences, missing_artifacts, notes``."""
    return asdict(value)


def _fates(fates: Fates) -> list[dict[str, Any]]:
    return [asdict(fate) for fate in fates.raw]


def _change(change: Change) -> dict[str, Any]:
    told: dict[str, Any] = {
        "area": change.area,
        "what": change.what,
        "index": change.index,
        "count": len(change.parts) or 1,
        "name": change.name or None,
        "amounts": _amounts(change.amounts),
    }
    return told | ({"old": change.old, "new": change.new} if change.area == "provider" else {})


def _amounts(amounts: Iterable[Amount]) -> list[dict[str, Any]]:
    return [asdict(amount) for amount in amounts]


def _named(row: RequestRow) -> dict[str, Any]:
    return {"id": row.id, "thread_id": row.thread_id, "number": row.number, "purpose": row.purpose, "agent": row.agent}


def _area(explainer: Explainer, area: AreaDiff, old_id: int, new_id: int) -> dict[str, Any]:
    told: dict[str, Any] = {"same": area.same, "prefix": area.prefix, "suffix": area.suffix}
    told["parts"] = [_part(explainer, area, part) for part in area.parts]
    if area.area == "provider" and not area.same:
        told |= dict(zip(("old", "new"), explainer.provider_texts(old_id, new_id), strict=True))
    return told


def _part(explainer: Explainer, area: AreaDiff, part: PartDiff) -> dict[str, Any]:
    told = {name: value for name, value in asdict(part).items() if name not in {"old_part", "new_part"}}
    if part.what == "changed" and part.old_part is not None and part.new_part is not None:
        texts = explainer.texts(area.area, part.old_part, part.new_part)
        told["spans"] = _spans(explainer.text_diff(area.area, part.old_part, part.new_part), *texts)
    return told


def _spans(diff: TextDiff, old: str, new: str) -> list[dict[str, Any]]:
    """What differs, with both texts and where they stand; equal stretches are left out."""
    return [
        {
            "what": span.what,
            "old_start": span.old_start,
            "old": old[span.old_start : span.old_end],
            "new_start": span.new_start,
            "new": new[span.new_start : span.new_end],
        }
        for span in diff.spans
        if span.what != "equal"
    ]
