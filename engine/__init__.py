"""The engine of the Context Inspector, usable without its window.

    from engine import Reader, Runner, Workspace

    Workspace.create("work.ctx")
    runner = Runner("work.ctx")
    runner.start("thread-1", "Hello").wait()
    runner.close()
    reader = Reader("work.ctx")
    for row in reader.requests("thread-1"):
        detail = reader.request(row.id)

Names are loaded when they are first used: LangChain and its integrations take seconds to import.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.agent.build import build_agent as build_agent
    from engine.agent.demo import ensure_default_workspace as ensure_default_workspace
    from engine.agent.demo import make_demo as make_demo
    from engine.agent.runner import Run as Run
    from engine.agent.runner import Runner as Runner
    from engine.agent.runner import Update as Update
    from engine.agent.settings import AgentSettings as AgentSettings
    from engine.agent.settings import SubagentSettings as SubagentSettings
    from engine.explain import Explainer as Explainer
    from engine.ledger import artifacts_csv as artifacts_csv
    from engine.ledger import ledger_of as ledger_of
    from engine.ledger import requests_csv as requests_csv
    from engine.memory import earlier_versions as earlier_versions
    from engine.memory import read_memory as read_memory
    from engine.memory import save_memory as save_memory
    from engine.recording import Recorder as Recorder
    from engine.recording.api import Recording as Recording
    from engine.recording.api import record as record
    from engine.search import Search as Search
    from engine.search import filter_requests as filter_requests
    from engine.search import parse_query as parse_query
    from engine.share import export_thread as export_thread
    from engine.share import import_thread as import_thread
    from engine.share import save_export as save_export
    from engine.sources import Source as Source
    from engine.sources import open_source as open_source
    from engine.trace import Reader as Reader
    from engine.wire.side import request_cost as request_cost
    from engine.wire.side import token_split as token_split
    from engine.wire.side import wire_comparison as wire_comparison
    from engine.workspace import Workspace as Workspace
    from engine.workspace import check_file as check_file

_NAMES = {
    "AgentSettings": "engine.agent.settings",
    "Explainer": "engine.explain",
    "Reader": "engine.trace",
    "Recorder": "engine.recording",
    "Recording": "engine.recording.api",
    "Run": "engine.agent.runner",
    "Runner": "engine.agent.runner",
    "Search": "engine.search",
    "Source": "engine.sources",
    "SubagentSettings": "engine.agent.settings",
    "Update": "engine.agent.runner",
    "Workspace": "engine.workspace",
    "artifacts_csv": "engine.ledger",
    "build_agent": "engine.agent.build",
    "check_file": "engine.workspace",
    "earlier_versions": "engine.memory",
    "ensure_default_workspace": "engine.agent.demo",
    "export_thread": "engine.share",
    "filter_requests": "engine.search",
    "import_thread": "engine.share",
    "ledger_of": "engine.ledger",
    "make_demo": "engine.agent.demo",
    "open_source": "engine.sources",
    "parse_query": "engine.search",
    "read_memory": "engine.memory",
    "record": "engine.recording.api",
    "request_cost": "engine.wire.side",
    "requests_csv": "engine.ledger",
    "save_export": "engine.share",
    "save_memory": "engine.memory",
    "token_split": "engine.wire.side",
    "wire_comparison": "engine.wire.side",
}

try:
    __version__ = version("context-inspector")
except PackageNotFoundError:  # run from a checkout that was not installed
    __version__ = "0.1.0"

__all__ = ["__version__", *_NAMES]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        return getattr(import_module(_NAMES[name]), name)
    raise AttributeError(f"module 'engine' has no attribute {name!r}")
