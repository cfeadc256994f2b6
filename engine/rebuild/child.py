"""In the child process: load an agent, put it over a copy of a database, run it up to its model.

Run as ``python -m engine.rebuild.child ORDER``, with the order as JSON. The model's own method is stopped
before it begins, a callback guards against models that are not observed, and no socket connects.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import inspect
import json
import os
import socket
import sqlite3
import sys
import traceback
from pathlib import Path
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import message_to_dict

from engine.canonical import to_json
from engine.errors import InspectorError, UsageError
from engine.recording import model as model_door


class Stop(Exception):
    """Ends the run at its model."""


class Catch(BaseCallbackHandler):
    """Takes the first call of a chat model and ends the run there."""

    raise_error = run_inline = True

    def __init__(self) -> None:
        self.told = False
        self.run_id: Any = None
        self.traced: list[Any] = []
        self.found: dict[str, Any] | None = None
        self._metadata: dict[str, Any] = {}

    def on_chat_model_start(self, serialized: Any, messages: list[list[Any]], *, run_id: Any, **kwargs: Any) -> None:
        """The call begins; what its model's own method gets comes next."""
        self.run_id, self.traced, self._metadata = run_id, messages[0], kwargs.get("metadata") or {}
        model_door.expect(self)

    def receive(self, model: Any, messages: list[Any], stop: Any, given: dict[str, Any]) -> None:
        """Keep the request; the exception keeps the model's method from being entered."""
        self.told = True
        self.found = {
            "messages": [message_to_dict(message) for message in messages],
            "tools": list(given.pop("tools", None) or ()),
            "kwargs": given,
            "stop": stop,
            "summarizing": self._metadata.get("lc_source") == "summarization",
        }
        raise Stop


def main(order: dict[str, Any]) -> None:
    """Carry out one order and write its answer."""
    try:
        _no_connections()
        answer = asyncio.run(_request(_load(order["agent"]), order))
    except InspectorError as error:
        answer = {"error": str(error), "usage": isinstance(error, UsageError)}
    except BaseException as error:  # whatever the agent's code raises, SystemExit too, is told in a sentence
        words = f"{type(error).__name__}: {error}".strip().splitlines()[0]
        answer = {
            "error": f"The agent {order['agent']} failed before its request was made: {words}",
            "details": "".join(traceback.format_exception(error)),
        }
    Path(order["answer"]).write_bytes(to_json(answer))


def _no_connections() -> None:
    def refuse(*_: Any) -> None:
        raise OSError("a rebuilt request makes no connections")

    for name in ("connect", "connect_ex"):
        setattr(socket.socket, name, refuse)


def _load(agent: str) -> Any:
    name, _, attribute = agent.rpartition(":")
    config = Path(agent if agent.endswith(".json") else name)
    if config.suffix == ".json":
        agent = _from_config(config, None if agent.endswith(".json") else attribute)
        name, _, attribute = agent.rpartition(":")
    if not name or not attribute:
        raise UsageError(f"{agent!r} names no agent. Give module:attribute or the path of a langgraph.json.")
    sys.path.insert(0, os.getcwd())
    try:
        module = _module(name)
    except (ModuleNotFoundError, FileNotFoundError) as error:
        if isinstance(error, ModuleNotFoundError) and error.name not in {name, name.partition(".")[0]}:
            raise
        raise UsageError(f"There is no module {name} to load the agent from.") from None
    if not hasattr(module, attribute):
        raise UsageError(f"{name} has no {attribute}.")
    return getattr(module, attribute)


def _from_config(path: Path, name: str | None) -> str:
    """``file.py:attribute`` of a graph in a ``langgraph.json``; its folder and its environment become ours."""
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
        graphs = dict(config["graphs"])
    except FileNotFoundError:
        raise UsageError(f"There is no file {path}.") from None
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path} is not a langgraph.json with graphs: {error}.") from None
    if name is None and len(graphs) != 1:
        raise UsageError(f"{path} has the graphs {', '.join(graphs)}. Name one: {path}:NAME.")
    chosen = graphs.get(name) if name is not None else next(iter(graphs.values()))
    if isinstance(chosen, dict):
        chosen = chosen.get("path")
    if not isinstance(chosen, str) or ":" not in chosen:
        raise UsageError(f"{path} has no graph {name}; it has {', '.join(graphs)}.")
    folder = path.resolve().parent
    os.chdir(folder)
    variables = config.get("env")
    if isinstance(variables, dict):
        os.environ.update({key: str(value) for key, value in variables.items()})
    for dependency in config.get("dependencies") or ():
        if isinstance(dependency, str) and dependency.startswith("."):
            sys.path.insert(0, str(folder / dependency))
    return chosen


def _module(name: str) -> Any:
    if not name.endswith(".py"):
        return importlib.import_module(name)
    path = Path(name).resolve()
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None or not path.exists():
        raise FileNotFoundError(name)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


async def _graph(found: Any) -> Any:
    """A compiled graph from what an agent's module offers: one, a builder, or a function that makes one."""
    if not hasattr(found, "ainvoke") and not hasattr(found, "compile") and callable(found):
        needs = [each for each in inspect.signature(found).parameters.values() if each.default is each.empty]
        found = found({}) if needs else found()
        if inspect.isawaitable(found):
            found = await found
    if hasattr(found, "compile") and not hasattr(found, "ainvoke"):
        found = found.compile()
    while not hasattr(found, "checkpointer") and hasattr(found, "bound"):
        found = found.bound
    if not hasattr(found, "aget_state"):
        raise UsageError(f"What was named is a {type(found).__name__}, not a LangGraph agent.")
    return found


async def _request(found: Any, order: dict[str, Any]) -> dict[str, Any]:
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    graph = await _graph(found)
    at: dict[str, Any] = {"thread_id": order["thread"], "checkpoint_ns": ""}
    if order["checkpoint"]:
        at["checkpoint_id"] = order["checkpoint"]
    async with AsyncSqliteSaver.from_conn_string(order["database"]) as saver:
        graph = graph.copy(update={"checkpointer": saver})
        config: Any = {"configurable": at}
        try:
            if await saver.aget_tuple(config) is None:
                raise UsageError(f"The database has no such checkpoint of the thread {order['thread']!r}.")
            start = await graph.aget_state(config)
        except sqlite3.Error as error:
            raise UsageError(f"The database can't be read: {error}.") from error
        if not start.next:
            raise UsageError("At this checkpoint the agent has nothing left to do: it makes no request.")
        if "tools" in start.next:
            raise UsageError("The next step at this checkpoint runs tools; only a model's requests are made again.")
        catch = Catch()
        try:
            await graph.ainvoke(None, {**config, "callbacks": [catch]}, interrupt_before=["tools"])
        except Exception:  # a middleware may make another one of ours
            if catch.found is None:
                raise
        if catch.found is None:
            raise UsageError("From this checkpoint the agent ends without calling a model.")
        return {**catch.found, "checkpoint_id": start.config["configurable"].get("checkpoint_id")}


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
