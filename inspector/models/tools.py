"""Rows of the Tools view: what was bound, who bound it, how often it was called."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from engine.explain.model import ToolCost
from engine.trace.model import ToolRow
from inspector import format
from inspector.models.shown_text import one_line

Index = QModelIndex | QPersistentModelIndex
TOOL = Qt.ItemDataRole.UserRole + 1
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class Column(IntEnum):
    """Columns of the view."""

    NAME, ABOUT, PARAMETERS, CHARS, TOKENS, CONTRIBUTOR, CALLS, SENT, RESULTS, ERRORS = range(10)


TITLES = ("Tool", "Description", "Parameters", "Chars", "~Tokens", "Added by", "Calls", "~Sent", "~Results", "Errors")
OVER_THREAD = (Column.SENT, Column.RESULTS, Column.ERRORS)
"""Figures over the whole thread; they are worked out after the tools are shown."""
NUMERIC = (Column.CHARS, Column.TOKENS, Column.CALLS, *OVER_THREAD)
NEVER = "never called"


@dataclass(frozen=True, slots=True)
class Parameters:
    """Names of a tool's parameters, and which of them it needs."""

    names: tuple[str, ...]
    required: frozenset[str]
    problem: str = ""
    """Why there is no list: ``the provider's own tool``."""

    @property
    def line(self) -> str:
        """``3: query*, limit, region``; a star marks what is required."""
        if self.problem:
            return self.problem
        marked = (f"{name}*" if name in self.required else name for name in self.names)
        return f"{len(self.names)}: {', '.join(marked)}" if self.names else "none"


def parameters_of(schema: Any) -> Parameters:
    """Parameters of a schema in any provider's spelling."""
    inner = schema.get("function") if isinstance(schema, dict) else None
    tool = inner if isinstance(inner, dict) else schema
    if not isinstance(tool, dict):
        return Parameters((), frozenset(), "not an object")
    for key in ("parameters", "input_schema", "inputSchema", "parametersJsonSchema"):
        described = tool.get(key)
        if isinstance(described, dict):
            properties = described.get("properties")
            names = tuple(map(str, properties)) if isinstance(properties, dict) else ()
            required = described.get("required")
            return Parameters(names, frozenset(map(str, required)) if isinstance(required, list) else frozenset())
    own = isinstance(schema.get("type"), str) and schema["type"] != "function"
    return Parameters((), frozenset(), "the provider's own tool" if own else "none named")


def read_parameters(json_text: Callable[[int], str], parts: Sequence[int]) -> dict[int, Parameters]:
    """Parameters by part. Runs in a job."""
    return {part: parameters_of(json.loads(json_text(part))) for part in parts}


class ToolsModel(QAbstractTableModel):
    """The tools of one request, in the order in which they were bound."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.tools: Sequence[ToolRow] = ()
        self._marked: Collection[int] = ()
        self._parameters: dict[int, Parameters] = {}
        self._costs: Mapping[str, ToolCost] = {}

    def set_tools(self, tools: Sequence[ToolRow], marked: Collection[int]) -> None:
        """Show another request's tools; ``marked`` are those that carry a cache marker."""
        self.beginResetModel()
        self.tools, self._marked = tools, marked
        self.endResetModel()

    def unknown(self) -> list[int]:
        """Parts whose parameters have not been read."""
        return [tool.part for tool in self.tools if tool.part not in self._parameters]

    def put_parameters(self, found: dict[int, Parameters]) -> None:
        """Take over what was read."""
        self._parameters.update(found)
        if self.tools:
            last = self.index(len(self.tools) - 1, Column.PARAMETERS)
            self.dataChanged.emit(self.index(0, Column.PARAMETERS), last)

    def put_costs(self, costs: Mapping[str, ToolCost]) -> None:
        """Take over what the tools cost over the thread, by name."""
        self._costs = costs
        if self.tools:
            self.dataChanged.emit(self.index(0, Column.SENT), self.index(len(self.tools) - 1, Column.ERRORS))

    def cost(self, tool: ToolRow) -> ToolCost | None:
        """What a tool costs over the thread; None before it is worked out."""
        return self._costs.get(tool.name)

    def is_marked(self, row: int) -> bool:
        """Whether a tool carries a cache marker."""
        return self.tools[row].index in self._marked

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Tools."""
        return 0 if parent.isValid() else len(self.tools)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """As ``TITLES``."""
        return 0 if parent.isValid() else len(TITLES)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Strings, made when they are shown."""
        if not index.isValid() or index.row() >= len(self.tools):
            return None
        tool = self.tools[index.row()]
        if role == TOOL:
            return tool
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self._text(tool, index.column())
        if role == Qt.ItemDataRole.ToolTipRole:
            return format.tip(self._tip(tool, index.column()))
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() in NUMERIC:
            return _RIGHT
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Titles, and what they mean."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return TITLES[section]
        if role == Qt.ItemDataRole.ToolTipRole:
            hints = {Column.CALLS: "How often this thread's responses called it",
                     Column.CHARS: "Characters of the schema as JSON", Column.TOKENS: "Tokens, estimated",
                     Column.PARAMETERS: "Number and names; a star marks what is required",
                     Column.SENT: "Tokens of its schema over all requests of the thread, estimated",
                     Column.RESULTS: "Tokens of its results as they stand in the thread's state, estimated",
                     Column.ERRORS: "Results that are errors, over the thread"}  # fmt: skip
            return hints.get(Column(section))
        return _RIGHT if role == Qt.ItemDataRole.TextAlignmentRole and section in NUMERIC else None

    def _text(self, tool: ToolRow, column: int) -> str:
        if column == Column.NAME:
            return one_line(tool.name or "no name", 120)
        if column == Column.ABOUT:
            return format.one_line(tool.description, 300) or "no description"
        if column == Column.PARAMETERS:
            found = self._parameters.get(tool.part)
            return one_line(found.line, 300) if found else "…"
        if column == Column.CONTRIBUTOR:
            return one_line(tool.contributor or "not known", 80)
        if column in OVER_THREAD:
            return self._over_thread(tool, column)
        numbers = {Column.CHARS: format.size(tool.chars), Column.TOKENS: format.tokens(tool.tokens)}
        return numbers.get(Column(column), format.exact(tool.calls))

    def _over_thread(self, tool: ToolRow, column: int) -> str:
        cost = self.cost(tool)
        if cost is None:
            return format.UNKNOWN
        if column == Column.SENT:
            return format.size(cost.tokens_sent)
        if column == Column.ERRORS:
            return format.exact(cost.errors)
        return format.size(cost.result_tokens) if cost.calls else NEVER

    def _tip(self, tool: ToolRow, column: int) -> str:
        if column == Column.CHARS:
            return format.count(tool.chars, "character")
        if column == Column.TOKENS:
            return format.exact_tokens(tool.tokens)
        if column == Column.ABOUT:
            return tool.description
        if column in OVER_THREAD:
            cost = self.cost(tool)
            return costs_in_words(cost) if cost is not None else "It is not known what it costs over the thread."
        if column == Column.CALLS:
            return f"called {format.count(tool.calls, 'time')} in this thread"
        return self._text(tool, column)


def costs_in_words(cost: ToolCost) -> str:
    """What a tool costs over the thread."""
    sent = f"Sent with {format.count(cost.requests, 'request')}: {format.exact(cost.tokens_sent)} tokens, estimated."
    if not cost.calls:
        return f"{sent}\nIt was never called."
    return (
        f"{sent}\n{format.count(cost.results, 'result')}: {format.count(cost.result_chars, 'character')} returned, "
        f"the largest {format.exact(cost.largest)}; {format.exact(cost.result_tokens)} tokens in the state, estimated."
        f"\n{format.count(cost.errors, 'error')}, {format.exact(cost.offloaded)} offloaded."
    )
