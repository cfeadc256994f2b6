"""``explain``, ``diff`` and ``check`` as another program sees them: JSON, sentences, exit codes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from engine import Explainer, Reader
from engine.cli import main
from engine.trace.model import RequestRow
from tests.engine.explain.conftest import WEEK_22
from tests.engine.explain.test_check import edit

Capture = pytest.CaptureFixture[str]


def call(capsys: Capture, *words: object, code: int = 0) -> str:
    """Run a command and give what it printed."""
    assert main([str(word) for word in words]) == code
    return capsys.readouterr().out


def read(capsys: Capture, *words: object, code: int = 0) -> Any:
    return json.loads(call(capsys, *words, "--json", code=code), parse_constant=pytest.fail)


def test_explain_has_the_waterfall_the_fates_and_the_cache(
    capsys: Capture, demo: Path, reader: Reader, week: dict[int, RequestRow]
) -> None:
    found = read(capsys, "explain", demo, week[43].id)
    assert (found["request"], found["thread_id"], found["number"]) == (week[43].id, WEEK_22, 43)
    waterfall = found["waterfall"]
    tokens = [amount["tokens"] for step in waterfall["steps"] for amount in step["amounts"]]
    assert sum(tokens) == sum(amount["tokens"] for amount in waterfall["total"]) == week[43].estimated_tokens
    assert waterfall["problem"] is None
    assert waterfall["contributors"]["system"] == ["caller", "SkillsMiddleware", "MemoryMiddleware"]
    names = {"raw_index", "sent_index", "part", "fate", "rules", "words", "contributor", "event", "path"}
    assert [set(one) for one in found["fates"]] == [names] * (week[43].raw_messages or 0)
    assert [one["fate"] for one in found["made"]] == ["summary"]
    cache = found["cache"]
    assert cache["break_at"]["area"] == "messages" and cache["break_at"]["index"] == 0
    assert (cache["cause"], cache["reason"]) == ("summary", "A summary took the place of older messages.")
    assert cache["reported"] == week[43].usage.cache_read


def test_every_request_of_the_demo_can_be_explained(capsys: Capture, demo: Path, rows: list[RequestRow]) -> None:
    for row in rows[::7]:
        assert read(capsys, "explain", demo, row.id)["request"] == row.id
        assert "Prompt cache" in call(capsys, "explain", demo, row.id)


def test_diff_goes_from_the_request_before(capsys: Capture, demo: Path, week: dict[int, RequestRow]) -> None:
    found = read(capsys, "diff", demo, week[2].id)
    assert (found["old"]["id"], found["new"]["id"]) == (week[1].id, week[2].id)
    assert list(found["areas"]) == ["system", "tools", "messages", "provider"]
    assert found["areas"]["system"]["same"]
    assert {part["what"] for part in found["areas"]["messages"]["parts"]} == {"same", "added"}


def test_diff_of_two_requests_tells_what_changed_inside_a_piece(
    capsys: Capture, demo: Path, reader: Reader, week: dict[int, RequestRow]
) -> None:
    other = reader.requests("competitor-report-week-23")[0]
    found = read(capsys, "diff", demo, other.id, week[1].id)
    (memory,) = [part for part in found["areas"]["system"]["parts"] if part["what"] == "changed"]
    assert memory["kind"] == "memory"
    assert any("bullet" in span["new"] for span in memory["spans"])
    assert "changed  2 memory  +133 ~tokens" in call(capsys, "diff", demo, other.id, week[1].id)
    provider = found["areas"]["provider"]
    assert "old" in provider and provider["old"] != provider["new"]


def test_check_is_clean_and_says_so(capsys: Capture, demo: Path) -> None:
    found = read(capsys, "check", demo)
    assert found == {"requests": 100, "unchecked": 3, "differences": [], "missing_artifacts": [], "notes": []}
    assert call(capsys, "check", demo) == (
        "100 requests, 3 of them without raw messages: 0 differences, 0 missing files\n"
    )


def test_check_ends_with_four_where_something_is_missing(capsys: Capture, demo: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(demo, tmp_path / "copy.ctx"))
    edit(path, "eight-rounds-defaults", {"files": {"/large_tool_results/call_2": None}})
    (one,) = read(capsys, "check", path, code=4)["missing_artifacts"]
    assert one["path"] == "/large_tool_results/call_2"
    assert "/large_tool_results/call_2" in call(capsys, "check", path, code=4)


def test_a_request_that_is_not_there_is_bad_use(capsys: Capture, demo: Path, week: dict[int, RequestRow]) -> None:
    for words in (("explain", demo, 999_999), ("diff", demo, 999_999), ("diff", demo, week[2].id, 999_999)):
        assert main([str(word) for word in words]) == 2
        assert "There is no request 999999" in capsys.readouterr().err
    assert main(["diff", str(demo), str(week[1].id)]) == 2
    assert "is the first of its agent" in capsys.readouterr().err


def test_a_file_that_is_not_ours_is_refused(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database")
    assert main(["check", str(path)]) == 3


def test_a_summarizing_call_can_be_explained_too(
    capsys: Capture, demo: Path, reader: Reader, week: dict[int, RequestRow]
) -> None:
    summary = next(row for row in week.values() if row.purpose == "summary")
    found = read(capsys, "explain", demo, summary.id)
    assert found["waterfall"]["problem"].startswith("This call was not made by an agent's model node")
    assert found["fates"] == []
    assert "were not recorded with this request" in call(capsys, "explain", demo, summary.id)
    assert Explainer(reader).fates(summary.id).raw == ()
