"""A folder's backend that notes the texts of memory and skill files as an agent changes them.

The store has triggers for this; a folder has nobody. Without a note at each change, an edit could not be told
from one that some other program made, and its earlier text would be lost.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from deepagents.backends.protocol import BackendProtocol, DeleteResult, EditResult, FileUploadResponse, WriteResult

from engine import fenced
from engine.agent.backends import OwnFolder
from engine.agent.settings import AgentSettings
from engine.memory.noting import note_found
from engine.places import Layout, Located
from engine.workspace import Workspace

_T = TypeVar("_T")


class NotedFolder(OwnFolder):
    """A folder's backend; what it does is noted before and after."""

    def __init__(self, folder: str, workspace: Workspace, watched: Callable[[Located], bool]) -> None:
        super().__init__(folder)
        self._workspace, self._watched = workspace, watched

    def write(self, file_path: str, content: str) -> WriteResult:
        """As the engine writes, noted."""
        return self._noted(file_path, lambda: OwnFolder.write(self, file_path, content))

    def edit(self, file_path: str, *args: Any, **kwargs: Any) -> EditResult:
        """As the engine edits, noted."""
        return self._noted(file_path, lambda: OwnFolder.edit(self, file_path, *args, **kwargs))

    def delete(self, file_path: str) -> DeleteResult:
        """As the engine deletes, noted; of a folder, what is missing then is noted when it is looked for."""
        return self._noted(file_path, lambda: OwnFolder.delete(self, file_path))

    def upload_files(self, files: list[tuple[str, bytes]]) -> list[FileUploadResponse]:
        """As the engine puts files, noted."""
        return [self._noted(path, partial(self._put, path, data)) for path, data in files]

    def _put(self, path: str, data: bytes) -> FileUploadResponse:
        return OwnFolder.upload_files(self, [(path, data)])[0]

    def _noted(self, key: str, change: Callable[[], _T]) -> _T:
        located = Located("filesystem", str(self.cwd), key)
        if not self._watched(located):
            return change()
        note_found(self._workspace.path, located, fenced.read(located.root, key))
        try:
            return change()
        finally:
            note_found(self._workspace.path, located, fenced.read(located.root, key))


def noting(workspace: Workspace, settings: AgentSettings) -> Callable[[str], BackendProtocol]:
    """Makes the folders' backends of an agent, noting its memory files and what lies below its skills."""
    layout = Layout(settings.backend, settings.identity)
    memory = {layout.locate(path) for path in settings.memory}
    skills = {layout.locate(source.rstrip("/") + "/") for source in settings.skills}

    def watched(located: Located) -> bool:
        return located in memory or any(
            one.within == located.within and located.kind == one.kind and located.key.startswith(one.key)
            for one in skills
        )

    return lambda folder: NotedFolder(folder, workspace, watched)
