"""Masked secrets of a text that is drawn: shown one by one, by a click, from the menu or by a command; masked again."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QMenu

from inspector.jobs import Jobs
from inspector.models.late import while_alive
from inspector.models.shown_text import ShownText

if TYPE_CHECKING:
    from inspector.views.text_edit import ShownTextEdit


class SecretMarks(QObject):
    """What can be done with the secrets of one text. What is shown is masked again when another text comes."""

    def __init__(self, edit: ShownTextEdit) -> None:
        super().__init__(edit)
        self._edit = edit
        self._jobs: Jobs | None = None
        self._draw: Callable[[ShownText], None] | None = None
        edit.viewport().setMouseTracking(True)
        edit.viewport().installEventFilter(self)

    def attach(self, jobs: Jobs, draw: Callable[[ShownText], None]) -> None:
        """Secrets can be shown from now on; ``draw`` takes the same text, drawn otherwise."""
        self._jobs, self._draw = jobs, draw

    def any(self) -> bool:
        """Whether the text holds likely secrets, masked or shown."""
        return self._jobs is not None and bool(self._edit.shown_text().secrets)

    def show(self, offset: int) -> bool:
        """Show the secret at a true offset; False where none is masked."""
        text = self._edit.shown_text()
        secret = text.secret_at(offset)
        if secret is None or secret.start in text.revealed or not self.any():
            return False
        self._lay_out(text.revealed | {secret.start}, secret.start)
        return True

    def show_here(self) -> bool:
        """Show the secret under the cursor."""
        return self.show(self._edit.offset())

    def mask(self, offset: int | None = None) -> bool:
        """Mask the secret at a true offset again, or all of them; False where none is shown."""
        text = self._edit.shown_text()
        secret = text.secret_at(offset) if offset is not None else None
        if text.revealed:
            self._lay_out(text.revealed - {secret.start} if secret else frozenset(), self._edit.offset())
        return bool(text.revealed)

    def step(self) -> bool:
        """Put the cursor on the next masked secret, around the end; False without any."""
        text, here = self._edit.shown_text(), self._edit.offset()
        drawn = [secret.start for secret in text.masked if text.is_drawn(secret.start)]
        if not drawn:
            return False
        self._edit.go_to(next((start for start in drawn if start > here), drawn[0]))
        return True

    def add_to(self, menu: QMenu, at: QPoint) -> None:
        """The entries of a context menu opened at a place of the viewport."""
        if not self.any():
            return
        text, offset = self._edit.shown_text(), self._edit.offset_at(at)
        secret = text.secret_at(offset) if offset is not None else None
        if secret is not None and secret.start not in text.revealed:
            menu.addAction("Show this secret", partial(self.show, secret.start))
        elif secret is not None:
            menu.addAction("Mask again", partial(self.mask, secret.start))

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """A click on a mask shows what it hides."""
        if isinstance(event, QMouseEvent) and self.any():
            if event.type() == QEvent.Type.MouseMove and not event.buttons():
                over = self._masked_at(event.position().toPoint()) is not None
                shape = Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.IBeamCursor
                self._edit.viewport().setCursor(shape)
            elif (
                event.type() == QEvent.Type.MouseButtonRelease
                and event.button() == Qt.MouseButton.LeftButton
                and not self._edit.textCursor().hasSelection()
                and (offset := self._masked_at(event.position().toPoint())) is not None
            ):
                self.show(offset)
        return False

    def _masked_at(self, at: QPoint) -> int | None:
        offset, text = self._edit.offset_at(at), self._edit.shown_text()
        secret = text.secret_at(offset) if offset is not None else None
        return offset if secret is not None and secret.start not in text.revealed else None

    def _lay_out(self, revealed: frozenset[int], offset: int) -> None:
        assert self._jobs is not None
        self._jobs.run(
            "Laying out the text", partial(self._edit.shown_text().again, revealed=revealed),
            done=while_alive(self, partial(self._redraw, offset)), key=("secrets", id(self)), quiet=True,
        )  # fmt: skip

    def _redraw(self, offset: int, text: ShownText) -> None:
        if self._draw is None or text.source != self._edit.shown_text().source:
            return
        bar = self._edit.verticalScrollBar()
        top = bar.value()
        self._draw(text)
        bar.setValue(top)
        self._edit.go_to(offset)
