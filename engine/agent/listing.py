"""The tools that a name stands for, with their schemas, found out in a process of its own.

Broken code can hang or end that process, and not the program. Its code runs, so it has to be trusted before.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from engine.agent.trust import tool_source
from engine.blueprint import ToolSchema
from engine.errors import InspectorError, UsageError

SECONDS = 60.0
"""How long loading may take; LangChain alone takes seconds on a slow machine."""
_LARGEST = 20_000_000  # bytes of an answer


def list_tools(text: str, seconds: float = SECONDS) -> tuple[ToolSchema, ...]:
    """What a model would be told of the tools that ``text`` stands for.

    Raises:
        UsageError: there is no such code, it is not trusted, it fails, or what it gives is no tool.
        InspectorError: it took too long, or ended its process.
    """
    source = tool_source(text)
    with tempfile.TemporaryDirectory(prefix="context-inspector-") as folder:
        answer = _ask(text, Path(folder), seconds)
    if "error" in answer:
        raise (UsageError if answer["usage"] else InspectorError)(answer["error"])
    if answer["digest"] != source.digest:
        raise UsageError(f"{source.file} was changed while it was loaded. Try again.")
    return tuple(ToolSchema(**tool) for tool in answer["tools"])


def _ask(text: str, folder: Path, seconds: float) -> dict[str, Any]:
    """Run the child; its answer comes in a file, since the code may print what it likes."""
    answer, errors = folder / "answer.json", folder / "stderr"
    ours = str(Path(__file__).resolve().parents[2])
    searched = [ours, *filter(None, sys.path)]  # modules are looked for where this process looks
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(dict.fromkeys(searched))}
    environment["LANGSMITH_TRACING"] = environment["LANGCHAIN_TRACING_V2"] = "false"
    command = [sys.executable, "-P", "-m", "engine.agent.listing_child", text, str(answer)]
    with errors.open("wb") as told:
        child = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=told,
            start_new_session=True,
        )
        try:
            child.wait(seconds)
        except subprocess.TimeoutExpired:
            raise InspectorError(
                f"The code of the tool {text!r} was not loaded after {seconds:.0f} seconds and was stopped."
            ) from None
        finally:
            _end(child)
    if not answer.exists():
        last = errors.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
        words = f": {last[0][:500]}" if last else ""
        raise InspectorError(f"The code of the tool {text!r} ended its process{words}.")
    if answer.stat().st_size > _LARGEST:
        raise InspectorError(f"The tools of {text!r} have schemas of more than {_LARGEST:,} bytes. None was listed.")
    found: dict[str, Any] = json.loads(answer.read_text(encoding="utf-8", errors="surrogatepass"))
    return found


def _end(child: subprocess.Popen[bytes]) -> None:
    """End the child and whatever it started."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    child.wait()
