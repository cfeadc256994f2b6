"""One workspace file: making it, checking it, opening connections to it.

LangGraph's saver and store and our writer each get a connection of their own, because a
commit on a shared one ends the other's transaction. Files are WAL, readable by the user
alone, and refused untouched when a newer version of the program made them.
"""

from __future__ import annotations

import os
import sqlite3
import struct
from contextlib import closing
from pathlib import Path
from typing import Literal

from engine.errors import UsageError, WorkspaceError
from engine.raw_bytes import first_bytes

APPLICATION_ID = 0x43545849
"""``CTXI``, in the header of every workspace."""
VERSION = 7
"""Format of the file: the number of migrations in :mod:`engine.schema`."""
BUSY_SECONDS = 5.0


def check_file(path: Path) -> Literal["workspace", "langgraph"]:
    """What can be read from ``path``: a workspace of ours, or another program's LangGraph database.

    Looks at the header, and at the list of tables of a file that isn't ours; leaves no trace.

    Raises:
        UsageError: there is no such file, or it is a folder.
        WorkspaceError: it can't be read, is neither, is damaged, or is of a newer version.
    """
    if path.is_dir():
        raise UsageError(f"{path} is a folder. Name a workspace file.")
    try:
        header = first_bytes(path, 100)
        size = path.stat().st_size
    except FileNotFoundError:
        raise UsageError(f"There is no file {path}. Make one with: context-inspector demo {path}") from None
    except OSError as error:
        raise WorkspaceError(f"{path} can't be read: {error.strerror}.") from error
    if header[:16] != b"SQLite format 3\x00":
        what = "is empty" if size == 0 else "is not an SQLite database"
        raise WorkspaceError(f"{path} {what}, so it is no workspace. Nothing was changed.")
    if len(header) < 100:
        raise WorkspaceError(f"{path} is cut off inside its header. Nothing was changed.")
    version, application = struct.unpack(">I", header[60:64])[0], struct.unpack(">I", header[68:72])[0]
    cut_off = None
    # A second look: the file may be growing under the first.
    if _missing(path) and (missing := _missing(path)):
        cut_off = WorkspaceError(
            f"{path} is cut off: its header speaks of {missing[0]:,} bytes and {missing[1]:,} are there. "
            "Copy the file before you try to repair it; nothing was changed."
        )
    if application != APPLICATION_ID:
        if _is_langgraph(path, cut_off):
            return "langgraph"
        raise cut_off or WorkspaceError(
            f"{path} is an SQLite database, but neither a workspace of the Context Inspector nor a LangGraph "
            "database. Nothing was changed."
        )
    if version > VERSION:
        raise _newer(path, version)
    if cut_off:
        raise cut_off
    return "workspace"


def check_workspace(path: Path) -> None:
    """Raise a sentence unless ``path`` is a workspace that this version can open, and write.

    Raises: as :func:`check_file`.
    """
    if check_file(path) != "workspace":
        raise WorkspaceError(
            f"{path} is a LangGraph database of another program, not a workspace of the Context Inspector. "
            "It can be read, and nothing is ever written to it."
        )


class Workspace:
    """A workspace file that is known to be ours and up to date.

    Use :meth:`open` or :meth:`create`; the object itself holds no connection.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def open(cls, path: str | Path) -> Workspace:
        """Open an existing workspace, migrating an older one.

        Raises: as :func:`check_workspace`.
        """
        path = Path(path)
        check_workspace(path)
        workspace = cls(path)
        try:
            # A newer version may so far stand in the WAL alone; reading it must not fold that back.
            with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
                version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version > VERSION:
                raise _newer(path, version)
            with closing(workspace.connect()) as connection:
                if version < VERSION:
                    _migrate(connection)
        except sqlite3.DatabaseError as error:
            raise WorkspaceError(
                f"{path} can't be opened: {error}. Copy the file before you try to repair it."
            ) from error
        return workspace

    @classmethod
    def create(cls, path: str | Path) -> Workspace:
        """Make a new, empty workspace; its folder is made too.

        Raises:
            UsageError: something is there already.
            WorkspaceError: the place can't be written.
        """
        path = Path(path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        except FileExistsError:
            raise UsageError(f"{path} is there already. Name a new file, or delete it first.") from None
        except OSError as error:
            raise WorkspaceError(f"{path} can't be made: {error.strerror}.") from error
        workspace = cls(path)
        with closing(workspace.connect()) as connection:
            _migrate(connection)
        return workspace

    @classmethod
    def ensure(cls, path: str | Path) -> Workspace:
        """Open a workspace, or make it; several processes may do so at once.

        Raises: as :meth:`open` and :meth:`create`.
        """
        path = Path(path)
        if os.path.lexists(path):
            return cls.open(path)
        # Made whole under another name, so that nobody opens half a file.
        made = cls.create(path.with_name(f".{path.name}.{os.getpid()}-{os.urandom(4).hex()}"))
        try:
            os.link(made.path, path)
        except FileExistsError:
            return cls.open(path)  # somebody else was quicker
        except OSError:  # a file system without links
            made.path.rename(path)
        finally:
            made.path.unlink(missing_ok=True)
        return cls(path)

    def connect(self, *, autocommit: bool = False) -> sqlite3.Connection:
        """A new connection: WAL, waits ``BUSY_SECONDS`` for a lock, usable from any one thread at a time."""
        connection = sqlite3.connect(self.path, timeout=BUSY_SECONDS, check_same_thread=False)
        if autocommit:
            connection.isolation_level = None
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        return connection


def _migrate(connection: sqlite3.Connection) -> None:
    from engine.schema import migrate  # deferred: sqlite_utils takes 0.3 s to import

    migrate(connection)


def _is_langgraph(path: Path, cut_off: WorkspaceError | None) -> bool:
    from engine.sources.kind import is_langgraph  # deferred: a workspace doesn't need it

    try:
        return is_langgraph(path)
    except sqlite3.DatabaseError as error:
        raise cut_off or WorkspaceError(
            f"{path} is damaged, its list of tables can't be read: {error}. Copy the file before you try to repair it."
        ) from error


def _newer(path: Path, version: int) -> WorkspaceError:
    return WorkspaceError(
        f"{path} was made by a newer version of the Context Inspector (format {version}, this one knows {VERSION}). "
        "Update the program to open it; the file was left as it is."
    )


def _missing(path: Path) -> tuple[int, int] | None:
    """Bytes that a file's header speaks of and bytes that are there, where those are fewer and no WAL has the rest."""
    if path.with_name(path.name + "-wal").exists():
        return None
    header = first_bytes(path, 100)
    size = path.stat().st_size
    page = struct.unpack(">H", header[16:18])[0] or 1
    said = struct.unpack(">I", header[28:32])[0] * (65536 if page == 1 else page)
    return (said, size) if size < said else None
