"""System: who added which block of the system message, and each block's full text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QModelIndex, QRect, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from engine.trace.model import RequestDetail, SystemBlock
from inspector import format, theme
from inspector.jobs import Jobs
from inspector.models.cells import Cell
from inspector.models.messages import CELL
from inspector.models.shown_text import ShownText, shown
from inspector.models.system import SystemModel, contributor_name
from inspector.panes import Pane
from inspector.searching import Searchable
from inspector.views.line_delegate import LineDelegate
from inspector.views.message_delegate import PAD, RIGHT, TILE, Index
from inspector.views.message_table import MessageTable
from inspector.views.part_text import PartText


class SystemView(QWidget):
    """The system message of one request, block by block."""

    def __init__(self, reader: Any, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._reader = reader
        self._detail: RequestDetail | None = None
        self.model = SystemModel(self)
        self.table = MessageTable("Blocks of the system message")
        self.text = PartText(jobs, "Text of the system message")
        self.pane = Pane()
        self._build()
        self.clear()

    def show_request(self, detail: RequestDetail, _previous: RequestDetail | None) -> None:
        """Show a request's system message; the selection stays at the same contributor."""
        row = self._place(detail)
        self._detail = detail
        markers = detail.provider.get("cache_markers") or ()
        marked = {m["index"] for m in markers if m.get("area") == "system" and "index" in m}
        self.model.set_blocks(detail.system, marked)
        if not detail.system:
            self.text.clear("No system message")
            why = detail.not_recorded.get("system")
            words = "Not recorded." if why else "This request was sent without a system message."
            self.pane.show_empty(words, why or "")
            return
        self.pane.show_content()
        self.table.setCurrentIndex(self.model.index(row, 0))

    def clear(self) -> None:
        """Show no request."""
        self._detail = None
        self.model.set_blocks((), ())
        self.text.clear("No request is selected")
        self.pane.show_empty("No request is selected.", "Select one above to see its system message.")

    def find_target(self) -> Searchable | None:
        """The text of the selected block."""
        return self.text.find_target()

    def _build(self) -> None:
        self.table.setModel(self.model)
        self.table.setItemDelegate(_BlockDelegate(self.table))
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        figures = QFontMetrics(self.table.font())
        self.table.setColumnWidth(1, figures.horizontalAdvance("00000") + 18)
        self.table.setColumnWidth(2, figures.horizontalAdvance("~Tokens") + 18)
        self.table.selectionModel().currentRowChanged.connect(self._moved)
        self.table.opened.connect(lambda: self.text.setFocus(Qt.FocusReason.ShortcutFocusReason))
        self.split = QSplitter(Qt.Orientation.Horizontal)
        self.split.setChildrenCollapsible(False)
        self.split.addWidget(self.table)
        self.split.addWidget(self.text)
        self.split.setStretchFactor(1, 1)
        self.split.setSizes([300, 560])
        self.split.setFocusProxy(self.table)
        self.pane.set_content(self.split)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.pane)
        self.setFocusProxy(self.table)

    def _place(self, now: RequestDetail) -> int:
        """Row to select: the same contributor's block, the same one of several."""
        row = self.table.currentIndex().row()
        old = self.model.block(row)
        if self._detail is None or old is None:
            return 0
        nth = sum(b.contributor == old.contributor for b in self._detail.system[: old.index])
        same = [b.index + 1 for b in now.system if b.contributor == old.contributor]
        if same:
            return same[min(nth, len(same) - 1)]
        return min(row, len(now.system))

    def _moved(self, current: QModelIndex, _before: QModelIndex) -> None:
        detail = self._detail
        if not current.isValid() or detail is None:
            return
        block = self.model.block(current.row())
        cell = self.model.cell(current.row())
        size = f"{format.count(cell.chars, 'character')} · {format.tokens(cell.tokens)} tokens"
        if block is None:
            parts = tuple(each.part for each in detail.system)
            self.text.show_part(
                cell.name, size, partial(_whole_text, self._reader, detail.system),
                partial(_whole_json, self._reader, detail.row.id, parts), ("whole", parts),
            )  # fmt: skip
            return
        self.text.show_part(
            cell.name, size, partial(_block_text, self._reader, block.part),
            partial(self._reader.json_text, block.part), block.part,
        )  # fmt: skip


class _BlockDelegate(LineDelegate):
    """Letter, contributor, marker, sizes."""

    def __init__(self, view: QAbstractItemView) -> None:
        super().__init__(view, CELL, Cell)

    def draw(self, painter: QPainter, rect: QRect, index: Index, cell: Cell) -> None:
        strokes = self._strokes
        inner = rect.adjusted(PAD, 0, -PAD, 0)
        if index.column() == 0:
            strokes.letter(painter, inner, cell.kind)
            end = strokes.badges(painter, rect, cell.badges)
            name = QRect(inner.left() + TILE + 6, inner.top(), 0, inner.height())
            name.setRight(end)
            font = strokes.bold if not cell.number else strokes.font
            strokes.text(painter, name, cell.name, theme.text_colour(), font, elide=Qt.TextElideMode.ElideMiddle)
        elif index.column() == 1:
            strokes.text(painter, inner, format.size(cell.chars), theme.text_colour(), strokes.figures, RIGHT)
        else:
            strokes.text(painter, inner, format.tokens(cell.tokens), theme.muted_colour(), strokes.figures, RIGHT)


def _block_text(reader: Any, part: int) -> ShownText:
    return shown(reader.text(part))


def _whole_text(reader: Any, blocks: Sequence[SystemBlock]) -> ShownText:
    """All blocks one after another; a drawn label, no part of the text, says whose each one is."""
    texts = [reader.text(block.part) for block in blocks]
    labels, at = [], 0
    for block, text in zip(blocks, texts, strict=True):
        labels.append((at, f"{theme.kind_letter(block.kind)}  {block.index}  {contributor_name(block)}"))
        at += len(text)
    return shown("".join(texts), labels=labels if len(blocks) > 1 else ())


def _whole_json(reader: Any, request: int, parts: tuple[int, ...]) -> str:
    whole = reader.system_message(request)
    if whole is not None:
        return json.dumps(whole, ensure_ascii=False, indent=2)
    return "[\n" + ",\n".join(reader.json_text(part) for part in parts) + "\n]"
