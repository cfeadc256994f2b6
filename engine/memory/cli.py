"""The terminal commands ``memory`` and ``skills``."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import Any, Protocol

from engine.tables import table
from engine.trace.model import MemoryFile, SkillRow

_MEMORY = ("path", "backend", "state", "bytes", "tokens", "drift", "changed_by")
_SKILLS = ("name", "path", "listed", "menu_tokens", "full_tokens", "drift", "reason")


class Adding(Protocol):
    """Adds a command that takes a file, and returns its parser."""

    def __call__(self, name: str, run: Callable[[argparse.Namespace], Any], words: str) -> argparse.ArgumentParser: ...


def add_commands(
    command: Adding,
    open_file: Callable[[argparse.Namespace], Any],
    thread_of: Callable[[Any, argparse.Namespace], str],
    to_json: Callable[[Any], str],
) -> None:
    """Add both; ``open_file`` opens the file that the options name, ``thread_of`` checks their thread."""

    def threads_of(source: Any, options: argparse.Namespace) -> list[str]:
        if options.thread is not None:
            return [thread_of(source, options)]
        return [row.thread_id for row in source.threads()]

    def memory(options: argparse.Namespace) -> None:
        source = open_file(options)
        rows = memory_rows(source, threads_of(source, options))
        print(to_json(rows) if options.json else _readable(_MEMORY, rows))

    def skills(options: argparse.Namespace) -> None:
        source = open_file(options)
        rows = skill_rows(source, threads_of(source, options))
        print(to_json(rows) if options.json else _readable(_SKILLS, rows))

    for name, run, words in (
        ("memory", memory, "List the memory sources of a thread's agent, or of all: state, cost, drift and versions."),
        (
            "skills",
            skills,
            "List every skill that a thread's agent could find, or any thread's: listed or not and why.",
        ),
    ):
        made = command(name, run, words)
        made.add_argument("--thread", metavar="ID", help="by default every thread")
        made.add_argument("--json", action="store_true", help="print JSON")


def memory_rows(source: Any, threads: Iterable[str]) -> list[dict[str, Any]]:
    """A row a memory source, in the order of loading; where threads differ, ``drift`` is the first that drifts."""
    found: dict[Any, dict[str, Any]] = {}
    for thread in threads:
        for file in source.memory(thread):
            at = (file.path, file.place, file.within)
            row = found.get(at)
            if row is None:
                row = found[at] = _memory(file, source, thread)
            row["drift"] = _worse(row["drift"], file.drift)
            row["threads"].append({"thread_id": thread, "drift": file.drift, "request": file.request_number})
    return list(found.values())


def skill_rows(source: Any, threads: Iterable[str]) -> list[dict[str, Any]]:
    """A row a SKILL.md, by name; of several threads the first that found it tells, and ``drift`` as for memory."""
    found: dict[Any, dict[str, Any]] = {}
    for thread in threads:
        for skill in source.skills(thread):
            at = (skill.path, skill.place, skill.within)
            row = found.get(at)
            if row is None:
                row = found[at] = _skill(skill, source, thread)
            row["drift"] = _worse(row["drift"], skill.drift)
            row["threads"].append(
                {
                    "thread_id": thread,
                    "listed": skill.listed,
                    "drift": skill.drift,
                    "listed_in": list(skill.listed_requests),
                    "read_in": list(skill.read_in),
                    "pinned_in": list(skill.pinned_in),
                    "disclosed": list(skill.disclosed),
                }
            )
    return sorted(found.values(), key=lambda row: (row["name"], row["path"]))


def _worse(one: str | None, other: str | None) -> str | None:
    """Of two threads' drifts the one to be told: any before none, and none before a thread that loaded nothing."""
    mild = (None, "not-loaded", "none")
    return other if one in mild and (other not in mild or mild.index(other) > mild.index(one)) else one


def _versions(source: Any, path: str, thread: str) -> list[dict[str, Any]]:
    """Every text that a file has had, the latest first; none where nobody keeps them."""
    return [asdict(version) for version in source.versions(path, thread)] if hasattr(source, "versions") else []


def _memory(file: MemoryFile, source: Any, thread: str) -> dict[str, Any]:
    facts = file.facts
    return {
        "path": file.path,
        "backend": file.place,
        "state": file.state,
        "reason": file.problem,
        "bytes": file.size,
        "tokens": file.tokens,
        "encoding": facts.encoding if facts else None,
        "line_ends": facts.line_ends if facts else None,
        "bom": facts.bom if facts else None,
        "hidden": facts.hidden if facts else None,
        "drift": file.drift,
        "changed_at": file.changed_at,
        "changed_by": file.changed_by,
        "versions": _versions(source, file.path, thread) if not file.read_only else [],
        "threads": [],
    }


def _skill(skill: SkillRow, source: Any, thread: str) -> dict[str, Any]:
    there = bool(skill.version)
    return {
        "name": skill.name,
        "path": skill.path,
        "backend": skill.place,
        "state": "missing" if not there else "loaded" if skill.text is not None else "stops",
        "bytes": len(skill.text.encode("utf-8", "surrogatepass")) if skill.text is not None else None,
        "listed": skill.listed,
        "reason": skill.problem,
        "line": skill.line,
        "description": skill.description,
        "menu": skill.menu,
        "menu_tokens": skill.menu_tokens,
        "full_tokens": skill.full_tokens,
        "overridden_by": skill.overridden_by,
        "drift": skill.drift,
        "versions": _versions(source, skill.path, thread) if skill.within else [],
        "findings": [asdict(finding) for finding in skill.findings],
        "tools": list(skill.tools),
        "allowed_tools": list(skill.allowed_tools),
        "helpers": [{"path": path, "bytes": size} for path, size in skill.helpers],
        "threads": [],
    }


def _readable(columns: tuple[str, ...], rows: list[dict[str, Any]]) -> str:
    return table(columns, [[row[name] for name in columns] for row in rows])
