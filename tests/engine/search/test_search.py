"""What a search finds, against texts read one by one: every area, every thread, any script, any length."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine import Reader, read_memory, save_memory
from engine.agent.scripted import Call, Turn
from engine.folding import fold
from engine.search import Hit, Search
from engine.search.index import OVERLAP, PIECE
from tests.engine.share.world import COMMIT, MARKUP, SECRET_TEXT, SECRETS, converse

MAIN = "competitor-report-week-22"
MEMORY = "/memories/AGENTS.md"


@pytest.fixture(scope="module")
def standing(reader: Reader) -> dict[int, dict[str, list[tuple[int, str, int]]]]:
    """Part → thread → where it stands, (request, area, index) each, in order; as the reader tells it."""
    found: dict[int, dict[str, list[tuple[int, str, int]]]] = defaultdict(lambda: defaultdict(list))
    for thread in reader.threads():
        for request in reader.request_ids(thread.thread_id):
            detail = reader.request(request)
            for area in ("system", "tools", "messages"):
                for row in getattr(detail, area):
                    found[row.part][thread.thread_id].append((request, area, row.index))
            if detail.response:
                found[detail.response][thread.thread_id].append((request, "response", -1))
            for row in detail.raw:
                found[row.part][thread.thread_id].append((request, "raw", row.index))
    return found


def texts(reader: Reader, part: int) -> str:
    """All that a part says: its text and, as JSON, what else it holds but for what the provider added."""
    value = reader.value(part)
    if isinstance(value, dict) and "data" in value:
        value = {name: item for name, item in value["data"].items() if "metadata" not in name}
    return fold(reader.text(part) + json.dumps(value, ensure_ascii=False))


@pytest.mark.parametrize(
    "query", ["bullet", "units", "Nordkap", "qbr-report", "deep agent", "offload", "search_news", "EF-403 week"]
)
def test_hits_are_the_parts_that_hold_all_words_in_the_requests_that_hold_them(
    query: str, search: Search, reader: Reader, standing: Any
) -> None:
    words = fold(query).split()
    results = search.find(query, limit=100_000, seconds=None)
    assert not results.more
    assert results.pending == 0
    hits = {(hit.part, hit.thread_id): hit for hit in results.hits if hit.source == "part" and hit.area != "provider"}
    expected = {
        (part, thread)
        for part, threads in standing.items()
        if all(word in texts(reader, part) for word in words)
        for thread in threads
    }
    # JSON says quotes and line ends otherwise than the texts do; no word here holds one.
    assert set(hits) == expected
    for (part, thread), hit in hits.items():
        places = standing[part][thread]
        first = min(request for request, _, _ in places)
        assert hit.request == first
        assert hit.requests == len({request for request, _, _ in places})
        assert any(place == (first, hit.area, -1 if hit.index is None else hit.index) for place in places)


@pytest.mark.parametrize("query", ["bullet", "units", "week 22"])
def test_a_match_is_where_the_hit_says(query: str, search: Search, reader: Reader) -> None:
    words = fold(query).split()
    hits = [hit for hit in search.find(query, limit=1_000, seconds=None).hits if hit.field == "text"]
    hits = [hit for hit in hits if hit.current]
    assert hits
    for hit in hits:
        text = reader.text(hit.part) if hit.part else content(reader, hit)
        assert fold(text[hit.position : hit.position + hit.length]) in words
        marked = [fold(hit.snippet[start : start + length]) for start, length in hit.marks]
        assert marked
        assert set(marked) <= set(words)
        assert "\n" not in hit.snippet


def content(reader: Reader, hit: Hit) -> str:
    assert hit.path is not None
    return reader.file(hit.thread_id or MAIN, hit.path).decode()


def test_filters_narrow_where_a_text_is_looked_for(search: Search, reader: Reader, standing: Any) -> None:
    results = search.find("units agent:researcher", limit=1_000, seconds=None)
    asked = {row.id for row in reader.requests(MAIN) if row.agent == "market-researcher"}
    mine = [hit for hit in results.hits if hit.thread_id == MAIN]
    assert mine
    for hit in mine:
        places = {request for request, _, _ in standing[hit.part][MAIN]} & asked
        assert (hit.request, hit.requests) == (min(places), len(places))
    one = search.find("units", limit=1_000, thread_id=MAIN, seconds=None)
    assert {hit.thread_id for hit in one.hits} == {MAIN}
    assert {hit.kind for hit in search.find("report kind:skills", limit=1_000).hits} == {"skills"}
    assert {hit.kind for hit in search.find("prefer kind:memory", limit=1_000).hits} == {"memory"}
    about = search.find("week tool:write_file", limit=1_000).hits
    assert about
    assert all("write_file" in texts(reader, hit.part) for hit in about if hit.part)


def test_files_memory_threads_and_their_paths_are_found(search: Search, reader: Reader) -> None:
    for artifact in reader.files(MAIN):
        found = search.find(f'"{artifact.path}" file:"{artifact.path}"', limit=1_000).hits
        assert artifact.path in {hit.path for hit in found}
    hits = search.find("file:/large_tool_results/", limit=1_000).hits
    in_threads = {(hit.thread_id, hit.path) for hit in hits if hit.source == "file"}
    assert in_threads == {
        (thread.thread_id, file.path)
        for thread in reader.threads()
        for file in reader.files(thread.thread_id)
        if file.path.startswith("/large_tool_results/")
    }
    (title,) = [hit for hit in search.find('"engine\'s defaults"').hits if hit.source == "thread"]
    assert (title.thread_id, title.field) == ("eight-rounds-defaults", "title")
    (id,) = [hit for hit in search.find("rounds-defaul").hits if hit.source == "thread"]
    assert id.field == "id"


def test_the_newest_come_first_or_the_best(search: Search) -> None:
    newest = search.find("week", limit=1_000, seconds=None).hits
    moments = [hit.at or 0.0 for hit in newest]
    assert moments == sorted(moments, reverse=True)
    best = search.find("week", limit=1_000, order="rank", seconds=None).hits
    assert {(hit.part, hit.thread_id, hit.path) for hit in best} == {
        (hit.part, hit.thread_id, hit.path) for hit in newest
    }
    assert [hit.part for hit in best] != [hit.part for hit in newest]
    few = search.find("week", limit=3)
    assert (len(few.hits), few.more) == (3, True)


# --- any text ---

CHINESE = "摘要之后，上下文工程会把旧消息移出窗口。文件：/报告/第一周.md"
ODD = "İstanbul ΣΊΣΥΦΟΣ straße ﬁn \u202eevil\u2066 👩\u200d🔬 \x00null \ud83d half ก ไทย कमल"
CODE = "def get_delta_channel_history(self, *, config: RunnableConfig) -> dict[str, list[int]]: return x<<2 && !y"


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Search]]:
    path = tmp_path_factory.mktemp("odd") / "odd.ctx"
    args = {"file_path": "/notes/a.md", "content": CHINESE + "\n" + "\n".join(MARKUP)}
    converse(path, "odd", ODD, Turn(CODE, calls=[Call("write_file", args)]), Turn("Fertig. " + SECRET_TEXT))
    converse(path, "<b>id</b> %s\u202e", "\n".join(MARKUP), Turn("x" * (PIECE - 3) + "BORDER" + "y" * PIECE))
    with closing(Search(path)) as search:
        assert search.update()
        yield path, search


@pytest.mark.parametrize(
    "query",
    [
        "摘", "摘要", "上下文", "上下文工程", "移出窗口", "：/报告", "第一周.md",
        "delta_channel", "channel_history(self", "dict[str,", "x<<2", "&&", "!y", "ΣΊΣ", "σίσ", "İst", "STRASSE"[:4],
        "straße", "ﬁn", "\u202eevil", "👩\u200d🔬", "🔬", "\x00null", "half", "ไทย", "ก", "कमल", "re", "z",
    ],
)  # fmt: skip
def test_any_script_and_any_length_is_found(query: str, odd: tuple[Path, Search]) -> None:
    _, search = odd
    found = search.find(f'"{query}"', seconds=None)
    expected = any(fold(query) in fold(text) for text in (CHINESE, ODD, CODE, *MARKUP, "Fertig."))
    assert bool([hit for hit in found.hits if hit.thread_id == "odd" and hit.kind != "tools"]) == expected


@pytest.mark.parametrize("sample", MARKUP)
def test_markup_is_found_and_shown_letter_by_letter(sample: str, odd: tuple[Path, Search]) -> None:
    _, search = odd
    query = '"' + sample.replace('"', '""') + '"'
    hits = search.find(query, seconds=None).hits
    assert {hit.source for hit in hits} >= {"part", "file"}
    plain = sample.replace("\n", " ").replace("\x1b", " ")
    assert all(plain in hit.snippet for hit in hits if hit.source in {"part", "file"})


def test_secrets_are_masked_where_they_are_found(odd: tuple[Path, Search]) -> None:
    _, search = odd
    for secret, rule in SECRETS.items():
        words = secret.split("\n")[0]
        hits = [hit for hit in search.find(f'"{words}"').hits if hit.kind == "ai"]
        assert hits
        assert all(words not in hit.snippet and f"[masked: {rule}]" in hit.snippet for hit in hits)
    assert any(COMMIT in hit.snippet for hit in search.find("9f86d081884c7d65").hits)


def test_a_word_across_the_border_of_two_pieces_is_found_once(odd: tuple[Path, Search]) -> None:
    path, search = odd
    (hit, *others) = [hit for hit in search.find("xxxBORDERyyy").hits if hit.source == "part"]
    assert not others
    with closing(Reader(path)) as reader:
        assert hit.part is not None
        text = reader.text(hit.part)
        assert (hit.position, hit.occurrences) == (text.index("xxxBORDERyyy"), 1)
        long = text[PIECE - 2 * OVERLAP : PIECE + 2 * OVERLAP]
        (hit,) = [hit for hit in search.find(f'"{long}"').hits if hit.source == "part"]
        assert (hit.position, hit.length) == (text.index(long), len(long))


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_whatever_stands_somewhere_is_found_there(data: st.DataObject, search: Search, reader: Reader) -> None:
    requests = reader.request_ids(MAIN)
    detail = reader.request(data.draw(st.sampled_from(requests)))
    row = data.draw(st.sampled_from([*detail.messages, *detail.system]))
    text = reader.text(row.part)
    if not text.strip():
        return
    start = data.draw(st.integers(0, len(text) - 1))
    wanted = text[start : start + data.draw(st.integers(1, 3) | st.integers(3, 400))]
    if not wanted.strip():
        return
    hits = search.find('"' + wanted.replace('"', '""') + '"', limit=100_000, seconds=None).hits
    mine = [hit for hit in hits if hit.part == row.part and hit.thread_id == MAIN]
    assert len(mine) == 1
    assert mine[0].position == fold(text).index(fold(wanted))


@pytest.mark.parametrize("word", ["q", "qé", "\u00b5", "Ж", "z\U0001d538", "--", "ab"])
@pytest.mark.parametrize("text", ["{}", "{} first", "in the {} middle", "last {}", "y" * (PIECE - 1) + "{}"])
def test_a_word_of_one_or_two_letters_is_found_and_named_by_the_index(tmp_path: Path, word: str, text: str) -> None:
    path = tmp_path / "short.ctx"
    said = text.format(word)
    converse(path, "with", said, Turn("Nothing of the kind."))
    converse(path, "without", "1 2 3", Turn("4 5 6"))
    with closing(Search(path)) as search:
        assert search.update()
        found = search.find(f'"{word}"', seconds=None)
        (hit,) = [hit for hit in found.hits if hit.thread_id == "with" and hit.kind == "human"]
        assert hit.position == fold(said).index(fold(word))
        assert not [
            hit for hit in found.hits if hit.thread_id == "without" and hit.source == "part" and hit.kind == "human"
        ]
        nowhere = search.find('"\u0416\u0416"', seconds=None)
        assert nowhere.candidates == 0 and nowhere.hits == ()


def test_versions_of_memory_are_found_beside_the_file_itself(tmp_path: Path) -> None:
    path = tmp_path / "memory.ctx"
    converse(path, "t", "Hello", Turn("Hello."))
    first = save_memory(path, MEMORY, "- prefers marmalade\n", "")
    save_memory(path, MEMORY, "- prefers honey\n", first.version)
    with closing(Search(path)) as search:
        search.update()
        (old,) = search.find("marmalade").hits
        (new,) = search.find("honey").hits
        assert [(hit.source, hit.path, hit.current) for hit in (old, new)] == [
            ("memory", MEMORY, False),
            ("memory", MEMORY, True),
        ]
        save_memory(
            path,
            MEMORY,
            "- prefers marmalade\n",
            save_memory(path, MEMORY, "- x\n", read_memory(path, MEMORY).version).version,
        )
        search.update()
        assert [hit.current for hit in search.find("marmalade").hits].count(True) == 1
        assert [hit.current for hit in search.find("honey").hits] == [False]
