"""What runs do with their agents: a new message, going on from the checkpoint, and going on with decisions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from engine import importing
from engine.running import Update

if TYPE_CHECKING:
    from engine.agent.build import Agent
    from engine.agent.run import Run, Work


def message(text: str) -> Work:
    """A turn with a new message of the user."""

    async def work(run: Run, agent: Agent, config: dict[str, Any]) -> None:
        await _stream(run, agent, {"messages": [{"role": "user", "content": text}]}, config)

    return work


async def go_on(run: Run, agent: Agent, config: dict[str, Any]) -> None:
    """The rest of a turn that failed or was stopped."""
    await _stream(run, agent, None, config)


def answered(values: dict[str, Any], begun: Callable[[], None]) -> Work:
    """The rest of a turn that stopped at questions, with what is answered by their ids; ``begun`` is told first."""

    async def work(run: Run, agent: Agent, config: dict[str, Any]) -> None:
        with importing.lock:  # deferred: LangGraph takes long to import
            from langgraph.types import Command

        begun()
        await _stream(run, agent, Command(resume=values), config)

    return work


async def _stream(run: Run, agent: Agent, given: Any, config: dict[str, Any]) -> None:
    with importing.lock:
        from engine.agent.hearing import answers_in, interrupted_in, words_in

    stream = agent.graph.astream(given, config, stream_mode=["messages", "updates"], context=agent.settings.identity)
    async for mode, event in stream:
        if mode == "messages":
            if words := words_in(event):
                run.tell(Update("token", words))
            continue
        run.interrupted |= interrupted_in(event)
        for text in answers_in(event):
            run.answer = text
