"""The exact next request of a thread, and a recorded one again, without calling a model.

The same agent is built over a saver and a store that keep nothing, and run until its model is given
something. Tools are never run; the workspace's file is only read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from deepagents.backends.protocol import BackendProtocol
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, messages_from_dict
from langsmith import tracing_context

from engine.agent.backends import make_backend
from engine.agent.build import Agent, build_agent
from engine.agent.defaults import settings_for
from engine.agent.models import resolve_model
from engine.agent.settings import AgentSettings
from engine.canonical import from_json, to_json
from engine.dryrun.capture import Capture, Captured, active
from engine.dryrun.copies import DrySaver, DryStore
from engine.dryrun.overlay import Overlay
from engine.errors import InspectorError, UsageError
from engine.kinds import CALLER, block_kind
from engine.memory.applying import applied_values
from engine.recording.assembling import observing
from engine.recording.canon import Encoded, encode, encode_block, encode_message, encode_tool
from engine.recording.observers import tool_name
from engine.recording.origin import blocks_of
from engine.stubs import history_path
from engine.trace import Reader
from engine.trace.content import text_of
from engine.workbench import DryRequest, Edits, Piece
from engine.workspace import Workspace

NEXT_MESSAGE = "(your next message)"
"""Stands for what the user has not written yet."""

_SESSION = "_summarization_session_id"


def next_request(
    path: str | Path,
    thread_id: str,
    message: str | None = None,
    edits: Edits | None = None,
    settings: AgentSettings | None = None,
    model: str | None = None,
) -> DryRequest:
    """The request that the thread sends next, after ``edits``.

    A thread that was stopped between two requests goes on where it is; any other is sent ``message``, or
    words that stand for one. Without ``settings`` the thread's own agent is built, on ``model``
    (``provider:model``) where one is given, as for a run.

    Raises:
        UsageError, WorkspaceError: there is no such workspace, or the agent's model can't be used.
        InspectorError: the next step is not a request (tools would run, or the user has to decide).
    """
    config = {"configurable": {"thread_id": thread_id}}
    return _run(Path(path), config, message, edits or Edits(), settings or settings_for(thread_id, model, path))


def request_again(path: str | Path, request_id: int, settings: AgentSettings | None = None) -> DryRequest:
    """What the checkpoint of a recorded request of a main agent gives: that request, unless something changed.

    Summaries that were made on the way to it are given again as they were recorded, and so are the names that
    were drawn by chance for files written on the way.

    Raises: as :func:`next_request`; ``UsageError`` too for a request that is not a main agent's.
    """
    with closing(Reader(path)) as reader:
        found = reader.request_rows([request_id])
        if not found:
            raise UsageError(f"There is no request {request_id} in {path}.")
        row = found[0]
        if row.purpose != "agent" or not row.checkpoint_id:
            raise UsageError(
                f"Request {row.number} can't be made again: only a main agent's requests start from a checkpoint "
                "of their own."
            )
        summaries, session = _summaries(reader, row.thread_id, request_id)
        offloaded = _offloaded(reader, request_id)
    config = {"configurable": {"thread_id": row.thread_id, "checkpoint_ns": "", "checkpoint_id": row.checkpoint_id}}
    edits = Edits(state={} if session is None else {_SESSION: session})
    made = _run(Path(path), config, None, edits, settings or settings_for(row.thread_id, workspace=path), summaries)
    return replace(made, messages=tuple(_named(piece, offloaded) for piece in made.messages))


def _run(
    path: Path,
    config: dict[str, Any],
    message: str | None,
    edits: Edits,
    settings: AgentSettings,
    summaries: Sequence[BaseMessage] = (),
) -> DryRequest:
    workspace = Workspace(path)
    capture = Capture(summaries)
    if edits.system_prompt is not None:
        settings = replace(settings, system_prompt=edits.system_prompt)
    model = capture.model(resolve_model(settings.model, settings.profile, settings.model_parameters, settings.base_url))
    summarizer = settings.summary_model and capture.model(resolve_model(settings.summary_model))
    stood_in = replace(settings, model=model, profile=None, summary_model=summarizer)
    saver, store = DrySaver.over(path), DryStore(path)
    with closing(saver.conn), closing(store.conn):
        backend = make_backend(settings.backend, store, settings.identity, folder=Overlay)
        _edit(backend, edits)
        with observing():
            agent = build_agent(workspace, stood_in, saver=saver, store=store, backend=backend)
        saver.changed = _state(agent, config, edits, settings)
        start = asyncio.run(_until_the_model(agent, config, message, capture))
    if capture.found is None:
        raise InspectorError(_why_not(start))
    return _told(capture.found, start.config["configurable"].get("checkpoint_id") if start.values else None)


def _edit(backend: BackendProtocol, edits: Edits) -> None:
    for path, data in edits.files.items():
        if data is None:
            backend.delete(path)
        else:
            backend.upload_files([(path, data)])


def _state(agent: Agent, config: dict[str, Any], edits: Edits, settings: AgentSettings) -> dict[str, Any]:
    """State values that are other ones than in the checkpoint."""
    changed: dict[str, Any] = dict(edits.state)
    if edits.apply:
        held = agent.graph.get_state(config).values
        changed |= applied_values(agent.backend, settings, held, edits.files)
    return changed


async def _until_the_model(agent: Agent, config: dict[str, Any], message: str | None, capture: Capture) -> Any:
    """Run until the capture has something; gives the state that the run started from."""
    start = await agent.graph.aget_state(config)
    given: Any = None
    if message is not None or not start.next:
        given = {"messages": [HumanMessage(message or NEXT_MESSAGE, id="next-message")]}
    elif "tools" in start.next:
        return start  # an interrupt before them may have been passed already
    token = active.set(capture)
    try:
        with tracing_context(enabled=False):  # nobody is to be told of a request that is not made
            await agent.graph.ainvoke(
                given,
                {**config, "callbacks": [capture.guard]},
                interrupt_before=["tools"],
                context=agent.settings.identity,
            )
    except Exception:  # a middleware may make another one of ours
        if capture.found is None:
            raise
    finally:
        active.reset(token)
    return start


def _why_not(start: Any) -> str:
    if "tools" in start.next:
        names = ", ".join(dict.fromkeys(call["name"] for call in _open_calls(start.values)))
        return (
            f"The next step of this thread runs tools ({names}), and what they return is not known before. "
            "Give a message to see the request that would be sent with it."
        )
    if start.interrupts:
        return "This thread waits for a decision; what is sent next depends on it."
    return "This thread ends without another request."


def _open_calls(values: Mapping[str, Any]) -> list[Any]:
    last = next((one for one in reversed(values.get("messages") or []) if isinstance(one, AIMessage)), None)
    return list(last.tool_calls) if last is not None else []


def _summaries(reader: Reader, thread_id: str, request_id: int) -> tuple[list[BaseMessage], str | None]:
    """Answers of the summarizing calls made on the way to a request, and the session that named their file."""
    rows = [row for row in reader.requests(thread_id) if row.parent == request_id and row.purpose == "summary"]
    answers: list[BaseMessage] = []
    for row in rows:
        response = reader.request(row.id).response
        if response is not None:
            answers += messages_from_dict([reader.message(response)])
    first = next((row for row in reader.request(request_id).messages if row.kind == "summary"), None)
    path = history_path(reader.text(first.part)) if first is not None else None
    name = path.rpartition("/")[2] if path else ""
    return answers, name.removesuffix(".md") if name.startswith("session_") else None


def _offloaded(reader: Reader, request_id: int) -> dict[str, str]:
    """Message id → file, of user messages that a recorded request carried as a preview."""
    found = {}
    for row in reader.request(request_id).messages:
        if row.kind == "human":
            data = reader.message(row.part)["data"]
            path = data["additional_kwargs"].get("lc_evicted_to")
            if path:
                found[data["id"]] = path
    return found


def _named(piece: Piece, offloaded: Mapping[str, str]) -> Piece:
    """A message that was put into a file on the way, with the name that the file got when it was recorded."""
    data = piece.value["data"]
    drawn, recorded = data["additional_kwargs"].get("lc_evicted_to"), offloaded.get(data.get("id"))
    if not drawn or not recorded:
        return piece
    value = from_json(to_json(piece.value).replace(drawn.encode(), recorded.encode()))
    return replace(piece, value=value, text=piece.text.replace(drawn, recorded))


def _told(found: Captured, checkpoint_id: str | None) -> DryRequest:
    system = found.messages[0] if found.messages and isinstance(found.messages[0], SystemMessage) else None
    contributors = list(found.origin.get("system") or ())
    by_tool = found.origin.get("tools") or {}
    blocks = []
    for at, block in enumerate(blocks_of(system)):
        who = contributors[at] if at < len(contributors) else CALLER
        blocks.append(_piece(encode_block(block), block_kind(who), who, text_of([block])))
    messages = [
        _piece(encoded := encode_message(message), encoded.kind, "", text_of(message.content))
        for message in found.messages[1 if system is not None else 0 :]
    ]
    tools = []
    for schema in found.kwargs.get("tools") or ():
        encoded = encode_tool(schema)
        tools.append(_piece(encoded, "tools", by_tool.get(tool_name(schema), CALLER), encoded.body.decode()))
    kwargs = {name: value for name, value in found.kwargs.items() if name != "tools"}
    return DryRequest(
        purpose="summary" if found.summarizing else "agent",
        tools=tuple(tools),
        system=tuple(blocks),
        messages=tuple(messages),
        system_message=from_json(encode_message(system).body) if system is not None else None,
        kwargs=from_json(encode("kwargs", kwargs).body),
        stop=found.stop,
        checkpoint_id=checkpoint_id,
    )


def _piece(encoded: Encoded, kind: str, contributor: str, text: str) -> Piece:
    return Piece(kind, contributor, from_json(encoded.body), text, encoded.chars, encoded.tokens)
