"""Files of a thread that lie in folders on the disk, in the form that files of the state and the store have."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from engine import fenced, links
from engine.places import Layout, Located

UNREAD = "unread"
"""Key of an entry that was not read: the reason why not."""
SIZE = "size"
"""Key of an entry that was not read: its bytes."""

_WHOLE = "SKILL.md"


def named(layout: Layout, paths: Iterable[str]) -> dict[str, Any]:
    """Those of these paths that lie in a folder and are there; their bytes are read when they are opened."""
    found = {}
    for path in paths:
        located = layout.locate(path)
        if located.kind == "filesystem":
            entry = entry_at(located, whole=False)
            if entry is not None:
                found[path] = entry
    return found


def below(layout: Layout, sources: Iterable[str]) -> dict[str, Any]:
    """Every file below these folders on the disk; only a ``SKILL.md`` is read."""
    found = {}
    for source in sources:
        located = layout.locate(source)
        if located.kind == "filesystem":
            for key, size in fenced.names(located.root, located.key):
                here = Located("filesystem", located.within, key)
                path = layout.path_of(here)
                if path is not None and path.endswith(f"/{_WHOLE}"):
                    found[path] = entry_at(here)
                elif path is not None:
                    found[path] = {UNREAD: "", SIZE: size}  # it is read when it is opened
    return {path: entry for path, entry in found.items() if entry is not None}


def through_links(layout: Layout, sources: Iterable[str]) -> dict[str, str]:
    """Folders that links directly in these sources lead to, by the agent's path, and the source of each.

    The engine lists such a folder by its real path, and one that lies outside of the root not at all.
    """
    found: dict[str, str] = {}
    for source in sources:
        located = layout.locate(source)
        if located.kind == "filesystem":
            for key in links.linked(located.root, located.key):
                path = layout.path_of(Located("filesystem", located.within, key))
                if path is not None:
                    found.setdefault(path, source)
    return found


def circles(layout: Layout, sources: Iterable[str]) -> dict[str, str]:
    """Sources in which a link leads in a circle, and its name: the engine lists nothing of such a folder."""
    found = {source: layout.locate(source) for source in sources}
    told = {
        source: links.circle(located.root, located.key)
        for source, located in found.items()
        if located.kind == "filesystem"
    }
    return {source: name for source, name in told.items() if name is not None}


def entry_at(located: Located, whole: bool = True) -> dict[str, Any] | None:
    """One file; None where there is none. Without ``whole`` it is not read."""
    file = fenced.read(located.root, located.key, whole)
    if file.missing:
        return None
    modified = datetime.fromtimestamp(file.modified, UTC).isoformat() if file.modified is not None else None
    if file.data is None:
        return {UNREAD: file.problem, SIZE: file.size, "modified_at": modified}
    try:
        content, encoding = file.data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        content, encoding = base64.standard_b64encode(file.data).decode("ascii"), "base64"
    return {"content": content, "encoding": encoding, "modified_at": modified}
