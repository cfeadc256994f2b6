"""Asking a child process, which loads the agent's code, for a checkpoint's next request."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine import raw_bytes
from engine.errors import AgentCodeFailed, InspectorError, UsageError
from engine.sources.access import Access

SECONDS = 120.0
"""How long loading the agent and running up to its model may take."""
_LOOK = 0.05  # seconds between two looks at the child
_PRINTED = 100_000  # bytes that are told of what it printed


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
    path: str | Path,
    thread_id: str,
    agent: str,
    checkpoint_id: str | None = None,
    seconds: float = SECONDS,
    stop: threading.Event | None = None,
) -> Rebuilt:
    """The request that ``agent`` sends from a checkpoint of a database (by default its newest).

    ``agent`` is ``module:attribute``, ``path/to/file.py:attribute`` or ``path/to/langgraph.json[:name]``. Loading
    it runs its code: ask the user first. The database is only read, the agent runs over a private copy, no model
    is called and no connection is made. ``stop`` ends it, and every process of it, within a tenth of a second.

    Raises:
        UsageError: there is no such file, agent, thread or checkpoint.
        AgentCodeFailed: the agent's code failed; its traceback is told too.
        InspectorError: it took too long or was stopped, or its next step is not a request.
    """
    source = Path(path)
    if not source.is_file():
        raise UsageError(f"There is no file {source}.")
    with tempfile.TemporaryDirectory(prefix="context-inspector-") as folder:
        copy = Path(folder) / "copy.db"
        _copy(source, copy)
        order = {"database": str(copy), "thread": thread_id, "checkpoint": checkpoint_id, "agent": agent}
        answer = _ask(order, Path(folder), seconds, stop or threading.Event())
    if "details" in answer:
        raise AgentCodeFailed(answer["error"], answer["details"])
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


def _wait(child: subprocess.Popen[bytes], agent: str, seconds: float, stop: threading.Event) -> None:
    end = time.monotonic() + seconds
    while child.poll() is None:
        if stop.wait(_LOOK):
            raise InspectorError(f"The agent {agent} was stopped before it made a request.")
        if time.monotonic() > end:
            raise InspectorError(
                f"The agent {agent} was not ready for its request after {seconds:.0f} seconds and was stopped."
            )


def _copy(source: Path, copy: Path) -> None:
    access = Access(source)
    try:
        copy.touch(mode=0o600)
        raw_bytes.copy(access.file, copy)
        for ending in ("-wal", "-journal"):
            beside = access.file.with_name(access.file.name + ending)
            if beside.exists():
                copy.with_name(copy.name + ending).write_bytes(beside.read_bytes())
    finally:
        access.close()


def _ask(order: Mapping[str, Any], folder: Path, seconds: float, stop: threading.Event) -> dict[str, Any]:
    """Run the child; its answer comes in a file, since the agent's code may print what it likes."""
    answer = folder / "answer.json"
    ours = str(Path(__file__).resolve().parents[2])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH"), ours)))}
    environment["LANGSMITH_TRACING"] = environment["LANGCHAIN_TRACING_V2"] = "false"
    command = [sys.executable, "-P", "-m", "engine.rebuild.child", json.dumps({**order, "answer": str(answer)})]
    printed = folder / "printed.txt"
    with printed.open("wb") as out:
        child = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True
        )
        try:
            _wait(child, order["agent"], seconds, stop)
        finally:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(child.pid, signal.SIGKILL)  # what it may have started is of its group
            child.wait()
    if not answer.exists():
        said = printed.read_bytes()[-_PRINTED:].decode("utf-8", "replace").strip()
        words = f": {said.splitlines()[-1]}" if said else ""
        raise AgentCodeFailed(f"The agent {order['agent']} ended its process before it made a request{words}.", said)
    found: dict[str, Any] = json.loads(answer.read_text(encoding="utf-8", errors="surrogatepass"))
    return found
