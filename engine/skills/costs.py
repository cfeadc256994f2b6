"""What skills cost: their lines in the menu of every request against their texts, paid when they are read."""

from __future__ import annotations

from collections.abc import Iterable

from engine.trace.model import SkillRow
from engine.workbench import SkillCosts


def costs_of(skills: Iterable[SkillRow]) -> SkillCosts:
    """Of the skills that are listed; ten are counted as ten average ones."""
    listed = [skill for skill in skills if skill.listed]
    menu = sum(skill.menu_tokens for skill in listed)
    full = sum(skill.full_tokens or 0 for skill in listed)
    count = len(listed)
    return SkillCosts(
        skills=count,
        menu_tokens=menu,
        full_tokens=full,
        ten_listed=round(10 * menu / count) if count else 0,
        ten_loaded=round(10 * full / count) if count else 0,
    )
