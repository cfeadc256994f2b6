"""Tools from the names that settings use. Loading runs their code, so only trusted code is loaded."""

from __future__ import annotations

import hashlib
import sys
import threading
import traceback
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from langchain_core.tools import BaseTool, tool

from engine import importing
from engine.agent.trust import tool_source
from engine.blueprint import ToolSource
from engine.errors import UsageError

_loading = threading.RLock()  # not the lock of our own imports: code that hangs must hold up nobody but its run
_imported: dict[str, str] = {}
"""Module → digest of what was imported under its name."""


def load_tools(tools: Sequence[Any]) -> list[Any]:
    """Functions, LangChain tools and tool dicts; names among ``tools`` are loaded, the rest is taken as it is.

    Raises:
        UsageError: a name stands for nothing, its code is not trusted or fails, what it gives is no tool, or
            two tools have one name or that of one of the engine's own.
    """
    found: list[Any] = []
    for item in tools:
        found += loaded(tool_source(item)) if isinstance(item, str) else [item]
    _check_names(found, tools)
    return found


def loaded(source: ToolSource) -> list[Any]:
    """The tools of trusted code.

    Raises: as :func:`load_tools`.
    """
    if not source.trusted:
        why = "was changed since you let it run" if source.changed else "was not allowed to run yet"
        raise UsageError(
            f"The tool {source.text!r} needs code that {why}: {source.file}. Look at it and allow it first."
        )
    module = _module(source)
    if source.attribute is None:
        found = _all_of(module, source)
    else:
        found = list(_named(module, source.attribute, source))
    if not found:
        raise UsageError(
            f"{source.file} has no tools. A tool is made with LangChain's @tool, or is a function with a docstring."
        )
    return found


def name_of(item: Any) -> str | None:
    """The name by which a model calls a tool; None for a provider's own tool, which has none."""
    if isinstance(item, Mapping):
        function = item.get("function")
        return item.get("name") or (function.get("name") if isinstance(function, Mapping) else None)
    return getattr(item, "name", None) or getattr(item, "__name__", None)


@cache
def built_in() -> frozenset[str]:
    """Names of the tools that the engine gives every agent, and of the one that compacts."""
    with importing.lock:
        from deepagents.middleware.filesystem import FilesystemMiddleware
        from deepagents.middleware.summarization import SummarizationToolMiddleware

    made: Any = SummarizationToolMiddleware(None)  # type: ignore[arg-type]  # only its tool's name is asked
    return frozenset(item.name for item in [*FilesystemMiddleware().tools, *made.tools]) | {"task"}


def _check_names(found: Sequence[Any], tools: Sequence[Any]) -> None:
    named = any(isinstance(item, str) for item in tools)
    seen: set[str] = set()
    for item in found:
        name = name_of(item)
        if name is None:
            continue
        if name in seen:
            raise UsageError(f"Two tools have the name {name!r}; the model could call only one. Rename one of them.")
        if named and name in built_in():
            raise UsageError(f"The tool {name!r} has the name of one of the engine's own and would hide it. Rename it.")
        seen.add(name)


def _module(source: ToolSource) -> ModuleType:
    with _loading:
        if source.module is not None:
            return _imported_module(source, source.module)
        return _run_file(source)


def _imported_module(source: ToolSource, name: str) -> ModuleType:
    if _imported.get(name, source.digest) != source.digest:
        raise UsageError(f"{source.file} was changed after it was loaded. Start the program again to use it as it is.")
    try:
        module = import_module(name)
    except BaseException as error:
        raise _failed(source, error) from error
    _imported[name] = source.digest
    return module


def _run_file(source: ToolSource) -> ModuleType:
    """Run the very bytes that are trusted, once for all agents of this process."""
    path = Path(source.file)
    try:
        body = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{source.file} can't be read: {error.strerror}.") from error
    if hashlib.sha256(len(body).to_bytes(8, "big") + body).hexdigest() != source.digest:
        raise UsageError(f"{source.file} was changed while it was loaded. Try again.")
    key = hashlib.sha256(f"{path}\n{source.digest}".encode()).hexdigest()[:16]
    name = f"{path.stem}_{key}" if path.stem.isidentifier() else f"tools_{key}"
    if name in sys.modules:
        return sys.modules[name]
    module = ModuleType(name)
    module.__file__ = source.file
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))  # what lies beside it can be imported, and hides nothing
    sys.modules[name] = module
    try:
        exec(compile(body, source.file, "exec", dont_inherit=True), module.__dict__)
    except BaseException as error:
        del sys.modules[name]
        raise _failed(source, error) from error
    return module


def _failed(source: ToolSource, error: BaseException) -> BaseException:
    """The sentence for whatever the code raised, ``SystemExit`` too; a stop by the user stays one."""
    if isinstance(error, KeyboardInterrupt):
        return error
    if isinstance(error, SyntaxError) and error.lineno is not None:
        return UsageError(
            f"{error.filename}, line {error.lineno}: {error.msg}. The tool {source.text!r} can't be loaded."
        )
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename in source.files]
    where = f"{frames[-1].filename}, line {frames[-1].lineno}" if frames else source.file
    words = " ".join(f"{type(error).__name__}: {error}".split())[:500]
    return UsageError(f"{where}: {words}. The tool {source.text!r} can't be loaded.")


def _all_of(module: ModuleType, source: ToolSource) -> list[Any]:
    """All tools of a file: what ``__all__`` names, else its LangChain tools, else its functions with a docstring."""
    names = getattr(module, "__all__", None)
    if names is not None:
        return [item for name in names for item in _named(module, str(name), source)]
    public = {name: held for name, held in vars(module).items() if not name.startswith("_")}
    tools = list({id(held): held for held in public.values() if isinstance(held, BaseTool)}.values())
    if tools:
        return tools
    own = [held for held in public.values() if isinstance(held, FunctionType) and held.__module__ == module.__name__]
    return [item for held in own if held.__doc__ for item in _tools(held, held.__name__, source)]


def _named(module: ModuleType, name: str, source: ToolSource) -> Iterator[Any]:
    if not hasattr(module, name):
        raise UsageError(f"{source.file} has no {name}, so the tool {source.text!r} is none.")
    return _tools(getattr(module, name), name, source)


def _tools(held: Any, name: str, source: ToolSource) -> Iterator[Any]:
    if isinstance(held, (list, tuple)):
        for item in held:
            yield from _tools(item, name, source)
    elif isinstance(held, BaseTool) or (isinstance(held, Mapping) and (name_of(held) or held.get("type"))):
        yield held
    elif not isinstance(held, type) and callable(getattr(held, "get_tools", None)):
        try:
            given = list(held.get_tools())
        except Exception as error:
            raise _failed(source, error) from error
        yield from _tools(given, name, source)
    elif isinstance(held, FunctionType):
        try:
            tool(held)
        except Exception as error:
            line = held.__code__.co_firstlineno
            raise UsageError(f"{source.file}, line {line}: {name} can't be a tool: {_first_line(error)}") from error
        yield held
    else:
        raise UsageError(
            f"{name} in {source.file} is a {type(held).__name__}, not a tool. A tool is a function, a LangChain "
            "tool, a list of them, or an object with get_tools."
        )


def _first_line(error: Exception) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
