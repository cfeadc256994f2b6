"""A folder on the disk that a dry run may write into: what it writes stays in memory, over what the folder holds."""

from __future__ import annotations

from deepagents.backends import StoreBackend
from deepagents.backends.protocol import (
    FILE_NOT_FOUND,
    BackendProtocol,
    DeleteResult,
    EditResult,
    FileDownloadResponse,
    FileInfo,
    FileUploadResponse,
    LsResult,
    ReadResult,
    WriteResult,
)
from langgraph.store.memory import InMemoryStore

from engine.agent.backends import OwnFolder


class Overlay(BackendProtocol):
    """The engine's filesystem backend, of which nothing but reading is used, under its store backend in memory.

    It has what middlewares use. No tool runs in a dry run, so searching is left out.
    """

    def __init__(self, folder: str) -> None:
        self._below = OwnFolder(folder)
        self._above = StoreBackend(store=InMemoryStore(), namespace=lambda _: ("written",))
        self._gone: set[str] = set()

    def ls(self, path: str) -> LsResult:
        """Both listings; a file that was written counts instead of the one below."""
        above, below = self._above.ls(path).entries or [], self._below.ls(path)
        if below.error and not above:
            return below
        found: dict[str, FileInfo] = {entry["path"]: entry for entry in below.entries or []}
        found = {name: entry for name, entry in found.items() if name not in self._gone}
        found |= {entry["path"]: entry for entry in above}
        return LsResult(entries=[found[name] for name in sorted(found)])

    def read(self, file_path: str, offset: int = 0, limit: int = 2000) -> ReadResult:
        """As it stands in the dry run."""
        if file_path in self._gone:
            return ReadResult(error=f"File '{file_path}' not found")
        above = self._above.read(file_path, offset, limit)
        return self._below.read(file_path, offset, limit) if above.error else above

    def download_files(self, paths: list[str]) -> list[FileDownloadResponse]:
        """As they stand in the dry run."""
        return [self._download(path) for path in paths]

    def upload_files(self, files: list[tuple[str, bytes]]) -> list[FileUploadResponse]:
        """Keep them in memory."""
        self._gone -= {path for path, _ in files}
        return self._above.upload_files(files)

    def write(self, file_path: str, content: str) -> WriteResult:
        """Keep it in memory."""
        self.upload_files([(file_path, content.encode("utf-8", "surrogatepass"))])
        return WriteResult(path=file_path)

    def edit(self, file_path: str, old_string: str, new_string: str, replace_all: bool = False) -> EditResult:
        """Edit a copy in memory."""
        found = self._download(file_path)
        if found.content is None:
            return EditResult(error=f"Error: File '{file_path}' not found")
        self.upload_files([(file_path, found.content)])
        return self._above.edit(file_path, old_string, new_string, replace_all)

    def delete(self, file_path: str) -> DeleteResult:
        """It is gone in the dry run alone."""
        self._above.delete(file_path)
        self._gone.add(file_path)
        return DeleteResult(path=file_path)

    def _download(self, path: str) -> FileDownloadResponse:
        if path in self._gone:
            return FileDownloadResponse(path=path, content=None, error=FILE_NOT_FOUND)
        above = self._above.download_files([path])[0]
        return self._below.download_files([path])[0] if above.error else above
