"""Provider: model, parameters, cache markers, usage and timing; the response; JSON; what went over the wire."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import Any

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QMenu,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

import engine
from engine.trace.model import RequestDetail
from inspector import clipboard, theme
from inspector.jobs import Jobs
from inspector.models.facts import FACT, FactsModel
from inspector.models.provider import Fact, facts, masked_facts, provider_json
from inspector.models.shown_text import ShownText, one_line, shown
from inspector.models.wire import cost_facts, wire_facts
from inspector.panes import Pane
from inspector.searching import Searchable
from inspector.views.flat_tabs import flat_tabs
from inspector.views.line_delegate import LineDelegate
from inspector.views.message import MessageView
from inspector.views.message_delegate import PAD, Index
from inspector.views.message_table import MessageTable
from inspector.views.text import TextView

NO_WIRE = "Not recorded"
NO_WIRE_WHY = "The body that the provider's client sends is not part of this record."


class ProviderView(QWidget):
    """Everything of a request beside its system message, messages and tools."""

    open_artifact = Signal(str)

    def __init__(self, reader: Any, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._reader = reader
        self._jobs = jobs
        self._detail: RequestDetail | None = None
        self.model = FactsModel(self)
        self.table = MessageTable("Provider")
        self.response = MessageView(reader, jobs)
        self.json = TextView(jobs, "Provider area as JSON")
        self.wire = TextView(jobs, "What went over the wire")
        self.pane = Pane()
        self._build()
        self.clear()

    def show_request(self, detail: RequestDetail, _previous: RequestDetail | None) -> None:
        """Show a request's provider area; scroll and tab stay."""
        self._detail = detail
        self.pane.show_loading("Reading the parameters")
        self._jobs.run(
            "Reading the parameters", _prepare, self._reader, detail,
            done=self._show, failed=self.pane.show_error, key=("provider", id(self)), quiet=True,
        )  # fmt: skip
        if detail.response is not None:
            self.response.show_part(detail.response)
        elif detail.row.status == "running":
            self.response.clear("No response yet.", "The request is still running.")
        elif detail.row.error:
            self.response.clear("No response: the request failed.", detail.row.error)
        else:
            why = detail.not_recorded.get("response", "The run was stopped before it came, or its record was lost.")
            self.response.clear("No response was recorded.", why)

    def clear(self) -> None:
        """Show no request."""
        self._detail = None
        self._jobs.cancel(("provider", id(self)))
        self.model.set_facts(())
        self.pane.show_empty("No request is selected.", "Select one above to see its model and parameters.")

    def find_target(self) -> Searchable | None:
        """The response, the JSON or the wire, whichever is shown."""
        shown = next(each for each in (self.response, self.json, self.wire) if each is self.tabs.currentWidget())
        return shown.find_target()

    def _build(self) -> None:
        self.table.setModel(self.model)
        self.table.setItemDelegate(_FactDelegate(self.table))
        self.table.horizontalHeader().hide()
        self.table.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
        self.table.horizontalHeader().setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        self.table.setColumnWidth(0, QFontMetrics(self.table.font()).horizontalAdvance("system block 0 (Memory") + 12)
        self.table.customContextMenuRequested.connect(self._menu)
        self.tabs = flat_tabs("Response, JSON, wire")
        self.tabs.addTab(self.response, "Response")
        self.tabs.addTab(self.json, "JSON")
        self.tabs.addTab(self.wire, "On the wire")
        self.response.open_artifact.connect(self.open_artifact)
        self.split = QSplitter(Qt.Orientation.Horizontal)
        self.split.setChildrenCollapsible(False)
        self.split.addWidget(self.table)
        self.split.addWidget(self.tabs)
        self.split.setStretchFactor(1, 1)
        self.split.setSizes([400, 460])
        self.split.setFocusProxy(self.table)
        self.pane.set_content(self.split)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.pane)
        self.setFocusProxy(self.table)

    def _show(self, found: tuple[RequestDetail, list[Fact], ShownText, ShownText | None]) -> None:
        detail, rows, as_json, wire = found
        if detail is not self._detail:
            return
        top, row = self.table.verticalScrollBar().value(), self.table.currentIndex().row()
        self.model.set_facts(rows)
        if 0 <= row < len(rows):
            self.table.setCurrentIndex(self.model.index(row, 0))
        self.table.verticalScrollBar().setValue(top)
        self.json.set_shown(as_json)
        if wire is None:
            self.wire.clear(NO_WIRE, NO_WIRE_WHY)
        else:
            self.wire.set_shown(wire)
        self.pane.show_content()

    def _menu(self, at: Any) -> None:
        index = self.table.indexAt(at)
        fact = index.data(FACT) if index.isValid() else None
        if isinstance(fact, Fact) and fact.style != "heading":
            menu = QMenu(self)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.addAction("Copy the value", partial(clipboard.put_text, fact.whole or fact.value))
            if fact.true:
                menu.addAction("Copy the value with its secrets", partial(clipboard.put_true, fact.true))
            menu.popup(self.table.viewport().mapToGlobal(at))


class _FactDelegate(LineDelegate):
    """Headings across both columns, muted names, values in the data font."""

    def __init__(self, view: QAbstractItemView) -> None:
        super().__init__(view, FACT, Fact)

    def draw(self, painter: QPainter, rect: QRect, index: Index, fact: Fact) -> None:
        strokes = self._strokes
        inner = rect.adjusted(PAD + 2, 0, -PAD, 0)
        if fact.style == "heading":
            if index.column() == 0:
                strokes.text(painter, inner.adjusted(0, 4, 0, 0), fact.name, theme.text_colour(), strokes.bold)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)  # a line of one pixel
            painter.setPen(theme.line_colour())
            painter.drawLine(rect.left(), rect.bottom(), rect.right(), rect.bottom())
        elif index.column() == 0:
            strokes.text(
                painter, inner, one_line(fact.name, 120), theme.muted_colour(),
                elide=Qt.TextElideMode.ElideMiddle,
            )  # fmt: skip
        else:
            self._value(painter, inner, fact)

    def _value(self, painter: QPainter, rect: QRect, fact: Fact) -> None:
        strokes = self._strokes
        colours = {"missing": theme.muted_colour(), "wrong": theme.error_colour()}
        font = strokes.note if fact.style == "missing" else strokes.mono
        value = one_line(fact.value, 400)
        strokes.text(painter, rect, value, colours.get(fact.style, theme.text_colour()), font)
        rest = rect.adjusted(strokes.width(value, font) + 10, 0, 0, 0)
        if fact.note and rest.width() > 30:
            strokes.text(painter, rest, fact.note, theme.muted_colour(), strokes.small)


def _prepare(reader: Any, detail: RequestDetail) -> tuple[RequestDetail, list[Fact], ShownText, ShownText | None]:
    wire = detail.provider.get("wire")
    body = None if wire is None else wire if isinstance(wire, str) else _indented(wire)
    rows = facts(detail)
    if detail.usage is not None:
        rows += cost_facts(engine.request_cost(reader, detail.row.id))
    if wire is not None:
        rows += wire_facts(reader.wire(detail.row.id), engine.wire_comparison(reader, detail.row.id))
    return detail, masked_facts(rows), shown(provider_json(detail)), None if body is None else shown(body)


def _indented(wire: Any) -> str:
    return json.dumps(dict(wire) if isinstance(wire, Mapping) else wire, ensure_ascii=False, indent=2, default=str)
