"""Where the files of a thread's agent lie, by the beginning of their path, as the record's settings of it say."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.lifetimes import PLACE_OF_KIND, THREAD_STATE, RoutedPlace
from engine.memory.rows import reading
from engine.places import Identity, Layout
from engine.trace.layouts import layout_of
from engine.workspace import check_file


def file_places(path: str | Path, thread_id: str | None = None) -> tuple[RoutedPlace, ...]:
    """Places of the agent of a thread of a workspace, the default one first; without a thread those of the defaults.

    Of somebody else's database nothing but the thread's state is known.

    Raises:
        UsageError: the recorded settings don't hold together.
        UsageError, WorkspaceError: there is no such file, or it can't be read.
    """
    if check_file(Path(path)) != "workspace":
        return (RoutedPlace("/", THREAD_STATE, ""),)
    with reading(path) as db:
        layout = layout_of(db.execute, thread_id)
    return tuple(_routed(layout, prefix) for prefix in ("/", *sorted(layout.settings.routes)))


def identity_of(path: str | Path, thread_id: str) -> Identity | None:
    """For whom the agent of a thread of a workspace ran last; None where the record names nobody."""
    if check_file(Path(path)) != "workspace":
        return None
    with reading(path) as db:
        return layout_of(db.execute, thread_id).identity


def path_on_disk(places: Sequence[RoutedPlace], path: str) -> Path | None:
    """Where the file that an agent has at ``path`` lies on the disk; None for one that doesn't."""
    of = max((one for one in places if path.startswith(one.prefix)), key=lambda one: len(one.prefix), default=None)
    if of is None or of.place != PLACE_OF_KIND["filesystem"]:
        return None
    return Path(of.within) / path[len(of.prefix) :]


def _routed(layout: Layout, prefix: str) -> RoutedPlace:
    located = layout.locate(prefix)
    return RoutedPlace(prefix, PLACE_OF_KIND[located.kind], located.within)
