"""What is wrong with what an agent reaches: memory, skills, where files lie and for whom, and what is forbidden."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from engine import importing, namespaces, places
from engine.agent.settings import AgentSettings
from engine.blueprint import Problem
from engine.errors import UsageError
from engine.places import BackendSettings


def reach_problems(settings: AgentSettings) -> Iterator[Problem]:
    """Problems of memory, skills, places, identity and permissions."""
    yield from path_problems(settings.memory, "memory")
    yield from path_problems(settings.skills, "skills")
    yield from _places(settings)
    yield from _permissions(settings)


def path_problems(paths: Iterable[str], field: str) -> Iterator[Problem]:
    """Problems of paths as the agent sees them."""
    seen: set[str] = set()
    for at, path in enumerate(paths):
        where = f"{field}[{at}]"
        if not path.startswith("/"):
            yield Problem(where, f"A path of the agent begins with /; {path!r} does not.")
        elif {"..", "~"} & set(path.split("/")):
            yield Problem(where, f"A path of the agent has no .. and no ~ in it; {path!r} has.")
        elif path in seen:
            yield Problem(where, f"{path} is named twice.", "warning")
        seen.add(path)


def _places(settings: AgentSettings) -> Iterator[Problem]:
    backend = settings.backend
    alone: dict[str, BackendSettings] = {"backend.default": BackendSettings(backend.default, {})}
    for prefix, place in backend.routes.items():
        alone[f"backend.routes[{prefix}]"] = BackendSettings(routes={prefix: place})
    alone["backend.artifacts_root"] = BackendSettings(routes={}, artifacts_root=backend.artifacts_root)
    found = [*_wrong(alone), *_folders(settings)]
    yield from found or _wrong({"backend.routes": backend})
    identity = settings.identity
    if identity is not None:
        for name, id in (("tenant", identity.tenant), ("user", identity.user)):
            try:
                namespaces.label_of(name, id)
            except UsageError as error:
                yield Problem(f"identity.{name}", str(error))


def _wrong(parts: Mapping[str, BackendSettings]) -> Iterator[Problem]:
    for field, part in parts.items():
        try:
            places.check(part)
        except UsageError as error:
            yield Problem(field, str(error))


def _folders(settings: AgentSettings) -> Iterator[Problem]:
    named = {"backend.default": settings.backend.default}
    named |= {f"backend.routes[{prefix}]": place for prefix, place in settings.backend.routes.items()}
    for field, place in named.items():
        if place.kind == "store" and settings.identity is None:
            try:
                places.namespace_of(place, None)
            except UsageError as error:
                yield Problem(field, str(error))
        if place.kind != "filesystem" or not place.root:
            continue
        folder = Path(place.root).expanduser()
        if not folder.is_absolute():
            yield Problem(field, f"The folder {place.root} is not a whole path. Begin it with / or ~.")
        elif not folder.is_dir():
            yield Problem(field, f"The folder {place.root} doesn't exist. Make it, or choose another one.")


def _permissions(settings: AgentSettings) -> Iterator[Problem]:
    with importing.lock:  # deferred: it takes seconds to import
        from deepagents.middleware.filesystem import FilesystemPermission

    for at, rule in enumerate(settings.permissions):
        where = f"permissions[{at}]"
        if not rule.operations or set(rule.operations) - {"read", "write"}:
            yield Problem(f"{where}.operations", "A rule is for read, write, or both.")
        if rule.mode not in ("allow", "deny", "interrupt"):
            yield Problem(f"{where}.mode", f"A rule allows, denies or interrupts; {rule.mode!r} is none of them.")
        if not rule.paths:
            yield Problem(f"{where}.paths", "A rule without a path is for nothing.")
        for path in rule.paths:
            try:
                FilesystemPermission(["read"], [path])
            except (ValueError, NotImplementedError) as error:
                yield Problem(f"{where}.paths", f"{error}.")
