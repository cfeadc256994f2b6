"""What of a system message is the caller's own, told apart from what middlewares appended."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from langchain.agents.middleware.types import AgentMiddleware
from langchain_core.messages import SystemMessage

from engine import Reader
from tests.contract.models import Told, recorded


class Appending(AgentMiddleware[Any, Any, Any]):
    """Appends a block to the system message."""

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        content = request.system_message.content
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        told = SystemMessage([*blocks, {"type": "text", "text": "Keep a list of what is to be done. " * 9}])
        return handler(request.override(system_message=told))


def test_the_callers_prompt_is_told_apart_from_what_a_middleware_appended(tmp_path: Path) -> None:
    world = recorded(
        tmp_path, Told(turns=["one", "two"]), middleware=[lambda _: Appending()],
        memory=["/memories/AGENTS.md"], system_prompt="You help.",
    )  # fmt: skip
    world.say("first")
    with world.reader() as reader:
        (row,) = reader.requests("t")
        blocks = reader.request(row.id).system
    by = {name: sum(block.tokens for block in blocks if block.contributor == name) for name in ("caller", "Appending")}
    assert row.system_base == by["caller"] > 0 and by["Appending"] > 0
    assert row.sizes["system"] == sum(block.tokens for block in blocks if block.kind == "system")
    assert row.sizes["system"] >= by["caller"] + by["Appending"]


def test_every_request_of_the_demo_has_its_callers_share(demo_file: Path) -> None:
    with closing(Reader(demo_file)) as reader:
        rows = [row for thread in reader.threads() for row in reader.requests(thread.thread_id)]
        for row in rows:
            blocks = reader.request(row.id).system
            base = sum(block.tokens for block in blocks if block.contributor == "caller")
            assert row.system_base == base or (row.system_base is None and not base), row
            assert (row.system_base or 0) <= row.sizes.get("system", 0)
        assert any(row.system_base for row in rows)
