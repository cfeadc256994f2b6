"""The terminal command ``rebuild``: a checkpoint's exact request, with the agent's own code."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from engine.errors import UsageError
from engine.tables import visible

_AGENT = "module:attribute, file.py:attribute or langgraph.json"


def add_command(
    command: Callable[..., argparse.ArgumentParser],
    open_file: Callable[[argparse.Namespace], Any],
    thread: Callable[[Any, argparse.Namespace], str],
    to_json: Callable[[Any], str],
) -> None:
    """Add the command; ``open_file`` opens the file that the options name, ``thread`` checks their thread."""

    def run(options: argparse.Namespace) -> None:
        from engine.rebuild.parent import rebuild

        reader = open_file(options)
        name, checkpoint = thread(reader, options), options.checkpoint
        if options.request is not None:
            row = reader.request(options.request).row
            if row.thread_id != name or row.purpose != "agent" or not row.checkpoint_id:
                raise UsageError(f"Request {options.request} is not one of a main agent of this thread.")
            checkpoint = row.checkpoint_id
        if not options.yes:
            _confirm(options.agent)
        found = rebuild(options.file, name, options.agent, checkpoint)
        if options.json:
            print(to_json(asdict(found)))
            return
        for message in found.messages:
            content = message["data"].get("content")
            text = content if isinstance(content, str) else to_json(content)
            print(f"{message['type']:<8} {visible(' '.join(text.split()))[:110]}")
        print(f"tools    {', '.join(visible(_name(tool)) for tool in found.tools)}")

    made = command("rebuild", run, "Make a checkpoint's request again with its agent's own code; no model is called.")
    made.add_argument("--thread", required=True, metavar="ID")
    made.add_argument("--agent", required=True, metavar="AGENT", help=_AGENT)
    which = made.add_mutually_exclusive_group()
    which.add_argument("--checkpoint", metavar="ID", help="by default the newest")
    which.add_argument("--request", type=int, metavar="REQUEST", help="the checkpoint that this request started from")
    made.add_argument("--json", action="store_true", help="print JSON")
    made.add_argument("--yes", action="store_true", help="run the agent's code without asking")


def _confirm(agent: str) -> None:
    words = f"This runs the code of {agent} in a process of its own."
    if not sys.stdin.isatty():
        raise UsageError(f"{words} Say --yes to allow it.")
    print(f"{words} Go on? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
        raise UsageError("Nothing was run.")


def _name(tool: Any) -> str:
    named = tool.get("function", tool) if isinstance(tool, dict) else {}
    return str(named.get("name") or named.get("type") or "")
