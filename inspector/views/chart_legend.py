"""The legend of the chart, one line: what the parts of a bar are at the left, lines and limits at the right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from inspector import format, theme
from inspector.models.bars import SUBAGENT, SUMMARY
from inspector.models.raster import DOTS, LINES, SLANTS
from inspector.views.chart_scene import Line, Part, Scene

SWATCH = 9
SAMPLE = 18
"""Width of the sample of a line."""
_GAP = 14
_FLAGS = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine)
_BRUSHES = {
    DOTS: Qt.BrushStyle.Dense4Pattern,
    SLANTS: Qt.BrushStyle.FDiagPattern,
    LINES: Qt.BrushStyle.HorPattern,
}


class _Entry(NamedTuple):
    part: Part | None
    line: Line | None
    words: str


class Legend(QWidget):
    """Letters, colours and patterns of the parts; names give way to room."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Legend of the chart")
        self._left: list[_Entry] = []
        self._right: list[_Entry] = []
        self.setFixedHeight(QFontMetrics(self.font()).height() + 6)
        theme.notifier().changed.connect(self.update)

    def show_scene(self, scene: Scene) -> None:
        """Name what this scene draws."""
        parts = list(scene.parts)
        if (scene.makers == SUBAGENT).any():
            parts.append(Part("other", "", "subagent", SLANTS))
        if (scene.makers == SUMMARY).any():
            parts.append(Part("other", "", "summary call", LINES))
        self._left = [_Entry(part, None, part.name) for part in parts]
        self._right = [_Entry(None, _line_of(scene.lines, words), words) for words in scene.words]
        names = [f"{part.letter} {part.name}".strip() for part in parts]
        lanes = [f"{lane.letter} {lane.name}" for lane in scene.lanes]
        marks = f"Marks over the bars: {', '.join(lanes)}" if lanes else ""
        self.setAccessibleDescription(", ".join([*names, *scene.words, *([marks] if marks else [])]))
        self.setToolTip(format.tip("\n".join([*names, *scene.words, *([marks] if marks else [])])))
        self.update()

    def sizeHint(self) -> QSize:
        """One line of text."""
        return QSize(300, QFontMetrics(self.font()).height() + 6)

    def minimumSizeHint(self) -> QSize:
        """It gives way."""
        return QSize(60, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Swatches and letters in the colours of their kinds, names in the ordinary colour."""
        painter = QPainter(self)
        bold = QFont(self.font())
        bold.setBold(True)
        plain, strong = QFontMetrics(self.font()), QFontMetrics(bold)
        letters = sum(SWATCH + 14 + self._letter(entry, strong) for entry in self._left)
        right = self._paint_right(painter, plain, letters)
        names = sum(plain.horizontalAdvance(entry.words) for entry in self._left)
        named = letters + names <= right - 4
        x = 4
        for entry in self._left:
            part = entry.part
            assert part is not None
            if x + SWATCH > right:
                break
            self._swatch(painter, x, part)
            x += SWATCH + 4
            painter.setFont(bold)
            painter.setPen(theme.kind_colour(part.kind))
            if part.letter not in ("", "■"):
                painter.drawText(QRect(x, 0, right - x, self.height()), _FLAGS, part.letter)
            x += self._letter(entry, strong)
            if named or not part.letter or part.letter == "■":
                painter.setFont(self.font())
                painter.setPen(theme.muted_colour())
                room = max(0, right - x)
                text = plain.elidedText(entry.words, Qt.TextElideMode.ElideRight, room)
                painter.drawText(QRect(x, 0, room, self.height()), _FLAGS, text)
                x += plain.horizontalAdvance(entry.words)
            x += 10
        painter.end()

    def _letter(self, entry: _Entry, strong: QFontMetrics) -> int:
        letter = entry.part.letter if entry.part is not None else ""
        return strong.horizontalAdvance(letter) + 4 if letter not in ("", "■") else 0

    def _swatch(self, painter: QPainter, x: int, part: Part) -> None:
        colour = QColor(theme.kind_colour(part.kind))
        box = QRect(x, (self.height() - SWATCH) // 2, SWATCH, SWATCH)
        painter.fillRect(box, QBrush(colour, _BRUSHES.get(part.pattern, Qt.BrushStyle.SolidPattern)))
        if part.pattern in (SLANTS, LINES):
            painter.setPen(colour)
            painter.drawRect(box.adjusted(0, 0, -1, -1))

    def _paint_right(self, painter: QPainter, metrics: QFontMetrics, needed: int) -> int:
        """From the right, each with a sample of its line, short where the letters need room; where that ends."""
        wide = sum(metrics.horizontalAdvance(entry.words) + SAMPLE + 5 + _GAP for entry in self._right)
        x, short = self.width() - 10, wide + needed > self.width()
        for entry in reversed(self._right):
            words = entry.words.removeprefix("summary ").split(",")[0] if short else entry.words
            x -= metrics.horizontalAdvance(words)
            painter.setPen(theme.muted_colour())
            painter.drawText(QRect(x, 0, self.width(), self.height()), _FLAGS, words)
            if entry.line is not None:
                x -= SAMPLE + 5
                painter.setPen(entry.line.pen())
                painter.drawLine(x, self.height() // 2, x + SAMPLE, self.height() // 2)
            x -= _GAP
        return x


def _line_of(lines: Sequence[Line], words: str) -> Line | None:
    """The line that these words are about, where it is drawn."""
    names = {"window": "window", "summary trigger": "trigger"}
    for begins, name in names.items():
        if words.startswith(begins):
            return next((line for line in lines if line.name == name), None)
    return next((line for line in lines if line.name == "cache"), None) if words.endswith("the cache") else None
