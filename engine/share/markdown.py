"""An outline as Markdown: texts in fences that none of them can close, names in code spans."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.share.page import Area, File, Item, Outline, Section
from engine.share.words import head_words
from engine.tables import visible

_TICKS = re.compile("`+")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Would change what a terminal or an editor shows around them; a tab and a line feed are as they should be."""


def markdown_page(outline: Outline) -> str:
    """The page."""
    return "\n".join(_page(outline)) + "\n"


def fenced(text: str) -> list[str]:
    """The text as a block that shows it letter by letter; control characters as escapes."""
    text = _CONTROL.sub(lambda control: visible(control[0]), text)
    longest = max((len(ticks) for ticks in _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}text", *text.split("\n"), fence]


def span(text: str) -> str:
    """The text in a code span, on one line."""
    text = visible(text)
    longest = max((len(ticks) for ticks in _TICKS.findall(text)), default=0)
    ticks = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") or not text.strip() else ""
    return f"{ticks}{pad}{text}{pad}{ticks}" if text else "(empty)"


def _page(outline: Outline) -> Iterator[str]:
    yield f"# {span(outline.title)}"
    yield ""
    for name, value in head_words(outline):
        yield f"- {name}: {span(value)}"
    if not outline.masker.on:
        yield "\n**Likely secrets are not masked in this file.**"
    for section in outline.sections:
        yield from _section(section)
    if outline.summaries:
        yield "\n## Summaries"
        for item in outline.summaries:
            yield from _item(item)
    if outline.files:
        yield "\n## Artifacts"
        for file in outline.files:
            yield from _file(file)


def _section(section: Section) -> Iterator[str]:
    yield f"\n## Request {section.row.number}\n"
    for name, value in section.facts:
        yield f"- {name}: {span(value)}"
    if section.error:
        yield ""
        yield from fenced(section.error)
    for area in section.areas:
        yield from _area(area)
    if section.events:
        yield "\n### Events\n"
        for kind, data in section.events:
            yield f"- {span(kind)}: {span(' '.join(data.split()))}"


def _area(area: Area) -> Iterator[str]:
    yield f"\n### {area.name}" + (f" ({area.note})" if area.note else "")
    for row in area.rows:
        if isinstance(row, Item):
            yield from _item(row)
        else:
            numbers = f"{row.first}" if row.first == row.last else f"{row.first}–{row.last}"
            yield f"\n- {numbers}: {span(row.words)}"


def _item(item: Item) -> Iterator[str]:
    number = "" if item.index is None else f"{item.index} "
    yield f"\n#### {number}{span(item.title)}"
    if item.facts:
        yield f"\n{span(' · '.join(item.facts))}"
    for text in (item.text, item.more):
        if text:
            yield ""
            yield from fenced(text)


def _file(file: File) -> Iterator[str]:
    yield f"\n### {span(file.artifact.path)}\n\n{span(' · '.join(file.facts))}"
    if file.text is not None:
        yield ""
        yield from fenced(file.text)
