"""The dry run of a recorded request's checkpoint is that request, byte for byte, and changes nothing."""

from __future__ import annotations

import hashlib
from contextlib import closing
from pathlib import Path

import pytest

from engine import Reader
from engine.dryrun import request_again
from engine.errors import UsageError
from engine.workbench import DryRequest
from tests.received import as_recorded, text


def as_received(request: DryRequest) -> dict[str, object]:
    """A dry run in the witness's form."""
    system = [request.system_message] if request.system_message else []
    return {
        "messages": [text(message) for message in system + [piece.value for piece in request.messages]],
        "tools": [text(piece.value) for piece in request.tools],
        "kwargs": text(dict(request.kwargs)),
        "stop": text(request.stop),
        "system_blocks": [text(piece.value) for piece in request.system],
    }


def main_requests(file: Path, thread_id: str) -> list[int]:
    with closing(Reader(file)) as reader:
        return [row.id for row in reader.requests(thread_id) if row.purpose == "agent"]


@pytest.mark.parametrize(
    ("thread_id", "count"),
    [
        ("competitor-report-week-22", 45),
        ("competitor-report-week-23", 9),
        ("eight-rounds-defaults", 9),
        ("eight-rounds-no-offloading", 9),
        ("eight-rounds-neither", 9),
    ],
)
def test_every_request_of_a_main_agent_comes_again(demo_file: Path, thread_id: str, count: int) -> None:
    before = hashlib.sha256(demo_file.read_bytes()).digest()
    wanted = main_requests(demo_file, thread_id)
    assert len(wanted) == count
    with closing(Reader(demo_file)) as reader:
        for request in wanted:
            again = request_again(demo_file, request)
            detail = reader.request(request)
            assert as_received(again) == as_recorded(reader, request), detail.row.number
            assert [piece.contributor for piece in again.system] == [block.contributor for block in detail.system]
            assert [piece.contributor for piece in again.tools] == [tool.contributor for tool in detail.tools]
            assert (again.purpose, again.checkpoint_id) == ("agent", detail.row.checkpoint_id)
            sizes = (detail.system, detail.messages, detail.tools)
            recorded = sum(row.tokens for rows in sizes for row in rows)
            assert again.tokens == recorded == detail.row.estimated_tokens
    assert hashlib.sha256(demo_file.read_bytes()).digest() == before


def test_a_subagents_request_is_refused_in_words(demo_file: Path) -> None:
    with closing(Reader(demo_file)) as reader:
        row = next(row for row in reader.requests("competitor-report-week-22") if row.purpose == "subagent")
    with pytest.raises(UsageError, match=f"Request {row.number} can't be made again"):
        request_again(demo_file, row.id)
    with pytest.raises(UsageError, match="There is no request 999999"):
        request_again(demo_file, 999999)
