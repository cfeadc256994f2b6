"""The list of agents, and what is known of their settings in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector import format

if TYPE_CHECKING:
    from engine.blueprint import EffectiveValue, StoredAgent
    from engine.keys import KeyState

Index = QModelIndex | QPersistentModelIndex
_PLACE = re.compile(r"(\[[^\]]*\])")
ID_ROLE = int(Qt.ItemDataRole.UserRole) + 1
SECOND_ROLE = int(Qt.ItemDataRole.UserRole) + 2
"""The line under the name."""


class AgentsModel(QAbstractListModel):
    """Agents whose name, model or thread holds what is searched, in the order given."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: Sequence[StoredAgent] = ()
        self._shown: list[StoredAgent] = []
        self._unsaved: frozenset[int] = frozenset()
        self._search = ""

    def set_agents(self, agents: Sequence[StoredAgent]) -> None:
        """Show these."""
        self._all = agents
        self._filter()

    def set_unsaved(self, ids: Iterable[int]) -> None:
        """Mark those that have changes."""
        found = frozenset(ids)
        if found != self._unsaved:
            self._unsaved = found
            if self._shown:
                self.dataChanged.emit(self.index(0), self.index(len(self._shown) - 1))

    def set_search(self, text: str) -> None:
        """Show only those that hold this."""
        self._search = text.strip().casefold()
        self._filter()

    def row_of(self, id: int | None) -> int:
        """Place of an agent; -1 when it isn't shown."""
        return next((row for row, agent in enumerate(self._shown) if agent.id == id), -1)

    def id_at(self, row: int) -> int | None:
        """The agent at a place."""
        return self._shown[row].id if 0 <= row < len(self._shown) else None

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """How many are shown."""
        return 0 if parent.isValid() else len(self._shown)

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        """The name, the line under it, or both for readers."""
        if not index.isValid() or index.row() >= len(self._shown):
            return None
        agent = self._shown[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return format.one_line(agent.name) + (" *" if agent.id in self._unsaved else "")
        if role == SECOND_ROLE:
            return second_line(agent)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            unsaved = ", not saved" if agent.id in self._unsaved else ""
            return f"{format.one_line(agent.name)}{unsaved}, {second_line(agent)}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return format.tip("\n".join([agent.name, second_line(agent), *agent.threads[:20]]))
        return agent.id if role == ID_ROLE else None

    def _filter(self) -> None:
        self.beginResetModel()
        self._shown = [agent for agent in self._all if _holds(agent, self._search)]
        self.endResetModel()


def second_line(agent: StoredAgent) -> str:
    """``openai:gpt-5.5 · 2 threads``."""
    if agent.fault is not None:
        return f"! {format.one_line(agent.fault)}"
    model = format.one_line(str(agent.settings.model), 60) or "no model"
    return f"{model} · {format.count(len(agent.threads), 'thread')}" if agent.threads else model


def threads_sentence(threads: Sequence[str]) -> str:
    """Which threads go on with an agent, for a question."""
    if not threads:
        return "No thread goes on with it."
    named = ", ".join(format.one_line(thread, 40) for thread in threads[:3])
    more = f" and {len(threads) - 3:,} more" if len(threads) > 3 else ""
    verb = "goes" if len(threads) == 1 else "go"
    return f"{format.count(len(threads), 'thread')} {verb} on with it: {named}{more}."


def problems_line(errors: int, warnings: int) -> str:
    """``2 errors, 1 warning``; empty for none."""
    parts = [format.count(n, word) for n, word in ((errors, "error"), (warnings, "warning")) if n]
    return ", ".join(parts)


def field_words(field: str) -> str:
    """The field of a problem for reading: ``subagents[1].system_prompt`` is ``Subagents 2, system prompt``."""
    words = ""
    for part in _PLACE.split(field):
        if part.startswith("["):
            name = part[1:-1]
            words += f" {int(name) + 1}" if name.isdecimal() else f" {name}"
        else:
            words += part.replace(".", ", ").replace("_", " ")
    return words[:1].upper() + words[1:]


def effective_line(value: EffectiveValue | None) -> str:
    """``20 000 tokens · engine default``: what a setting comes to, and where that comes from."""
    if value is None:
        return "Not known while there are errors."
    return f"{_amount(value)} · {'set here' if value.origin == 'you' else value.origin}"


def _amount(value: EffectiveValue) -> str:
    if value.value is None:
        return "not known" if value.name in ("window", "largest request") else "off"
    if isinstance(value.value, str):
        return format.one_line(value.value, 80)
    if value.unit == "of the window":
        return f"{100 * value.value:g} % of the window"
    return f"{format.exact(int(value.value))} {value.unit}"


def key_line(key: KeyState | None) -> str:
    """Where the key of a model's provider comes from."""
    if key is None:
        return "Name a model first."
    if not key.variable:
        return "This model needs no key."
    if key.source == "environment":
        return f"From {key.variable} in the environment."
    if key.source == "keyring":
        return f"From the system’s keyring, under {key.variable}."
    why = f" {key.keyring}" if key.keyring else ""
    return f"Missing: neither {key.variable} in the environment nor the system’s keyring has it.{why}"


def _holds(agent: StoredAgent, search: str) -> bool:
    texts = (agent.name, str(agent.settings.model), *agent.threads)
    return not search or any(search in text.casefold() for text in texts)
