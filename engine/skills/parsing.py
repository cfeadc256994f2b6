"""One SKILL.md: whether the engine lists it, as what, and where it says otherwise than it seems to.

Whether it is listed is the verdict of deepagents' own parser. Why not, and on which line, is found here;
both are held together by a contract test on the cases that were reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import PurePosixPath
from typing import Any

import yaml

from engine.importing import late
from engine.memory.findings import secret_and_hidden
from engine.memory.text import BOM, line_of, line_of_fault
from engine.skills.engine_parser import listed_as, rules
from engine.workbench import Finding, SkillCheck

_OPENING = re.compile(r"---[^\S\n]*(?:\n|\Z)")
_CLOSING = re.compile(r"\n---[^\S\n]*(\n|\Z)")
_HINTS = {
    "mapping values are not allowed here": "a colon and a space begin a value: put the text in quotes",
    "found character '\\t' that cannot start any token": "YAML indents with spaces, not with tabs",
}
_TEXT_KEYS = ("name", "description", "license", "compatibility")


def engine_version() -> str:
    """The release of deepagents whose rules are applied."""
    return version("deepagents")


def check_skill(path: str, data: bytes) -> SkillCheck:
    """What the engine makes of a SKILL.md, and everything to know about it, in the order of the text."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        at = line_of_fault(data, error.start)
        sentence = f"Byte {error.start:,} is 0x{data[error.start]:02x}, which is not UTF-8: the skill is not listed."
        return SkillCheck(False, None, None, (Finding("not utf-8", "stops", sentence, at),))
    metadata = listed_as(path, text)
    found = list(_reasons(text) if metadata is None else _odd(path, text, metadata))
    found = [one for one in found if metadata is None or one.level != "stops"]
    if metadata is None and not found:
        found.append(Finding("unknown", "stops", "The engine does not list it; why, its parser does not say.", 1))
    found += secret_and_hidden(text)
    menu = menu_line(metadata) if metadata is not None else None
    return SkillCheck(metadata is not None, metadata, menu, tuple(sorted(found, key=lambda one: one.line or 0)))


def menu_line(metadata: dict[str, Any]) -> str:
    """What the model sees of a skill before it reads it."""
    middleware = late("deepagents.middleware.skills").SkillsMiddleware(backend=None, sources=[])
    return str(middleware._format_skills_list([metadata]))


def _reasons(text: str) -> Iterator[Finding]:
    """Why the engine's parser gives nothing, the first thing that is wrong first."""
    largest = rules().largest
    if len(text) > largest:
        yield _stop("too large", f"It has {len(text):,} characters; from {largest:,} on the engine skips a skill.", 1)
    elif text.startswith(BOM):
        yield _stop(
            "byte order mark", "A byte order mark stands before the first line, so no front matter is found.", 1
        )
    elif not _OPENING.match(text):
        blank = re.match(r"\s*\n(?=---)", text)
        words = "Blank lines stand before the first line ---" if blank else "It does not begin with a line ---"
        yield _stop("no front matter", f"{words}, so no front matter is found.", 1)
    elif (front := rules().front_matter.match(text)) is None:
        yield _unclosed(text)
    else:
        yield from _front_matter(text, front.start(1), front.end(1))


def _unclosed(text: str) -> Finding:
    closing = _CLOSING.search(text, 3)
    if closing is not None and not closing.group(1):
        sentence = "The closing line --- has no line end, and then the engine does not take it for one."
        return _stop("no closing line", sentence, line_of(text, closing.start() + 1))
    return _stop("no closing line", "The front matter is not closed: no line --- follows.", 1)


def _front_matter(text: str, start: int, end: int) -> Iterator[Finding]:
    first = line_of(text, start)
    try:
        value = yaml.safe_load(text[start:end])
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = str(getattr(error, "problem", None) or error).strip()
        hint = f" ({_HINTS[problem]})" if problem in _HINTS else ""
        yield _stop(
            "not yaml",
            f"The front matter can't be read: {problem}{hint}.",
            line_of(text, start + mark.index) if mark else first,
        )
        return
    if not isinstance(value, dict):
        yield _stop("no keys", f"The front matter is {_kind(value)}, not names with values.", first)
        return
    keys = _keys(text, start, end)
    for name in ("name", "description"):
        if not str(value.get(name, "")).strip():
            words = "is empty" if name in value else "is missing"
            yield _stop(f"no {name}", f"The {name} {words}; without it the skill is not listed.", keys.get(name, first))


def _odd(path: str, text: str, metadata: dict[str, Any]) -> Iterator[Finding]:
    """What is listed otherwise than it reads in the file."""
    front = rules().front_matter.match(text)
    if front is None:
        return
    span = front.span(1)
    first = line_of(text, span[0])
    value, keys = yaml.safe_load(front.group(1)), _keys(text, *span)
    yield from _twice(text, *span)
    for name in _TEXT_KEYS:
        given = value.get(name)
        if name in value and not isinstance(given, str):
            shown = "“None”" if given is None else f"“{given}”"
            words = "is empty" if given is None else f"is {_kind(given)}, not text"
            yield Finding(f"{name} not text", "warning", f"The {name} {words}: the model sees {shown}.", keys[name])
    for name, limit in rules().limits.items():
        whole = str(value.get(name, "")).strip()
        if len(whole) > limit:
            sentence = f"The {name} has {len(whole):,} characters; the model sees the first {limit:,}."
            yield Finding(f"{name} cut", "warning", sentence, keys[name])
    broken = rules().name_rule(str(metadata["name"]), PurePosixPath(path).parent.name)
    if broken:
        yield Finding("name", "note", f"Not a name by the rules for skills: {broken}.", keys.get("name", first))
    tools = value.get("allowed-tools")
    if tools is not None and not isinstance(tools, (str, list)):
        sentence = f"allowed-tools is {_kind(tools)}; it is left out."
        yield Finding("allowed-tools", "warning", sentence, keys["allowed-tools"])
    more = value.get("metadata")
    if more is not None and not isinstance(more, dict):
        yield Finding("metadata", "warning", f"metadata is {_kind(more)}; it is left out.", keys["metadata"])
    elif isinstance(more, dict) and _not_spaced(more.get("include_tools")):
        sentence = "include_tools has to be one text of names with spaces between them; so it names no tool."
        yield Finding("include_tools", "warning", sentence, keys["metadata"])
    if not text[front.end() :].strip():
        yield Finding("no text", "note", "It has no text below the front matter: reading it tells the model nothing.")


def _not_spaced(value: Any) -> bool:
    return isinstance(value, list) or (isinstance(value, str) and "," in value)


def _twice(text: str, start: int, end: int) -> Iterator[Finding]:
    seen: dict[str, int] = {}
    for name, line in _pairs(text, start, end):
        if name in seen:
            sentence = f"{name} stands here a second time (first on line {seen[name]}); this one counts."
            yield Finding("twice", "warning", sentence, line)
        seen.setdefault(name, line)


def _keys(text: str, start: int, end: int) -> dict[str, int]:
    """Key → line on which the value that counts stands."""
    return dict(_pairs(text, start, end))


def _pairs(text: str, start: int, end: int) -> list[tuple[str, int]]:
    """Keys of the front matter and their lines: YAML counts lines otherwise than an editor, so by its offsets."""
    node = yaml.compose(text[start:end], Loader=yaml.SafeLoader)
    if not isinstance(node, yaml.MappingNode):
        return []
    return [(str(key.value), line_of(text, start + key.start_mark.index)) for key, _ in node.value]


def _kind(value: Any) -> str:
    names = {list: "a list", dict: "a mapping", str: "text", bool: "yes or no", int: "a number", float: "a number"}
    return "nothing" if value is None else names.get(type(value), f"a {type(value).__name__}")


def _stop(kind: str, sentence: str, line: int) -> Finding:
    return Finding(kind, "stops", sentence, line)
