"""The backend of an agent, made of the engine's own backends by its settings.

Namespaces come from the run's identity, which is its runtime context (``context_schema=Identity``): no tool
takes it, and the model is never told of it.
"""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

from deepagents.backends import CompositeBackend, FilesystemBackend, StateBackend, StoreBackend
from deepagents.backends.protocol import BackendProtocol, DeleteResult
from langgraph.store.base import BaseStore, Item

from engine.errors import UsageError
from engine.places import BackendSettings, Identity, Place, check, folder_of, namespace_of


class OwnStoreBackend(StoreBackend):
    """The engine's store backend, for one namespace alone.

    Its listing and searching ask the store for a namespace, and the store answers with everything below it
    too: files of ``memories / acme`` would be listed, and their lines found, under ``memories``.
    """

    def _search_store_paginated(self, store: BaseStore, namespace: tuple[str, ...], **options: Any) -> list[Item]:
        return _of(namespace, super()._search_store_paginated(store, namespace, **options))

    async def _asearch_store_paginated(
        self, store: BaseStore, namespace: tuple[str, ...], **options: Any
    ) -> list[Item]:
        return _of(namespace, await super()._asearch_store_paginated(store, namespace, **options))


class OwnFolder(FilesystemBackend):
    """The engine's backend for a folder on the disk, out of which no name and no link leads.

    Two answers differ. A path that leads out is an error that the model is told of, like any other that the disk
    gives: the engine raises there, and a run in which the model follows a link would end. And the folder itself
    is not deleted, with everything that the user has in it.
    """

    def __init__(self, folder: str) -> None:
        super().__init__(root_dir=folder, virtual_mode=True)

    def _resolve_path(self, key: str) -> Path:
        try:
            return super()._resolve_path(key)
        except ValueError:
            raise PermissionError(f"{key} leads out of the folder") from None

    def delete(self, file_path: str) -> DeleteResult:
        """As the engine deletes, but never the whole folder."""
        if not file_path.strip("/."):
            return DeleteResult(error=f"Error deleting '{file_path}': it is the whole folder")
        return super().delete(file_path)


def make_backend(
    settings: BackendSettings,
    store: BaseStore,
    identity: Identity | None = None,
    folder: Callable[[str], BackendProtocol] = OwnFolder,
) -> BackendProtocol:
    """The backend that ``settings`` describe, over this store, whatever the store's own truth value is.

    Inside a run the runtime context says for whom it is; ``identity`` counts where there is no run, such as for
    putting files there. Build the agent with ``context_schema=Identity`` and run it with ``context=identity``.
    ``folder`` makes the backend of a folder; a dry run has one that leaves the disk alone.

    Raises:
        UsageError: the settings don't hold together, a folder is missing or is none, or a namespace needs an
            identity that is missing or bad.
    """
    check(settings)
    for place in [settings.default, *settings.routes.values()]:
        if place.kind == "store":
            namespace_of(place, identity)
    default = _made(settings.default, store, identity, folder)
    if not settings.routes and settings.artifacts_root == "/":
        return default
    routes = {prefix: _made(place, store, identity, folder) for prefix, place in settings.routes.items()}
    return CompositeBackend(default=default, routes=routes, artifacts_root=settings.artifacts_root)


def _made(
    place: Place, store: BaseStore, identity: Identity | None, folder: Callable[[str], BackendProtocol]
) -> BackendProtocol:
    if place.kind == "store":
        return OwnStoreBackend(store=store, namespace=_namespace(place, identity))
    if place.kind == "filesystem":
        return folder(_existing(place))
    return StateBackend()


def _namespace(place: Place, built_for: Identity | None) -> Callable[[Any], tuple[str, ...]]:
    def namespace(runtime: Any) -> tuple[str, ...]:
        context = getattr(runtime, "context", None)
        return namespace_of(place, context if isinstance(context, Identity) else built_for)

    return namespace


def _existing(place: Place) -> str:
    try:
        folder = folder_of(place)
        is_folder = stat.S_ISDIR(folder.stat().st_mode)
    except FileNotFoundError:
        raise UsageError(f"The folder {place.root} doesn't exist. Make it, or choose another one.") from None
    except (OSError, RuntimeError, ValueError) as error:
        raise UsageError(f"The folder {place.root} can't be used: {error}") from error
    if not is_folder:
        raise UsageError(f"{place.root} is no folder. Choose the folder in which the agent's files lie.")
    return str(folder)


def _of(namespace: tuple[str, ...], items: list[Item]) -> list[Item]:
    return [item for item in items if tuple(item.namespace) == tuple(namespace)]
