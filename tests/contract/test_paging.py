"""The ledger's paging against ``read_file`` itself: a file is read back, call by call."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from deepagents.backends import StoreBackend
from deepagents.middleware.filesystem import DEFAULT_READ_LIMIT, NUM_CHARS_PER_TOKEN, FilesystemMiddleware
from langgraph.store.memory import InMemoryStore

from engine.ledger.pages import PAGE_CHARS, PAGE_LINES, paging, returned

ENDS = re.compile("[\n\r\u2028\u0085]")
PATH = "/large_tool_results/call_1"
TEXTS = {
    "short lines": "".join(f"line {n}\n" for n in range(1_234)),
    "no last line end": "\n".join(f"line {n:>60}" for n in range(3_810)),
    "exactly a page": "x\n" * 100,
    "one line": "no end",
    "lines of 900": "".join(f"{n:>899}\n" for n in range(350)),
    "lines of 4,000": "".join(f"{n:>3999}\n" for n in range(60)),
    "a line longer than a page": "a\n" + "b" * 100_000 + "\nc\n" + "d" * 200_000,
    "one line longer than a page": "{" + "x" * 240_000 + "}",
    "carriage returns": "a\r\nb\rc\n" * 200,
    "odd line ends": "a\u2028b\u0085c\n" * 100,
    "blank lines": "\n\n\na\n\n" * 90,
}


def read_whole(text: str, limit: int | None) -> Iterator[str]:
    """Results of reading a file from its first line to its last, at the default page."""
    backend = StoreBackend(store=InMemoryStore(), namespace=lambda *_: ("files",))
    assert backend.write(PATH, text).error is None
    middleware = FilesystemMiddleware(backend=backend, tool_token_limit_before_evict=limit)
    (tool,) = [tool for tool in middleware.tools if tool.name == "read_file"]
    offset, lines = 0, len(text.splitlines())
    while offset < lines:
        result = tool.func(PATH, SimpleNamespace(tool_call_id="c"), offset)
        assert result.status == "success"
        yield result.content
        header = re.search(r"^@@ lines (\d+)-(\d+) of (\d+).* @@$", result.content, re.M)
        assert header is not None
        assert int(header.group(3)) == lines
        offset = int(header.group(2))


@pytest.mark.parametrize("limit", [20_000, 1_000, None])
@pytest.mark.parametrize("name", TEXTS)
def test_reading_back_takes_what_the_ledger_says(name: str, limit: int | None) -> None:
    text = TEXTS[name]
    results = list(read_whole(text, limit))
    found = paging(text, PATH, None if limit is None else limit * NUM_CHARS_PER_TOKEN)
    assert found.reads == len(results)
    assert found.chars == sum(map(len, results))
    assert found.tokens == sum(math.ceil(len(result) / 4) for result in results)
    shown = "".join(result.split(" @@\n", 1)[1] for result in results)
    assert found.unreachable == len(ENDS.sub("", text)) - len(ENDS.sub("", shown))


def test_the_figures_are_the_tools_own() -> None:
    assert PAGE_LINES == DEFAULT_READ_LIMIT
    assert NUM_CHARS_PER_TOKEN * FilesystemMiddleware()._tool_token_limit_before_evict == PAGE_CHARS


@pytest.mark.parametrize("limit", [20_000, 1_000])
@pytest.mark.parametrize("name", TEXTS)
def test_what_a_result_holds_is_read_from_its_header(name: str, limit: int) -> None:
    lines = TEXTS[name].splitlines()
    at = 1
    for result in read_whole(TEXTS[name], limit):
        found = returned(result, {})
        assert found is not None
        first, last, share = found
        assert first == at
        body = result.split(" @@\n", 1)[1]
        if share == 1.0:
            assert len(ENDS.sub("", body)) == sum(map(len, lines[first - 1 : last]))
        else:
            assert share == pytest.approx(len(body) / len(lines[last - 1]))
        at = last + 1
    assert at == len(lines) + 1
