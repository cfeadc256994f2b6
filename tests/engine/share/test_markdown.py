"""Markdown: texts in fences that they can't close, names in code spans that they can't leave."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import Reader
from engine.masking import mask
from engine.share.export import export_thread
from engine.share.markdown import fenced, span
from engine.tables import visible
from tests.engine.share.world import MARKUP, ODD_THREAD, SCRIPTS, SECRETS

FENCE = re.compile("(`{3,})text")


def split(page: str) -> tuple[list[str], list[str]]:
    """Texts in fences, as CommonMark closes them, and the lines outside of them."""
    inside: list[str] = []
    outside: list[str] = []
    fence = ""
    for line in page.split("\n"):
        opened = FENCE.fullmatch(line)
        if fence and re.fullmatch(f" {{0,3}}`{{{len(fence)},}} *", line):
            fence = ""
        elif fence:
            inside[-1] += ("\n" if inside[-1] is not START else "") + line
        elif opened:
            fence = opened[1]
            inside.append(START)
        else:
            outside.append(line)
    assert not fence
    return inside, outside


class _Start(str):
    """Nothing of the text has been read yet."""


START = _Start()


def without_spans(line: str) -> str:
    """A line without its code spans."""
    return re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", line)


def written(text: str) -> str:
    """A text as it stands in a fence: control characters as escapes."""
    return "\n".join(fenced(text)[1:-1])


@pytest.mark.parametrize("thread", ["competitor-report-week-23", "eight-rounds-no-offloading"])
def test_every_text_of_the_reader_is_in_it(thread: str, reader: Reader) -> None:
    inside, _ = split(export_thread(reader, thread, "markdown").text)
    for request in reader.request_ids(thread):
        detail = reader.request(request)
        for area in (detail.system, detail.messages, detail.tools, detail.raw):
            for row in area:
                text = reader.text(row.part)
                assert not text or text in inside


def test_no_text_gets_out_of_its_fence_or_span(odd: Reader) -> None:
    export = export_thread(odd, ODD_THREAD, "markdown", with_artifacts=True)
    inside, outside = split(export.text)
    rest = "\n".join(map(without_spans, outside))
    assert "<" not in rest
    assert "http" not in rest
    assert "](" not in rest
    for request in odd.request_ids(ODD_THREAD):
        for row in odd.request(request).messages:
            text = mask(odd.text(row.part)).text
            assert not text or written(text) in inside
    for sample in [*MARKUP, *SCRIPTS]:
        assert any(written(sample) in text for text in inside)
    assert not any(secret in export.text for secret in SECRETS)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", export.text)


def test_it_says_what_it_leaves_out(odd: Reader) -> None:
    export = export_thread(odd, ODD_THREAD, "markdown")
    _, outside = split(export.text)
    assert (
        f"- artifacts: `{export.artifacts}, {export.artifact_bytes:,} bytes, listed without their contents`" in outside
    )
    assert any(line.startswith("- secrets: ") and "masked" in line for line in outside)
    unmasked = export_thread(odd, ODD_THREAD, "markdown", masked=False).text
    assert "**Likely secrets are not masked in this file.**" in unmasked


@given(st.text(alphabet="`~ \nab<>\t\r\x1b", max_size=60))
def test_any_text_stays_in_its_fence(text: str) -> None:
    inside, outside = split("\n".join(["before", *fenced(text), "after"]))
    assert inside == [text.replace("\r", visible("\r")).replace("\x1b", visible("\x1b"))]
    assert outside == ["before", "after"]


@given(st.text(alphabet="` \nab<*_[](", min_size=1, max_size=30))
def test_any_text_stays_in_its_span(text: str) -> None:
    made = span(text)
    assert "\n" not in made
    assert without_spans(f"- {made} -") == "-  -"
