"""The chart as a picture: bars, lines, marks and axes of a scene; where the mouse points; what is in view.

The picture is made when the scene, the range or the size changes; what follows the mouse or the selection is
drawn over it.
"""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QPoint, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QImage, QPainter, QPaintEvent, QPen, QPixmap, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from inspector import theme
from inspector.models import raster
from inspector.models.bars import Numbers
from inspector.views import chart_axes as axes
from inspector.views.chart_frame import MIDDLE, RIGHT, draw_heights, draw_pauses, draw_places
from inspector.views.chart_scene import PATTERNS, Line, Scene, swatch_colour
from inspector.views.focus_edge import FocusEdge

LANE = 9
"""Height of a row of marks."""
GAP_FROM = 4
"""Bars at least so many pixels wide stand apart."""
TINY = 1e-12
"""A request without a height still has its place; one that is dimmed gives way to one that is not."""


class Canvas(QWidget):
    """Draws a scene between two places, and marks the selected request."""

    ranged = Signal()
    """Another range is shown."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMouseTracking(True)
        self.setFont(theme.figure_font())
        self.scene = Scene()
        self.range: tuple[float, float] | None = None
        """Left and right end of what is shown; None for everything, also what comes."""
        self.dimmed: Numbers = np.zeros(0, bool)
        self.selected = -1
        self.pointed = -1
        self.band: tuple[float, float] | None = None
        """A range that is being chosen."""
        self._picture: QPixmap | None = None
        FocusEdge(self)
        theme.notifier().changed.connect(self.redraw)

    # -- what is shown -----------------------------------------------------------------------

    def show_scene(self, scene: Scene) -> None:
        """Draw another scene. A range that stood at the end stays at the end, any other stays where it is."""
        before, self.scene = self.scene, scene
        if self.range is not None and (before.mode == "time") == (scene.mode == "time"):
            low, high = self.range
            if high >= before.course.whole[1] - 1e-6 and scene.course.whole[1] > before.course.whole[1]:
                moved = scene.course.whole[1] - high
                self.range = low + moved, high + moved
            self.set_range(*self.range)
        else:
            self.range = None
        if len(self.dimmed) != len(scene.edges):
            self.dimmed = np.zeros(len(scene.edges), bool)
        self.redraw()

    def set_range(self, low: float, high: float) -> None:
        """Show this range, held within the whole; the whole itself means everything from now on."""
        first, last = self.scene.course.whole
        span = max(high - low, self.scene.course.least)
        if span >= last - first:
            self.range = None
        else:
            low = min(max(low, first), last - span)
            self.range = low, low + span
        self.redraw()
        self.ranged.emit()

    def shown(self) -> tuple[float, float]:
        """Left and right end of what is shown."""
        return self.range or self.scene.course.whole

    def redraw(self) -> None:
        """Make the picture again when it is next asked for."""
        self._picture = None
        self.update()

    # -- places ------------------------------------------------------------------------------

    def area(self) -> QRect:
        """Where bars are drawn."""
        metrics = QFontMetrics(self.font())
        left = (
            max(
                metrics.horizontalAdvance(text)
                for text in ("0.0M0", *map(self.scene.label, axes.heights(self.scene.top, 4)))
            )
            + 10
        )
        lanes = LANE * len(self.scene.lanes)
        return QRect(left, 2 + lanes, max(1, self.width() - left - 10), max(1, self.height() - lanes - 20))

    def x_of(self, place: float) -> float:
        """Pixels of a place."""
        low, high = self.shown()
        area = self.area()
        return area.left() + (place - low) / (high - low) * area.width()

    def place_of(self, x: float) -> float:
        """The place under a pixel."""
        low, high = self.shown()
        area = self.area()
        return low + (x - area.left()) / area.width() * (high - low)

    def index_at(self, x: float) -> int:
        """The request whose bar is drawn nearest to a pixel; −1 without any."""
        area = self.area()
        column = math.floor((x - area.left()) * self.devicePixelRatioF())
        owner = self._owner(area)
        there = np.flatnonzero(owner >= 0)
        if len(there):
            near = int(there[np.abs(there - column).argmin()])
            if abs(near - column) <= 3 * self.devicePixelRatioF():
                return int(owner[near])
        return self.scene.course.at(self.place_of(x))

    # -- painting ----------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The picture is made for a size."""
        super().resizeEvent(event)
        self.redraw()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The selection, the picture, and what follows the mouse."""
        area = self.area()
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.base_colour())
        self._paint_selection(painter, area, under=True)
        if self._picture is None or self._picture.devicePixelRatio() != self.devicePixelRatioF():
            self._picture = self._draw(area)
        painter.drawPixmap(0, 0, self._picture)
        self._paint_selection(painter, area, under=False)
        if self.pointed >= 0 and self.pointed != self.selected:
            painter.fillRect(self._span(self.pointed, area), _veil(theme.text_colour(), 28))
        if self.band is not None:
            ends = sorted(max(area.left(), min(area.right(), x)) for x in self.band)
            painter.fillRect(QRectF(ends[0], area.top(), ends[1] - ends[0], area.height()),
                             _veil(theme.accent_colour(), 50))  # fmt: skip

    def _paint_selection(self, painter: QPainter, area: QRect, *, under: bool) -> None:
        if not 0 <= self.selected < len(self.scene.course.left):
            return
        span = self._span(self.selected, area)
        if span.right() < area.left() or span.left() > area.right():
            return
        if under:
            painter.fillRect(span, _veil(theme.accent_colour(), 45))
            return
        painter.setPen(QPen(theme.accent_colour(), 1))
        for x in (span.left(), span.right()):
            painter.drawLine(round(x), area.top() - LANE * len(self.scene.lanes), round(x), area.bottom())

    def _span(self, index: int, area: QRect) -> QRectF:
        """Columns of a request, at least three pixels."""
        course = self.scene.course
        left, right = self.x_of(float(course.left[index])), self.x_of(float(course.right[index]))
        if right - left < 3:
            left, right = (left + right) / 2 - 1.5, (left + right) / 2 + 1.5
        return QRectF(left, area.top(), right - left, area.height())

    def _draw(self, area: QRect) -> QPixmap:
        ratio = self.devicePixelRatioF()
        made = QPixmap(round(self.width() * ratio), round(self.height() * ratio))
        made.setDevicePixelRatio(ratio)
        made.fill(Qt.GlobalColor.transparent)
        painter = QPainter(made)
        painter.setFont(self.font())
        draw_heights(painter, self.scene, area)
        draw_places(painter, self, area)
        if len(self.scene.edges):
            lanes = LANE * len(self.scene.lanes)
            image = self._bars(area, ratio)
            painter.drawImage(QPoint(area.left(), area.top() - lanes), image)
            draw_pauses(painter, self, area)
            for line in self.scene.lines:
                self._draw_line(painter, line, area, ratio)
            small = QFont(self.font())
            small.setPixelSize(LANE)
            painter.setFont(small)
            for row, lane in enumerate(self.scene.lanes):
                painter.setPen(theme.kind_colour(lane.kind))
                painter.drawText(QRect(0, area.top() - lanes + row * LANE, area.left() - 6, LANE), RIGHT, lane.letter)
        painter.end()
        return made

    def _edges(self, area: QRect, seen: slice) -> tuple[Numbers, Numbers]:
        """Left and right edges of requests in the picture's own pixels."""
        low, high = self.shown()
        ratio, course = self.devicePixelRatioF(), self.scene.course
        scale = area.width() * ratio / (high - low)
        left = np.floor((course.left[seen] - low) * scale).astype(np.int64)
        right = np.floor((course.right[seen] - low) * scale).astype(np.int64)
        if self.scene.mode == "time":
            return left, np.maximum(right, left + round(2 * ratio))
        if self.scene.mode == "requests" and scale >= GAP_FROM * ratio:
            gap = max(1, round(scale * 0.18))
            left, right = left + gap // 2, right - (gap - gap // 2)
        return left, np.maximum(right, left + 1)

    def _owner(self, area: QRect) -> Numbers:
        seen = self.scene.course.between(*self.shown())
        width = round(area.width() * self.devicePixelRatioF())
        weight = (self.scene.totals[seen] + TINY) * np.where(self.dimmed[seen], TINY, 1.0)
        found = raster.owners(*self._edges(area, seen), weight, width)
        return np.where(found >= 0, found + seen.start, -1)

    def _bars(self, area: QRect, ratio: float) -> QImage:
        scene, lanes = self.scene, LANE * len(self.scene.lanes)
        owner = self._owner(area)
        high, over = round(area.height() * ratio), round(lanes * ratio)
        seen = scene.course.between(*self.shown())
        local = np.where(owner >= 0, owner - seen.start, -1)
        tops = np.rint(scene.edges[seen] * (high / scene.top)).astype(np.int64)
        tops[:, -1:] = np.maximum(tops[:, -1:], (scene.edges[seen, -1:] > 0).astype(np.int64))
        paints = [
            raster.Paint(swatch_colour(p.kind, False).rgba(), swatch_colour(p.kind, True).rgba(), p.pattern)
            for p in scene.parts
        ]
        hatched = np.array([PATTERNS[maker] for maker in sorted(PATTERNS)])[scene.makers[seen]]
        dot = max(1, round(ratio))
        picture = np.zeros((over + high, len(owner)), np.uint32)
        picture[over:] = raster.paint(local, tops, paints, hatched, self.dimmed[seen], high, dot)
        left, _right = self._edges(area, seen)
        for row, lane in enumerate(scene.lanes):
            columns = np.unique(left[lane.marked[seen]])
            colour = theme.kind_colour(lane.kind).rgba()
            wide = max(2, round(2 * ratio), round(min(6 * ratio, len(owner) / max(1, len(left)) * 0.5)))
            raster.ticks(picture, columns, round((row * LANE + 2) * ratio), round((LANE - 4) * ratio), wide, colour)
        image = QImage(picture.tobytes(), len(owner), over + high, len(owner) * 4, QImage.Format.Format_ARGB32).copy()
        image.setDevicePixelRatio(ratio)
        return image

    def _draw_line(self, painter: QPainter, line: Line, area: QRect, ratio: float) -> None:
        """Steps over the columns, each value written where a step begins on the way."""
        metrics, before = QFontMetrics(self.font()), None
        for start, end, value in raster.steps(self._owner(area), line.values):
            y = round(area.bottom() + 1 - value * line.scale / self.scene.top * area.height())
            left, right = area.left() + start / ratio, area.left() + end / ratio
            painter.setPen(line.pen())
            painter.drawLine(round(left), y, round(right), y)
            if before is not None and before[0] == start:
                painter.drawLine(round(left), before[1], round(left), y)
                if right - left > 50 and line.name != "cache":
                    text = self.scene.label(value)
                    over = y - metrics.height() - 1 if line.name == "window" and y - metrics.height() > 0 else y + 1
                    room = QRect(round(left) + 3, over, metrics.horizontalAdvance(text) + 6, metrics.height())
                    painter.fillRect(room, _veil(theme.base_colour(), 200))
                    painter.drawText(room, MIDDLE, text)
            before = (end, y)


def _veil(colour: QColor, alpha: int) -> QColor:
    made = QColor(colour)
    made.setAlpha(alpha)
    return made
