"""Which code the user lets run as tools of an agent.

An agent's settings name tools by file or module, and a workspace may come from somebody else. So what may run
is kept outside of it, in the user's own configuration, by path and by the digest of the bytes: a file that was
changed asks again, whoever changed it, and a copy elsewhere asks too. What a trusted file imports is trusted
with it. Nothing here runs or imports anything that is named.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
import tempfile
import time
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

from platformdirs import user_config_path

from engine.blueprint import ToolSource
from engine.errors import InspectorError, UsageError

_MODULE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")
_ATTRIBUTE = re.compile(r"[^\W\d]\w*")


def tool_source(text: str) -> ToolSource:
    """What code a tool's name stands for: ``tools.py``, ``tools.py:name`` or ``module:attribute``. Runs nothing.

    Raises:
        UsageError: the text names no tool, or there is no such file or module.
    """
    place, attribute = _parts(text)
    if place.endswith(".py"):
        files, module = [_file(place, text)], None
    else:
        files, module = _module_files(place, text), place
    digest = _digest(files)
    held = _read().get(str(files[-1]))
    return ToolSource(
        text=text,
        file=str(files[-1]),
        files=tuple(map(str, files)),
        attribute=attribute,
        module=module,
        digest=digest,
        trusted=held == digest,
        changed=held is not None and held != digest,
    )


def trust_tool(text: str, digest: str | None = None) -> ToolSource:
    """Let the code that a tool's name stands for run, as it is now, from now on.

    ``digest`` is that of what the user was shown.

    Raises:
        UsageError: there is no such code, or it changed since it was shown. Nothing is trusted then.
        InspectorError: the user's configuration can't be written.
    """
    source = tool_source(text)
    if digest is not None and source.digest != digest:
        raise UsageError(f"{source.file} was changed after it was shown. Look at it again.")
    _write({**_read(), source.file: source.digest})
    return tool_source(text)


def distrust_tool(text: str) -> None:
    """Let the code that a tool's name stands for run no more; nothing happens when it may not anyway."""
    source = tool_source(text)
    held = _read()
    if held.pop(source.file, None) is not None:
        _write(held)


def trust_file() -> Path:
    """Where it is kept: JSON, path → digest, readable by the user alone."""
    return user_config_path("context-inspector") / "trusted-tools.json"


def _parts(text: str) -> tuple[str, str | None]:
    if text.endswith(".py"):
        return text, None
    place, _, attribute = text.rpartition(":")
    if (place.endswith(".py") or _MODULE.fullmatch(place)) and _ATTRIBUTE.fullmatch(attribute):
        return place, attribute
    raise UsageError(
        f"{text!r} names no tool. Give a Python file (tools.py, or tools.py:name for one of its tools), or "
        "module:attribute."
    )


def _file(place: str, text: str) -> Path:
    try:
        file = Path(place).expanduser().resolve()
        found = file.is_file()
    except (OSError, RuntimeError, ValueError):
        found = False
    if not found:
        raise UsageError(f"There is no file {place} for the tool {text!r}.")
    return file


def _module_files(module: str, text: str) -> list[Path]:
    """The files of a module and of the packages around it, found without importing any of them."""
    files: list[Path] = []
    path: Any = None
    spec: ModuleSpec | None = None
    name = ""
    for part in module.split("."):
        name = f"{name}.{part}" if name else part
        spec = _spec(name, path)
        if spec is None:
            raise UsageError(f"There is no module {name} for the tool {text!r}. Install it where the program is.")
        if spec.has_location and spec.origin:
            files.append(Path(spec.origin).resolve())
        path = spec.submodule_search_locations
    if spec is None or not spec.has_location or not spec.origin:
        raise UsageError(f"The module {module} of the tool {text!r} has no file of its own, so it can't hold tools.")
    return files


def _spec(name: str, path: Any) -> ModuleSpec | None:
    if "." in name and path is None:
        return None  # its parent is no package
    for finder in sys.meta_path:
        find = getattr(finder, "find_spec", None)
        found = find(name, path) if find is not None else None
        if found is not None:
            return found
    return None


def _digest(files: list[Path]) -> str:
    digest = hashlib.sha256()
    for file in files:
        try:
            body = file.read_bytes()
        except OSError as error:
            raise UsageError(f"{file} can't be read: {error.strerror}.") from error
        digest.update(len(body).to_bytes(8, "big") + body)
    return digest.hexdigest()


def _read() -> dict[str, str]:
    """Path → digest; nothing where the file is missing or is none of ours, so everything asks."""
    try:
        held = json.loads(trust_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    trusted = held.get("trusted") if isinstance(held, dict) else None
    if not isinstance(trusted, dict):
        return {}
    return {path: digest for path, digest in trusted.items() if isinstance(path, str) and isinstance(digest, str)}


def _write(trusted: dict[str, str]) -> None:
    file = trust_file()
    body = json.dumps({"trusted": trusted, "written_at": time.time()}, indent=2)
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        made, name = tempfile.mkstemp(dir=file.parent, prefix=".trusted-tools-")
        with os.fdopen(made, "w", encoding="utf-8") as target:
            target.write(body)
        os.replace(name, file)
    except OSError as error:
        raise InspectorError(f"{file} can't be written: {error.strerror}. Nothing was trusted.") from error
