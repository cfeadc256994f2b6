"""What the engine makes of a skill, and what skills cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.workbench.texts import Finding


@dataclass(frozen=True, slots=True)
class SkillCheck:
    """What the engine makes of one SKILL.md."""

    listed: bool
    metadata: Mapping[str, Any] | None
    """As the engine lists it; None where it doesn't."""
    menu: str | None
    """The lines that the model sees."""
    findings: tuple[Finding, ...]

    @property
    def reason(self) -> Finding | None:
        """Why it is not listed."""
        return next((one for one in self.findings if one.level == "stops"), None)


@dataclass(frozen=True, slots=True)
class SkillCosts:
    """Tokens of skills, estimated."""

    skills: int
    menu_tokens: int
    """In every request, without the engine's words around the list."""
    full_tokens: int
    """If all of them were read."""
    ten_listed: int
    """Of ten average skills like these in the menu."""
    ten_loaded: int
    """Of ten average skills like these, read."""
