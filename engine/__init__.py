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

from typing import TYPE_CHECKING, Any

from engine import importing

if TYPE_CHECKING:
    from engine.agent.build import build_agent as build_agent
    from engine.agent.checking import check_settings as check_settings
    from engine.agent.defaults import settings_for as settings_for
    from engine.agent.demo import ensure_default_workspace as ensure_default_workspace
    from engine.agent.demo import make_demo as make_demo
    from engine.agent.effective import effective as effective
    from engine.agent.listing import list_tools as list_tools
    from engine.agent.profiles import known_models as known_models
    from engine.agent.questions import can_go_on as can_go_on
    from engine.agent.questions import pending_questions as pending_questions
    from engine.agent.ran import settings_of_request as settings_of_request
    from engine.agent.run import Run as Run
    from engine.agent.runner import Runner as Runner
    from engine.agent.secrets import forget_key as forget_key
    from engine.agent.secrets import key_state as key_state
    from engine.agent.secrets import remember_key as remember_key
    from engine.agent.settings import AgentSettings as AgentSettings
    from engine.agent.settings import ArgumentCut as ArgumentCut
    from engine.agent.settings import Permission as Permission
    from engine.agent.settings import SubagentSettings as SubagentSettings
    from engine.agent.stored import agent_named as agent_named
    from engine.agent.stored import agent_of as agent_of
    from engine.agent.stored import assign_agent as assign_agent
    from engine.agent.stored import delete_agent as delete_agent
    from engine.agent.stored import duplicate_agent as duplicate_agent
    from engine.agent.stored import list_agents as list_agents
    from engine.agent.stored import rename_agent as rename_agent
    from engine.agent.stored import save_agent as save_agent
    from engine.agent.trust import distrust_tool as distrust_tool
    from engine.agent.trust import tool_source as tool_source
    from engine.agent.trust import trust_tool as trust_tool
    from engine.agent.written import settings_form as settings_form
    from engine.agent.written import settings_from as settings_from
    from engine.dryrun import compare_requests as compare_requests
    from engine.dryrun import next_request as next_request
    from engine.dryrun import request_again as request_again
    from engine.explain import Explainer as Explainer
    from engine.governance import delete_for_good as delete_for_good
    from engine.governance import plan_deletion as plan_deletion
    from engine.ledger import artifacts_csv as artifacts_csv
    from engine.ledger import ledger_of as ledger_of
    from engine.ledger import requests_csv as requests_csv
    from engine.lifetimes import lifetime_table as lifetime_table
    from engine.memory import delete_memory as delete_memory
    from engine.memory import earlier_versions as earlier_versions
    from engine.memory import read_memory as read_memory
    from engine.memory import save_memory as save_memory
    from engine.memory.applying import apply_memory as apply_memory
    from engine.memory.applying import apply_skills as apply_skills
    from engine.memory.applying import undo_apply as undo_apply
    from engine.memory.edits import revert_edit as revert_edit
    from engine.memory.findings import findings_in as findings_in
    from engine.memory.findings import findings_of as findings_of
    from engine.memory.merge import merge_texts as merge_texts
    from engine.memory.radius import blast_radius as blast_radius
    from engine.memory.sent import sent_memory as sent_memory
    from engine.memory.versions import restore_version as restore_version
    from engine.recording import Recorder as Recorder
    from engine.recording.api import Recording as Recording
    from engine.recording.api import record as record
    from engine.running import Update as Update
    from engine.search import Search as Search
    from engine.search import filter_requests as filter_requests
    from engine.search import parse_query as parse_query
    from engine.share import export_thread as export_thread
    from engine.share import import_thread as import_thread
    from engine.share import save_export as save_export
    from engine.skills import check_skill as check_skill
    from engine.skills import costs_of as costs_of
    from engine.skills import new_skill as new_skill
    from engine.sources import Source as Source
    from engine.sources import open_source as open_source
    from engine.store import delete_item as delete_item
    from engine.store import save_item as save_item
    from engine.store import store_item as store_item
    from engine.store import store_items as store_items
    from engine.store import store_namespaces as store_namespaces
    from engine.trace import Reader as Reader
    from engine.wire.side import request_cost as request_cost
    from engine.wire.side import token_split as token_split
    from engine.wire.side import wire_comparison as wire_comparison
    from engine.workbench import Edits as Edits
    from engine.workspace import Workspace as Workspace
    from engine.workspace import check_file as check_file

_NAMES = {
    "AgentSettings": "engine.agent.settings",
    "ArgumentCut": "engine.agent.settings",
    "Edits": "engine.workbench",
    "Explainer": "engine.explain",
    "Permission": "engine.agent.settings",
    "Reader": "engine.trace",
    "Recorder": "engine.recording",
    "Recording": "engine.recording.api",
    "Run": "engine.agent.run",
    "Runner": "engine.agent.runner",
    "Search": "engine.search",
    "Source": "engine.sources",
    "SubagentSettings": "engine.agent.settings",
    "Update": "engine.running",
    "Workspace": "engine.workspace",
    "agent_named": "engine.agent.stored",
    "agent_of": "engine.agent.stored",
    "apply_memory": "engine.memory.applying",
    "apply_skills": "engine.memory.applying",
    "artifacts_csv": "engine.ledger",
    "assign_agent": "engine.agent.stored",
    "blast_radius": "engine.memory.radius",
    "build_agent": "engine.agent.build",
    "can_go_on": "engine.agent.questions",
    "check_file": "engine.workspace",
    "check_settings": "engine.agent.checking",
    "check_skill": "engine.skills",
    "compare_requests": "engine.dryrun",
    "costs_of": "engine.skills",
    "delete_agent": "engine.agent.stored",
    "delete_for_good": "engine.governance",
    "delete_item": "engine.store",
    "delete_memory": "engine.memory",
    "distrust_tool": "engine.agent.trust",
    "duplicate_agent": "engine.agent.stored",
    "earlier_versions": "engine.memory",
    "effective": "engine.agent.effective",
    "ensure_default_workspace": "engine.agent.demo",
    "export_thread": "engine.share",
    "filter_requests": "engine.search",
    "findings_in": "engine.memory.findings",
    "findings_of": "engine.memory.findings",
    "forget_key": "engine.agent.secrets",
    "import_thread": "engine.share",
    "key_state": "engine.agent.secrets",
    "known_models": "engine.agent.profiles",
    "ledger_of": "engine.ledger",
    "lifetime_table": "engine.lifetimes",
    "list_agents": "engine.agent.stored",
    "list_tools": "engine.agent.listing",
    "make_demo": "engine.agent.demo",
    "merge_texts": "engine.memory.merge",
    "new_skill": "engine.skills",
    "next_request": "engine.dryrun",
    "open_source": "engine.sources",
    "parse_query": "engine.search",
    "pending_questions": "engine.agent.questions",
    "plan_deletion": "engine.governance",
    "read_memory": "engine.memory",
    "record": "engine.recording.api",
    "remember_key": "engine.agent.secrets",
    "rename_agent": "engine.agent.stored",
    "request_again": "engine.dryrun",
    "request_cost": "engine.wire.side",
    "requests_csv": "engine.ledger",
    "restore_version": "engine.memory.versions",
    "revert_edit": "engine.memory.edits",
    "save_agent": "engine.agent.stored",
    "save_export": "engine.share",
    "save_item": "engine.store",
    "save_memory": "engine.memory",
    "sent_memory": "engine.memory.sent",
    "store_item": "engine.store",
    "store_items": "engine.store",
    "store_namespaces": "engine.store",
    "token_split": "engine.wire.side",
    "settings_form": "engine.agent.written",
    "settings_from": "engine.agent.written",
    "settings_for": "engine.agent.defaults",
    "settings_of_request": "engine.agent.ran",
    "tool_source": "engine.agent.trust",
    "trust_tool": "engine.agent.trust",
    "undo_apply": "engine.memory.applying",
    "wire_comparison": "engine.wire.side",
}

__all__ = ["__version__", *_NAMES]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name == "__version__":  # deferred: importlib.metadata takes longer than all that a first window needs of this
        from importlib.metadata import PackageNotFoundError, version

        try:
            return version("context-inspector")
        except PackageNotFoundError:  # run from its folder, not installed
            return "0.1.0"
    if name in _NAMES:
        return getattr(importing.late(_NAMES[name]), name)
    raise AttributeError(f"module 'engine' has no attribute {name!r}")
