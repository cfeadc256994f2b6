"""The skills of a thread's agent as a table: menu line against full text, listed and read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QObject

from engine.trace.model import SkillRow
from inspector import format
from inspector.models.items import Column, ItemsModel


@dataclass(frozen=True, slots=True)
class SkillItem:
    """A skill, and the requests in which it showed."""

    skill: SkillRow
    requests: Mapping[int, int] = field(default_factory=dict)
    """Number → id of requests that listed, read or pinned it, as far as they are linked."""


def runs(numbers: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Numbers that follow one another, as first and last of each run, in order."""
    found: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if found and number <= found[-1][1] + 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return tuple(found)


def linked(skill: SkillRow) -> set[int]:
    """Numbers of the requests at the ends of runs: those that can be gone to."""
    every = (skill.listed_requests, skill.read_in, skill.pinned_in)
    return {number for numbers in every for run in runs(numbers) for number in run}


def _name(item: SkillItem) -> str:
    return ("! " if item.skill.problem else "") + (item.skill.name or item.skill.path)


def _name_tip(item: SkillItem) -> str:
    return "\n".join(part for part in (item.skill.path, item.skill.problem) if part)


def _reads(item: SkillItem) -> str:
    return str(len(item.skill.read_in)) if item.skill.read_in else "0"


class SkillsModel(ItemsModel[SkillItem]):
    """Rows keyed by path: two skills may have one name."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(
            (
                Column("Skill", _name, _name_tip, kind=lambda item: "error" if item.skill.problem else None),
                Column(
                    "Menu",
                    lambda item: format.tokens(item.skill.menu_tokens),
                    lambda item: format.exact_tokens(item.skill.menu_tokens),
                    sort=lambda item: item.skill.menu_tokens,
                    right=True,
                    hint="Tokens of its line in the menu that every request carries, estimated.",
                ),
                Column(
                    "Full",
                    lambda item: format.tokens(item.skill.full_tokens),
                    lambda item: (
                        "Not known: its SKILL.md could not be read."
                        if item.skill.full_tokens is None
                        else format.exact_tokens(item.skill.full_tokens)
                    ),
                    sort=lambda item: item.skill.full_tokens or 0,
                    right=True,
                    hint="Tokens of the whole SKILL.md, estimated; paid only when it is read.",
                ),
                Column(
                    "Listed",
                    lambda item: format.exact(item.skill.listed_in),
                    lambda item: f"Listed in {format.count(item.skill.listed_in, 'request')}.",
                    sort=lambda item: item.skill.listed_in,
                    right=True,
                    hint="Requests whose system message listed it.",
                ),
                Column(
                    "Read",
                    _reads,
                    lambda item: (
                        "Read in request " + ", ".join(map(str, item.skill.read_in))
                        if item.skill.read_in
                        else "No request has read it."
                    ),
                    sort=lambda item: len(item.skill.read_in),
                    right=True,
                    hint="Requests that read its SKILL.md.",
                ),
            ),
            lambda item: item.skill.path,
            parent,
        )
