"""The table of a thread's requests. Strings are made when shown; rows that have not come yet are dots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector import format, theme
from inspector.models.happened import branch_words
from inspector.models.marks import BASELINE, MARKED, NOTED, Mark, marks
from inspector.models.rows import Rows

if TYPE_CHECKING:
    from engine.trace.model import RequestRow

Index = QModelIndex | QPersistentModelIndex
ROW_ROLE = int(Qt.ItemDataRole.UserRole) + 1
MARKS_ROLE = int(Qt.ItemDataRole.UserRole) + 2

NUMBER, AGENT, PURPOSE, INPUT, OUTPUT, CHANGE, TIME, MARKS = range(8)
HEADERS = ("#", "Agent", "Purpose", "In", "Out", "Δ in", "Time", "Marks")
HEADER_TIPS = (
    "Number of the request in its thread, in the order of starting",
    "Who made the request; subagents are indented under the agent that called them",
    "What the request was for: agent, subagent, summary (the summarizing call) or other",
    "Input tokens, as the provider reported them; ~ marks an estimate",
    "Output tokens, as the provider reported them",
    "Change of input tokens against the same agent's request before",
    "How long the request took",
    "What happened at this request: summary, offload, memory, skill, error; branch, and what is in doubt",
)
NUMERIC = frozenset({NUMBER, INPUT, OUTPUT, CHANGE, TIME})
NOT_READ = "…"
RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


def agent_name(row: RequestRow) -> str:
    """The name of the agent that made the request, in one line."""
    return format.one_line(row.agent, 80) if row.agent else "main agent"


class RequestsModel(QAbstractTableModel):
    """Shows a ``Rows``; ``refresh`` takes over what arrived in it since."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows = Rows()
        self._count = 0
        self._places: list[int] | None = None
        self._table_rows: dict[int, int] = {}
        self._marked: frozenset[int] = frozenset()
        self._notes: Mapping[int, str] = {}
        self._baseline: int | None = None

    def set_rows(self, rows: Rows) -> None:
        """Show another thread."""
        self.beginResetModel()
        self._rows = rows
        self._count = len(rows)
        self._places = None
        self.endResetModel()

    def show_only(self, ids: Sequence[int] | None) -> None:
        """Show only these requests of the thread; None for all."""
        places = None if ids is None else [place for id in ids if (place := self._rows.index(id)) >= 0]
        if places == self._places:
            return
        self.beginResetModel()
        self._places = places
        self._table_rows = {place: n for n, place in enumerate(places or ())}
        self._count = len(self._rows) if places is None else len(places)
        self.endResetModel()

    def table_row(self, place: int) -> int:
        """Where a request of this place in the thread stands in the table; -1 when it is not shown."""
        return place if self._places is None else self._table_rows.get(place, -1)

    def set_annotations(self, marked: frozenset[int], notes: Mapping[int, str], baseline: int | None) -> None:
        """Marks and notes of the reader, by request, and the one that Diff compares with."""
        self._marked, self._notes, self._baseline = marked, notes, baseline
        if self._count:
            self.dataChanged.emit(self.index(0, MARKS), self.index(self._count - 1, MARKS))

    def refresh(self) -> int:
        """Show what arrived since; how many rows were added at the end."""
        added = len(self._rows) - self._count if self._places is None else 0
        if added > 0:
            self.beginInsertRows(QModelIndex(), self._count, self._count + added - 1)
            self._count += added
            self.endInsertRows()
        if self._count:
            self.dataChanged.emit(self.index(0, 0), self.index(self._count - 1, MARKS))
        return max(added, 0)

    def rows(self) -> Rows:
        """What is shown."""
        return self._rows

    def row_at(self, index: Index) -> RequestRow | None:
        """The request at a place; None when it hasn't been read."""
        return self._rows.at(self._place(index.row())) if index.isValid() else None

    def id_at(self, index: Index) -> int | None:
        """Id of the request at a place."""
        valid = index.isValid() and index.row() < self._count
        return self._rows.ids[self._place(index.row())] if valid else None

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Requests of the thread."""
        return 0 if parent.isValid() else self._count

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Always the same eight."""
        return 0 if parent.isValid() else len(HEADERS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = int(Qt.ItemDataRole.DisplayRole)
    ) -> Any:
        """Names of the columns, and what they mean on hover."""
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(HEADERS):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return HEADERS[section]
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleDescriptionRole):
            return HEADER_TIPS[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if section in NUMERIC else LEFT
        return None

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        """Strings are made when shown."""
        if not index.isValid() or index.row() >= self._count:
            return None
        column = index.column()
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if column in NUMERIC else LEFT
        row = self._rows.at(self._place(index.row()))
        if row is None:
            return self._unread(index, role)
        if role == Qt.ItemDataRole.DisplayRole:
            return self.text(row, column)
        if role == ROW_ROLE:
            return row
        if role == MARKS_ROLE:
            return self._all_marks(row)
        if role == Qt.ItemDataRole.ForegroundRole:
            return self._colour(row, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return format.tip(self.explain(row, column))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{HEADERS[column]}: {self.text(row, column).strip()}"
        if role == Qt.ItemDataRole.AccessibleDescriptionRole:
            return format.marked(self.explain(row, column))
        return None

    def _place(self, table_row: int) -> int:
        return table_row if self._places is None else self._places[table_row]

    def _all_marks(self, row: RequestRow) -> tuple[Mark, ...]:
        signs = (
            (MARKED, row.id in self._marked), (BASELINE, row.id == self._baseline), (NOTED, row.id in self._notes)
        )  # fmt: skip
        return (*(sign for sign, on in signs if on), *marks(row))

    def text(self, row: RequestRow, column: int) -> str:
        """What a cell shows."""
        if column == NUMBER:
            return format.exact(row.number)
        if column == AGENT:
            nested = "\u2003" * row.depth + "▸ " if row.depth else ""
            return nested + agent_name(row)
        if column == PURPOSE:
            return f"{row.purpose}?" if "purpose guessed" in row.events else row.purpose
        if column == INPUT:
            return format.tokens(row.input_tokens, row.tokens == "estimated")
        if column == OUTPUT:
            return format.tokens(row.usage.output_tokens, False)
        if column == CHANGE:
            change = self._rows.change(row.id)
            mark = "" if change is None or self._rows.change_is_reported(row.id) else format.ESTIMATE
            return mark + format.change(change)
        if column == TIME:
            return "running" if row.status == "running" else format.duration(row.duration_ms)
        return "  ".join(f"{mark.letter} {mark.word}" for mark in self._all_marks(row))

    def exact_text(self, row: RequestRow, column: int) -> str:
        """What a cell holds, for copying: whole numbers, plain ASCII digits."""
        if column == NUMBER:
            return str(row.number)
        if column == AGENT:
            return row.agent or ""
        if column == INPUT and row.input_tokens is not None:
            return f"{format.ESTIMATE if row.tokens == 'estimated' else ''}{row.input_tokens}"
        if column == OUTPUT and row.usage.output_tokens is not None:
            return str(row.usage.output_tokens)
        if column == CHANGE and (change := self._rows.change(row.id)) is not None:
            return f"{'' if self._rows.change_is_reported(row.id) else format.ESTIMATE}{change:+d}"
        if column == TIME and row.duration_ms is not None:
            return f"{row.duration_ms:.0f} ms"
        if column == MARKS:
            return row.error or ", ".join(mark.word for mark in self._all_marks(row))
        return self.text(row, column)

    def explain(self, row: RequestRow, column: int) -> str:
        """What a cell says on hover: exact numbers, and why something is not known."""
        if column == NUMBER:
            return f"Request {row.number}, started {format.absolute(row.started_at)}"
        if column == AGENT:
            return f"{row.agent or 'The main agent'}\n{row.model or 'Model not known'}"
        if column == PURPOSE and "purpose guessed" in row.events:
            return row.problem or ""
        if column == INPUT:
            return self._explain_input(row)
        if column == OUTPUT:
            return self._explain_output(row)
        if column == CHANGE:
            return self._explain_change(row)
        if column == TIME:
            return self._explain_time(row)
        if column == MARKS:
            note = self._notes.get(row.id, "")
            said = row.error or "\n".join(mark.word for mark in self._all_marks(row) if mark is not NOTED)
            line = branch_words(row, self._rows.row(row.follows))
            more = (
                f"On {line}: it was made from an earlier state of the thread." if line else "",
                row.problem if row.error and row.problem != row.error else "",
            )
            return "\n".join(filter(None, (said, *more, note and f"Note: {note}")))
        return ""

    def _unread(self, index: Index, role: int) -> Any:
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return format.exact(index.row() + 1) if index.column() == NUMBER else NOT_READ
        if role == Qt.ItemDataRole.ForegroundRole:
            return theme.muted_colour()
        return None

    def _colour(self, row: RequestRow, column: int) -> Any:
        if row.error is not None or row.status == "failed":
            return theme.error_colour()
        if column == PURPOSE and row.purpose == "summary":
            return theme.kind_colour("summary")
        if column == NUMBER or (column == PURPOSE and row.purpose == "agent"):
            return theme.muted_colour()
        if column == AGENT and row.agent is None and row.depth:
            return theme.muted_colour()
        return None

    def _explain_input(self, row: RequestRow) -> str:
        if row.input_tokens is None:
            return "The provider reported no input tokens, and there is nothing to estimate them from."
        lines = [f"Input: {format.exact_tokens(row.input_tokens, row.tokens == 'estimated')}"]
        if row.tokens == "estimated":
            lines.append("The provider reported none.")
        elif row.estimated_tokens:
            lines.append(f"Estimate: {format.exact(row.estimated_tokens)}")
        if row.usage.cache_read is not None:
            lines.append(f"Read from cache: {format.exact(row.usage.cache_read)}")
        if row.usage.cache_creation is not None:
            lines.append(f"Written to cache: {format.exact(row.usage.cache_creation)}")
        if row.window:
            lines.append(f"Window: {format.exact(row.window)}")
        if row.trigger:
            lines.append(f"Summary trigger: {format.exact(row.trigger)}")
        return "\n".join(lines)

    def _explain_output(self, row: RequestRow) -> str:
        if row.usage.output_tokens is not None:
            return f"Output: {format.exact_tokens(row.usage.output_tokens, False)}"
        if row.status == "running":
            return "The answer has not come yet."
        if row.error is not None:
            return "There is no answer: the request failed."
        return "The provider did not report output tokens."

    def _explain_change(self, row: RequestRow) -> str:
        change, before = self._rows.change(row.id), self._rows.before(row.id)
        if change is not None and before is not None:
            sign = "+" if change > 0 else "\u2212" if change < 0 else ""
            how = "reported" if self._rows.change_is_reported(row.id) else "estimated"
            return f"{sign}{format.exact(abs(change))} input tokens ({how}) against request {before.number}"
        if not self._rows.linked(row.id):
            return "The rows before it are still being read."
        if before is None and row.purpose in ("agent", "subagent"):
            return "The first request of this agent here."
        if before is None:
            return "This call stands alone: no request of the same agent comes before it."
        return "Input tokens are not known on both sides."

    def _explain_time(self, row: RequestRow) -> str:
        started = f"Started {format.absolute(row.started_at)}"
        if row.status == "running":
            return f"{started}; still running"
        if row.duration_ms is None:
            return f"{started}; when it ended was not recorded"
        return f"{started}; took {row.duration_ms:,.0f} ms".replace(",", format.THIN)
