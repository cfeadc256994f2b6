"""Asking a child process, which loads the agent's code, for a checkpoint's next request."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.errors import InspectorError, UsageError
from engine.sources.access import Access

SECONDS = 120.0
"""How long loading the agent and running up to its model may take."""


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """A request as the agent's own code makes it from a checkpoint."""

    messages: tuple[Mapping[str, Any], ...]
    """As the model's own method got them, the system message first: LangChain's dicts ``{type, data}``."""
    tools: tuple[Any, ...]
    """Schemas as they were bound."""
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    stop: Any = None
    summarizing: bool = False
    """It is the summarizing call that would come first."""
    checkpoint_id: str | None = None


def rebuild(
    path: str | Path, thread_id: str, agent: str, checkpoint_id: str | None = None, seconds: float = SECONDS
) -> Rebuilt:
    """The request that ``agent`` sends from a checkpoint of a database (by default its newest).

    ``agent`` is ``module:attribute``, ``path/to/file.py:attribute`` or ``path/to/langgraph.json[:name]``. Loading
    it runs its code: ask the user first. The database is only read, the agent runs over a private copy, no model
    is called and no connection is made.

    Raises:
        UsageError: there is no such file, agent, thread or checkpoint.
        InspectorError: the agent's code failed, took too long, or its next step is not a request.
    """
    source = Path(path)
    if not source.is_file():
        raise UsageError(f"There is no file {source}.")
    with tempfile.TemporaryDirectory(prefix="context-inspector-") as folder:
        copy = Path(folder) / "copy.db"
        _copy(source, copy)
        order = {"database": str(copy), "thread": thread_id, "checkpoint": checkpoint_id, "agent": agent}
        answer = _ask(order, Path(folder), seconds)
    if "error" in answer:
        raise (UsageError if answer.get("usage") else InspectorError)(answer["error"])
    return Rebuilt(
        messages=tuple(answer["messages"]),
        tools=tuple(answer["tools"]),
        kwargs=answer["kwargs"],
        stop=answer["stop"],
        summarizing=answer["summarizing"],
        checkpoint_id=answer["checkpoint_id"],
    )


def _copy(source: Path, copy: Path) -> None:
    access = Access(source)
    try:
        with open(copy, "wb") as target:
            os.chmod(copy, 0o600)
            target.write(access.file.read_bytes())
        for ending in ("-wal", "-journal"):
            beside = access.file.with_name(access.file.name + ending)
            if beside.exists():
                copy.with_name(copy.name + ending).write_bytes(beside.read_bytes())
    finally:
        access.close()


def _ask(order: Mapping[str, Any], folder: Path, seconds: float) -> dict[str, Any]:
    """Run the child; its answer comes in a file, since the agent's code may print what it likes."""
    answer = folder / "answer.json"
    ours = str(Path(__file__).resolve().parents[2])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH"), ours)))}
    environment["LANGSMITH_TRACING"] = environment["LANGCHAIN_TRACING_V2"] = "false"
    command = [sys.executable, "-P", "-m", "engine.rebuild.child", json.dumps({**order, "answer": str(answer)})]
    try:
        done = subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        raise InspectorError(
            f"The agent {order['agent']} was not ready for its request after {seconds:.0f} seconds and was stopped."
        ) from None
    if not answer.exists():
        last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        words = f": {last[0]}" if last else ""
        raise InspectorError(f"The agent {order['agent']} ended its process before it made a request{words}.")
    found: dict[str, Any] = json.loads(answer.read_text(encoding="utf-8", errors="surrogatepass"))
    return found
