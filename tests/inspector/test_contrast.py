"""Whether what is written can be read, also after the colours changed while the window was shown."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QImage
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QComboBox,
    QLabel,
    QLineEdit,
    QMenuBar,
    QPlainTextEdit,
    QStyle,
    QStyleOptionButton,
    QTabBar,
    QToolButton,
    QWidget,
)

from inspector import theme
from inspector.actions import AREAS
from inspector.views.labels import ElidedLabel
from inspector.views.palette import Palette
from inspector.views.plain_text import PathLabel
from inspector.views.tick import Pick, Tick
from tests.inspector.conftest import settle
from tests.inspector.test_window import open_thread

LEAST = 3.0
Box = QStyle.SubElement
WRITTEN = (
    QLabel, QAbstractButton, QLineEdit, QComboBox, QPlainTextEdit, QTabBar, QMenuBar, QAbstractItemView,
    ElidedLabel, PathLabel,
)  # fmt: skip


def pixels(root: QWidget) -> np.ndarray:
    """What is on the screen, ``0xRRGGBB`` by row and column."""
    image = root.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    raw = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.bytesPerLine() // 4)
    return raw[:, : image.width()] & 0xFFFFFF


def luminance(packed: np.ndarray) -> np.ndarray:
    """As WCAG defines it."""
    part = np.stack([packed >> 16, packed >> 8 & 255, packed & 255], axis=-1) / 255
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    return linear @ np.array([0.2126, 0.7152, 0.0722])


def contrast(found: np.ndarray) -> float:
    """The strongest contrast of any colour with the one that most of the picture has."""
    colours, times = np.unique(found, return_counts=True)
    bright = luminance(colours)
    ground = bright[times.argmax()]
    return float(np.max((np.maximum(bright, ground) + 0.05) / (np.minimum(bright, ground) + 0.05)))


def has_words(widget: QWidget) -> bool:
    """Whether something is written on a widget now."""
    if isinstance(widget, QPlainTextEdit):
        return bool(widget.toPlainText() or widget.placeholderText())
    if isinstance(widget, QAbstractItemView):
        return widget.model() is not None and widget.model().rowCount() > 0
    if isinstance(widget, QLineEdit):
        return bool(widget.text() or widget.placeholderText())
    if isinstance(widget, QComboBox):
        return bool(widget.currentText())
    if isinstance(widget, (QTabBar, QMenuBar)):
        return True
    if isinstance(widget, QToolButton) and not widget.text():
        return widget.arrowType().value != 0
    return bool(widget.text().strip())


def faint(root: QWidget) -> list[str]:
    """Widgets on the screen whose writing hardly stands out."""
    found = []
    window = root.window()
    picture = pixels(window)
    for widget in root.findChildren(QWidget):
        if not isinstance(widget, WRITTEN) or not widget.isVisible() or not has_words(widget):
            continue
        drawn = widget.viewport() if isinstance(widget, QAbstractScrollArea) else widget
        seen = drawn.visibleRegion().boundingRect().translated(drawn.mapTo(window, QPoint(0, 0)))
        if min(seen.width(), seen.height()) < 8:
            continue
        if isinstance(widget, (QAbstractButton, QLineEdit, QComboBox)):
            seen.adjust(3, 3, -3, -3)  # a frame is no writing
        value = contrast(picture[seen.top() : seen.bottom() + 1, seen.left() : seen.right() + 1])
        if value < LEAST:
            words = widget.text() if isinstance(widget, (QLabel, QAbstractButton)) else ""
            found.append(f"{type(widget).__name__} {words or widget.accessibleName()!r}: {value:.1f}")
    return found


def test_everything_can_be_read_when_the_colours_change_at_run_time(qtbot, make_window, demo_path, qapp):
    window = make_window(demo_path)
    open_thread(qtbot, window)
    window.beginning.show_welcome()
    window.status.show_problem("A problem")
    window.composer._say("Something went wrong", True)
    window.session.select_index(0)
    window.commands.run("go.next_summary")
    request = window.desk.request

    def every_pane(look: bool) -> list[str]:
        left = []
        for area in range(len(AREAS)):
            request.show_area(area)
            settle(qtbot, window)
            left += [f"area {area}: {each}" for each in (faint(window.centre) if look else ())]
        for name in window.around.names():
            window.around.show(name)
            settle(qtbot, window)
            left += [f"{name}: {each}" for each in (faint(window.around.place(name)) if look else ())]
        return left + (faint(window) if look else [])

    every_pane(look=False)  # what keeps a colour takes it when it is first shown
    for scheme in ("dark", "light"):
        theme.choose(qapp, scheme)
        qapp.processEvents()  # Qt tells the widgets of a new palette later
        assert "\n".join(every_pane(look=scheme == "dark")) == ""
    assert "\n".join(faint(window)) == ""


def test_what_cannot_be_read_is_found(qtbot, colours):
    box = QWidget()
    qtbot.addWidget(box)
    label = QLabel("Pale", box)
    label.resize(100, 20)
    palette = label.palette()
    palette.setColor(label.foregroundRole(), theme.line_colour())
    label.setPalette(palette)
    box.show()
    assert [each.split(":")[0] for each in faint(box)] == ["QLabel 'Pale'"]
    palette.setColor(label.foregroundRole(), theme.muted_colour())
    label.setPalette(palette)
    assert faint(box) == []


def test_the_palette_of_commands_can_be_read_in_the_dark(qtbot, make_window, qapp):
    window = make_window()
    theme.choose(qapp, "dark")
    window.commands.run("help.palette")
    palette = window.findChild(Palette)
    assert palette.isVisible() and faint(palette) == []
    palette.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("kind", "element"), [(Tick, Box.SE_CheckBoxIndicator), (Pick, Box.SE_RadioButtonIndicator)])
def test_what_can_be_chosen_has_an_edge_that_is_seen(qtbot, colours, scheme, kind, element):
    theme.choose(colours, scheme)
    button = kind("A choice")
    qtbot.addWidget(button)
    button.resize(button.sizeHint())
    shown = pixels(button)
    option = QStyleOptionButton()
    button.initStyleOption(option)
    box = button.style().subElementRect(element, option, button)
    row = luminance(shown[box.center().y(), box.left() : box.center().x()])
    ground = luminance(shown[:1, -1:])[0, 0]
    edge = max(row, key=lambda seen: abs(seen - ground))
    assert (max(edge, ground) + 0.05) / (min(edge, ground) + 0.05) >= LEAST
