"""Where the files of an agent live: every place with what a file there survives, as it was measured."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from engine.lifetimes import Lifetime, RoutedPlace, lifetime_table
from inspector import format
from inspector.jobs import Jobs
from inspector.models.file_places import LifetimesModel, within_in_words
from inspector.panes import Pane, plain_label
from inspector.places_of_files import places_of
from inspector.views.buttons import WordButton
from inspector.views.items_table import ItemsTable
from inspector.views.parts import MARGIN

SAYS = (
    "An agent uses one path for each file; by its beginning the backend takes it to a place, and drops the "
    "beginning there. Being written by the framework gives a file no longer life. The table is what was seen with "
    "real agents that wrote a file and read it back."
)


class FilePlaces(QDialog):
    """The table, with the places that the selected thread's agent uses."""

    def __init__(
        self, jobs: Jobs, workspace: Path | None, thread_id: str | None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Where files live")
        self.says = plain_label(SAYS)
        self.says.setWordWrap(True)
        self.own = plain_label(muted=True)
        self.own.setWordWrap(True)
        self.pane = Pane()
        self.table: ItemsTable[Lifetime] | None = None
        close = WordButton("Close", self.reject)
        close.setDefault(True)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN + 4, MARGIN + 4, MARGIN + 4, MARGIN + 4)
        column.setSpacing(8)
        column.addWidget(self.says)
        column.addWidget(self.pane, 1)
        column.addWidget(self.own)
        column.addLayout(buttons)
        self.resize(1040, 320)
        if workspace is None or thread_id is None:
            self._show(())
        else:
            self.pane.show_loading("Reading where the thread's files lie")
            jobs.run(
                "Reading where the thread's files lie", places_of, workspace, thread_id,
                done=self._show, failed=self.pane.show_error, key=(self, "places"),
            )  # fmt: skip

    def _show(self, used: Sequence[RoutedPlace]) -> None:
        model = LifetimesModel(used)
        own = "/memories/ → namespace acme / ann / memories"
        widths = ("thread state, no checkpointer", *(f"{column.title} " for column in model.columns[1:-1]), own)
        self.table = ItemsTable(model, "Places and what a file there survives", widths, stretch=len(widths) - 1)
        model.set_items(list(lifetime_table()))
        self.pane.set_content(self.table)
        self.pane.show_content()
        self.table.select_first()
        own = " · ".join(f"{within_in_words(one)} ({one.place})" for one in used)
        says = f"● is where the agent of the selected thread has files: {own}" if used else "No thread is selected."
        self.own.setText(format.marked(says))
