"""The engine's rules in words, with the figures of the case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.explain import transform
from engine.trace.model import Event, RequestRow

_CHARS_A_TOKEN = 4


def offloaded_result(chars: int | None, limit: int | None, path: str) -> str:
    """Of a tool result that stands in the state as a preview."""
    if chars is None:
        return f"A preview: the whole result was saved at {path}."
    if limit is not None and chars > limit:
        return (
            f"A preview: the result's {chars:,} characters are more than the limit of {limit:,} "
            f"({limit // _CHARS_A_TOKEN:,} tokens); it was saved at {path}."
        )
    return f"A preview: the result had {chars:,} characters and was saved at {path}."


def offloaded_message(chars: int, left: int, limit: int | None, path: str) -> str:
    """Of a user message of which a preview is sent."""
    if limit is not None and chars > limit:
        more = f"Offloaded: {chars:,} characters are more than the limit of {limit:,}"
    else:
        more = f"Offloaded: {chars:,} characters"
    return f"{more}; {left:,} were sent as a preview, the whole is saved at {path}."


def clipped(chars: int, left: int, path: str | None) -> str:
    """Of a tool result that was made smaller after the provider refused the request, or before it would."""
    where = f" the whole lies at {path}." if path else " the file that it was read from has the whole."
    return f"Clipped: the newest results did not fit, so {left:,} of {chars:,} characters were sent;{where}"


def arguments_cut(names: Sequence[str], rules: Mapping[str, Any], window: int | None) -> str:
    """Of an old tool call."""
    cut = rules.get("cut_arguments") or {}
    calls = " and ".join(dict.fromkeys(names)) or "a file"
    words = f"Arguments of {calls} longer than {cut.get('longest') or 2_000:,} characters were cut"
    if cut.get("keep"):
        words += f": the message is older than the newest {size(cut['keep'], window)}"
    if cut.get("trigger"):
        words += f", and the context had reached {size(cut['trigger'], window)}"
    return f"{words}."


def summarized(event: Event | None, number: int, row: RequestRow | None, rules: Mapping[str, Any]) -> str:
    """Of a message that a summary stands for."""
    if event is None:
        return "Older than the cut of a summary that this record does not have."
    where = f" at request {event.request_number}" if event.request_number is not None else ""
    path = event.data.get("path")
    saved = f"; the history is saved at {path}" if path else "; the history could not be saved"
    return f"Summarized by event #{number}{where} ({trigger(event, row, rules)}){saved}."


def trigger(event: Event, row: RequestRow | None, rules: Mapping[str, Any]) -> str:
    """Why a summary was made. ``row`` is the request it was made for."""
    if not event.data.get("calls"):
        return "made by the compaction tool, or before this record"
    clauses = rules.get("summarize") or ()
    if clauses:
        return "trigger " + ", or ".join(_clause(clause, row.window if row else None) for clause in clauses)
    if row is not None and row.trigger is not None:
        return f"trigger {row.trigger:,} tokens"
    return "no trigger was set: the request had not fitted"


def _clause(clause: Mapping[str, Any], window: int | None) -> str:
    return " and ".join(size(pair, window) for pair in clause.items())


def size(pair: Sequence[Any], window: int | None) -> str:
    """A size as LangChain's settings have it: tokens, messages, or a fraction of the window."""
    unit, value = pair
    if unit == "fraction":
        share = f"{value:.4g}" if value < 0.01 else f"{value * 100:.3g} %"
        return f"{int(window * value):,} tokens, {share} of {window:,}" if window else f"{share} of the window"
    return f"{int(value):,} {unit}"


SENTENCES = {
    transform.HYDRATED: "Its media lie in files and were put back in before sending.",
    transform.REJECTED: "The provider refused the file that was read, so a notice was sent in its place.",
    transform.REASONING: "Kept across a summary: its reasoning blocks are bound to what came before and were left out.",
    transform.UNSUPPORTED: "The model's profile says that it can't take this content; a notice was sent in its place.",
    transform.REWRITTEN: "LangChain rewrote its content blocks in the form that models take.",
}
"""Rules whose sentence needs no figures."""
