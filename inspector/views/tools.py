"""Tools: the schemas that were bound, who added them, and each one's description and JSON in full."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import QModelIndex, QRect, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QHeaderView,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from engine.explain.model import ToolCost
from engine.trace.model import RequestDetail, ToolRow
from inspector import format, theme
from inspector.explaining import Explaining
from inspector.jobs import Jobs, Progress
from inspector.models.cells import Badge
from inspector.models.tools import NEVER, NUMERIC, OVER_THREAD, TOOL, Column, ToolsModel, read_parameters
from inspector.panes import Pane
from inspector.searching import Searchable
from inspector.views.adaptive import AdaptiveSplitter
from inspector.views.labels import ElidedLabel
from inspector.views.line_delegate import LineDelegate
from inspector.views.message_delegate import PAD, RIGHT, TILE, Index
from inspector.views.message_table import MessageTable
from inspector.views.text import TextView

_MARKED = (Badge("cache marker", "muted", "the provider may cache everything up to here"),)
_NARROW = 760
"""Below this width the description has no column; it stands below in full."""
_ROOMY = 1000
"""Below this one it has none where there are figures over the thread: those stand nowhere else."""
_SLIM = 480
"""Below this one the parameters have none either."""


class ToolsView(QWidget):
    """The tools of one request."""

    def __init__(
        self, reader: Any, jobs: Jobs, parent: QWidget | None = None, *, explaining: Explaining | None = None
    ) -> None:
        """Figures over the thread are shown where there is an explainer to work them out."""
        super().__init__(parent)
        self._reader, self._jobs, self._explaining = reader, jobs, explaining
        self._costs_of: tuple[str, int] = ("", 0)
        self._shown = False
        self.model = ToolsModel(self)
        self.table = MessageTable("Tools")
        self.title = ElidedLabel()
        self.description = TextView(jobs, "Description of the tool")
        self.schema = TextView(jobs, "Schema of the tool")
        self.pane = Pane()
        self._build()
        self.clear()

    def show_request(self, detail: RequestDetail, _previous: RequestDetail | None) -> None:
        """Show a request's tools; the selection stays at the tool of the same name."""
        old = self.table.currentIndex().data(TOOL) if self._shown else None
        markers = detail.provider.get("cache_markers") or ()
        marked = {m["index"] for m in markers if m.get("area") == "tools" and "index" in m}
        top = self.table.verticalScrollBar().value()
        self.model.set_tools(detail.tools, marked)
        self._shown = bool(detail.tools)
        if not detail.tools:
            why = detail.not_recorded.get("tools")
            words = "Not recorded." if why else "This request was sent without tools."
            self.pane.show_empty(words, why or "The model could only answer in words.")
            return
        self.pane.show_content()
        names = [tool.name for tool in detail.tools]
        row = names.index(old.name) if old is not None and old.name in names else 0
        self.table.setCurrentIndex(self.model.index(row, Column.NAME))
        self.table.verticalScrollBar().setValue(top)
        self._ask_costs(detail)
        unknown = self.model.unknown()
        if unknown:
            self._jobs.run(
                "Reading tool schemas", read_parameters, self._reader.json_text, unknown,
                done=self.model.put_parameters, failed=self.schema.show_error, key=("tools", id(self)), quiet=True,
            )  # fmt: skip

    def clear(self) -> None:
        """Show no request."""
        self._shown = False
        self.model.set_tools((), ())
        self.pane.show_empty("No request is selected.", "Select one above to see the tools it was sent with.")

    def find_target(self) -> Searchable | None:
        """The description of the selected tool."""
        return self.description.find_target()

    def show_match(self, words: str) -> None:
        """Show where ``words`` stand in the selected tool: in its description, else in its schema."""
        tool = self.table.currentIndex().data(TOOL)
        described = isinstance(tool, ToolRow) and words in (tool.description or "")
        (self.description if described else self.schema).show_match(words, 0)

    def _ask_costs(self, detail: RequestDetail) -> None:
        """Figures over the thread: once, and again when a request is newer than those that were looked at."""
        thread, newest = self._costs_of
        wanted = detail.row
        if self._explaining is None or (wanted.thread_id == thread and wanted.id <= newest):
            return
        if wanted.thread_id != thread:
            self.model.put_costs({})
        self._costs_of = wanted.thread_id, wanted.id
        self._jobs.run(
            "Adding up the tools", _costs, self._explaining, wanted.thread_id,
            done=self._costs_there, failed=self._no_costs, key=(self, "costs"),
        )  # fmt: skip

    def _costs_there(self, found: tuple[str, int, dict[str, ToolCost]]) -> None:
        thread, newest, costs = found
        if thread == self._costs_of[0]:
            self._costs_of = thread, max(newest, self._costs_of[1])
            self.model.put_costs(costs)

    def _no_costs(self, _sentence: str) -> None:
        """They stay unknown, and their cells say so."""

    def _build(self) -> None:
        self.table.setModel(self.model)
        self.table.setItemDelegate(_ToolDelegate(self.table, self.model))
        self._size_columns()
        self.table.resized.connect(self._fit_columns)
        self.table.selectionModel().currentRowChanged.connect(self._moved)
        self.table.opened.connect(lambda: self.description.setFocus(Qt.FocusReason.ShortcutFocusReason))
        texts = QSplitter(Qt.Orientation.Horizontal)
        texts.setChildrenCollapsible(False)
        texts.addWidget(self.description)
        texts.addWidget(self.schema)
        texts.setSizes([1, 1])
        below = QWidget()
        column = QVBoxLayout(below)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        title = QWidget()
        padded = QVBoxLayout(title)
        padded.setContentsMargins(8, 3, 8, 3)
        padded.addWidget(self.title)
        column.addWidget(title)
        column.addWidget(texts, 1)
        self.split = AdaptiveSplitter(over=52)
        self.split.addWidget(self.table)
        self.split.addWidget(below)
        self.split.setFocusProxy(self.table)
        self.pane.set_content(self.split)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.pane)
        self.setFocusProxy(self.table)

    def _size_columns(self) -> None:
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for section in (Column.ABOUT, Column.PARAMETERS):
            header.setSectionResizeMode(section, QHeaderView.ResizeMode.Stretch)
        metrics = QFontMetrics(self.table.font())
        samples = {
            Column.NAME: "market_data_export" + "M" * 3, Column.CHARS: "00000", Column.TOKENS: "~Tokens",
            Column.CONTRIBUTOR: "FilesystemMiddleware", Column.CALLS: "Calls",
            Column.SENT: "~Sent", Column.RESULTS: NEVER, Column.ERRORS: "Errors",
        }  # fmt: skip
        for section, sample in samples.items():
            self.table.setColumnWidth(section, metrics.horizontalAdvance(sample) + 18)

    def _fit_columns(self, width: int) -> None:
        """Leave the description to the pane below where the table is narrow."""
        slim = width < _SLIM
        over_thread = self._explaining is not None and width >= _NARROW
        self.table.setColumnHidden(Column.ABOUT, width < (_ROOMY if over_thread else _NARROW))
        for column in OVER_THREAD:
            self.table.setColumnHidden(column, not over_thread)
        for column in (Column.TOKENS, Column.PARAMETERS):
            self.table.setColumnHidden(column, slim)
        mode = QHeaderView.ResizeMode.Stretch if slim else QHeaderView.ResizeMode.Interactive
        self.table.horizontalHeader().setSectionResizeMode(Column.NAME, mode)

    def _moved(self, current: QModelIndex, _before: QModelIndex) -> None:
        tool = current.data(TOOL) if current.isValid() else None
        if not isinstance(tool, ToolRow):
            return
        calls = f"called {format.count(tool.calls, 'time')} in this thread"
        size = f"{format.count(tool.chars, 'character')} · {format.tokens(tool.tokens)} tokens"
        name = tool.name or "no name"
        self.title.set_text(f"{name} · added by {tool.contributor or 'nobody known'} · {size} · {calls}")
        if tool.description:
            self.description.set_text(tool.description, key=tool.part)
        else:
            self.description.clear("This tool has no description.")
        self.schema.load("Reading the schema", partial(self._reader.json_text, tool.part), key=tool.part)


def _costs(explaining: Explaining, thread_id: str, progress: Progress) -> tuple[str, int, dict[str, ToolCost]]:
    report = explaining().tools(thread_id, progress.check)
    newest = max(explaining.reader.request_ids(thread_id), default=0)
    return thread_id, newest, {cost.name: cost for cost in report.tools}


class _ToolDelegate(LineDelegate):
    """Plain cells; the name with the letter of tools, numbers right-aligned."""

    def __init__(self, view: MessageTable, model: ToolsModel) -> None:
        super().__init__(view, TOOL, ToolRow)
        self._model = model

    def draw(self, painter: QPainter, rect: QRect, index: Index, tool: ToolRow) -> None:
        strokes, column = self._strokes, index.column()
        inner = rect.adjusted(PAD, 0, -PAD, 0)
        text = str(index.data())
        if column == Column.NAME:
            strokes.letter(painter, inner, "tools")
            marked = _MARKED if self._model.is_marked(index.row()) else ()
            end = strokes.badges(painter, rect, marked)
            name = QRect(inner.left() + TILE + 6, inner.top(), 0, inner.height())
            name.setRight(end)
            strokes.text(painter, name, text, theme.text_colour(), strokes.mono, elide=Qt.TextElideMode.ElideMiddle)
        elif column in NUMERIC:
            zero = text in ("0", NEVER, format.UNKNOWN)
            colour = theme.muted_colour() if zero or column == Column.TOKENS else theme.text_colour()
            strokes.text(painter, inner, text, colour, strokes.figures, RIGHT)
        else:
            quiet = column == Column.CONTRIBUTOR or (column == Column.ABOUT and not tool.description)
            colour = theme.muted_colour() if quiet else theme.text_colour()
            mode = Qt.TextElideMode.ElideMiddle if column == Column.CONTRIBUTOR else Qt.TextElideMode.ElideRight
            font = strokes.mono if column == Column.PARAMETERS else strokes.font
            strokes.text(painter, inner, text, colour, font, elide=mode)
