"""Links directly in a folder of the disk, as the engine meets them when it lists the folder."""

from __future__ import annotations

import errno
from contextlib import suppress
from pathlib import Path

from engine.errors import InspectorError
from engine.fenced import resolved


def linked(root: Path, folder: str) -> list[str]:
    """Folders inside the root that links directly in this folder lead to, by their real names from the root."""
    found = []
    try:
        children = sorted(resolved(root, folder).iterdir())
    except (OSError, InspectorError):
        return []
    for child in children:
        with suppress(OSError, RuntimeError, ValueError):
            if child.is_symlink() and child.is_dir():
                found.append("/" + child.resolve().relative_to(root.resolve()).as_posix())
    return found


def circle(root: Path, folder: str) -> str | None:
    """Name of a link directly in this folder that leads in a circle; None without one."""
    try:
        children = sorted(resolved(root, folder).iterdir())
    except (OSError, InspectorError):
        return None
    for child in children:
        try:
            child.stat()
        except OSError as error:
            if error.errno == errno.ELOOP:
                return child.name
    return None
