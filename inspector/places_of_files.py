"""Where the files of a thread's agent lie, for jobs. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.lifetimes import FOLDER, RoutedPlace, lifetime_table
from engine.trace.model import Artifact


def places_of(path: Path, thread_id: str) -> tuple[RoutedPlace, ...]:
    """Beginnings of paths, and where what begins so lies."""
    from engine.file_places import file_places

    return file_places(path, thread_id)


def disks(path: Path | None, thread_id: str, files: Sequence[Artifact]) -> dict[str, str]:
    """Of those of a thread's files that lie in folders: the agent's path → the path on the disk."""
    wanted = [one.path for one in files if one.place == FOLDER]
    if path is None or not wanted:
        return {}
    from engine.file_places import path_on_disk

    places = places_of(path, thread_id)
    found = {one: path_on_disk(places, one) for one in wanted}
    return {one: str(where) for one, where in found.items() if where is not None}


def survival(place: str) -> tuple[str, str]:
    """What a file in a place survives, and what it does not; in words."""
    for life in lifetime_table():
        if life.place == place:
            return ", ".join(life.survives), ", ".join(life.lost_by)
    return "", ""
