"""A chat model that plays a script: for demos, tests and driving an agent by hand, offline.

It behaves as a provider does at every point that the engine can see: it gets its tools through
``bind_tools``, streams, reports usage and cache reads, refuses malformed message lists and requests
over its window, and answers the engine's summarizing call. It calls only tools that were bound.

Where it stands in its script follows from the messages alone (each answer carries its place in
``response_metadata["script"]``), so a thread goes on rightly in a new process, from an earlier
checkpoint, and with one model object serving parallel subagents. A user message that no script
knows gets an honest answer and one real tool call.

It must not know workspaces, recording or scenarios.
"""

from engine.agent.scripted.model import ScriptedChat
from engine.agent.scripted.offline import OFFLINE_NOTE, write_summary
from engine.agent.scripted.script import Call, Exchange, Item, ScriptError, Summary, SummaryText, Turn

__all__ = [
    "OFFLINE_NOTE",
    "Call",
    "Exchange",
    "Item",
    "ScriptError",
    "ScriptedChat",
    "Summary",
    "SummaryText",
    "Turn",
    "write_summary",
]
