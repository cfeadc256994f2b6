"""What tests of the window share: a demo workspace of the real engine, jobs, a reader, and a whole window."""

import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from inspector import theme
from inspector.jobs import Jobs
from inspector.prefs import Prefs

WAIT_MS = 20_000
"""For ``waitUntil``: how long a test waits before it fails; nothing is measured."""


@pytest.fixture(scope="session")
def demo_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with the demo threads, made once by the engine. Read it only."""
    from engine import make_demo

    path = tmp_path_factory.mktemp("demo") / "demo.sqlite"
    make_demo(path)
    return path


@pytest.fixture
def demo_copy(demo_path: Path, tmp_path: Path) -> Path:
    """A copy of the demo workspace, to be written to."""
    path = tmp_path / "copy.sqlite"
    shutil.copyfile(demo_path, path)
    return path


@pytest.fixture
def reader(demo_path: Path) -> Iterator[object]:
    """A reader of the demo workspace."""
    from engine import Reader

    made = Reader(demo_path)
    yield made
    made.close()


@pytest.fixture
def jobs(qtbot: object) -> Iterator[Jobs]:
    """Jobs whose threads end with the test."""
    made = Jobs()
    yield made
    made.close()
    made.deleteLater()


@pytest.fixture
def prefs(tmp_path: Path) -> Prefs:
    """Preferences of nobody."""
    return Prefs(tmp_path / "config", tmp_path / "drafts")


@pytest.fixture
def colours(qapp: QApplication) -> Iterator[QApplication]:
    """The application in the light scheme, and again afterwards."""
    theme.choose(qapp, "light")
    yield qapp
    theme.choose(qapp, "light")


@pytest.fixture
def faults(monkeypatch: pytest.MonkeyPatch) -> list[BaseException]:
    """Errors of ours that reached the last hook; the test looks at them."""
    caught: list[BaseException] = []
    monkeypatch.setattr(sys, "excepthook", lambda _kind, error, _trace: caught.append(error))
    return caught


@pytest.fixture
def make_window(qtbot, prefs: Prefs, colours: QApplication) -> Iterator[Callable]:
    """Opens the main window on a file (or nothing) and waits until it has settled."""
    from inspector.window import MainWindow

    windows = []

    def make(path: Path | None = None, kept: Prefs | None = None, size: tuple[int, int] = (1440, 900)):
        window = MainWindow(kept or prefs)
        windows.append(window)
        window.ask = lambda *_args: True
        window.resize(*size)
        if path is not None:
            window.open_after_paint(path)
        else:
            window._begun = True
        window.show()
        if path is not None:
            settle(qtbot, window)
        return window

    yield make
    for window in windows:
        close(qtbot, window)


def settle(qtbot, window) -> None:
    """Wait until everything that was asked for has come."""

    def settled() -> bool:
        session = window.session
        return (
            session is not None
            and session.threads is not None
            and not session.loading
            and session.rows.complete
            and (session.thread_id is None or not session.rows.ids or session.request_id is not None)
            and window.desk.chart is not None
            and window.jobs.idle()
        )

    qtbot.waitUntil(settled, timeout=WAIT_MS)


def close(qtbot, window) -> None:
    """Close a window that is still open, and let it go."""
    import shiboken6

    if not shiboken6.isValid(window):
        return
    window.ask = lambda *_args: True
    window.turns.stop_all()
    qtbot.waitUntil(lambda: not window.turns.running(), timeout=WAIT_MS)
    window.close()
    window.deleteLater()
