"""Where the files of an agent lie: places, routes and identity as plain values, and which place a path has.

A path that an agent uses is virtual. Its backend takes it to a place by its beginning, and there the
beginning is gone: ``/memories/AGENTS.md`` is ``/AGENTS.md`` in the namespace ``memories``. What is said here
of paths is what deepagents' ``CompositeBackend`` does (``tests/engine/test_places.py`` holds both together).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from engine.errors import UsageError
from engine.namespaces import Identity as Identity
from engine.namespaces import check_apart, check_parts, filled

Kind = Literal["state", "store", "filesystem"]

MEMORIES = "/memories/"
SKILLS = "/skills/"
ROUTES = {MEMORIES: "memories", SKILLS: "skills"}
"""Routes of an agent that sets none: prefix of a path → namespace in the store."""

RESULTS = "/large_tool_results/"
HISTORY = "/conversation_history/"


@dataclass(frozen=True)
class Place:
    """Where files lie: in the thread's state, in the workspace's store, or in a folder."""

    kind: Kind = "state"
    root: str | None = None
    """Of ``filesystem``: the folder. Nothing outside it can be reached."""
    namespace: Sequence[str] = ()
    """Of ``store``: its parts; ``{tenant}`` and ``{user}`` stand for the identity of the run."""


DEFAULT_ROUTES: Mapping[str, Place] = {
    prefix: Place("store", namespace=(namespace,)) for prefix, namespace in ROUTES.items()
}


@dataclass(frozen=True)
class BackendSettings:
    """Where the files of an agent lie, by the beginning of their path; the longest route that fits counts."""

    default: Place = Place()
    routes: Mapping[str, Place] = field(default_factory=lambda: dict(DEFAULT_ROUTES))
    """Prefix, ``/…/`` → place. The prefix is no part of a file's name there."""
    artifacts_root: str = "/"
    """Folder under which offloaded results and saved histories are put."""


@dataclass(frozen=True, slots=True)
class Located:
    """The place of one file and its name there."""

    kind: Kind
    within: str
    """The namespace as the store joins it (``memories`` or ``acme.ann.memories``), the folder, or nothing."""
    key: str
    """Path there, beginning with ``/``."""

    @property
    def root(self) -> Path:
        """Of a file in a folder: the folder."""
        return Path(self.within)

    @property
    def filed(self) -> str:
        """The place's name in the table of versions; a namespace can't begin so."""
        return f"file:{self.within}" if self.kind == "filesystem" else self.within

    @classmethod
    def named(cls, filed: str, key: str) -> Located:
        """The place of this name in the table of versions."""
        if filed.startswith("file:"):
            return cls("filesystem", filed.removeprefix("file:"), key)
        return cls("store", filed, key)


class Layout:
    """Which place each path of one agent has.

    Raises:
        UsageError: the settings don't hold together, or a namespace needs an identity that is missing or bad.
    """

    def __init__(self, settings: BackendSettings | None = None, identity: Identity | None = None) -> None:
        self.settings = settings or BackendSettings()
        self.identity = identity
        check(self.settings)
        self._routes = sorted(self.settings.routes.items(), key=lambda route: len(route[0]), reverse=True)

    @classmethod
    def recorded(cls, settings: Mapping[str, Any]) -> Layout:
        """The layout that a record's settings of a thread name; the default one where they name none."""
        backend, identity = settings.get("backend"), settings.get("identity")
        return cls(
            backend_from(backend) if isinstance(backend, Mapping) else None,
            Identity(str(identity.get("tenant") or ""), str(identity.get("user") or ""))
            if isinstance(identity, Mapping)
            else None,
        )

    def locate(self, path: str) -> Located:
        """The place of a path, and what it is called there."""
        for prefix, place in self._routes:
            if path == prefix[:-1] or path.startswith(prefix):
                return self._in(place, "/" + path[len(prefix) :])
        return self._in(self.settings.default, path)

    def path_of(self, located: Located) -> str | None:
        """The path under which the agent finds a file; None for one that it can't reach."""
        candidates = [("/", self.settings.default), *self._routes]
        for prefix, place in candidates:
            path = prefix[:-1] + located.key
            if self._in(place, located.key) == located and self.locate(path) == located:
                return path
        return None

    def places(self) -> list[Located]:
        """Each place of the agent once, as the root there."""
        every = [self.settings.default, *self.settings.routes.values()]
        return list(dict.fromkeys(self._in(place, "/") for place in every))

    @property
    def results(self) -> str:
        """Folder of offloaded results."""
        return self.settings.artifacts_root.rstrip("/") + RESULTS

    @property
    def history(self) -> str:
        """Folder of saved histories and offloaded messages."""
        return self.settings.artifacts_root.rstrip("/") + HISTORY

    def _in(self, place: Place, key: str) -> Located:
        if place.kind == "store":
            return Located("store", ".".join(namespace_of(place, self.identity)), key)
        return Located(place.kind, str(folder_of(place)) if place.kind == "filesystem" else "", key)


def check(settings: BackendSettings) -> None:
    """Raise ``UsageError`` with a sentence for settings that no backend can be made of."""
    for prefix, place in [("", settings.default), *settings.routes.items()]:
        where = f"The route {prefix}" if prefix else "The backend's default place"
        if prefix and (not prefix.startswith("/") or not prefix.endswith("/") or "//" in prefix or ".." in prefix):
            raise UsageError(
                f"A route begins and ends with / and names a folder, like /memories/; {prefix!r} does not."
            )
        if place.kind == "store":
            check_parts(where, place.namespace)
        elif place.kind == "filesystem":
            if not place.root:
                raise UsageError(f"{where} lies in a folder, and none is named. Choose the folder.")
        elif place.kind != "state":
            raise UsageError(f"{where} is {place.kind!r}; it can be state, store or filesystem.")
    if not settings.artifacts_root.startswith("/") or ".." in settings.artifacts_root:
        raise UsageError(f"The folder for artifacts begins with /; {settings.artifacts_root!r} does not.")
    every = [settings.default, *settings.routes.values()]
    check_apart([place.namespace for place in every if place.kind == "store"])


def namespace_of(place: Place, identity: Identity | None) -> tuple[str, ...]:
    """The namespace of a store place for this identity, each part safe to be joined by dots.

    Raises:
        UsageError: a part stands for an identity that is missing, empty, or has characters that a namespace can't.
    """
    return filled(place.namespace, identity)


def folder_of(place: Place) -> Path:
    """The folder of a filesystem place, with links followed."""
    return Path(place.root or "").expanduser().resolve()


def backend_from(values: Mapping[str, Any]) -> BackendSettings:
    """Settings from their JSON form, which ``dataclasses.asdict`` makes."""
    routes = values.get("routes")
    return BackendSettings(
        _place(values.get("default")),
        {str(prefix): _place(place) for prefix, place in routes.items()} if isinstance(routes, Mapping) else {},
        str(values.get("artifacts_root") or "/"),
    )


def without_folders(settings: Mapping[str, Any]) -> dict[str, Any]:
    """A record's settings from elsewhere, whose folders are none of this machine: files of such a place are unknown.

    A thread that somebody sent must not name what is read, or written over, on this disk.
    """
    backend = settings.get("backend")
    if not isinstance(backend, Mapping):
        return dict(settings)
    routes = backend.get("routes")
    state: dict[str, Any] = {"kind": "state", "root": None, "namespace": []}
    kept = {
        **backend,
        "default": state if _place(backend.get("default")).kind == "filesystem" else backend.get("default"),
        "routes": {
            prefix: state if _place(place).kind == "filesystem" else place
            for prefix, place in (routes.items() if isinstance(routes, Mapping) else ())
        },
    }
    return {**settings, "backend": kept}


def in_store(path: str) -> tuple[str, str] | None:
    """Namespace and key of a path in the store, for an agent that sets no routes; None for a file of the thread."""
    for prefix, namespace in ROUTES.items():
        if path.startswith(prefix):
            return namespace, path[len(prefix) - 1 :]
    return None


def path_in(namespace: str, key: str) -> str:
    """The path of a key in the store, as an agent without routes of its own sees it."""
    prefix = next((prefix for prefix, known in ROUTES.items() if known == namespace), f"/{namespace}/")
    return prefix.rstrip("/") + key


def _place(values: Any) -> Place:
    given = values if isinstance(values, Mapping) else {}
    return Place(given.get("kind") or "state", given.get("root"), tuple(given.get("namespace") or ()))
