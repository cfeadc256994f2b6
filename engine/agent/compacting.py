"""Summarizing a thread on demand, with the engine's own tool for it.

The tool (``compact_conversation``) is called as the agent would call it, but for two things: it does not wait until
half of the trigger is reached, and it leaves no message of its own behind.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Never

from deepagents.middleware.filesystem import FilesystemState
from deepagents.middleware.summarization import SummarizationToolMiddleware
from langchain_core.messages.utils import count_tokens_approximately
from langgraph.graph import StateGraph

from engine.agent.models import resolve_model
from engine.agent.stack import summarization_of
from engine.errors import NothingToDo
from engine.running import Compaction

if TYPE_CHECKING:
    from engine.agent.build import Agent
    from engine.agent.run import Run

_EVENT, _SESSION = "_summarization_event", "_summarization_session_id"


class _OnDemand(SummarizationToolMiddleware):
    """The engine's tool, for somebody who has decided already."""

    def _is_eligible_for_compaction(self, messages: Any) -> bool:
        return True

    @staticmethod
    def _nothing_to_compact(tool_call_id: str) -> Never:
        raise NothingToDo(
            "There is nothing to summarize: the thread has no messages but the newest, which a summary leaves as they "
            "are. Nothing was changed."
        )

    @staticmethod
    def _compact_error(tool_call_id: str, exc: BaseException) -> Never:
        raise exc


async def compact(run: Run, agent: Agent, config: dict[str, Any]) -> None:
    """Summarize the thread's older messages, save them, and put the summary in force; messages stay as they are."""
    snapshot = await agent.graph.aget_state(config)
    state = snapshot.values
    messages = list(state.get("messages") or ())
    settings = agent.settings
    model = resolve_model(settings.model, settings.profile, settings.model_parameters, settings.base_url)
    summarization: Any = summarization_of(settings, model, agent.backend)
    made: dict[str, Any] = {}

    async def node(_: Any) -> dict[str, Any]:
        tool: Any = _OnDemand(summarization).tools[0]
        command = await tool.coroutine(runtime=SimpleNamespace(state=state, tool_call_id=""))
        made.update(command.update)
        return {}

    files = dict(state.get("files") or {})
    done = await _graph(node, agent).ainvoke({"files": files}, config, context=settings.identity)
    changed = {path: data for path, data in (done.get("files") or {}).items() if files.get(path) != data}
    values = {_EVENT: made[_EVENT], _SESSION: made[_SESSION]}
    await agent.graph.aupdate_state(config, values | ({"files": changed} if changed else {}))
    run.result = _told(run, messages, state.get(_EVENT), made[_EVENT], summarization)


def _graph(node: Any, agent: Agent) -> Any:
    """A graph of one node, in which the agent's backend finds the thread's files and the store."""
    graph: Any = StateGraph(FilesystemState, context_schema=type(agent.settings.identity))
    graph.add_node("compact", node)
    graph.set_entry_point("compact")
    return graph.compile(store=agent.store)


def _told(run: Run, messages: list[Any], before: Any, after: Any, summarization: Any) -> Compaction:
    calls = tuple(run.progress.summaries) if run.progress is not None else ()
    old = summarization._apply_event_to_messages(messages, before)
    new = summarization._apply_event_to_messages(messages, after)
    run.note_compaction(messages, before, after, calls)
    return Compaction(
        thread_id=run.thread_id,
        summarized=after["cutoff_index"] - ((before or {}).get("cutoff_index") or 0),
        kept=len(messages) - after["cutoff_index"],
        tokens_before=count_tokens_approximately(old),
        tokens_after=count_tokens_approximately(new),
        path=after["file_path"],
    )
