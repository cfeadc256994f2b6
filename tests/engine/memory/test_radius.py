"""Whom an edit of a file concerns."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from engine import Reader
from engine.memory import read_memory, save_memory
from engine.memory.radius import blast_radius

PATH, SKILL = "/memories/AGENTS.md", "/skills/qbr-report/SKILL.md"
WEEK_22, WEEK_23 = "competitor-report-week-22", "competitor-report-week-23"


def test_threads_that_load_the_demos_memory(demo_file: Path) -> None:
    found = blast_radius(demo_file, PATH)
    assert [(one.thread_id, one.loaded, one.current) for one in found.threads] == [
        (WEEK_23, True, True),
        (WEEK_22, True, False),
    ]
    assert found.new_threads
    with closing(Reader(demo_file)) as reader:
        for reach in found.threads:
            last = [row for row in reader.requests(reach.thread_id) if row.purpose == "agent"][-1]
            detail = reader.request(last.id)
            at = next(block.index for block in detail.system if block.kind == "memory")
            after = [*detail.system[at:], *detail.messages]
            assert reach.last_request == last.number
            assert reach.block_tokens == detail.system[at].tokens
            assert reach.invalidated_tokens == sum(piece.tokens for piece in after)
            assert reach.cache_read == last.usage.cache_read
            assert reach.agents == ("market-analyst",)
    assert found.invalidated_tokens == sum(reach.invalidated_tokens for reach in found.threads)


def test_threads_that_list_a_skill(demo_copy: Path) -> None:
    found = blast_radius(demo_copy, SKILL)
    assert [one.thread_id for one in found.threads] == [WEEK_23, WEEK_22]
    # The general-purpose subagent and the named ones have no menu here; the skill's own text changes nothing in it.
    assert all(one.current for one in found.threads)
    text = read_memory(demo_copy, SKILL)
    assert text.text is not None
    save_memory(demo_copy, SKILL, text.text.replace("description: ", "description: Newly, "), text.version)
    assert not any(one.current for one in blast_radius(demo_copy, SKILL).threads)


def test_a_file_that_nobody_loads(demo_file: Path) -> None:
    found = blast_radius(demo_file, "/memories/other.md")
    assert (found.threads, found.new_threads, found.invalidated_tokens) == ((), False, 0)
