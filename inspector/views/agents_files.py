"""Section Files of an agent's form: where its files lie, by the beginning of their paths, and what they survive."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QDir, Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QVBoxLayout, QWidget

from engine.lifetimes import PLACE_OF_KIND, Lifetime, lifetime_table
from inspector.views.agents_fields import ChoiceField, LineField
from inspector.views.agents_lines import Lines, Member
from inspector.views.agents_page import Page, Row, wrapped
from inspector.views.agents_texts import ListPage
from inspector.views.buttons import WordButton

KINDS = (("state", "the thread’s state"), ("store", "the workspace’s store"), ("filesystem", "a folder"))
SEPARATOR = " / "


class PlaceField(QWidget):
    """Where files lie: the thread's state, a namespace of the store, or a folder; and what they survive."""

    edited = Signal(object)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.kind = ChoiceField(f"{name}: kind of place", KINDS)
        self.namespace = LineField(f"{name}: namespace", "memories, or {tenant} / {user} / memories")
        self.root = LineField(f"{name}: folder", "/home/me/project", optional=True)
        self.choose_button = WordButton("Choose…", self.choose, name=f"{name}: choose the folder")
        self.survives = wrapped("", muted=True)
        self._filled: tuple[str, list[str]] = ("", [])
        """The namespace as it is written here, and its parts: one that is not touched stays as it is."""
        self.setFocusProxy(self.kind)
        self.kind.setFixedWidth(160)
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self.kind)
        row.addWidget(self.namespace, 1)
        row.addWidget(self.root, 1)
        row.addWidget(self.choose_button)
        row.addStretch(0)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(1)
        column.addLayout(row)
        column.addWidget(self.survives)
        self.kind.edited.connect(self._edited)
        self.namespace.edited.connect(self._edited)
        self.root.edited.connect(self._edited)

    def fill(self, place: Any) -> None:
        """Show a place."""
        self.kind.fill(place.get("kind"))
        parts = list(place.get("namespace") or ())
        if parts != self._parts():
            self.namespace.fill(SEPARATOR.join(map(str, parts)))
            self._filled = self.namespace.text(), parts
        self.root.fill(place.get("root"))
        self._arrange()

    def value(self) -> Any:
        """The place as typed. What belongs to another kind is kept, in case one comes back to it."""
        return {"kind": self.kind.value(), "root": self.root.value(), "namespace": self._parts()}

    def choose(self) -> None:
        """Ask for the folder."""
        dialog = QFileDialog(self.window(), "Choose a folder", self.root.text() or QDir.homePath())
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(self.root.setText)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _parts(self) -> list[str]:
        text = self.namespace.text()
        if text == self._filled[0]:
            return self._filled[1]
        return [part.strip() for part in text.split("/")] if text.strip() else []

    def _edited(self, _value: object) -> None:
        self._arrange()
        self.edited.emit(self.value())

    def _arrange(self) -> None:
        kind = self.kind.value()
        self.namespace.setVisible(kind == "store")
        self.root.setVisible(kind == "filesystem")
        self.choose_button.setVisible(kind == "filesystem")
        lives = next((each for each in lifetime_table() if each.place == PLACE_OF_KIND.get(kind)), None)
        self.survives.setText(survival(lives) if lives is not None else "")


class _Route(Member):
    """The beginning of paths, and where such files lie."""

    def __init__(self) -> None:
        super().__init__()
        self.prefix = LineField("Beginning of the paths", "/memories/")
        self.prefix.setFixedWidth(150)
        self.place = PlaceField("Route")
        self.setFocusProxy(self.prefix)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        stack = QVBoxLayout()
        stack.addWidget(self.prefix)
        stack.addStretch(1)
        row.addLayout(stack)
        row.addWidget(self.place, 1)
        self.prefix.edited.connect(lambda _text: self.edited.emit())
        self.place.edited.connect(lambda _place: self.edited.emit())

    def fill(self, value: Any) -> None:
        """Show a prefix and a place."""
        prefix, place = value
        self.prefix.fill(prefix)
        self.place.fill(place)

    def value(self) -> Any:
        """The same pair."""
        return self.prefix.text(), self.place.value()


class FilesPage(ListPage):
    """Where the files of the agent lie."""

    title = "Files"
    about = "Where the files of the agent lie, by the beginning of their paths; the longest that fits counts."

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.default = PlaceField("All other files")
        new = {"kind": "store", "root": None, "namespace": ["files"]}
        self.routes = Lines(
            "route", _Route, lambda: (self._free(), dict(new)), ordered=False, name_of=lambda pair: pair[0],
            empty="No routes: every file lies in the one place.",
        )  # fmt: skip
        self.artifacts = LineField("Folder for artifacts", "/")
        self.add("backend.routes", "Routes", self.routes)
        self.add("backend.default", "All other files", self.default)
        self.add("backend.artifacts_root", "Artifacts under", self.artifacts,
                 hint="The folder, as the agent sees it, for offloaded results and saved histories.")  # fmt: skip
        self._results = self.add("", "", wrapped("Offloaded results", muted=True), effective="results go to")
        self._histories = self.add("", "", wrapped("Saved histories", muted=True), effective="histories go to")
        self.default.edited.connect(lambda place: self._set("default", place))
        self.routes.edited.connect(lambda pairs: self._set("routes", dict(pairs)))
        self.artifacts.edited.connect(lambda text: self._set("artifacts_root", text))

    def fill(self, edit: Any) -> None:
        """Show the backend."""
        backend = edit.get("backend") or {}
        self.default.fill(backend.get("default") or {"kind": "state"})
        self.routes.fill(list((backend.get("routes") or {}).items()))
        self.artifacts.fill(backend.get("artifacts_root"))

    def show_problems(self, row: Row, problems: Any) -> None:
        """Under the route that they name."""
        if row.widget is self.routes:
            prefixes = [member.value()[0] for member in self.routes.members()]
            at = {f"backend.routes[{prefix}]": n for n, prefix in enumerate(prefixes)}
            found: dict[int, list[Any]] = {}
            for each in problems:
                if each.field in at:
                    found.setdefault(at[each.field], []).append(each)
            self.routes.show_problems(found)
            Page.show_problems(self, row, [each for each in problems if each.field not in at])
        else:
            super().show_problems(row, problems)

    def _set(self, name: str, value: Any) -> None:
        if self.edit is not None:
            self.edit.set("backend", {**(self.edit.get("backend") or {}), name: value})

    def _free(self) -> str:
        taken = {member.value()[0] for member in self.routes.members()}
        return next(each for n in range(1, len(taken) + 2) if (each := f"/files{n if n > 1 else ''}/") not in taken)


def survival(lives: Lifetime) -> str:
    """What a file that lies in a place survives, in sentences."""
    points = (("for the next turn", lives.next_turn), ("after a restart", lives.new_process))
    kept = [words for words, survives in points if survives]
    stays = f"Stays {' and '.join(kept)}." if kept else "Gone when the run ends."
    seen = "Other threads see it." if lives.other_thread else "Other threads don’t see it."
    after = "It outlives its thread." if lives.thread_deleted else "It is deleted with its thread."
    return f"{stays} {seen} {after}"
