"""Work on stored agents that runs in jobs: reading, judging, saving, tools and keys. No Qt, and no SQL of its own.

An edit is a plain JSON value, a ``State``: the agent's name, the JSON form of its settings, and the texts of
those fields that are typed as JSON, which may be no JSON yet.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import engine
from engine.errors import InspectorError, UsageError
from inspector.drafts import Drafts, Slot, draft

if TYPE_CHECKING:
    from engine.blueprint import EffectiveValue, Problem, StoredAgent, ToolSchema, ToolSource
    from engine.keys import KeyState

Form = dict[str, Any]
"""The JSON form of settings, or a part of it."""
State = dict[str, Any]
"""``name``, ``form`` and ``texts`` of an edit."""

JSON_FIELDS = ("model_parameters", "tags")
"""Fields that are typed as a JSON object."""
SOURCE_SHOWN = 200_000
"""Characters of a tool's file that are shown before it may run."""


@dataclass(frozen=True, slots=True)
class Opened:
    """An agent to edit, with what was typed and not saved before."""

    agent: StoredAgent
    base: State
    """As it is stored."""
    slot: Slot
    """Where the draft is kept."""
    draft: State | None = None
    draft_version: int = 0
    """The version that the draft was made from."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What is known of an edit without running it."""

    problems: tuple[Problem, ...] = ()
    effective: Mapping[str, EffectiveValue] = field(default_factory=dict)
    """By their names; none where the engine refuses a size."""
    key: KeyState | None = None
    """Of the model's provider; None for a model without a name."""
    sources: Mapping[str, ToolSource | str] = field(default_factory=dict)
    """By a tool's name: its code, or the sentence why there is none."""

    @property
    def errors(self) -> int:
        """How many problems keep the agent from running."""
        return sum(problem.level == "error" for problem in self.problems)

    @property
    def warnings(self) -> int:
        """How many problems don't."""
        return len(self.problems) - self.errors


def list_agents(path: Path) -> list[StoredAgent]:
    """The agents of a workspace by name."""
    return engine.list_agents(path)


def known_models() -> list[str]:
    """Models to offer, by the names that settings use."""
    return list(engine.known_models())


def state_of(agent: StoredAgent) -> State:
    """A stored agent as an edit that changes nothing."""
    form = engine.settings_form(agent.settings)
    texts = {name: _object_text(form.get(name)) for name in JSON_FIELDS}
    return {"name": agent.name, "form": form, "texts": texts}


def open_agent(path: Path, id: int, drafts: Drafts) -> Opened:
    """An agent and its draft, if there is one that nobody is writing.

    Raises:
        UsageError: it was deleted, or its settings can't be read.
    """
    agent = next((each for each in engine.list_agents(path) if each.id == id), None)
    if agent is None:
        raise UsageError("The agent was deleted meanwhile.")
    if agent.fault is not None:
        raise UsageError(f"{agent.fault} It can be deleted, and nothing else.")
    slot, found, _more = drafts.adopt(path, f"agent:{id}")
    opened = Opened(agent, state_of(agent), slot)
    kept = _state(found.text) if found is not None else None
    if found is None or kept is None or kept == opened.base:
        return opened
    version = int(found.base_version) if found.base_version.isdigit() else 0
    return Opened(agent, opened.base, slot, kept, version)


def settled(state: State) -> tuple[Form, list[Problem]]:
    """The form with its texts read, and why a text can't be."""
    from engine.blueprint import Problem

    form, problems = dict(state["form"]), []
    for name, text in state["texts"].items():
        try:
            form[name] = _object(text)
        except ValueError as error:
            problems.append(Problem(name, str(error)))
    return form, problems


def judge(state: State, listed: Mapping[str, Iterable[str]]) -> Judged:
    """Problems, effective values, key and code of an edit. ``listed``: tool source → names of its tools."""
    form, problems = settled(state)
    named = [tool for tool in form.get("tools", ()) if isinstance(tool, str)]
    known = {name for tool in named for name in listed.get(tool, ())} if all(t in listed for t in named) else None
    settings = engine.settings_from(form)
    inside = [tool for item in form.get("subagents", ()) for tool in item.get("tools") or ()]
    found = engine.check_settings(settings, known if named and not inside else None)
    try:
        values = {value.name: value for value in engine.effective(settings)}
    except (UsageError, ValueError, TypeError):  # a size that makes no sense is one of the problems
        values = {}
    model = form.get("model")
    key = engine.key_state(model) if isinstance(model, str) and model.strip() else None
    sources = {tool: _source(tool) for tool in dict.fromkeys([*named, *inside])}
    return Judged((*problems, *found), values, key, sources)


def save(path: Path, id: int, version: int, state: State) -> tuple[StoredAgent, State]:
    """Give an agent the settings of an edit.

    Raises:
        UsageError: a text can't be read, the name is empty or taken, or a value looks like a key.
        EditConflict: it is another one than ``version`` by now.
    """
    saved = engine.save_agent(path, state["name"], _storable(state), id, version)
    return saved, state_of(saved)


def save_copy(path: Path, state: State) -> StoredAgent:
    """Keep an edit as an agent of its own, under a name that is free; raises as :func:`save`."""
    name, taken = state["name"].strip() or "Agent", {agent.name for agent in engine.list_agents(path)}
    wanted = (name, *(f"{name} (mine{n})" for n in ("", *(f" {n}" for n in range(2, len(taken) + 3)))))
    return engine.save_agent(path, next(each for each in wanted if each not in taken), _storable(state))


def create(path: Path) -> StoredAgent:
    """A new agent that the user answers for, under a name that is free."""
    taken = {agent.name for agent in engine.list_agents(path)}
    name = next(each for n in range(1, len(taken) + 2) if (each := f"Agent {n}") not in taken)
    return engine.save_agent(path, name, engine.AgentSettings(model="hand"))


def keep_draft(slot: Slot, turn: int, path: Path, id: int, version: int, base: State, state: State) -> None:
    """Keep an edit that is not saved; raises ``InspectorError`` when the disk refuses."""
    held = draft(path, f"agent:{id}", str(version), json.dumps(base), json.dumps(state))
    try:
        slot.write(held, turn)
    except OSError as error:
        raise InspectorError(
            f"What is not saved can't be kept on the disk: {error.strerror}. It is lost if the program ends now."
        ) from error


def forget_draft(slot: Slot, turn: int) -> None:
    """The edit was saved, or given up."""
    try:
        slot.discard(turn)
    except OSError as error:
        raise InspectorError(f"The draft that was saved can't be removed: {error.strerror}.") from error


def source_text(source: ToolSource) -> str:
    """The code that loading a tool would run, as far as it is shown, with each file's path above it."""
    texts, left = [], SOURCE_SHOWN
    for file in source.files:
        try:
            text = Path(file).read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise UsageError(f"{file} can't be read: {error.strerror}.") from error
        cut = text[:left]
        left -= len(cut)
        more = "" if len(cut) == len(text) else f"\n# … {len(text) - len(cut):,} more characters are not shown."
        texts.append(f"# {file}\n\n{cut}{more}" if len(source.files) > 1 or more else cut)
    return "\n\n".join(texts)


def trust_and_list(text: str, digest: str) -> tuple[ToolSchema, ...]:
    """Let the code run that the user was shown, and list its tools."""
    engine.trust_tool(text, digest)
    return engine.list_tools(text)


def _storable(state: State) -> Any:
    form, problems = settled(state)
    if problems:
        raise UsageError(f"{problems[0].field}: {problems[0].sentence} Nothing was saved.")
    return engine.settings_from(form)


def _source(text: str) -> ToolSource | str:
    try:
        return engine.tool_source(text)
    except UsageError as error:
        return str(error)


def _state(text: str) -> State | None:
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) and {"name", "form", "texts"} <= found.keys() else None


def _object_text(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) if value else ""


def _object(text: str) -> Form:
    """A JSON object; empty for a text of blanks. Raises ``ValueError`` with a sentence."""
    if not text.strip():
        return {}
    try:
        found = json.loads(text, object_pairs_hook=_once, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        raise ValueError(f"Line {error.lineno}, column {error.colno} is no JSON: {error.msg}.") from None
    except RecursionError:
        raise ValueError("It is nested too deeply to be read.") from None
    if not isinstance(found, dict):
        raise ValueError('Names and values belong in braces, like {"temperature": 0}.')
    return found


def _once(pairs: list[tuple[str, Any]]) -> Form:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("A name stands there twice; only one of its values could count.")
    return found


def _refuse(word: str) -> Any:
    raise ValueError(f"{word} is no JSON number.")
