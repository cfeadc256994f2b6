"""The engine's own rules for SKILL.md files, and its own parser without its log."""

from __future__ import annotations

import functools
import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from engine.importing import late

_ENGINE = "deepagents.middleware.skills"
_quiet: ContextVar[bool] = ContextVar("context_inspector_quiet", default=False)


@dataclass(frozen=True, slots=True)
class Rules:
    """Limits and forms that deepagents goes by; a contract test holds their names."""

    largest: int
    """Characters of a file."""
    front_matter: re.Pattern[str]
    limits: Mapping[str, int]
    """Key → characters that are kept of it."""

    def name_rule(self, name: str, folder: str) -> str:
        """What is wrong with a name, in the engine's words; empty when nothing is."""
        return late(_ENGINE)._validate_skill_name(name, folder)[1]


@functools.cache
def rules() -> Rules:
    """The rules of the installed release."""
    skills = late(_ENGINE)
    return Rules(
        largest=skills.MAX_SKILL_FILE_SIZE,
        front_matter=skills._FRONTMATTER_PATTERN,
        limits={
            "description": skills.MAX_SKILL_DESCRIPTION_LENGTH,
            "compatibility": skills.MAX_SKILL_COMPATIBILITY_LENGTH,
        },
    )


def listed_as(path: str, text: str) -> dict[str, Any] | None:
    """What the engine lists of this text; None where it lists nothing."""
    with without_log():
        found = late(_ENGINE)._parse_skill_metadata(text, path, PurePosixPath(path).parent.name)
    return dict(found) if found is not None else None


def menu_of(files: Mapping[str, bytes], sources: list[str]) -> tuple[list[dict[str, Any]], list[str]]:
    """The menu that an agent with these sources loads of these files, and what it notes of sources.

    ``files`` holds SKILL.md files by their whole path. The engine's own middleware loads them from its own
    backend, so that order, depth and equal names count as they do for an agent.
    """
    store = late("langgraph.store.memory").InMemoryStore()
    backend = late("deepagents.backends").StoreBackend(store=store, namespace=lambda _: ("skills",))
    with without_log():
        backend.upload_files(list(files.items()))
        middleware = late(_ENGINE).SkillsMiddleware(backend=backend, sources=sources)
        loaded = middleware.before_agent({}, None, {})
    return [dict(skill) for skill in loaded["skills_metadata"]], list(loaded["skills_load_errors"])


@contextmanager
def without_log() -> Iterator[None]:
    """What the engine logs about skills in here is said by our findings."""
    _install()
    token = _quiet.set(True)
    try:
        yield
    finally:
        _quiet.reset(token)


@functools.cache
def _install() -> None:
    logging.getLogger("deepagents.middleware.skills").addFilter(lambda record: not _quiet.get())
