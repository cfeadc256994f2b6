"""What the scripted model says where no script tells it: honestly, and out of what it was given."""

from __future__ import annotations

import re
from typing import Final

from langchain_core.messages import BaseMessage, ToolMessage

from engine.agent.scripted.script import Call, Turn

OFFLINE_NOTE: Final = (
    "This is the offline scripted model: it plays prepared turns and understands nothing of what "
    "you write. Choose a model as provider:model, for example anthropic:claude-sonnet-4-5 with its "
    "key in the environment, to get real answers."
)


def unscripted_turn(messages: list[BaseMessage], bound: set[str]) -> Turn:
    last = messages[-1]
    if isinstance(last, ToolMessage):
        entries = sum(1 for line in last.text.splitlines() if line.strip())
        return Turn(
            f"{OFFLINE_NOTE}\n\nThe call to `{last.name or 'the tool'}` just now was real: it "
            f"returned {len(last.text):,} characters in {entries:,} lines."
        )
    if "ls" in bound:
        return Turn(
            "No prepared turn answers this message, so I only list this thread's files.",
            (Call("ls", {"path": "/"}),),
        )
    return Turn(OFFLINE_NOTE)


_HISTORY_MESSAGE = re.compile(r'<message type="(\w+)"[^>]*>(.*?)</message>', re.DOTALL)
_PATH = re.compile(r"(?<![\w./])/(?:[\w.-]+/)+[\w.-]*\w")


def write_summary(prompt: str) -> str:
    """A summary made from the prompt of a summarizing call: requests, paths and last answer, as found."""
    history = prompt.rpartition("Messages to summarize:")[2]
    found = [(kind, body.strip()) for kind, body in _HISTORY_MESSAGE.findall(history)]
    asked = [body for kind, body in found if kind == "human"]
    said = [body for kind, body in found if kind == "ai" and body]
    paths = sorted(set(_PATH.findall(history)))

    def short(text: str, limit: int = 300) -> str:
        line = " ".join(text.split())
        return line if len(line) <= limit else line[:limit] + " …"

    return "\n".join(
        (
            "## SESSION INTENT",
            short(asked[0]) if asked else "None",
            "## SUMMARY",
            f"Written by the offline scripted model from {len(found)} messages, without "
            "understanding them. The requests were:",
            *(f"- {short(text)}" for text in asked),
            f"The last answer: {short(said[-1])}" if said else "There was no answer yet.",
            "## ARTIFACTS",
            *(f"- {path}" for path in paths[:40]),
            *(["None"] if not paths else []),
            "## NEXT STEPS",
            "Go on with the last request.",
        )
    )
