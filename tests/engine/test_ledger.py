"""The ledger, counted on real runs: against what the model object received, and against the scenario's own figures."""

from __future__ import annotations

import csv
import io
import json
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from engine import AgentSettings, Reader, Runner, SubagentSettings, Workspace, artifacts_csv, ledger_of, requests_csv
from engine.agent.scenarios.eight_rounds import LARGE, ORDER, QUESTION, SMALL, VARIANTS, eight_rounds, export
from engine.agent.scripted import Call, ScriptedChat, Turn
from engine.ledger.model import Ledger
from engine.sources import open_source
from tests.engine.test_cli import call
from tests.received import Witness, witnessed

COLUMNS = {
    "number", "received_chars", "received_tokens", "tool_returned_chars", "offloaded_chars", "summarized_chars",
}  # fmt: skip


def big(lines: int = 3_000) -> str:
    """A large result."""
    return "\n".join(f"row {n:>6} of the export, forty characters" for n in range(lines))


def fetch(lines: int = 3_000) -> str:
    """Fetch a large result."""
    return big(lines)


def read(id: str, path: str, **range: int) -> Turn:
    return Turn(calls=(Call("read_file", {"file_path": path, **range}, id=id),))


def counted(file: Path, turns: Sequence[str], script: Sequence[Any], **more: Any) -> Ledger:
    """Run turns of a scripted thread and count it."""
    if not file.exists():
        Workspace.create(file)
    model = more.pop("model", None) or ScriptedChat(script=list(script))
    settings = AgentSettings(model=model, tools=(fetch,), memory=(), skills=(), **more)
    runner = Runner(file)
    try:
        for turn in turns:
            run = runner.start("t", turn, settings=settings)
            assert run.wait(60)
            assert (run.error, run.lost) == (None, 0)
    finally:
        runner.close()
    with closing(Reader(file)) as reader:
        return ledger_of(reader, "t")


@pytest.fixture(scope="module")
def rounds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, dict[str, Ledger], dict[str, Witness]]]:
    """The eight rounds under each of their settings, with what the model received."""
    file = tmp_path_factory.mktemp("ledger") / "rounds.ctx"
    Workspace.create(file)
    runner, witnesses = Runner(file), {}
    for variant in VARIANTS:
        witnesses[variant] = Witness()
        for thread in eight_rounds(variant).threads:
            witnessed(thread.settings.model, witnesses[variant])
            for turn in thread.turns:
                run = runner.start(thread.thread_id, turn, settings=thread.settings)
                assert run.wait(60)
                assert run.error is None
    runner.close()
    with closing(Reader(file)) as reader:
        yield file, {name: ledger_of(reader, f"eight-rounds-{name}") for name in VARIANTS}, witnesses


@pytest.mark.parametrize("variant", VARIANTS)
def test_received_is_what_the_model_object_received(rounds: Any, variant: str) -> None:
    _, ledgers, witnesses = rounds
    given = [
        sum(len(json.loads(message)["data"]["content"]) for message in call["messages"])
        for call in witnesses[variant].calls
    ]
    assert [row.received_chars for row in ledgers[variant].rows] == given
    assert ledgers[variant].totals.received_chars == sum(given)


@pytest.mark.parametrize("variant", VARIANTS)
def test_what_tools_returned_is_counted_before_it_is_put_away(rounds: Any, variant: str) -> None:
    rows = [row for row in rounds[1][variant].rows if row.purpose == "agent"]
    assert [row.tool_returned_chars for row in rows] == [0, *ORDER]
    assert [row.original_chars for row in rows] == [len(QUESTION) + sum(ORDER[:n]) for n in range(len(ORDER) + 1)]


def test_the_defaults_put_away_the_large_results(rounds: Any) -> None:
    ledger = rounds[1]["defaults"]
    assert [row.offloaded_chars for row in ledger.rows] == [0, *(size if size == LARGE else 0 for size in ORDER)]
    stubs = {row.left_chars for row in ledger.rows if row.offloaded_chars}
    assert len(stubs) == 1
    received = len(QUESTION) + 5 * SMALL + 3 * stubs.pop()
    last = ledger.rows[-1]
    assert (last.received_chars, last.history_chars, last.original_chars) == (received, received, 870_013)
    assert last.share == received / 870_013
    assert all(row.other_chars == 0 for row in ledger.rows)


def test_without_offloading_a_summary_takes_the_place(rounds: Any) -> None:
    ledger = rounds[1]["no-offloading"]
    (summarizing,) = [row for row in ledger.rows if row.purpose == "summary"]
    (first,) = [row for row in ledger.rows if row.summarized_chars]
    assert first.number == summarizing.number + 1
    assert first.summarized_chars == len(QUESTION) + sum(ORDER[:4])
    assert first.received_chars == (first.original_chars or 0) - first.summarized_chars + first.summary_chars
    assert ledger.totals.summarized_chars == first.summarized_chars
    assert ledger.totals.history_chars == 870_013
    (history,) = ledger.artifacts
    assert (history.kind, history.request) == ("history", first.number)


def test_the_rounds_stand_beside_the_published_figures(rounds: Any) -> None:
    ledgers = rounds[1]
    published = {name: [(item.published, item.counted) for item in ledgers[name].published] for name in VARIANTS}
    defaults = ledgers["defaults"]
    stub = next(row.left_chars for row in defaults.rows if row.left_chars)
    assert published["defaults"] == [
        (153_835, defaults.totals.last_received_chars),
        (1_274, stub),
        (42, defaults.artifacts[0].reads_needed),
        (60_000, defaults.artifacts[0].read_tokens),
    ]
    assert published["no-offloading"] == [(840_013, ledgers["no-offloading"].totals.last_received_chars)]
    assert published["neither"] == [(870_013, 870_013)]
    # The explanations, checked: three stubs make the whole difference, and so does the length of the lines.
    assert defaults.totals.last_received_chars - 153_835 == 3 * (stub - 1_274)
    assert defaults.artifacts[0].reads_needed == -(-len(export(2, LARGE).splitlines()) // 100)
    assert [-(-lines // 100) for lines in (4_101, 4_200)] == [42, 42]
    without = ledgers["no-offloading"]
    assert 840_013 in [row.history_chars for row in without.rows]
    assert 840_013 not in [row.received_chars for row in without.rows]


def test_totals_add_up(rounds: Any) -> None:
    for ledger in rounds[1].values():
        for name in ("received_chars", "tool_returned_chars", "offloaded_chars", "left_chars", "summarized_chars"):
            assert getattr(ledger.totals, name) == sum(getattr(row, name) for row in ledger.rows)
        assert ledger.totals.requests == len(ledger.rows)
        assert ledger.totals.received_tokens == sum(row.received_tokens or 0 for row in ledger.rows)


def test_what_was_read_back_is_told_by_its_lines(tmp_path: Path) -> None:
    path = "/large_tool_results/call_1"
    script = [
        Turn(calls=(Call("fetch", {}, id="call_1"),)),
        read("r1", path),
        read("r2", path, offset=50, limit=100),
        read("r3", path, offset=2_990),
        read("r4", path, offset=9_999),
        read("r5", "/other.txt"),
        Turn("Done."),
    ]
    ledger = counted(tmp_path / "a.ctx", ["Go"], script)
    (item,) = ledger.artifacts
    assert (item.path, item.kind, item.lines, item.chars) == (path, "offloaded result", 3_000, len(big()))
    assert (item.request, item.reads_needed) == (2, 30)
    assert (item.reads_made, item.lines_read) == (3, 160.0)  # 1–150 and 2,991–3,000; the others returned an error
    assert item.read_percent == pytest.approx(100 * 160 / 3_000)


def test_a_whole_read_is_all_of_it(tmp_path: Path) -> None:
    path = "/large_tool_results/call_1"
    pages = [read(f"r{n}", path, offset=100 * n) for n in range(30)]
    ledger = counted(tmp_path / "a.ctx", ["Go"], [Turn(calls=(Call("fetch", {}, id="call_1"),)), *pages, Turn("Done.")])
    (item,) = ledger.artifacts
    assert (item.reads_made, item.read_percent) == (item.reads_needed, 100.0)
    returned = ledger.totals.tool_returned_chars - len(big())
    assert returned == item.read_chars


def test_a_page_is_as_long_as_the_agent_allows(tmp_path: Path) -> None:
    script = [Turn(calls=(Call("fetch", {}, id="call_1"),)), Turn("Done.")]
    ledger = counted(tmp_path / "a.ctx", ["Go"], script, offload_results=500)
    (item,) = ledger.artifacts
    lines = len(big().splitlines())
    assert item.reads_needed > lines // 40  # 2,000 characters hold fewer than forty of these lines


def test_a_pasted_text_is_counted_whole(tmp_path: Path) -> None:
    pasted = "\n".join(f"pasted line {n}" for n in range(20_000))
    ledger = counted(tmp_path / "a.ctx", [pasted], [Turn("Done.")])
    (row,) = ledger.rows
    assert row.offloaded_chars == row.original_chars == len(pasted)
    assert row.received_chars == row.left_chars
    assert row.other_chars == row.left_chars - len(pasted)
    assert [item.kind for item in ledger.artifacts] == ["offloaded message"]


def test_a_subagent_has_its_own_history(tmp_path: Path) -> None:
    task = Call("task", {"description": "look", "subagent_type": "helper"}, id="call_t")
    helper = SubagentSettings(
        name="helper",
        description="Helps.",
        system_prompt="Help.",
        tools=(fetch,),
        model=ScriptedChat(script=[Turn(calls=(Call("fetch", {"lines": 10}, id="call_1"),)), Turn("Found.")]),
    )
    script = [Turn(calls=(task,)), Turn("Done.")]
    ledger = counted(tmp_path / "a.ctx", ["Go"], script, subagents=(helper,))
    main = [row for row in ledger.rows if row.purpose == "agent"]
    sub = [row for row in ledger.rows if row.purpose == "subagent"]
    assert [row.tool_returned_chars for row in sub] == [0, len(big(10))]
    assert [row.tool_returned_chars for row in main] == [0, len("Found.")]
    assert [row.original_chars for row in sub] == [len("look"), len("look") + len(big(10))]
    assert {row.agent for row in sub} == {"helper"}


def test_later_turns_add_only_what_is_new(tmp_path: Path) -> None:
    script = [Turn(calls=(Call("fetch", {"lines": 10}, id="call_1"),)), Turn("One."), Turn("Two.")]
    ledger = counted(tmp_path / "a.ctx", ["a", "b"], script)
    assert [row.tool_returned_chars for row in ledger.rows] == [0, len(big(10)), 0]
    assert ledger.rows[2].history_chars == len("a") + len(big(10)) + len("One.") + len("b")


class Silent(ScriptedChat):
    """Reports no tokens."""

    def _generate(self, *args: Any, **kwargs: Any) -> Any:
        result = super()._generate(*args, **kwargs)
        result.generations[0].message.usage_metadata = None
        return result

    async def _agenerate(self, *args: Any, **kwargs: Any) -> Any:
        result = await super()._agenerate(*args, **kwargs)
        result.generations[0].message.usage_metadata = None
        return result

    async def _astream(self, *args: Any, **kwargs: Any) -> Any:
        async for chunk in super()._astream(*args, **kwargs):
            chunk.message.usage_metadata = None
            yield chunk


def test_reported_and_estimated_tokens_are_not_added_up(tmp_path: Path) -> None:
    file = tmp_path / "a.ctx"
    silent = counted(file, ["a"], (), model=Silent(script=[Turn("One.")]))
    assert silent.totals.tokens == "estimated"
    assert silent.totals.received_tokens == silent.totals.estimated_tokens == silent.rows[0].received_tokens
    mixed = counted(file, ["b"], [Turn("Two.")])
    first, *rest = mixed.rows
    assert (first.tokens, {row.tokens for row in rest}) == ("estimated", {"reported"})
    assert (mixed.totals.tokens, mixed.totals.received_tokens) == ("mixed", None)
    assert mixed.totals.estimated_tokens == first.received_tokens
    assert mixed.totals.reported_tokens == sum(row.received_tokens or 0 for row in rest)


def test_an_artifact_that_is_gone_is_named(rounds: Any, tmp_path: Path) -> None:
    file = tmp_path / "copy.ctx"
    shutil.copy(rounds[0], file)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("DELETE FROM checkpoints WHERE thread_id = 'eight-rounds-defaults'")
        connection.commit()
    with closing(Reader(file)) as reader:
        ledger = ledger_of(reader, "eight-rounds-defaults")
    assert ledger.totals == rounds[1]["defaults"].totals
    assert all(item.problem for item in ledger.artifacts)


def test_csv_has_a_row_a_request_and_the_totals(rounds: Any) -> None:
    ledger = rounds[1]["defaults"]
    rows = list(csv.DictReader(io.StringIO(requests_csv(ledger))))
    assert set(rows[0]) >= COLUMNS
    assert [row["number"] for row in rows] == [*(str(row.number) for row in ledger.rows), "total"]
    assert [int(row["received_chars"]) for row in rows[:-1]] == [row.received_chars for row in ledger.rows]
    assert int(rows[-1]["tool_returned_chars"]) == 870_000
    items = list(csv.DictReader(io.StringIO(artifacts_csv(ledger))))
    assert [item["path"] for item in items] == [item.path for item in ledger.artifacts]


def test_no_cell_is_a_formula(tmp_path: Path) -> None:
    ledger = counted(tmp_path / "a.ctx", ["a"], [Turn("b")], name='=HYPERLINK("http://e.invalid")')
    (row, _) = csv.DictReader(io.StringIO(requests_csv(ledger)))
    assert row["agent"] == '\'=HYPERLINK("http://e.invalid")'


def test_progress_is_told_and_may_stop(rounds: Any) -> None:
    seen: list[tuple[int, int]] = []

    def stop(done: int, total: int) -> None:
        seen.append((done, total))
        if done == 3:
            raise KeyboardInterrupt

    with closing(Reader(rounds[0])) as reader, pytest.raises(KeyboardInterrupt):
        ledger_of(reader, "eight-rounds-defaults", stop)
    assert seen == [(0, 9), (1, 9), (2, 9), (3, 9)]


def test_other_peoples_databases_have_a_ledger(rounds: Any, tmp_path: Path) -> None:
    file = tmp_path / "theirs.db"
    with closing(sqlite3.connect(rounds[0])) as source, closing(sqlite3.connect(file)) as target:
        source.backup(target)
        for (name,) in target.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN ('checkpoints', 'writes') "
            "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
        ).fetchall():
            target.execute(f"DROP TABLE {name}")
        target.execute("PRAGMA application_id = 0")
        target.execute("PRAGMA user_version = 0")
        target.execute("PRAGMA journal_mode = DELETE")
        target.commit()
    with closing(open_source(file)) as source:
        ledger = ledger_of(source, "eight-rounds-defaults")
        assert source.wire(source.request_ids("eight-rounds-defaults")[0]) == ()
    ours = rounds[1]["defaults"]
    assert [row.received_chars for row in ledger.rows] == [row.received_chars for row in ours.rows]
    assert [row.history_chars for row in ledger.rows] == [row.history_chars for row in ours.rows]
    assert [item.path for item in ledger.artifacts] == [item.path for item in ours.artifacts]


def test_the_command(rounds: Any) -> None:
    file, ledgers, _ = rounds
    shown = json.loads(call("ledger", file, "--thread", "eight-rounds-defaults", "--json")[0])
    assert set(shown) == {"thread_id", "rows", "totals", "artifacts", "published"}
    assert all(set(row) >= COLUMNS for row in shown["rows"])
    assert [row["received_chars"] for row in shown["rows"]] == [row.received_chars for row in ledgers["defaults"].rows]
    assert shown["totals"]["received_chars"] == ledgers["defaults"].totals.received_chars
    printed = call("ledger", file, "--thread", "eight-rounds-defaults", "--csv")[0]
    assert printed.splitlines() == requests_csv(ledgers["defaults"]).splitlines()
    assert "153,835 published" in call("ledger", file, "--thread", "eight-rounds-defaults")[0]
    call("ledger", file, "--thread", "nobody", code=2)
    call("ledger", file, "--thread", "eight-rounds-defaults", "--csv", "--json", code=2)
