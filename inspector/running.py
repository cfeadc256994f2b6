"""The window's door to running agents: what is begun and asked in jobs. No Qt here.

Importing the engine's agents takes seconds; it happens in the first of these calls.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from engine.errors import UsageError
from engine.running import Answers, PendingCall, Question
from inspector.invisible import SPECIAL, harmless


class Running:
    """Runs on one workspace. It is called, and closed, in jobs: both may take a while.

    ``model`` is ``provider:model`` for this run; None for the thread's own.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._runner: Any = None
        self._closed = False
        self._lock = Lock()
        self._agents: dict[str, int] = {}
        """Threads that begin with an agent of the workspace."""

    def begin_with(self, thread_id: str, agent: int) -> None:
        """Let a new thread begin with an agent of the workspace. Waits for nothing."""
        self._agents[thread_id] = agent

    def start(self, thread_id: str, message: str, model: str | None) -> Any:
        """Send a message to a thread; returns the run."""
        agent = self._agents.get(thread_id)
        if agent is not None:
            import engine

            engine.assign_agent(self._path, thread_id, agent)
            del self._agents[thread_id]
        return self._open().start(thread_id, message, model)

    def resume(self, thread_id: str, model: str | None) -> Any:
        """Go on with a run that failed or was stopped."""
        return self._open().resume(thread_id, model)

    def answer(self, thread_id: str, answers: Answers, model: str | None) -> Any:
        """Answer what a thread waits for, and run on."""
        return self._open().answer(thread_id, answers, model)

    def compact(self, thread_id: str, model: str | None) -> Any:
        """Summarize a thread's older messages now."""
        return self._open().compact(thread_id, model)

    def close(self) -> None:
        """Stop what still runs and finish its record."""
        with self._lock:
            runner, self._runner, self._closed = self._runner, None, True
        if runner is not None:
            runner.close()

    def _open(self) -> Any:
        with self._lock:
            if self._closed:
                raise UsageError("The workspace was closed before the run could begin. Nothing was changed.")
            if self._runner is None:
                import engine

                self._runner = engine.Runner(self._path)
            return self._runner


@dataclass(frozen=True, slots=True)
class Standing:
    """How a thread stands that no run of ours goes on in."""

    questions: tuple[Question, ...] = ()
    can_go_on: bool = False
    """Whether its last run failed or was stopped before it was done."""


def standing(path: Path, thread_id: str) -> Standing:
    """Look at a thread's latest checkpoint."""
    import engine

    questions = engine.pending_questions(path, thread_id)
    return Standing(questions, not questions and engine.can_go_on(path, thread_id))


def seen(reader: Any, thread_id: str) -> Standing:
    """What the record of a source that is only read says that a thread waits for."""
    events = reader.events(thread_id)
    decided = {event.data.get("id") for event in events if event.kind == "decision"}
    questions = []
    for event in events:
        data = event.data
        if event.kind != "interrupt" or data.get("answered") or (data.get("id") and data.get("id") in decided):
            continue
        for n, value in enumerate(data.get("values") or ()):
            asked = value.get("value", value) if isinstance(value, Mapping) else value
            questions.append(
                Question(
                    id=f"{event.id}.{n}",
                    thread_id=thread_id,
                    calls=_calls(asked),
                    value=_json(asked),
                    agent=data.get("agent"),
                    namespace="",
                    at=event.at,
                    request=event.request,
                )
            )
    return Standing(tuple(questions))


def _calls(asked: Any) -> tuple[PendingCall, ...]:
    actions = asked.get("action_requests") if isinstance(asked, Mapping) else None
    return tuple(
        PendingCall(str(each.get("name")), _json(each.get("args") or {}), str(each.get("description") or ""), None, ())
        for each in (actions if isinstance(actions, list) else ())
        if isinstance(each, Mapping)
    )


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2, default=str)


@dataclass(frozen=True, slots=True)
class OwnAgent:
    """The agent that a thread goes on with by itself."""

    name: str = ""
    model: str = ""


def own_agent(path: Path, thread_id: str) -> OwnAgent:
    """Name (empty for none) and model (empty where it has no name) of a thread's own agent."""
    import engine

    settings, agent = engine.settings_for(thread_id, None, path), engine.agent_of(path, thread_id)
    name = agent.name if agent is not None else settings.name or ""
    return OwnAgent(name, settings.model if isinstance(settings.model, str) else "")


def fault_in(tool: str, text: str, schema: Mapping[str, Any] | None) -> str:
    """Why a text can't be a tool's arguments; empty when it can."""
    from engine.arguments import arguments

    try:
        arguments(tool, text, schema)
    except UsageError as error:
        return str(error)
    return ""


def spelled_out(text: str) -> str:
    """JSON text with hidden characters as escapes: the same value, and what is edited can be seen."""

    def escaped(found: Any) -> str:
        if harmless(text, found.start(), ord(found[0])):
            return str(found[0])
        return json.dumps(found[0])[1:-1]

    return SPECIAL.sub(escaped, text)


def template(schema: Mapping[str, Any]) -> str:
    """Arguments to fill in: every required one with a value of its kind, as JSON text."""
    properties = schema.get("properties")
    known = properties if isinstance(properties, Mapping) else {}
    required = schema.get("required")
    names = [name for name in required if isinstance(name, str)] if isinstance(required, list) else []
    return json.dumps({name: _blank(known.get(name), schema, 0) for name in names}, ensure_ascii=False, indent=2)


def _blank(of: Any, whole: Mapping[str, Any], depth: int) -> Any:
    """A value to begin with."""
    if not isinstance(of, Mapping) or depth > 4:
        return ""
    for name in ("default", "const"):
        if name in of:
            return of[name]
    if isinstance(of.get("enum"), list) and of["enum"]:
        return of["enum"][0]
    for several in ("anyOf", "oneOf", "allOf"):
        if isinstance(of.get(several), list) and of[several]:
            return _blank(of[several][0], whole, depth + 1)
    if isinstance(of.get("$ref"), str):
        return _blank(_local(of["$ref"], whole), whole, depth + 1)
    kind = of.get("type")
    kind = kind[0] if isinstance(kind, list) and kind else kind
    if kind == "object":
        inner = properties if isinstance(properties := of.get("properties"), Mapping) else {}
        names = required if isinstance(required := of.get("required"), list) else []
        return {name: _blank(inner.get(name), whole, depth + 1) for name in names if isinstance(name, str)}
    if kind == "array":
        wanted = of.get("minItems")
        return [_blank(of.get("items"), whole, depth + 1)] if isinstance(wanted, int) and wanted > 0 else []
    blanks: dict[Any, Any] = {"integer": 0, "number": 0, "boolean": False, "null": None}
    return blanks.get(kind, "")


def _local(reference: str, whole: Mapping[str, Any]) -> Any:
    """What a reference inside the schema means."""
    at: Any = whole
    for step in reference.removeprefix("#/").split("/"):
        at = at.get(step) if isinstance(at, Mapping) else None
    return at
