"""Runs of the real engine drawn at random: small limits, so that everything that puts context away happens.

A plan says what is said and done; ``play`` runs it, recorded, and gives the workspace's file.
"""

from __future__ import annotations

import asyncio
import uuid
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deepagents import create_deep_agent
from deepagents.middleware.filesystem import FilesystemMiddleware
from deepagents.middleware.summarization import SummarizationMiddleware
from hypothesis import strategies as st
from langchain_core.exceptions import ContextOverflowError
from langchain_core.messages import HumanMessage
from langchain_core.tools import StructuredTool, ToolException

from engine import Recorder, Workspace
from engine.agent.build import backend_over
from engine.agent.demo import seed
from engine.agent.scripted import Call, Exchange, ScriptedChat, Turn
from engine.checkpoints import WorkspaceSaver, WorkspaceStore

MEMORY = "/memories/AGENTS.md"
THREAD = "random"
FAILING = "Work until it fails."
FILES = {MEMORY: "# Known\n\n- version 0\n"}


@dataclass(frozen=True)
class Limits:
    """Settings of the agent: tokens for offloading, messages or tokens for the rest."""

    results: int | None = None
    messages: int | None = None
    trigger: tuple[str, float] | None = None
    keep: tuple[str, float] = ("messages", 3)
    cut: dict[str, Any] | None = None
    window: int | None = None


@dataclass(frozen=True)
class Say:
    """One turn of the user: a text of this length, answered by these calls, each step in parallel."""

    chars: int
    steps: tuple[tuple[tuple[str, int], ...], ...]
    overflow: int | None = None
    """Which of the turn's requests the provider refuses as too long."""


@dataclass(frozen=True)
class Fork:
    """Go on from an earlier checkpoint: with other messages, or by running its next step again."""

    back: int
    edit: bool


@dataclass(frozen=True)
class Plan:
    """A whole thread."""

    limits: Limits
    acts: tuple[Say | Fork, ...]
    asynchronous: bool = False
    one_recorder: bool = True


def export(chars: int) -> str:
    """Export some rows.

    Args:
        chars: How many characters.
    """
    return "\n".join(f"row {n:>4} | value {n * 7919 % 1000:>4} | {'x' * (n % 40)}" for n in range(chars // 20 + 1))[
        :chars
    ]


def _broken(chars: int) -> str:
    """Fail."""
    raise ToolException("no such export " + "!" * chars)


broken = StructuredTool.from_function(_broken, name="broken", handle_tool_error=True)


_sizes = st.sampled_from([1, 30, 300, 900, 3_000])
_calls = st.tuples(
    st.sampled_from(["export", "export", "write", "edit", "read", "memory", "broken", "task", "failing"]), _sizes
)
_steps = st.lists(st.lists(_calls, min_size=1, max_size=3).map(tuple), max_size=3).map(tuple)
_says = st.builds(
    Say, chars=st.sampled_from([5, 80, 700]), steps=_steps, overflow=st.sampled_from([None, None, None, 0, 1, 2])
)
_forks = st.builds(Fork, back=st.integers(1, 9), edit=st.booleans())
_counts = st.tuples(st.just("messages"), st.integers(3, 9))
_keeps = st.tuples(st.just("messages"), st.integers(1, 4)) | st.tuples(
    st.just("tokens"), st.sampled_from([20, 100, 400])
)
_limits = st.builds(
    Limits,
    results=st.sampled_from([None, 50, 150]),
    messages=st.sampled_from([None, 40]),
    trigger=st.none() | _counts | st.tuples(st.just("tokens"), st.sampled_from([3_000, 3_600])),
    keep=_keeps,
    cut=st.none()
    | st.fixed_dictionaries(
        {"trigger": _counts, "keep": _keeps, "max_length": st.sampled_from([40, 200]), "truncation_text": st.just("…")}
    ),
    window=st.sampled_from([None, None, 4_500]),
)
plans = st.builds(
    Plan,
    limits=_limits,
    acts=st.lists(_says | _says | _forks, min_size=1, max_size=6).map(tuple),
    asynchronous=st.booleans(),
    one_recorder=st.booleans(),
)


@dataclass
class _World:
    """A plan being played."""

    workspace: Workspace
    plan: Plan
    model: ScriptedChat
    config: dict[str, Any] = field(default_factory=lambda: {"configurable": {"thread_id": THREAD}})
    recorder: Recorder | None = None

    @contextmanager
    def agent(self) -> Iterator[tuple[Any, Recorder]]:
        recorder = self.recorder or Recorder(self.workspace)
        saver, store = WorkspaceSaver(self.workspace), WorkspaceStore(self.workspace)
        with closing(saver.conn), closing(store.conn):
            try:
                with recorder.observing():
                    yield self._built(saver, store), recorder
            finally:
                if self.recorder is None:
                    recorder.close()

    def _built(self, saver: Any, store: Any) -> Any:
        limits, backend = self.plan.limits, backend_over(store)

        def middleware() -> list[Any]:
            return [
                FilesystemMiddleware(
                    backend=backend,
                    tool_token_limit_before_evict=limits.results,
                    human_message_token_limit_before_evict=limits.messages,
                ),
                SummarizationMiddleware(
                    model=self.model,
                    backend=backend,
                    trigger=limits.trigger,
                    keep=limits.keep,
                    trim_tokens_to_summarize=None,
                    truncate_args_settings=limits.cut,
                ),
            ]

        def exports(chars: int) -> Turn:
            return Turn(calls=(Call("export", {"chars": chars}),))

        worker = ScriptedChat(
            model="worker",
            call_prefix=f"w{uuid.uuid4().hex[:6]}_",
            script=[Exchange(FAILING, [exports(700), ValueError("no more")]), exports(700), exports(90), Turn("ok")],
            profile=self.model.profile,
        )
        spec = {"name": "worker", "description": "works", "system_prompt": "You work.", "model": worker}
        return create_deep_agent(
            model=self.model,
            backend=backend,
            store=store,
            checkpointer=saver,
            memory=[MEMORY],
            tools=[export, broken],
            subagents=[{**spec, "tools": [export], "middleware": middleware()}],
            middleware=middleware(),
        )

    def run(self, given: Any, config: dict[str, Any]) -> None:
        """One invocation; failures of the model are part of the plan."""
        with self.agent() as (agent, recorder):
            token, config = uuid.uuid4().hex, {**config, "callbacks": [recorder.handler]}
            recorder.begin_run(token, THREAD, "", None, {})
            status = "done"
            try:
                if self.plan.asynchronous:
                    asyncio.run(agent.ainvoke(given, config))
                else:
                    agent.invoke(given, config)
            except (ContextOverflowError, ValueError):
                status = "failed"
            recorder.end_run(token, THREAD, status)
            recorder.flush()
            assert recorder.losses.count == 0, recorder.losses.reason

    def fork(self, act: Fork) -> None:
        with self.agent() as (agent, _):
            states = [s for s in agent.get_state_history(self.config) if s.values.get("messages")]
            if not states:
                return
            state = states[min(act.back, len(states) - 1)]
            if not act.edit:
                given, config = None, state.config
            else:
                last = state.values["messages"][-1]
                changed = last.model_copy(update={"content": f"{last.text} (edited)"})
                given, config = None, agent.update_state(state.config, {"messages": [changed]})
                if not agent.get_state(config).next:
                    return
        self.run(given, config)


def play(folder: Path, plan: Plan) -> Path:
    """Run a plan in a new workspace."""
    workspace = Workspace.create(folder / f"{uuid.uuid4().hex}.ctx")
    seed(workspace, FILES)
    says = [act for act in plan.acts if isinstance(act, Say)]
    texts = [f"Message {n}. " + "word " * (say.chars // 5) for n, say in enumerate(says)]
    script = [Exchange(text, _turns(n, say)) for n, (text, say) in enumerate(zip(texts, says, strict=True))]
    profile = {"max_input_tokens": plan.limits.window} if plan.limits.window else None
    world = _World(workspace, plan, ScriptedChat(model="main", script=script, profile=profile))
    world.recorder = Recorder(workspace) if plan.one_recorder else None
    waiting = iter(texts)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for act in plan.acts:
            if isinstance(act, Say):
                world.run({"messages": [HumanMessage(next(waiting))]}, world.config)
            else:
                world.fork(act)
    if world.recorder is not None:
        world.recorder.close()
    return workspace.path


def _turns(number: int, say: Say) -> list[Any]:
    turns: list[Any] = []
    for step, calls in enumerate(say.steps):
        turns.append(
            Turn("Working.", tuple(_call(f"{number}.{step}.{n}", what, size) for n, (what, size) in enumerate(calls)))
        )
    turns.append(Turn(f"Answer {number}."))
    if say.overflow is not None:
        turns.insert(say.overflow, ContextOverflowError("the prompt is too long"))
    return turns


def _call(key: str, what: str, size: int) -> Call:
    if what == "write":
        return Call("write_file", {"file_path": f"/notes/{key}.md", "content": f"note {key} " + "n" * size})
    if what == "edit":
        args = {"file_path": MEMORY, "old_string": "- version", "new_string": f"- {'v' * size}\n- version"}
        return Call("edit_file", args)
    if what == "read":
        return Call("read_file", {"file_path": "/notes/0.0.0.md"})
    if what == "memory":
        return Call("read_file", {"file_path": MEMORY})
    if what in {"task", "failing"}:
        described = f"Work on {key}." if what == "task" else FAILING
        return Call("task", {"description": described, "subagent_type": "worker"})
    return Call(what, {"chars": size})
