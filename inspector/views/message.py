"""One message, whole: its text, every block and call in order, and the JSON as it was stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from inspector import clipboard, format, theme
from inspector.jobs import Jobs
from inspector.models.contents import Contents, Piece, contents
from inspector.models.shown_text import Masked, ShownText, one_line, shown
from inspector.panes import Pane
from inspector.views.buttons import MenuButton, choice_button, tool_button
from inspector.views.labels import ElidedLabel
from inspector.views.media import Preview
from inspector.views.pieces import PieceList
from inspector.views.text import TextView


class Sought(NamedTuple):
    """What is to be shown of a message."""

    words: str
    near: int
    """Where they begin in its whole text."""
    in_text: bool
    """They stand in its whole text, not in a call or another piece."""


@dataclass(frozen=True, slots=True)
class Whole:
    """What a job brings of a message."""

    part: int
    contents: Contents
    text: ShownText
    pieces: tuple[Piece, ...]


class MessageView(QWidget):
    """Shows the message of one part at a time; texts and JSON are read when they are looked at."""

    open_artifact = Signal(str)

    def __init__(self, reader: Any, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._reader, self._jobs = reader, jobs
        self._part: int | None = None
        self._whole: Whole | None = None
        self._sought: Sought | None = None
        self.title = ElidedLabel(least=110)
        self.says = ElidedLabel(muted=True)
        self._ids = QHBoxLayout()
        self._ids.setSpacing(2)
        self.text_button, self.json_button = choice_button("Text"), choice_button("JSON")
        self._artifact = tool_button("Open the file ▸", "Open the file that holds the whole text", self._open_artifact)
        self._artifact_path: str | None = None
        self._copy = MenuButton("Copy", "Copy the text or the JSON")
        self._copy.entries.addAction("Copy the whole text", self.copy_text)
        self._copy.entries.addAction("Copy the JSON as stored", self.copy_json)
        self._artifact.hide()
        self.list = PieceList()
        self.text = TextView(jobs, "Text of the message")
        self.json = TextView(jobs, "JSON of the message")
        self.preview = Preview(jobs)
        self._pane = Pane()
        self._build()
        self.list.chosen.connect(self._show_piece)
        self.clear()

    # -- what others call ------------------------------------------------------------------

    def show_part(self, part: int, artifact: str | None = None, why: str = "") -> None:
        """Show the message of a part; ``artifact`` is the file that holds the whole of its text.

        ``why`` is a sentence on how it came here, shown above it.
        """
        self._set_artifact(artifact)
        self.says.set_text(why)
        if part == self._part:
            return
        self._part, self._sought = part, None
        self._pane.show_loading("Reading the message")
        self._jobs.run(
            "Reading the message", _read, self._reader, part,
            done=self._show, failed=self._failed, key=("message", id(self)),
        )  # fmt: skip

    def show_match(self, sought: Sought) -> None:
        """Show where a text stands in the message that is shown or on its way."""
        self._sought = sought
        if self._whole is not None and self._whole.part == self._part:
            self._seek()

    def clear(self, title: str = "No message is selected", how: str = "Select one in the list.") -> None:
        """Show nothing."""
        self._part, self._whole, self._sought = None, None, None
        self._jobs.cancel(("message", id(self)))
        self._pane.show_empty(title, how)

    def part(self) -> int | None:
        """The part that is shown or on its way."""
        return self._part

    def pieces(self) -> tuple[Piece, ...]:
        """What the list of contents holds; the first one is the whole text."""
        return self._whole.pieces if self._whole is not None else ()

    def state(self) -> str:
        """``loading``, ``empty``, ``error`` or ``content``."""
        return self._pane.state()

    def copy_text(self) -> None:
        """Copy the whole text of the message; what is masked stays so."""
        if self._whole is not None:
            clipboard.put(self._whole.text.whole())

    def copy_json(self) -> None:
        """Copy the stored JSON; read first."""
        if self._part is not None:
            self._jobs.run("Copying the JSON", _json_to_copy, self._reader, self._part, done=clipboard.put)

    def show_json(self, on: bool = True) -> None:
        """Show the stored JSON, or the text again."""
        (self.json_button if on else self.text_button).click()

    def find_target(self) -> TextView | None:
        """The text or the JSON, whichever is shown."""
        return (self.json if self._stack.currentWidget() is self.json else self.text).find_target()

    # -- inside ----------------------------------------------------------------------------

    def _build(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(8, 3, 8, 3)
        head.setSpacing(8)
        head.addWidget(self.title)
        head.addLayout(self._ids)
        head.addWidget(self.says, 1)
        head.addWidget(self._artifact)
        group = QButtonGroup(self)
        for button in (self.text_button, self.json_button):
            group.addButton(button)
            head.addWidget(button)
        self.text_button.setChecked(True)
        head.addWidget(self._copy)
        right = QWidget()
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.text, 1)
        column.addWidget(self.preview, 2)
        self._split = QSplitter(Qt.Orientation.Horizontal)
        self._split.setChildrenCollapsible(False)
        self._split.addWidget(self.list)
        self._split.addWidget(right)
        self._split.setStretchFactor(1, 1)
        self._split.setSizes([230, 620])
        self._stack = QStackedWidget()
        self._stack.addWidget(self._split)
        self._stack.addWidget(self.json)
        group.buttonToggled.connect(lambda _button, on: self._switch() if on else None)
        content = QWidget()
        body = QVBoxLayout(content)
        body.setContentsMargins(0, 0, 0, 0)
        body.setSpacing(0)
        body.addLayout(head)
        body.addWidget(self._stack, 1)
        content.setFocusProxy(self.text)
        self._pane.set_content(content)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._pane)
        self.setFocusProxy(self._pane)

    def _switch(self) -> None:
        as_json = self.json_button.isChecked()
        self._stack.setCurrentWidget(self.json if as_json else self._split)
        if as_json and self._whole is not None:
            part = self._whole.part
            self.json.load("Reading the JSON", partial(self._reader.json_text, part), key=part)

    def _show(self, whole: Whole) -> None:
        if whole.part != self._part:
            return
        self._whole = whole
        found = whole.contents
        role = one_line(found.role, 40)
        self.title.set_text(f"{role} · {one_line(found.name, 80)}" if found.name else role)
        self._show_ids(found)
        several = [piece for piece in whole.pieces[1:] if piece.what != "fields"]
        self.list.setVisible(bool(several))
        self.list.show_pieces(whole.pieces, _first_choice(whole))
        self._pane.show_content()
        if self.json_button.isChecked():
            self._switch()
        self._seek()

    def _seek(self) -> None:
        sought, whole = self._sought, self._whole
        if sought is None or whole is None:
            return
        if sought.in_text:
            self._show_sought(0)
        else:
            self._jobs.run(
                "Looking for the place", _piece_with, whole.pieces, sought.words,
                done=self._show_sought, key=("message", id(self)), quiet=True,
            )  # fmt: skip

    def _show_sought(self, piece: int | None) -> None:
        sought, whole = self._sought, self._whole
        self._sought = None
        if sought is None or whole is None:
            return
        self.show_json(piece is None)
        if piece is None:
            self.json.show_match(sought.words, 0)
        else:
            self.list.show_pieces(whole.pieces, piece)
            self.text.show_match(sought.words, sought.near if piece == 0 else 0)

    def _show_piece(self, piece: Piece | None) -> None:
        if piece is None or self._whole is None:
            return
        self.preview.set_media(piece.media)
        if piece.what != "whole":
            self.text.set_text(piece.text, secret=piece.secret)
        elif self._whole.text.source:
            self.text.set_shown(self._whole.text)
        else:
            self.text.clear(f"No text: {self._whole.contents.empty or 'nothing that reads as text'}")

    def _show_ids(self, found: Contents) -> None:
        while (item := self._ids.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        for name, value in (("id", found.message_id), ("answers", found.tool_call_id)):
            if value:
                self._ids.addWidget(CopyId(name, value))
        if found.status == "error":
            label = ElidedLabel()
            label.set_text("error", error=True)
            self._ids.addWidget(label)

    def _failed(self, sentence: str) -> None:
        part, self._part, self._whole = self._part, None, None
        again = partial(self.show_part, part, self._artifact_path) if part is not None else None
        self._pane.show_error(sentence, again)

    def _set_artifact(self, path: str | None) -> None:
        self._artifact_path = path
        self._artifact.setVisible(path is not None)
        self._artifact.setToolTip(format.tip(path or ""))

    def _open_artifact(self) -> None:
        if self._artifact_path is not None:
            self.open_artifact.emit(self._artifact_path)


class CopyId(QToolButton):
    """A muted id that gives way where there is no room; a click copies it whole."""

    def __init__(self, name: str, value: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._value = value
        self.setAutoRaise(True)
        self.setText(format.menu_text(f"{name} {format.elide_middle(value, 22)}", 40))
        self.setToolTip(format.tip(f"{name} {value}\nA click copies it."))
        self.setAccessibleName(f"Copy {name} {format.one_line(value, 80)}")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.clicked.connect(lambda _on=False: clipboard.put_text(self._value))

    def minimumSizeHint(self) -> QSize:
        """A few letters of it."""
        return QSize(self.fontMetrics().horizontalAdvance("id 00…00"), super().minimumSizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The id, elided in the middle; the accent under the mouse and with the keyboard."""
        painter = QPainter(self)
        active = self.underMouse() or self.hasFocus()
        painter.setPen(theme.accent_colour() if active else theme.muted_colour())
        text = self.text().replace("&&", "&")
        shown = self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, self.width() - 6)
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine
        painter.drawText(self.rect(), int(flags), shown)


def _read(reader: Any, part: int) -> Whole:
    message = reader.message(part)
    text = shown(reader.text(part)) if _has_text(message) else shown("")
    found = contents(message)
    rest = found.pieces
    label = "Text"
    if len(rest) and rest[0].what == "text" and rest[0].text == text.source and not rest[0].note:
        rest = rest[1:]  # the only text there is: once is enough
    elif any(piece.what == "text" for piece in rest):
        label = "Whole text"
    whole = Piece("whole", label, found.empty or ("" if found.form == "text" else found.form), chars=len(text.source))
    return Whole(part, found, text, (whole, *rest))


def _piece_with(pieces: Sequence[Piece], words: str) -> int | None:
    """Place of the first piece but the whole text that holds some words."""
    return next((n for n, piece in enumerate(pieces) if n and words in piece.text), None)


def _has_text(message: Any) -> bool:
    """Where content holds no text at all, a reader may give the JSON instead, which is no text of it."""
    data = message.get("data", message) if isinstance(message, dict) else {}
    return isinstance(data, dict) and bool(data.get("content"))


def _first_choice(whole: Whole) -> int:
    """The text; without any, the first call or block."""
    if whole.text.source.strip() or len(whole.pieces) == 1:
        return 0
    return 1 if whole.pieces[1].what != "fields" else 0


def _json_to_copy(reader: Any, part: int) -> Masked:
    return clipboard.prepared(reader.json_text(part))
