"""The terminal commands ``explain``, ``diff`` and ``check``."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from itertools import groupby
from typing import TYPE_CHECKING, Any, Protocol

from engine.masking import beginning
from engine.tables import table, visible

if TYPE_CHECKING:
    from engine.explain.explainer import Explainer
    from engine.explain.model import Amount, CacheUse, Fates, Waterfall

DIFFERS = 4
"""Exit code of ``check`` where something differs or is missing."""

_PIECES = 12  # changes of one step that are told one by one
_TEXT = 160  # characters of a changed stretch


class Adding(Protocol):
    """Adds a command that takes a file, and returns its parser."""

    def __call__(self, name: str, run: Callable[[argparse.Namespace], Any], words: str) -> argparse.ArgumentParser: ...


def add_commands(
    command: Adding, open_file: Callable[[argparse.Namespace], Any], to_json: Callable[[Any], str]
) -> None:
    """Add the commands; ``open_file`` opens the file that the options name."""

    def explain(options: argparse.Namespace) -> None:
        from engine.explain import Explainer, shapes

        source = open_file(options)
        row = source.request(options.request).row
        explainer = Explainer(source)
        if options.json:
            print(to_json(shapes.explained(explainer, row)))
        else:
            print(_explained(explainer, options.request))

    def diff(options: argparse.Namespace) -> None:
        from engine.explain import Explainer, shapes

        explainer = Explainer(open_file(options))
        if options.json:
            print(to_json(shapes.difference(explainer, options.request, options.other)))
        else:
            print(_difference(explainer, options.request, options.other, not options.unmasked))

    def check(options: argparse.Namespace) -> int:
        from engine.explain import Explainer, shapes

        found = Explainer(open_file(options)).check()
        if options.json:
            print(to_json(shapes.integrity(found)))
        else:
            print(_checked(shapes.integrity(found)))
        return 0 if found.clean else DIFFERS

    one = command("explain", explain, "Explain one request: contributors, fates of its messages, prompt cache.")
    one.add_argument("request", type=int, metavar="REQUEST", help="id of a request")
    two = command("diff", diff, "Compare a request with the same agent's one before, or with another.")
    two.add_argument("request", type=int, metavar="REQUEST", help="id of a request")
    two.add_argument("other", type=int, nargs="?", metavar="OTHER", help="id of the request to start from")
    two.add_argument("--unmasked", action="store_true", help="leave likely secrets as they are; JSON always does")
    every = command("check", check, "Work out every request from its state, and look for the files that it speaks of.")
    for made in (one, two, every):
        made.add_argument("--json", action="store_true", help="print JSON")


def _explained(explainer: Explainer, request_id: int) -> str:
    return "\n\n".join(
        [
            _waterfall(explainer.waterfall(request_id)),
            _fates(explainer.fates(request_id)),
            _cache(explainer.cache(request_id)),
        ]
    )


def _waterfall(value: Waterfall) -> str:
    lines = ["Contributors" + (f" ({value.problem})" if value.problem else "")]
    for step in value.steps:
        lines.append(f"  {visible(step.contributor)}{'' if step.changes else ': nothing changed'}")
        for change in step.changes[:_PIECES]:
            count = f"{len(change.parts)} " if len(change.parts) > 1 else ""
            name = (
                f" {visible(change.name)}" if change.name else f" {change.index}" if change.area != "provider" else ""
            )
            lines.append(f"    {change.what:<8} {count}{change.area}{name}{_sizes(change.amounts)}")
        if len(step.changes) > _PIECES:
            lines.append(f"    and {len(step.changes) - _PIECES} more")
    return "\n".join([*lines, f"  in all{_sizes(value.total)}"])


def _sizes(amounts: Iterable[Amount]) -> str:
    told = ", ".join(f"{amount.kind} {amount.tokens:+,}" for amount in amounts)
    return f"  ~tokens: {told}" if told else ""


def _fates(fates: Fates) -> str:
    lines = ["Messages" + (f": {fates.problem}" if fates.problem else "")]
    lines += [f"  sent {fate.sent_index}  {fate.fate}: {visible(fate.words)}" for fate in fates.made]
    for (words, fate), group in groupby(fates.raw, key=lambda each: (each.words, each.fate)):
        found = list(group)
        if words:
            lines.append(f"  raw {_range(found[0].raw_index, found[-1].raw_index)}  {fate}: {visible(words)}")
    plain = sum(1 for fate in fates.raw if not fate.words)
    return "\n".join([*lines, f"  {plain:,} sent as they are in the state"] if fates.raw else lines)


def _range(first: int | None, last: int | None) -> str:
    return str(first) if first == last else f"{first}–{last}"


def _cache(use: CacheUse) -> str:
    reported = "not reported" if use.reported is None else f"{use.reported:,} reported"
    lines = [
        "Prompt cache",
        f"  {use.cause}: {visible(use.reason)}",
        f"  order taken to be: {', '.join(use.order)}",
        f"  ~{use.shared:,} tokens could be reused, {reported}; ~{use.reread:,} were read again after the break",
    ]
    if use.break_at is not None:
        by = f" ({visible(use.break_at.contributor)})" if use.break_at.contributor else ""
        lines.insert(2, f"  broken at {use.break_at.area} {use.break_at.index}{by}")
    return "\n".join(lines)


def _difference(explainer: Explainer, request_id: int, other_id: int | None, masked: bool) -> str:
    from engine.explain import shapes

    found = shapes.difference(explainer, request_id, other_id)
    old, new = found["old"], found["new"]
    lines = [
        f"From request {old['number']} of thread {visible(old['thread_id'])} "
        f"to request {new['number']} of thread {visible(new['thread_id'])}"
    ]
    for name, area in found["areas"].items():
        lines.append(f"{name.capitalize()}{': the same' if area['same'] else ''}")
        if not area["same"]:
            for what, group in groupby(area["parts"], key=lambda part: part["what"]):
                lines += _parts(what, list(group), masked)
    return "\n".join(lines)


def _parts(what: str, parts: list[dict[str, Any]], masked: bool) -> list[str]:
    """Lines of neighbours of one sort; what came or went together is one line."""
    if what in {"added", "removed", "same"}:
        side = "old_index" if what == "removed" else "new_index"
        last = parts[-1][side] + parts[-1]["count"] - 1 if parts[-1][side] is not None else None
        named = ", ".join(dict.fromkeys(visible(part["name"] or part["kind"]) for part in parts))
        tokens = sum(part["tokens"] for part in parts)
        place = f" {_range(parts[0][side], last)}" if last is not None else ""
        return [f"  {what:<8}{place} {named}{f'  {tokens:+,} ~tokens' if tokens else ''}"]
    lines = []
    for part in parts:
        tokens = f"  {part['tokens']:+,} ~tokens" if part["tokens"] else ""
        place = "" if part["new_index"] is None else f" {part['new_index']}"
        lines.append(f"  {what:<8}{place} {visible(part['name'] or part['kind'])}{tokens}")
        for span in part.get("spans", ()):
            lines += [
                f"      {sign} {visible(_begun(text, masked))}{'…' if len(text) > _TEXT else ''}"
                for sign, text in (("-", span["old"]), ("+", span["new"]))
                if text
            ]
    return lines


def _begun(text: str, masked: bool) -> str:
    return beginning(text, _TEXT) if masked else text[:_TEXT]


def _checked(found: dict[str, Any]) -> str:
    differences, missing = found["differences"], found["missing_artifacts"]
    lines = [
        f"{found['requests']:,} requests, {found['unchecked']:,} of them without raw messages: "
        f"{len(differences):,} differences, {len(missing):,} missing files"
    ]
    if differences:
        columns = ("thread_id", "request", "number", "contributor", "index", "raw_index", "what", "words")
        lines.append(table(columns, [[row[name] for name in columns] for row in differences]))
    if missing:
        named = ("thread_id", "request", "number", "kind", "path", "words")
        lines.append(table(named, [[row[name] for name in named] for row in missing]))
    return "\n\n".join([*lines, *map(visible, found["notes"])])
