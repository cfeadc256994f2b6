"""The files of a thread as a table: path, size, what it is, where it lies, what left it there."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from PySide6.QtCore import QObject

from engine.lifetimes import STORE
from engine.namespaces import id_of
from engine.trace.model import Artifact
from inspector import format
from inspector.models.items import Column, ItemsModel

KINDS: dict[str, tuple[str | None, str]] = {
    "offloaded result": ("tool", "result"),
    "offloaded message": ("human", "message"),
    "history": ("summary", "history"),
    "memory": ("memory", "memory"),
    "skill": ("skills", "skill"),
    "file": (None, "file"),
}
"""Kind of an artifact: the kind whose colour it has, and one word for a narrow column."""


@dataclass(frozen=True, slots=True)
class FileRow:
    """An artifact, and the number of the request that left it there."""

    artifact: Artifact
    number: int | None = None
    """Number of ``artifact.request`` within the thread."""
    disk: str = ""
    """Its path on the disk; empty where it doesn't lie there."""


def left_by(row: FileRow) -> str:
    """What left the file there, in words."""
    artifact = row.artifact
    parts = []
    if artifact.tool_call_id is not None:
        parts.append(f"result of call {artifact.tool_call_id}")
    if row.number is not None:
        parts.append(f"first seen in request {row.number}")
    return ", ".join(parts)


def lies_in(artifact: Artifact) -> str:
    """The place, and which namespace or folder of it."""
    if not artifact.within:
        return artifact.place
    if artifact.place == STORE:
        return f"{artifact.place}, namespace {' / '.join(id_of(part) for part in artifact.within.split('.'))}"
    return f"{artifact.place} {artifact.within}"


def changed(artifact: Artifact) -> str:
    """When the file was last written, in local time; as it stands where it isn't a time."""
    at = artifact.modified_at
    if not at:
        return ""
    try:
        return format.absolute(datetime.fromisoformat(at).timestamp())
    except (ValueError, OverflowError, OSError):
        return at


def _kind(row: FileRow) -> tuple[str | None, str]:
    return KINDS.get(row.artifact.kind, (None, row.artifact.kind))


def _path(row: FileRow) -> str:
    return ("! " if row.artifact.problem else "") + row.artifact.path


def _path_tip(row: FileRow) -> str:
    return "\n".join(part for part in (row.artifact.path, row.artifact.problem) if part)


def _number(row: FileRow) -> str:
    return format.UNKNOWN if row.number is None else f"#{row.number}"


class FilesModel(ItemsModel[FileRow]):
    """Rows keyed by path."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(
            (
                Column("Path", _path, _path_tip, sort=lambda row: row.artifact.path.lower()),
                Column(
                    "Size",
                    lambda row: format.size(row.artifact.size),
                    lambda row: format.count(row.artifact.size, "byte"),
                    sort=lambda row: row.artifact.size,
                    right=True,
                    hint="Bytes, as UTF-8.",
                ),
                Column(
                    "Kind",
                    lambda row: _kind(row)[1],
                    lambda row: row.artifact.kind,
                    kind=lambda row: _kind(row)[0],
                    hint="What the file is.",
                ),
                Column(
                    "Where",
                    lambda row: row.artifact.place,
                    lambda row: f"{lies_in(row.artifact)}: {row.artifact.lifetime}",
                    muted=True,
                    hint="Where the file lies, and so how long it lives.",
                ),
                Column(
                    "From",
                    _number,
                    lambda row: left_by(row) or "Not known: the record does not say what left it there.",
                    sort=lambda row: row.number or 0,
                    right=True,
                    link=True,
                    hint="The request in which it was first seen; a click goes there.",
                ),
            ),
            lambda row: row.artifact.path,
            parent,
        )
