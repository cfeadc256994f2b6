"""Secrets (case S15): none is seen or copied anywhere in the window before it was asked for; then that one only."""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QAbstractTableModel, QModelIndex, Qt
from PySide6.QtGui import QGuiApplication, QPainter
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QTabBar,
    QWidget,
)
from shiboken6 import isValid

from inspector.views.memory_editor import MemoryEditor
from inspector.views.request import MESSAGES
from tests.engine.wire.provider import listening
from tests.inspector.conftest import WAIT_MS, settle
from tests.inspector.secret_world import GITHUB, LONG, ON_WIRE, PEM, PLANTED, SEEDS, THREAD, plant

ROLES = (
    Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole, Qt.ItemDataRole.ToolTipRole,
    Qt.ItemDataRole.StatusTipRole, Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.AccessibleDescriptionRole,
)  # fmt: skip
MOST_ROWS = 3
BEGINNINGS = {secret[:10]: secret for secret in (*PLANTED, PEM[::-1])}
"""So much of a secret is a secret: what was cut or elided is looked at too."""


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with listening() as server:
        return plant(tmp_path_factory.mktemp("secrets") / "planted.ctx", server)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every text that our own painting draws."""
    found: list[str] = []
    draw = QPainter.drawText

    def noting(self: QPainter, *args: Any) -> Any:
        found.extend(each for each in args if isinstance(each, str))
        return draw(self, *args)

    monkeypatch.setattr(QPainter, "drawText", noting)
    return found


def seen(text: str) -> list[str]:
    """Secrets that a text shows."""
    return [secret for beginning, secret in BEGINNINGS.items() if beginning in text]


def texts(widget: QWidget) -> Iterator[tuple[str, str]]:
    """What each widget shows, says on hover and tells a screen reader."""
    for each in (widget, *widget.findChildren(QWidget)):
        name = f"{type(each).__name__} {each.accessibleName()[:40]!r}"
        yield name, each.windowTitle()
        yield name, each.toolTip()
        yield name, each.accessibleName()
        yield name, each.accessibleDescription()
        yield name, each.statusTip()
        if isinstance(each, MemoryEditor):
            continue  # a user edits the bytes of their own file
        if isinstance(each, (QLabel, QAbstractButton, QLineEdit)):
            yield name, each.text()
        elif isinstance(each, QPlainTextEdit):
            yield name, each.toPlainText()
        elif isinstance(each, QComboBox):
            yield name, "\n".join(each.itemText(n) for n in range(each.count()))
        elif isinstance(each, QTabBar):
            yield name, "\n".join(each.tabText(n) + each.tabToolTip(n) for n in range(each.count()))
        elif isinstance(each, QAbstractItemView) and each.model() is not None:
            yield name, "\n".join(cells(each.model(), QModelIndex()))


def cells(model: QAbstractItemModel, parent: QModelIndex) -> Iterator[str]:
    """Every role of every index."""
    for row in range(model.rowCount(parent)):
        columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount(parent)
        for column in range(columns):
            index = model.index(row, column, parent)
            yield from (str(data) for role in ROLES if (data := index.data(role)) is not None)
        if not isinstance(model, (QAbstractListModel, QAbstractTableModel)):
            yield from cells(model, model.index(row, 0, parent))


class Walk:
    """Goes everywhere, and notes where a secret is seen."""

    def __init__(self, qtbot: Any, window: Any, drawn: list[str]) -> None:
        self.qtbot, self.window, self.drawn = qtbot, window, drawn
        self.found: set[str] = set()
        self.masks = 0
        """Texts with a mask in them: what there was to see."""

    def look(self, where: str, part: QWidget | None = None) -> None:
        """At all of the window and what it draws, or at the texts of a part."""
        self.qtbot.waitUntil(self.window.jobs.idle, timeout=WAIT_MS)
        if part is None:
            self.window.grab()
        for name, text in (*texts(part or self.window), *(("drawn", text) for text in self.drawn)):
            self.masks += "[masked: " in text
            self.found.update(f"{where}: {name} shows {secret[:14]}" for secret in seen(text))
        self.drawn.clear()

    def part(self, part: QWidget, where: str) -> None:
        """Every row of every list of a part, and every form of every text."""
        self.look(where)
        for view in part.findChildren(QAbstractItemView):
            if view.isVisible() and view.model() is not None:
                for row in range(min(view.model().rowCount(), MOST_ROWS)):
                    view.setCurrentIndex(view.model().index(row, 0))
                    self.look(f"{where}, {view.accessibleName()}, row {row}", part)
        for name in ("JSON", "Text"):
            for button in part.findChildren(QAbstractButton):
                if isValid(button) and button.isVisible() and button.text() == name and button.isCheckable():
                    button.click()
                    self.look(f"{where}, as {name}", part)


PLACES = {THREAD: ((0, (3,)), (-1, range(7))), LONG: ((-1, (4,)),), ON_WIRE: ((-1, (3,)),), SEEDS: ((-1, (1,)),)}
"""Threads, of each which requests, of each which areas."""
PANES = {THREAD: ("files", "skills", "ledger"), LONG: ("summaries",), ON_WIRE: (), SEEDS: ("memory",)}


def everywhere(qtbot: Any, window: Any, walk: Walk) -> None:
    for thread, requests in PLACES.items():
        window.session.select_thread(thread)
        settle(qtbot, window)
        for at, areas in requests:
            window.session.select_index(at % len(window.session.rows.ids))
            settle(qtbot, window)
            for area in areas:
                window.desk.request.bring_area(area)
                walk.part(window.desk.request, f"{thread}, request {at}, area {area}")
        for pane in PANES[thread]:
            window.focus(pane)
            walk.part(window.around.place(pane), f"{thread}, {pane}")
    window.focus("find")
    window.around.place("find").widget().look_for("token")
    walk.part(window.around.place("find"), "find")


@pytest.mark.slow
def test_no_secret_is_seen_anywhere(qtbot: Any, make_window: Callable, planted: Path, drawn: list[str]) -> None:
    window = make_window(planted)
    walk = Walk(qtbot, window, drawn)
    everywhere(qtbot, window, walk)
    assert sorted(walk.found) == []
    assert walk.masks > 200


def test_no_secret_is_copied_and_one_is_shown_on_request(qtbot: Any, make_window: Callable, planted: Path) -> None:
    window = make_window(planted)
    window.session.select_thread(THREAD)
    settle(qtbot, window)
    window.session.select_index(len(window.session.rows.ids) - 1)
    settle(qtbot, window)
    window.desk.request.bring_area(MESSAGES)
    qtbot.waitUntil(window.jobs.idle, timeout=WAIT_MS)
    copies = [command for command in window.commands.all() if "copy" in command.id and command.enabled()]
    assert len(copies) >= 6
    masked = 0
    for command in copies:
        QGuiApplication.clipboard().setText("nothing yet")
        command.run()
        qtbot.waitUntil(lambda: QGuiApplication.clipboard().text() != "nothing yet", timeout=WAIT_MS)
        masked += "[masked: " in QGuiApplication.clipboard().text()
        assert seen(QGuiApplication.clipboard().text()) == [], command.id
    assert masked >= 5

    window.desk.request.messages.table.setCurrentIndex(window.desk.request.messages.model.index(0, 0))
    qtbot.waitUntil(lambda: "[masked: GitHub token]" in shown_in(window), timeout=WAIT_MS)
    for id in ("secret.next", "secret.show"):
        assert window.commands.run(id)
    qtbot.waitUntil(lambda: GITHUB in shown_in(window), timeout=WAIT_MS)
    assert seen(shown_in(window)) == [GITHUB]
    assert {secret for name, text in texts(window) for secret in seen(text)} == {GITHUB}
    assert window.commands.run("text.copy")
    assert seen(QGuiApplication.clipboard().text()) == [GITHUB]
    assert "secrets are masked in what was copied" in window.status.problem.text()
    assert window.commands.run("secret.mask")
    qtbot.waitUntil(lambda: GITHUB not in shown_in(window), timeout=WAIT_MS)


def shown_in(window: Any) -> str:
    """The text of the message in front."""
    target = window.desk.request.find_target()
    return target.edit.toPlainText() if target is not None else ""


def test_the_record_is_for_the_user_alone_and_nothing_is_logged(
    qtbot: Any,
    make_window: Callable,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Also where the user's own mask would let everybody read, and while record and index are being written."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    caplog.set_level(logging.INFO)
    old = os.umask(0)
    try:
        with listening() as server:
            file = plant(tmp_path / "planted.ctx", server)
        window = make_window(file)
        window.focus("find")
        window.around.place("find").widget().look_for("token")
        settle(qtbot, window)
        made = [*tmp_path.glob("planted.ctx*"), *(path for path in (tmp_path / "cache").rglob("*") if path.is_file())]
        assert len(made) >= 4  # the record, its index, and what SQLite keeps beside each while they are open
        assert [path.name for path in made if stat.S_IMODE(path.stat().st_mode) & 0o077] == []
    finally:
        os.umask(old)
    assert seen(caplog.text + "".join(capfd.readouterr())) == []
