"""An outline as one HTML file that needs nothing else: no script at all, no picture, no address to fetch.

Every text is escaped, and a policy in the page forbids whatever an oversight would let through. Characters that
can't be seen, or change how others read, are marked and kept apart.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
import unicodedata
from collections.abc import Iterator

import resources
from engine.share.page import Area, File, Item, Outline, Same, Section
from engine.share.words import head_words

LETTERS = {
    "system": "S", "memory": "M", "skills": "K", "tools": "T", "human": "H", "ai": "A", "tool": "R", "summary": "Σ",
}  # fmt: skip

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)
"""Not joiners, which scripts and emoji need."""
_NO_HTML = {"\x00": "\u2400"}
"""What HTML has no way to say."""


def html_page(outline: Outline) -> str:
    """The page."""
    return "".join(_page(outline))


def escape(text: str) -> str:
    """The text as HTML that shows it letter by letter, hidden characters marked."""
    return _HIDDEN.sub(_marked, html.escape(text))


def _marked(hidden: re.Match[str]) -> str:
    char = hidden[0]
    name = f"U+{ord(char):04X}"
    if char in _NO_HTML or "\ud800" <= char <= "\udfff":
        return f'<span class="hidden" data-name="{name}">{_NO_HTML.get(char, "")}</span>'
    # A reference, because a parser would turn a bare carriage return into a line feed.
    shown = "&#13;" if char == "\r" else char
    return f'<span class="hidden" data-name="{unicodedata.name(char, "").lower() or name}">{shown}</span>'


def _page(outline: Outline) -> Iterator[str]:
    style = resources.read_text("share/page.css")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
    yield '<meta name="referrer" content="no-referrer">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield f"<title>{html.escape(_one_line(outline.title))}</title>\n<style>{style}</style>\n</head>\n<body>\n"
    yield f"<h1>{escape(outline.title)}</h1>\n<dl>"
    for name, value in head_words(outline):
        yield f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>"
    yield "</dl>\n"
    if not outline.masker.on:
        yield '<p class="warning">Likely secrets are not masked in this file.</p>\n'
    if outline.whole:
        yield from _table(outline)
    for section in outline.sections:
        yield from _section(section)
    if outline.summaries:
        yield '<h2 id="summaries">Summaries</h2>\n'
        for item in outline.summaries:
            yield from _item(item)
    yield from _files(outline)
    yield "</body>\n</html>\n"


def _table(outline: Outline) -> Iterator[str]:
    yield '<h2 id="requests">Requests</h2>\n<table><tr><th class="number">#</th><th>Purpose</th><th>Agent</th>'
    yield '<th class="number">Input tokens</th><th class="number">Output tokens</th><th>Events</th></tr>\n'
    for section in outline.sections:
        row = section.row
        about = "~" if row.tokens == "estimated" else ""
        input_tokens = f"{about}{row.input_tokens:,}" if row.input_tokens is not None else "–"
        output = f"{row.usage.output_tokens:,}" if row.usage.output_tokens is not None else "–"
        error = ' <span class="error">failed</span>' if section.error else ""
        yield (
            f'<tr><td class="number"><a href="#{section.anchor}">{row.number}</a></td><td>{escape(row.purpose)}</td>'
            f'<td>{escape(row.agent or "main")}</td><td class="number">{input_tokens}</td>'
            f'<td class="number">{output}</td><td>{escape(", ".join(row.events))}{error}</td></tr>\n'
        )
    yield "</table>\n"


def _section(section: Section) -> Iterator[str]:
    yield f'<section id="{section.anchor}">\n<h2>Request {section.row.number}</h2>\n<dl>'
    for name, value in section.facts:
        yield f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>"
    yield "</dl>\n"
    if section.error:
        yield f'<div class="text error">{escape(section.error)}</div>\n'
    for area in section.areas:
        yield from _area(section, area)
    if section.events:
        yield "<h3>Events</h3>\n"
        for kind, data in section.events:
            yield f'<div class="item"><h4>{escape(kind)}</h4><div class="text">{escape(data)}</div></div>\n'
    yield "</section>\n"


def _area(section: Section, area: Area) -> Iterator[str]:
    name = area.name.split()[0].lower()
    yield f'<h3 id="{section.anchor}-{name}">{escape(area.name)} <span class="note">{escape(area.note)}</span></h3>\n'
    for row in area.rows:
        if isinstance(row, Item):
            yield from _item(row)
        else:
            yield _same(row)


def _same(same: Same) -> str:
    numbers = f"{same.first}" if same.first == same.last else f"{same.first}–{same.last}"
    words = escape(same.words)
    linked = f'<a href="#{same.anchor}">{words}</a>' if same.anchor else words
    return f'<p class="same">{numbers}: {linked}</p>\n'


def _item(item: Item) -> Iterator[str]:
    letter = LETTERS.get(item.kind, "·")
    number = "" if item.index is None else f"{item.index} "
    yield (
        f'<div class="item k-{item.kind if item.kind in LETTERS else "other"}" id="{item.anchor}">'
        f'<h4><span class="letter">{letter}</span> {number}{escape(item.title)} '
        f'<span class="facts">{escape(" · ".join(item.facts))}</span></h4>'
        f'<div class="text">{escape(item.text)}</div>'
    )
    if item.more:
        yield f'<div class="text more">{escape(item.more)}</div>'
    yield "</div>\n"


def _files(outline: Outline) -> Iterator[str]:
    if not outline.files:
        return
    yield '<h2 id="files">Artifacts</h2>\n'
    for number, file in enumerate(outline.files, 1):
        yield from _file(number, file)


def _file(number: int, file: File) -> Iterator[str]:
    yield (
        f'<div class="item" id="file-{number}"><h4>{escape(file.artifact.path)} '
        f'<span class="facts">{escape(" · ".join(file.facts))}</span></h4>'
    )
    if file.text is not None:
        yield f'<div class="text">{escape(file.text)}</div>'
    yield "</div>\n"


def _one_line(text: str) -> str:
    """A title: a browser shows it on one line, and hidden characters in it can't be marked."""
    return _HIDDEN.sub(" ", " ".join(text.split()))
