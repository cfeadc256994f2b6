"""The next request before and after an edit, piece by piece and text beside text; no model is called."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QVBoxLayout, QWidget

from engine.workbench import DryComparison, DryRow, Piece
from inspector import format
from inspector.jobs import Jobs
from inspector.models.items import Column, ItemsModel
from inspector.panes import Pane, plain_label
from inspector.views.beside import BesideView
from inspector.views.items_table import ItemsTable
from inspector.views.parts import MARGIN, AspectSplitter, Line

Row = tuple[int, DryRow, bool]
"""Its place, both sides, and whether a prompt cache could still reuse it: all up to it is as before."""


def _side(piece: Piece | None) -> str:
    return format.UNKNOWN if piece is None else format.tokens(piece.tokens)


def _sign(row: DryRow) -> str:
    return "=" if row.same else "+" if row.before is None else "−" if row.after is None else "≠"


def _name(row: Row) -> str:
    piece = row[1].before or row[1].after
    assert piece is not None
    told = [piece.kind, _called(piece), piece.contributor]
    return f"{_sign(row[1])} " + format.one_line(" · ".join(each for each in told if each), 120)


def _called(piece: Piece) -> str:
    """Name of a tool, or how a message begins."""
    if piece.kind == "tools":
        value = piece.value if isinstance(piece.value, dict) else {}
        inner = value.get("function")
        return str((inner if isinstance(inner, dict) else value).get("name") or "")
    return "" if piece.kind in ("system", "memory", "skills") else piece.text[:80]


def _cache(row: Row) -> str:
    if row[1].before is None:
        return "new"
    return "kept" if row[2] else "lost"


class DryModel(ItemsModel[Row]):
    """Pieces of both requests, those that differ marked."""

    def __init__(self) -> None:
        super().__init__(
            (
                Column("Piece", _name, kind=lambda row: None if row[1].same else "error"),
                Column("Before", lambda row: _side(row[1].before), right=True),
                Column("After", lambda row: _side(row[1].after), right=True),
                Column("Cache", _cache, kind=lambda row: None if row[2] else "error",
                       hint="Whether a provider's prompt cache can still reuse it: it can up to the first difference."),
            ),
            lambda row: row[0],
        )  # fmt: skip


class NextRequest(QWidget):
    """Totals over the pieces, under them both texts of the selected one; works out nothing until it is asked."""

    def __init__(self, jobs: Jobs, lead: QWidget | None = None, parent: QWidget | None = None) -> None:
        """``lead`` stands beside the pieces: what the edit is made in."""
        super().__init__(parent)
        self._jobs = jobs
        self._from_end = False
        self.beside = BesideView(jobs, "Before", "After")
        self.totals = plain_label(muted=True)
        self.totals.setWordWrap(True)
        self.totals.setContentsMargins(MARGIN, 4, MARGIN, 4)
        self.model = DryModel()
        self.table: ItemsTable[Row] = ItemsTable(
            self.model, "Pieces of the next request, before and after", ("", "~88.8k", "~88.8k", "Cache")
        )
        self.table.current_changed.connect(self._chosen)
        self.table.opened.connect(lambda _row: self.beside.sides[1].setFocus())
        self.pane = Pane()
        self.pane.set_content(self.table)
        self.beside.add_steps(self.step)
        for key, by in (("D", 1), ("Shift+D", -1)):
            shortcut = QShortcut(QKeySequence(key), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(lambda by=by: self.step(by))
        self._build(lead)
        self.setFocusProxy(self.table)
        self.forget()

    def run(self, make: Callable[[], DryComparison]) -> None:
        """Work it out in a job."""
        self.pane.show_loading("Working out the next request")
        self._jobs.run(
            "Working out the next request", make,
            done=self._show, failed=self._failed, key=(self, "dry"),
        )  # fmt: skip

    def forget(self) -> None:
        """What was worked out is of another edit."""
        self._jobs.cancel((self, "dry"))
        self.model.set_items([])
        self.totals.setText("")
        self.beside.clear("Both texts of a piece stand here side by side.")
        self.pane.show_empty("Nothing is sent, and no model is called.", "Press the button to work it out.")

    def step(self, by: int) -> None:
        """Go to the next (1) or previous (-1) difference: in the texts, then in the next piece that differs."""
        current = self.table.current()
        if current is None or (not current[1].same and self.beside.step(by)):
            return
        at = current[0] + by
        while 0 <= at < len(self.model.items):
            if not self.model.items[at][1].same:
                self._from_end = by < 0
                self.table.select(at)
                self._from_end = False
                return
            at += by

    def _show(self, found: DryComparison) -> None:
        self.totals.setText(
            f"{format.tokens(found.tokens_before)} → {format.tokens(found.tokens_after)} tokens · "
            f"{format.tokens(found.kept_tokens)} at the front stay as they are, and a prompt cache can reuse them · "
            f"{format.tokens(found.invalidated_tokens)} after them are sent anew"
        )
        rows: list[Row] = []
        kept = True
        for number, row in enumerate(found.rows):
            kept = kept and row.same
            rows.append((number, row, kept))
        self.model.set_items(rows)
        self.pane.show_content()
        first = next((number for number, row, _ in rows if not row.same), None)
        if first is not None:
            self.table.select(first)
        else:
            self.table.select_first()
        self._chosen(self.table.current())

    def _failed(self, sentence: str) -> None:
        self.model.set_items([])
        self.totals.setText("")
        self.beside.clear("There is nothing to compare.")
        self.pane.show_error(sentence)

    def _chosen(self, row: Row | None) -> None:
        if row is None:
            self.beside.clear("Nothing is selected.")
            return
        before, after = row[1].before, row[1].after
        for head, name, piece in zip(self.beside.heads, ("Before", "After"), (before, after), strict=True):
            told = "not there" if piece is None else f"{format.tokens(piece.tokens)} tokens"
            head.setText(f"{name} · {told}")
        self.beside.show_texts(
            _name(row), before.text if before else "", after.text if after else "", self._from_end
        )  # fmt: skip

    def _build(self, lead: QWidget | None) -> None:
        pieces = QWidget()
        column = QVBoxLayout(pieces)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.totals)
        column.addWidget(self.pane, 1)
        upper = pieces if lead is None else AspectSplitter(lead, pieces, (1, 1), least=560)
        lower = QWidget()
        under = QVBoxLayout(lower)
        under.setContentsMargins(0, 0, 0, 0)
        under.setSpacing(0)
        under.addWidget(Line())
        under.addWidget(self.beside, 1)
        self.split = AspectSplitter(upper, lower, (2, 3), least=100_000)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.split)
