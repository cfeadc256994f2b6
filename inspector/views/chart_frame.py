"""Around the bars of the chart: round values at the left, numbers or times below, pauses that were cut."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPen

from inspector import format, theme
from inspector.views import chart_axes as axes
from inspector.views.chart_scene import Scene

RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine)
MIDDLE = int(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine)


class Placed(Protocol):
    """What these need of a canvas."""

    scene: Scene

    def shown(self) -> tuple[float, float]:
        """Left and right end of what is shown."""

    def x_of(self, place: float) -> float:
        """Pixels of a place."""

    def font(self) -> QFont:
        """Of the figures."""

    def width(self) -> int:
        """In pixels."""


def draw_heights(painter: QPainter, scene: Scene, area: QRect) -> None:
    """Lines across at round values."""
    for value in axes.heights(scene.top, area.height() // 20):
        y = round(area.bottom() + 1 - value / scene.top * area.height())
        painter.setPen(QPen(theme.line_colour(), 1, Qt.PenStyle.DotLine))
        painter.drawLine(area.left(), y, area.right(), y)
        painter.setPen(theme.muted_colour())
        top = max(y - 8, area.top() - 3) if scene.lanes else y - 8  # over it stand the letters of the marks
        painter.drawText(QRect(0, top, area.left() - 6, 16), RIGHT, scene.label(value))
    painter.setPen(theme.line_colour())
    painter.drawLine(area.left(), area.bottom() + 1, area.right(), area.bottom() + 1)


def draw_places(painter: QPainter, canvas: Placed, area: QRect) -> None:
    """Numbers or times under the bars, as many as there is room for."""
    low, high = canvas.shown()
    course = canvas.scene.course
    if canvas.scene.mode == "time":
        ticks = axes.times(course, low, high, area.width() // 80) if len(course.left) else []
    else:
        ticks = axes.numbers(low, high, len(course.left), area.width() // 56)
    metrics, free = QFontMetrics(canvas.font()), area.left() - 20
    painter.setPen(theme.muted_colour())
    for place, text in ticks:
        x, wide = round(canvas.x_of(place)), metrics.horizontalAdvance(text)
        if x - wide // 2 < free or x + wide // 2 > canvas.width():
            continue
        painter.drawText(QRect(x - wide // 2 - 2, area.bottom() + 3, wide + 4, 16), MIDDLE, text)
        free = x + wide // 2 + 10


def draw_pauses(painter: QPainter, canvas: Placed, area: QRect) -> None:
    """A cut in the course, with how long nothing happened."""
    metrics = QFontMetrics(canvas.font())
    for begin, end, length in canvas.scene.course.pauses:
        left, right = canvas.x_of(begin), canvas.x_of(end)
        if right < area.left() or left > area.right():
            continue
        middle, text = round((left + right) / 2), format.duration(length * 1000)
        painter.setPen(QPen(theme.muted_colour(), 1, Qt.PenStyle.DashLine))
        painter.drawLine(middle, area.top(), middle, area.bottom())
        room = QRect(middle + 3, area.top(), metrics.horizontalAdvance(text) + 6, metrics.height())
        if room.right() < area.right():
            painter.fillRect(room, theme.base_colour())
            painter.setPen(theme.muted_colour())
            painter.drawText(room, MIDDLE, text)
