"""The program's icon: a few stacked contexts, one of them falling. Drawn, so that there is no file to miss."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap

from inspector import theme

SIZES = (16, 24, 32, 48, 64, 128, 256)
BARS = (
    (("tools", 0.18), ("human", 0.10), ("tool", 0.22)),
    (("tools", 0.18), ("human", 0.10), ("tool", 0.50)),
    (("tools", 0.18), ("summary", 0.14), ("tool", 0.08)),
)
"""Parts of the height, from the bottom up: growing, full, and after a summary."""


def icon() -> QIcon:
    """The icon in the usual sizes."""
    made = QIcon()
    for size in SIZES:
        made.addPixmap(_picture(size))
    return made


def _picture(size: int) -> QPixmap:
    picture = QPixmap(size, size)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.DARK.base))
    painter.drawRoundedRect(QRectF(0, 0, size, size), size * 0.2, size * 0.2)
    edge, width = size * 0.17, size * 0.18
    for place, bar in enumerate(BARS):
        x, y = edge + place * (width + size * 0.06), size - edge
        for kind, part in bar:
            height = part * (size - 2 * edge) / 0.78
            y -= height
            painter.fillRect(QRectF(x, y, width, height), QColor(theme.kind_hex(kind, dark=True)))
    painter.end()
    return picture
