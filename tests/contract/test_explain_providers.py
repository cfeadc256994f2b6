"""Explaining over the clients of real providers: their schemas, their cache markers, their order of reading."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from engine import Explainer, Reader
from tests.engine.explain.test_waterfall import assert_sums, changes, step
from tests.engine.wire.agents import KINDS, Kind, model, run
from tests.engine.wire.provider import Provider, Say, listening

LOOK = ("call_1", "ls", {"path": "/"})


@pytest.fixture(scope="module")
def listener() -> Iterator[HTTPServer]:
    with listening() as made:
        yield made


@pytest.fixture
def server(listener: HTTPServer) -> Provider:
    return Provider(listener)


@pytest.mark.parametrize("kind", KINDS)
def test_requests_to_a_provider_explain_themselves(server: Provider, tmp_path: Path, kind: Kind) -> None:
    server.will(Say("I look.", calls=[LOOK]), Say("Nothing."))
    file = tmp_path / "a.ctx"
    run(file, model(kind, server), "What is there?", way="invoke")
    with closing(Reader(file)) as reader:
        explainer = Explainer(reader)
        ids = reader.request_ids("t")
        assert len(ids) == 2
        for id in ids:
            found = explainer.waterfall(id)
            assert_sums(found, reader)
            assert not found.problem
            filesystem = changes(step(found, "FilesystemMiddleware"), "tools")
            assert ("removed", "execute") in {(one.what, one.name) for one in filesystem}
        uses = [explainer.cache(id) for id in ids]
        assert [use.cause for use in uses] == ["first request", "extended"]
        assert uses[1].order[0] == ("tools" if kind == "anthropic" else "system")
        assert explainer.check().clean


def test_the_marks_of_prompt_caching_are_its_middlewares_and_no_break(server: Provider, tmp_path: Path) -> None:
    server.will(Say("One."), Say("Two."))
    file = tmp_path / "a.ctx"
    run(file, model("anthropic", server), "a", "b", way="invoke")
    with closing(Reader(file)) as reader:
        for id in reader.request_ids("t"):
            marks = step(Explainer(reader).waterfall(id), "AnthropicPromptCachingMiddleware").changes
            assert [(one.area, one.what, one.name) for one in marks] == [
                ("tools", "changed", "task"),
                ("provider", "added", "cache_control"),
            ]
            assert [(amount.count, amount.tokens > 0) for amount in marks[0].amounts] == [(0, True)]
