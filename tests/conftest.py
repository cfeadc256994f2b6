"""What every test gets: a screen that isn't one, folders that aren't the user's, and a check for leaks."""

import gc
import os
import re
import shutil
import tempfile
import threading
import time
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest

# ---- The environment: before anything imports Qt or LangChain ----------------------------------------

_HOME = Path(tempfile.mkdtemp(prefix="context-inspector-tests-"))

_SET = {
    "QT_QPA_PLATFORM": "offscreen",
    "LC_ALL": "C.UTF-8",
    "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
    "LANGSMITH_TRACING": "false",
    "LANGCHAIN_TRACING_V2": "false",
    "XDG_DATA_HOME": str(_HOME / "data"),
    "XDG_CONFIG_HOME": str(_HOME / "config"),
    "XDG_CACHE_HOME": str(_HOME / "cache"),
    "XDG_STATE_HOME": str(_HOME / "state"),
    "XDG_RUNTIME_DIR": str(_HOME / "runtime"),
}
# The look of the user's desktop would change pictures, a key would let a test call a model that costs money.
_UNSET = re.compile(
    r"QT_(SCALE|SCREEN|STYLE|FONT|AUTO|ENABLE|QPA_PLATFORMTHEME|LOGGING|IM_MODULE).*|LANGUAGE|.*_API_KEY"
    r"|LANGGRAPH_.*"
)

for _name in [name for name in os.environ if _UNSET.fullmatch(name)]:
    del os.environ[_name]
os.environ.update(_SET)
for _name, _value in _SET.items():
    if _name.startswith("XDG_"):
        Path(_value).mkdir(mode=0o700)


def pytest_sessionfinish() -> None:
    shutil.rmtree(_HOME, ignore_errors=True)


# ---- Leaks --------------------------------------------------------------------------------------------

_OTHERS_THREADS = re.compile(r"Dummy-\d+|pytest_timeout.*|pydevd.*|LangSmith.*|asyncio_\d+|execnet.*")
"""Threads that libraries keep for the process, and Qt's own when they pass through Python."""

_GRACE = 2.0
"""Seconds that a thread gets to end once its test has."""


@pytest.fixture(autouse=True)
def no_leaks(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fails a test that leaves a thread or, where it uses Qt, a top-level widget or an active timer."""
    threads = set(threading.enumerate())
    with_qt = "qtbot" in request.fixturenames
    check_qt = _watch_qt(request) if with_qt else None
    yield
    leaks = check_qt() if check_qt else []
    leaks += _leaked_threads(threads)
    if leaks:
        pytest.fail("left behind: " + "; ".join(leaks))


def _leaked_threads(before: set[threading.Thread]) -> list[str]:
    end = time.monotonic() + _GRACE
    while True:
        left = [t for t in threading.enumerate() if t not in before and not _OTHERS_THREADS.fullmatch(t.name)]
        if not left or time.monotonic() > end:
            return [f"thread {thread.name}" for thread in left]
        time.sleep(0.01)


def _watch_qt(request: pytest.FixtureRequest):
    from PySide6.QtCore import QCoreApplication, QEvent, QTimer
    from PySide6.QtWidgets import QApplication
    from shiboken6 import Shiboken

    request.getfixturevalue("qapp")
    monkeypatch = request.getfixturevalue("monkeypatch")
    timers: list[weakref.ref[QTimer]] = []
    start = QTimer.start

    def recording_start(self, *args):
        timers.append(weakref.ref(self))
        return start(self, *args)

    monkeypatch.setattr(QTimer, "start", recording_start)

    def addresses(widgets):
        return {Shiboken.getCppPointer(widget)[0]: widget for widget in widgets}

    before = set(addresses(QApplication.topLevelWidgets()))

    def left():
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        widgets = [w for key, w in addresses(QApplication.topLevelWidgets()).items() if key not in before]
        running = [t for ref in timers if (t := ref()) is not None and Shiboken.isValid(t) and t.isActive()]
        return widgets, running

    def check() -> list[str]:
        monkeypatch.undo()
        widgets, running = left()
        if widgets or running:
            del widgets, running  # or they would be what keeps them
            gc.collect()
            widgets, running = left()
        leaks = [f"widget {type(w).__name__} {w.objectName()!r}" for w in widgets]
        leaks += [f"timer {t.objectName()!r} of {t.parent()}" for t in running]
        for timer in running:
            timer.stop()
        for widget in widgets:  # so that the next test isn't blamed
            if Shiboken.isValid(widget):
                widget.close()
                widget.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        return leaks

    return check
