"""A SKILL.md to begin with."""

from __future__ import annotations

import json
import re

from engine.errors import UsageError
from engine.skills.engine_parser import listed_as, rules


def new_skill(name: str, description: str, folder: str = "/skills/") -> tuple[str, str]:
    """Path and text of a new skill that the engine lists as it is meant.

    Raises ``UsageError`` for a name that breaks the rules, and for a description that is empty or too long.
    """
    broken = rules().name_rule(name, name)
    if broken:
        raise UsageError(f"{name!r} can't be a skill's name: {broken}.")
    description = " ".join(description.split())
    longest = rules().limits["description"]
    if not description or len(description) > longest:
        raise UsageError(f"A skill needs a description of 1 to {longest:,} characters: it is all the model sees of it.")
    plain = re.fullmatch(r"[A-Za-z][\w ,.()/;-]*", description)
    path = f"{folder.rstrip('/')}/{name}/SKILL.md"
    quoted = json.dumps(description, ensure_ascii=False)
    for written in (description, quoted) if plain else (quoted, json.dumps(description)):
        title = name.replace("-", " ").capitalize()
        text = (
            f"---\nname: {name}\ndescription: {written}\n---\n\n# {title}\n\n"
            "## When to use\n- \n\n## Steps\n1. \n\n## Result\n- \n"
        )
        listed = listed_as(path, text)
        if listed is not None and (listed["name"], listed["description"]) == (name, description):
            return path, text
    raise UsageError(f"{name!r} and its description can't be written so that the engine reads them as they are.")
