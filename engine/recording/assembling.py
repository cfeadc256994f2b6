"""Observing agents from the moment when they are put together.

An agent's middlewares come together in LangChain's ``create_agent``, which ``create_deep_agent`` calls too;
there each middleware that wraps calls is exchanged for a twin (:mod:`engine.recording.twins`). A middleware of
our own between each pair would see the same, but LangChain takes two threads and a task to call one, which
tripled the cost of recording. Unless :func:`observing` or :func:`observe_everywhere` says so, nothing is
different.
"""

from __future__ import annotations

import functools
import gc
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from engine.frames import Unseen
from engine.kinds import CALLER
from engine.recording.observers import Assembly, tool_name
from engine.recording.rules import rules_of
from engine.recording.twins import MODEL, TOOL, Place, own_methods, twin_of

log = logging.getLogger(__name__)

_observing: ContextVar[bool] = ContextVar("context_inspector_observing", default=False)
_everywhere = _from_the_start = False


@contextmanager
def observing() -> Iterator[None]:
    """Agents that are put together in here, or in a run started in here, are observed."""
    install()
    token = _observing.set(True)
    try:
        yield
    finally:
        _observing.reset(token)


def observe_everywhere(from_the_start: bool = False) -> None:
    """From now on, every agent that is put together in this process is observed.

    ``from_the_start``: none has been put together before.
    """
    global _everywhere, _from_the_start
    install()
    _everywhere, _from_the_start = True, _from_the_start or from_the_start


def put_together_before() -> bool:
    """Whether the program has an agent already; it was not observed."""
    graphs = sys.modules.get("langgraph.graph.state")
    kind = getattr(graphs, "CompiledStateGraph", None)
    return kind is not None and any(type(item) is kind and "model" in item.nodes for item in gc.get_objects())


def complete() -> bool:
    """Whether no agent can have been put together unobserved."""
    return _everywhere and _from_the_start


@functools.cache
def install() -> None:
    """Exchange ``create_agent`` wherever it stands by now; who imports it later gets it from LangChain."""
    from langchain.agents import factory

    original, exchanged = factory.create_agent, _observed(factory.create_agent)
    for module in list(sys.modules.values()):
        names = getattr(module, "__dict__", {})
        if names.get("create_agent") is original:
            module.create_agent = exchanged  # type: ignore[attr-defined]


def _observed(create_agent: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(create_agent)
    def create(*args: Any, **kwargs: Any) -> Any:
        if _everywhere or _observing.get():
            kwargs = _with_twins(args, kwargs)
        with Unseen():
            return create_agent(*args, **kwargs)

    return create


def _with_twins(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    try:
        tools = args[1] if len(args) > 1 else kwargs.get("tools")
        return {**kwargs, "middleware": _twins(list(kwargs.get("middleware") or ()), tools or ())}
    except Exception as error:  # a middleware of unusual make: the agent is then put together unobserved
        log.debug("An agent is not observed: %s", error)
        return kwargs


def _twins(middleware: list[Any], tools: Any) -> list[Any]:
    origin = {tool_name(tool): CALLER for tool in tools}
    for item in middleware:
        origin |= {tool_name(tool): item.name for tool in getattr(item, "tools", ())}
    summarizer = next((item for item in middleware if item.name == "SummarizationMiddleware"), None)
    assembly = Assembly([item.name for item in middleware], origin, summarizer, rules_of(middleware))
    at_model = [index for index, item in enumerate(middleware) if own_methods(type(item), MODEL)]
    at_tools = [index for index, item in enumerate(middleware) if own_methods(type(item), TOOL)]
    result = list(middleware)
    for index in sorted({*at_model, *at_tools}):
        item = middleware[index]
        place = Place(
            item.name,
            index,
            assembly,
            outermost=at_model[:1] == [index],
            innermost=at_model[-1:] == [index],
            first_at_tools=at_tools[:1] == [index],
        )
        result[index] = twin_of(item, place)
    return result
