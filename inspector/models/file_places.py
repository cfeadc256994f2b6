"""The table of lifetimes, with what of each place an agent uses."""

from __future__ import annotations

from collections.abc import Sequence

from engine.lifetimes import SURVIVED, Lifetime, RoutedPlace
from engine.namespaces import id_of
from inspector.models.items import Column, ItemsModel

_HINTS = {
    "next_turn": "The same thread goes on.",
    "other_thread": "Another thread of the same agent reads it.",
    "new_process": "The program was closed, and the workspace opened by another one.",
    "thread_deleted": "The thread that wrote it was deleted.",
}


def within_in_words(place: RoutedPlace) -> str:
    """The beginning of a path, and where what begins so lies."""
    if place.place == "store":
        return f"{place.prefix} → namespace {' / '.join(id_of(part) for part in place.within.split('.'))}"
    return f"{place.prefix} → {place.within}" if place.within else place.prefix


def _survival(name: str, word: str) -> Column[Lifetime]:
    def kept(life: Lifetime) -> bool:
        return bool(getattr(life, name))

    return Column(
        f"survives {word}",
        lambda life: "yes" if kept(life) else "no",
        kind=lambda life: None if kept(life) else "error",
        hint=_HINTS[name],
    )


class LifetimesModel(ItemsModel[Lifetime]):
    """A row a place; ``used`` are those of an agent."""

    def __init__(self, used: Sequence[RoutedPlace] = ()) -> None:
        def own(life: Lifetime) -> list[str]:
            return [within_in_words(one) for one in used if one.place == life.place]

        super().__init__(
            (
                Column("A file in", lambda life: ("● " if own(life) else "") + life.place,
                       said=lambda life: f"{life.place}{', which this agent uses' if own(life) else ''}"),
                *(_survival(name, word) for name, word in SURVIVED.items()),
                Column("Of this thread's agent", lambda life: ", ".join(own(life)), lambda life: "\n".join(own(life)),
                       hint="How the paths begin that lie there."),
            ),
            lambda life: life.place,
        )  # fmt: skip
