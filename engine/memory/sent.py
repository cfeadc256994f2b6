"""What a model gets of memory files, by the engine's own rules, and the way back from a block that was sent.

The rules are asked of deepagents' ``MemoryMiddleware`` itself, never repeated here; importing it takes
seconds the first time.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from engine.importing import late
from engine.workbench import SentMemory

_ENGINE = "deepagents.middleware.memory"
_CHARS_A_TOKEN = 4
_SLOT = "\0"


def sent_memory(contents: Mapping[str, str], sources: Sequence[str]) -> SentMemory:
    """The block that these files make, in the order of ``sources``."""
    sections = {path: text for path in sources if path in contents and (text := sent_text(path, contents[path]))}
    block = _middleware(sources)._format_agent_memory(dict(contents))
    return SentMemory(
        block=block,
        tokens=tokens_of(block),
        sections=sections,
        section_tokens={path: tokens_of(f"{path}\n\n{text}") for path, text in sections.items()},
        removed={path: len(text) - len(sections.get(path, "")) for path, text in contents.items()},
    )


def sent_text(path: str, text: str) -> str:
    """What is left of one file when it is sent; empty when nothing is."""
    section = _middleware([path])._format_agent_memory({path: text}, _SLOT_TEMPLATE)
    head = f"{path}\n\n"
    return str(section[len(head) :]) if section.startswith(head) else ""


def sections_in(block: str, sources: Sequence[str], likely: Mapping[str, str]) -> dict[str, str] | None:
    """Path → text of each file in a block that was sent; None for a block of another make.

    A file may hold what looks like the beginning of the next one: where there is a choice, a section that
    equals its text in ``likely`` (as sent) decides it, else the first place counts.
    """
    before, after = _frame()
    body = block.removeprefix("\n\n")
    if not (body.startswith(before) and body.endswith(after)):
        return None
    body = body[len(before) : len(body) - len(after)]
    if body == _nothing():
        return {}
    sections: dict[str, str] = {}
    index = next((at for at, path in enumerate(sources) if body.startswith(f"{path}\n\n")), None)
    if index is None:
        return None
    rest = body[len(sources[index]) + 2 :]
    while True:
        path = sources[index]
        ends = list(_ends(rest, sources, index))
        fit = [end for end in ends if rest[: end[0]] == likely.get(path)]
        at, following = (fit or ends)[0]
        sections[path] = rest[:at]
        if following is None:
            return sections
        rest, index = rest[at + len(sources[following]) + 4 :], following


def tokens_of(text: str) -> int:
    """Estimate: 4 characters a token."""
    return math.ceil(len(text) / _CHARS_A_TOKEN)


_SLOT_TEMPLATE = "{agent_memory}"


def _ends(rest: str, sources: Sequence[str], index: int) -> list[tuple[int, int | None]]:
    """Where the section may end: before the head of a later file, or with the text."""
    found: list[tuple[int, int | None]] = []
    for later in range(index + 1, len(sources)):
        head, at = f"\n\n{sources[later]}\n\n", -1
        while (at := rest.find(head, at + 1)) >= 0:
            found.append((at, later))
    return [*sorted(found, key=lambda one: one[0]), (len(rest), None)]


def _frame() -> tuple[str, str]:
    """What the engine writes before and after the files."""
    before, _, after = late(_ENGINE).MEMORY_SYSTEM_PROMPT.format(agent_memory=_SLOT).partition(_SLOT)
    return before, after


def _nothing() -> str:
    return str(_middleware([])._format_agent_memory({}, _SLOT_TEMPLATE))


def _middleware(sources: Sequence[str]) -> Any:
    return late(_ENGINE).MemoryMiddleware(backend=None, sources=list(sources))
