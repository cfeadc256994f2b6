"""A picture of a message, on demand: decoded off the GUI thread, from the bytes in the message only."""

from __future__ import annotations

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QSize, Qt
from PySide6.QtGui import QImage, QImageReader, QPixmap
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from inspector import format
from inspector.jobs import Jobs
from inspector.models.media import Media
from inspector.panes import plain_label

MOST_BYTES = 32_000_000
MOST_PIXELS = 60_000_000
_FIT = QSize(1600, 1200)
_FORMATS = (
    (b"\x89PNG\r\n\x1a\n", b"png"), (b"\xff\xd8\xff", b"jpeg"), (b"GIF8", b"gif"), (b"BM", b"bmp"),
    (b"RIFF", b"webp"),
)  # fmt: skip
"""Formats that hold nothing but pixels. SVG is left out: it can name other files."""


class Preview(QWidget):
    """A button, and the picture after it was pressed."""

    def __init__(self, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._media: Media | None = None
        self.button = QPushButton("Show the picture")
        self.button.setAccessibleName("Show the picture")
        self.button.clicked.connect(self.show_picture)
        self.says = plain_label(muted=True)
        self.picture = plain_label()
        self.picture.setAccessibleName("Picture")
        self.picture.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self._area = QScrollArea()
        self._area.setWidget(self.picture)
        self._area.setWidgetResizable(True)
        self._area.setAccessibleName("Picture")
        self._area.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.hide()
        row = QHBoxLayout()
        row.addWidget(self.button)
        row.addWidget(self.says, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 4, 8, 4)
        column.addLayout(row)
        column.addWidget(self._area, 1)
        self.hide()

    def set_media(self, media: Media | None) -> None:
        """Offer the picture of a media block; nothing for what is none."""
        self._jobs.cancel(self._key())
        self._media = media
        self.picture.clear()
        self._area.hide()
        self.says.setText("")
        self.setVisible(media is not None and media.kind == "image" and media.data is not None)
        self.button.setEnabled(True)

    def show_picture(self) -> None:
        """Decode and show it."""
        if self._media is None or self._media.data is None:
            return
        self.button.setEnabled(False)
        self.says.setText("Decoding the picture")
        self._jobs.run(
            "Decoding the picture", decode, self._media.data,
            done=self._decoded, failed=self.says.setText, key=self._key(),
        )  # fmt: skip

    def _key(self) -> tuple[str, int]:
        return ("picture", id(self))

    def _decoded(self, found: tuple[QImage | None, str]) -> None:
        image, says = found
        self.says.setText(says)
        if image is not None:
            self.picture.setPixmap(QPixmap.fromImage(image))
            self._area.show()


def decode(data: bytes) -> tuple[QImage | None, str]:
    """The picture, at most of the size of a window, and a word on it; None and the reason otherwise."""
    if len(data) > MOST_BYTES:
        return None, f"Too large for a preview: {format.exact(len(data))} bytes."
    kind = next((name for magic, name in _FORMATS if data.startswith(magic)), None)
    if kind is None:
        return None, "No preview: the bytes are not a PNG, JPEG, GIF, BMP or WebP picture."
    buffer = QBuffer()
    buffer.setData(QByteArray(data))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer, QByteArray(kind))
    reader.setAutoDetectImageFormat(False)
    size = reader.size()
    if size.isValid() and size.width() * size.height() > MOST_PIXELS:
        return None, f"Too large for a preview: {size.width()} × {size.height()} pixels."
    if size.isValid() and (size.width() > _FIT.width() or size.height() > _FIT.height()):
        reader.setScaledSize(size.scaled(_FIT, Qt.AspectRatioMode.KeepAspectRatio))
    image = reader.read()
    if image.isNull():
        return None, f"The bytes can't be decoded as a picture: {reader.errorString()}."
    true = size if size.isValid() else image.size()
    return image, f"{true.width()} × {true.height()} pixels"
