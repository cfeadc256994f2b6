"""The HTML file in a real browser: the reader's own texts, letter by letter, and nothing runs or is fetched."""

from __future__ import annotations

import html.parser
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine import Reader
from engine.errors import InspectorError
from engine.masking import mask
from engine.share.export import export_thread, save_export
from engine.share.html import escape
from tests.engine.share.browser import Browser, find
from tests.engine.share.world import COMMIT, MARKUP, ODD_THREAD, SCRIPTS, SECRETS

needs_browser = pytest.mark.skipif(find() is None, reason="Chromium is not installed (Debian: chromium)")

_UNSAYABLE = re.compile("[\ud800-\udfff]")


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    command = find()
    assert command is not None
    browser = Browser(command, tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()


def page(reader: Reader, thread: str, folder: Path, **how: Any) -> Path:
    file = folder / "page.html"
    save_export(export_thread(reader, thread, "html", **how), file)
    return file


def shown(text: str) -> str:
    """A text as the page can hold it: HTML has no NUL, and UTF-8 no half of a surrogate pair."""
    return _UNSAYABLE.sub("", text.replace("\x00", "\u2400"))


def texts(browser: Browser) -> list[str]:
    found: list[str] = browser.value("[...document.querySelectorAll('.text')].map(e => e.textContent)")
    return found


def assert_harmless(browser: Browser, file: Path) -> None:
    assert browser.requests() == [file.as_uri()]
    assert browser.complaints() == []
    assert browser.value("document.scripts.length") == 0
    assert browser.value("typeof window.hacked") == "undefined"
    assert browser.value("location.href") == file.as_uri()
    names: list[str] = browser.value("[...new Set([...document.querySelectorAll('*')].map(e => e.localName))]")
    assert set(names) <= {
        "html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "h4", "p", "div", "span", "section",
        "dl", "dt", "dd", "table", "tbody", "tr", "th", "td", "a",
    }  # fmt: skip
    assert browser.value("[...document.querySelectorAll('a')].every(a => a.getAttribute('href').startsWith('#'))")
    assert browser.value(
        "[...document.querySelectorAll('a')].every(a => document.getElementById(a.getAttribute('href').slice(1)))"
    )
    assert browser.value("[...document.querySelectorAll('*')].every(e => [...e.attributes].every(a => "
                         "!a.name.startsWith('on') && a.name !== 'style' && a.name !== 'src'))")  # fmt: skip


@needs_browser
@pytest.mark.parametrize("thread", ["competitor-report-week-22", "eight-rounds-defaults", "eight-rounds-no-offloading"])
def test_every_text_of_the_reader_is_shown(thread: str, reader: Reader, browser: Browser, tmp_path: Path) -> None:
    file = page(reader, thread, tmp_path)
    browser.open(file)
    on_page = set(texts(browser))
    for request in reader.request_ids(thread):
        detail = reader.request(request)
        parts = [row.part for area in (detail.system, detail.messages, detail.tools, detail.raw) for row in area]
        for part in [*parts, *([detail.response] if detail.response else [])]:
            assert reader.text(part) in on_page
    for summary in reader.summaries(thread):
        assert reader.text(summary.part) in on_page
    assert_harmless(browser, file)
    assert browser.value("document.querySelectorAll('section').length") == len(reader.request_ids(thread))


@needs_browser
def test_one_request_stands_by_itself(reader: Reader, browser: Browser, tmp_path: Path) -> None:
    thread, number = "competitor-report-week-22", 31
    file = page(reader, thread, tmp_path, number=number)
    browser.open(file)
    detail = reader.request(reader.request_ids(thread)[number - 1])
    on_page = texts(browser)
    for area in (detail.system, detail.messages, detail.tools, detail.raw):
        for row in area:
            assert reader.text(row.part) in on_page
    assert browser.value("document.querySelectorAll('section').length") == 1
    said: str = browser.value(f"document.getElementById('request-{number}').textContent")
    assert f"{len(detail.raw):,} raw, {len(detail.messages):,} effective" in said
    assert f"a summary stands for the first {detail.cutoff}" in said
    assert "Older than the cut: the summary stands in its place." in said
    assert_harmless(browser, file)


@needs_browser
@pytest.mark.parametrize("masked", [True, False])
def test_nothing_of_what_it_shows_becomes_markup(odd: Reader, browser: Browser, tmp_path: Path, masked: bool) -> None:
    file = page(odd, ODD_THREAD, tmp_path, with_artifacts=True, masked=masked)
    browser.open(file)
    assert_harmless(browser, file)
    on_page = texts(browser)
    whole: str = browser.value("document.body.textContent")
    for sample in [*MARKUP, *SCRIPTS]:
        assert shown(sample) in whole
    for request in odd.request_ids(ODD_THREAD):
        detail = odd.request(request)
        for area in (detail.system, detail.messages, detail.tools, detail.raw):
            for row in area:
                text = odd.text(row.part)
                assert shown(mask(text).text if masked else text) in on_page
        if detail.row.error:
            assert detail.row.error in on_page
    for artifact in odd.files(ODD_THREAD):
        assert artifact.path in whole
        content = odd.file(ODD_THREAD, artifact.path).decode("utf-8", "surrogatepass")
        assert shown(mask(content).text if masked else content) in on_page
    assert browser.value("document.querySelector('h1').textContent") == f"Thread {ODD_THREAD}"
    assert ODD_THREAD in whole
    assert "<b>agent</b>" in whole
    for secret, rule in SECRETS.items():
        assert (secret in whole) is not masked
        assert (f"[masked: {rule}]" in whole) is masked
    assert COMMIT in whole
    assert ("Likely secrets are not masked in this file." in whole) is not masked


@needs_browser
def test_text_that_reads_otherwise_than_it_is_is_kept_apart(odd: Reader, browser: Browser, tmp_path: Path) -> None:
    browser.open(page(odd, ODD_THREAD, tmp_path))
    marks: list[str] = browser.value("[...document.querySelectorAll('.hidden')].map(e => e.dataset.name)")
    assert {"right-to-left override", "left-to-right isolate", "U+001B", "U+0000", "U+D83D", "U+000D"} <= set(marks)
    assert "zero width joiner" not in marks  # emoji are made with it
    isolated: bool = browser.value(
        "[...document.querySelectorAll('.hidden')].every(e => getComputedStyle(e).unicodeBidi === 'isolate')"
    )
    assert isolated


def test_artifacts_are_counted_and_come_when_asked(reader: Reader) -> None:
    thread = "competitor-report-week-23"
    files = reader.files(thread)
    without, with_them = (export_thread(reader, thread, "html", with_artifacts=wanted) for wanted in (False, True))
    assert without.artifacts == with_them.artifacts == len(files)
    assert without.artifact_bytes == sum(file.size for file in files)
    assert f"{len(files)}, {without.artifact_bytes:,} bytes, listed without their contents" in without.text
    assert f"{len(files)}, {without.artifact_bytes:,} bytes, included" in with_them.text
    large = max(files, key=lambda file: file.size)
    tail = escape(reader.file(thread, large.path).decode()[-2_000:])
    assert tail not in without.text
    assert tail in with_them.text


def test_a_text_stands_once_however_often_it_was_sent(reader: Reader) -> None:
    thread = "competitor-report-week-22"
    export = export_thread(reader, thread, "html")
    detail = reader.request(reader.request_ids(thread)[-1])
    longest = max(detail.system, key=lambda block: block.chars)
    assert export.text.count(escape(reader.text(longest.part))) == 1
    unique = {
        row.part: row.chars
        for id in reader.request_ids(thread)
        for area in (reader.request(id).messages, reader.request(id).system, reader.request(id).raw)
        for row in area
    }
    assert len(export.text) < 2 * sum(unique.values())


class Texts(html.parser.HTMLParser):
    """Texts of a page's ``.text`` elements, without a browser."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._depth:
            self._depth += 1
        elif "text" in (dict(attrs).get("class") or "").split():
            self._depth = 1
            self.found.append("")

    def handle_endtag(self, tag: str) -> None:
        if self._depth:
            self._depth -= 1

    def handle_data(self, data: str) -> None:
        if self._depth:
            self.found[-1] += data


def test_the_same_texts_without_a_browser(odd: Reader) -> None:
    parser = Texts()
    parser.feed(export_thread(odd, ODD_THREAD, "html", masked=False).text)
    for request in odd.request_ids(ODD_THREAD):
        for row in odd.request(request).messages:
            assert shown(odd.text(row.part)) in parser.found


def test_an_export_can_be_stopped(reader: Reader) -> None:
    stop = threading.Event()
    told: list[tuple[int, int, str]] = []

    def progress(done: int, total: int, what: str) -> None:
        told.append((done, total, what))
        stop.set()

    for form in ("html", "json"):
        stop.clear()
        told.clear()
        with pytest.raises(InspectorError, match="stopped"):
            export_thread(reader, "competitor-report-week-22", form, progress=progress, stop=stop)  # type: ignore[arg-type]
        assert told == [(1, 55, "requests")]
