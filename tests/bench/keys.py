"""Keys in the window of a long thread: ``python -m tests.bench.keys FILE [--quick]`` in a process of its own.

A key is timed from its event until the window has painted what it changed, and until the contents of the request
that it selected are there. The same key on a window with nothing open tells what the toolkit itself costs.
A search is timed from Return in the box of Find until its results are painted, over 100 MB of text.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from engine.search import Search
from inspector import theme
from inspector.actions import AREAS
from inspector.prefs import Prefs
from inspector.window import MainWindow
from tests.bench import child, search
from tests.bench.report import Row, at_most, megabytes, ms, show
from tests.bench.workload import Words

REQUESTS = search.REQUESTS
TRIALS = 40
GOAL, SEARCH_GOAL, FRAME = 0.050, 0.100, 0.016
LIMIT_S = 120.0
"""Seconds that anything may take to come to rest."""
NONE = Qt.KeyboardModifier.NoModifier
CTRL = Qt.KeyboardModifier.ControlModifier
FILTER = "agent:researcher tokens>1k"

KEYS: dict[str, tuple[str, Qt.Key, Qt.KeyboardModifier]] = {
    "J": ("table", Qt.Key.Key_J, NONE),
    "K": ("table", Qt.Key.Key_K, NONE),
    "Home": ("table", Qt.Key.Key_Home, NONE),
    "End": ("table", Qt.Key.Key_End, NONE),
    "N": ("table", Qt.Key.Key_N, NONE),
    "Right in the chart": ("chart", Qt.Key.Key_Right, NONE),
    "Ctrl++, zooms the chart": ("table", Qt.Key.Key_Plus, CTRL),
    "Right in the zoomed chart": ("chart", Qt.Key.Key_Right, NONE),
    "Ctrl+-": ("table", Qt.Key.Key_Minus, CTRL),
    "Ctrl+0": ("table", Qt.Key.Key_0, CTRL),
    **{f"{n}, {name}": ("table", Qt.Key(Qt.Key.Key_0 + n), NONE) for n, name in enumerate(AREAS, 1)},
}
"""Which key, in which part of the window."""


def measure(figures: dict[str, Any]) -> None:
    """Print what :func:`main` measured."""
    rows = [Row("thread", f"{figures['requests']:,} requests, {figures['chars'] / 1e6:,.0f} million characters")]
    empty = statistics.median(figures["empty"]["cpu"])
    for name, one in figures["keys"].items():
        rows += [
            at_most(f"{name}: painted, median", statistics.median(one["painted"]), GOAL, ms),
            at_most("  95 of 100 within", _high(one["painted"]), GOAL, ms),
            Row("  processor time of the window's thread", _beside(one["cpu"], empty)),
        ]
        if any(one["whole"]):
            rows.append(Row("  until all of it is there", _spoken(one["whole"])))
    rows.append(Row("a key in an empty window; processor time", f"{_spoken(figures['empty']['painted'])}; {ms(empty)}"))
    for name, one in figures["searches"].items():
        rows.append(at_most(f"{name}: results painted, median", statistics.median(one["painted"]), SEARCH_GOAL, ms))
        rows.append(Row("  most; processor time", f"{ms(max(one['painted']))}; {ms(statistics.median(one['cpu']))}"))
    for name, one in figures["chart"].items():
        rows.append(at_most(f"chart, {name}: painted, median", statistics.median(one["painted"]), FRAME, ms))
        rows.append(Row("  most; processor time", f"{ms(max(one['painted']))}; {ms(statistics.median(one['cpu']))}"))
    rows.append(Row("peak memory", megabytes(figures["peak"])))
    show("Keys in the window, offscreen", rows)


def main() -> int:
    """Write the thread, open it and press keys; print the figures as JSON."""
    file, share = Path(sys.argv[1]), 0.1 if "--quick" in sys.argv else 1.0
    figures, words = _written(file, share), Words(7)
    app = QApplication.instance() or QApplication(["bench"])
    assert isinstance(app, QApplication)
    theme.choose(app, "light")
    with tempfile.TemporaryDirectory() as folder:
        figures["empty"] = _empty(app, Path(folder) / "empty")
        window = _window(app, Path(folder) / "window")
        window.open(file)
        _until(app, lambda: _settled(window))
        figures["keys"] = {name: _press(app, window, *how) for name, how in KEYS.items()}
        figures["keys"]["a letter in the filter"] = _type(app, window)
        figures["chart"] = _chart(app, window)
        named = search.names(words)
        figures["searches"] = _searches(app, window, {k: q.format(**named) for k, q in search.QUERIES.items()})
        window.close()
    figures["peak"] = child.peak_bytes()
    print(json.dumps(figures))
    return 0


def _written(file: Path, share: float) -> dict[str, Any]:
    """One thread in a file, and its index."""
    record = search.Record(file, Words(7), share, threads=1)
    for _ in range(int(REQUESTS * share)):
        record.request()
    record.commit()
    index = Search(file)
    index.update()
    index.close()
    return {"requests": record.requests, "chars": record.chars}


def _window(app: QApplication, folder: Path) -> MainWindow:
    window = MainWindow(Prefs(folder / "config", folder / "drafts"))
    window._begun = True  # what is opened, and when, is said here
    window.resize(1440, 900)
    window.show()
    _activate(app, window)
    return window


def _activate(app: QApplication, window: QWidget) -> None:
    """Shortcuts work in the active window only, and offscreen none stays it by itself."""
    window.activateWindow()
    _until(app, window.isActiveWindow)


def _empty(app: QApplication, folder: Path) -> dict[str, list[float]]:
    """Seconds from a key to the painted window where nothing is open: J, and the window painted for its sake."""
    window, timed = _window(app, folder), Timed()
    for _ in range(TRIALS):
        with timed:
            QTest.keyClick(window.centre, Qt.Key.Key_J)
            window.centre.requests.update()
            _pass(app)
    window.close()
    _pass(app)
    return timed.figures()


def _press(app: QApplication, window: Any, place: str, key: Qt.Key, modifier: Qt.KeyboardModifier) -> dict[str, Any]:
    """Press it again and again: until painted, and until the contents of what it selected are there."""
    where: QWidget = window.desk.requests.table if place == "table" else window.desk.chart.plot
    timed, whole = Timed(), []
    window.session.select_index(len(window.session.rows) // 3)
    for trial in range(TRIALS):
        _prepare(window, key, trial)
        _until(app, lambda: _settled(window))
        _activate(app, window)
        where.setFocus()
        before, request = _state(window), window.session.request_id
        with timed:
            QTest.keyClick(where, key, modifier)
            _pass(app)
        if _state(window) == before:
            raise SystemExit(f"nothing happened at {key.name}")
        _until(app, lambda: _shown(window))
        whole.append(timed.since() if window.session.request_id != request else 0.0)
    return {**timed.figures(), "whole": whole}


def _state(window: Any) -> tuple[Any, ...]:
    """What a key may change."""
    return window.session.request_id, window.desk.request.area(), window.desk.chart.plot.range


def _prepare(window: Any, key: Qt.Key, trial: int) -> None:
    """So that the key has something to do: another request, another area, another range."""
    middle, plot = len(window.session.rows) // 2, window.desk.chart.plot
    if key in (Qt.Key.Key_Home, Qt.Key.Key_End):
        window.session.select_index(middle + trial)
    elif Qt.Key.Key_1 <= key <= Qt.Key.Key_7:
        window.session.select_index(middle + trial)
        window.desk.request.show_area(0 if key != Qt.Key.Key_1 else 1)
    elif key == Qt.Key.Key_Plus and trial % 10 == 0:
        plot.show_whole()
    elif key in (Qt.Key.Key_Minus, Qt.Key.Key_0):
        plot.set_range(middle - 20, middle + 20)


def _type(app: QApplication, window: Any) -> dict[str, Any]:
    """A letter in the filter's box: until it is painted, and until the list is filtered by it."""
    window.commands.run("go.filter")
    box, timed, whole = window.desk.filter.box, Timed(), []
    for letter in FILTER:
        _until(app, lambda: _settled(window))
        with timed:
            QTest.keyClicks(box, letter)
            _pass(app)
        _until(app, lambda: not box._timer.isActive() and window.jobs.idle())
        _pass(app)
        whole.append(timed.since())
    window.desk.filter.close_bar()
    _until(app, lambda: _settled(window))
    return {**timed.figures(), "whole": whole}


def _chart(app: QApplication, window: Any) -> dict[str, dict[str, list[float]]]:
    """Seconds of making and painting the chart's picture, for a zoom and for a step to the side."""
    plot = window.desk.chart.plot
    zoomed, moved, same = Timed(), Timed(), Timed()
    for trial in range(TRIALS):
        plot.zoom(1.2 if trial % 20 < 10 else 1 / 1.2)
        with zoomed:
            plot.repaint()
        low, high = plot.shown()
        plot.set_range(low + 1, high + 1)
        plot.redraw()
        with moved:
            plot.repaint()
        with same:
            plot.repaint()
    plot.show_whole()
    _pass(app)
    return {"zoomed": zoomed.figures(), "moved": moved.figures(), "the mouse moved": same.figures()}


def _searches(app: QApplication, window: Any, queries: dict[str, str]) -> dict[str, dict[str, list[float]]]:
    """From Return in the box of Find to painted results; the keys before have been answered."""
    window.commands.run("find.open")
    _until(app, lambda: _settled(window))
    view = window.desk.around["find"]
    took: dict[str, dict[str, list[float]]] = {}
    for name, query in queries.items():
        timed = Timed(time.process_time)
        for _ in range(search.TRIALS):
            view.box.clear()
            _until(app, lambda: _settled(window) and not view.box._timer.isActive())
            view.box.setText(query)
            _activate(app, window)
            view.box.setFocus()
            arrived = _Arrival(view)
            with timed:
                QTest.keyClick(view.box, Qt.Key.Key_Return)
                _until(app, lambda arrived=arrived: arrived.came)  # type: ignore[misc]
                _pass(app)
        took[name] = timed.figures()
    return took


class Timed:
    """Seconds by the clock and of the processor, time by time. Only the latter say something on a busy machine."""

    def __init__(self, processor: Callable[[], float] = time.thread_time) -> None:
        self._processor = processor
        self._painted: list[float] = []
        self._cpu: list[float] = []

    def __enter__(self) -> None:
        self._began, self._used = time.perf_counter(), self._processor()

    def __exit__(self, *_error: object) -> None:
        self._painted.append(self.since())
        self._cpu.append(self._processor() - self._used)

    def since(self) -> float:
        """Seconds since the last one began."""
        return time.perf_counter() - self._began

    def figures(self) -> dict[str, list[float]]:
        """All of them."""
        return {"painted": self._painted, "cpu": self._cpu}


class _Arrival:
    """Whether results have come since it was made."""

    def __init__(self, view: Any) -> None:
        self._view, self._before = view, view.results()

    @property
    def came(self) -> bool:
        return self._view.results() is not None and self._view.results() is not self._before


def _settled(window: Any) -> bool:
    desk = window.desk
    return bool(
        desk is not None and desk.session.threads is not None and not desk.session.loading
        and desk.session.rows.complete and len(desk.session.rows) and desk.chart is not None
        and len(desk.chart.bars) == len(desk.session.rows) and _shown(window) and window.jobs.idle()
    )  # fmt: skip


def _shown(window: Any) -> bool:
    """Whether the selected request's contents are on the screen."""
    detail = window.desk.request.detail()
    return detail is not None and detail.row.id == window.session.request_id


def _pass(app: QApplication) -> None:
    """Let the window answer what is posted, painting included."""
    for _ in range(2):
        app.processEvents()


def _until(app: QApplication, done: Callable[[], bool]) -> None:
    end = time.perf_counter() + LIMIT_S
    while not done():
        if time.perf_counter() > end:
            raise SystemExit("the window did not come to rest")
        app.processEvents()
        time.sleep(0.0005)
    app.processEvents()


def _high(values: list[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]


def _beside(values: list[float], empty: float) -> str:
    middle = statistics.median(values)
    return f"{ms(middle)}, {middle / empty:,.0f} × that of an empty window"


def _spoken(values: list[float]) -> str:
    there = [value for value in values if value]
    return f"{ms(statistics.median(there))} ({ms(_high(there))} for 95 of 100)"


if __name__ == "__main__":
    sys.exit(main())
