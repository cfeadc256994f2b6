"""In the child process: load the tools that a name stands for and write their schemas.

Run as ``python -m engine.agent.listing_child TEXT ANSWER``.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from langchain_core.utils.function_calling import convert_to_openai_tool

from engine.agent.loading import load_tools
from engine.agent.trust import tool_source
from engine.canonical import to_json
from engine.errors import InspectorError, UsageError


def main(text: str, answer: Path) -> None:
    """Load, and write what was found or what went wrong."""
    try:
        source = tool_source(text)
        told: dict[str, Any] = {"digest": source.digest, "tools": [_schema(tool) for tool in load_tools([text])]}
    except InspectorError as error:
        told = {"error": str(error), "usage": isinstance(error, UsageError)}
    except BaseException as error:  # whatever a tool's own code raises while its schema is asked for
        words = " ".join(f"{type(error).__name__}: {error}".split())[:500]
        told = {"error": f"The tools of {text!r} can't be described: {words}", "usage": True}
    made = answer.with_name("answer.part")
    made.write_bytes(to_json(told))
    made.rename(answer)


def _schema(tool: Any) -> dict[str, Any]:
    converted = convert_to_openai_tool(tool)
    function = converted.get("function")
    if not isinstance(function, Mapping):  # a provider's own tool, which is told as it stands
        return {"name": str(converted.get("name") or converted.get("type")), "description": "", "schema": converted}
    file, line = _place(tool)
    return {
        "name": function["name"],
        "description": function.get("description") or "",
        "schema": function.get("parameters") or {},
        "file": file,
        "line": line,
    }


def _place(tool: Any) -> tuple[str | None, int | None]:
    """Where the code of a tool is written."""
    code = getattr(tool, "func", None) or getattr(tool, "coroutine", None) or tool
    if not callable(code) or not hasattr(code, "__code__"):
        code = type(tool)
    try:
        code = inspect.unwrap(code)
        return inspect.getsourcefile(code), inspect.getsourcelines(code)[1]
    except (OSError, TypeError, ValueError):
        return None, None


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
