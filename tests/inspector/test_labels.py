"""Labels of one line: what another text costs."""

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QHBoxLayout, QWidget

from inspector.views.labels import ElidedLabel


class Layouts(QObject):
    """Counts how often a widget was asked to lay out its children anew."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__()
        self.count = 0
        widget.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        self.count += event.type() == QEvent.Type.LayoutRequest
        return False


def test_another_text_lays_out_anew_only_what_needs_other_room(qtbot):
    box, name, rest = QWidget(), ElidedLabel("Request 1"), ElidedLabel("main agent")
    rest.fill()
    row = QHBoxLayout(box)
    row.addWidget(name)
    row.addWidget(rest, 1)
    qtbot.addWidget(box)
    box.resize(600, 40)
    box.show()
    QApplication.processEvents()
    layouts = Layouts(box)
    name.set_text("Request 2")
    rest.set_text("researcher · agent · " + "a long model name " * 20)
    QApplication.processEvents()
    assert layouts.count == 0 and rest.width() > 300
    assert rest.text().startswith("researcher") and rest.accessibleName().startswith("researcher")
    before = name.width()
    name.set_text("Request 2 of a thread that goes on")
    QApplication.processEvents()
    assert layouts.count > 0 and name.width() > before
    assert name.width() >= name.fontMetrics().horizontalAdvance(name.text())
