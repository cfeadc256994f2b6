"""Painting: ``python -m tests.bench.painting FILE`` in a process of its own, offscreen.

A request is timed from the click to the picture: read by a new reader, handed to a new view, laid out
and painted, then until its rows' texts have come too. Lists are timed with rows that a stand-in
for the reader gives, since only the painting is asked for.
"""

from __future__ import annotations

import dataclasses
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from engine.trace import Reader
from engine.trace.model import RequestDetail, RequestRow, ThreadRow
from inspector import theme
from inspector.jobs import Jobs
from inspector.session import Session
from inspector.views.chart import ChartView
from inspector.views.request import AREAS, RequestView
from inspector.views.requests import RequestsView
from tests.bench import child
from tests.bench.drive import THREAD
from tests.bench.report import Row, at_most, megabytes, ms, show, spread

TRIALS = 7
ROWS = 5_000
PAGES = 40
_LIMIT = 20.0
"""Seconds that anything may take to come to rest."""


def measure(figures: dict[str, Any]) -> None:
    """Print what :func:`main` measured."""
    rows = []
    for place in ("first", "middle", "last"):
        one = figures[place]
        painted = [read + paint for read, paint in zip(one["read"], one["painted"], strict=True)]
        rows += [
            at_most(f"{place} request, read and painted", statistics.median(painted), 0.050, ms),
            Row("  of it reading / painting", f"{spread(one['read'])} / {spread(one['painted'])}"),
            Row("  until its rows have their texts; processor time", f"{spread(one['settled'])}; {spread(one['cpu'])}"),
        ]
    rows.append(
        Row(
            "other areas of the last request",
            "  ".join(f"{name} {ms(took)}" for name, took in figures["areas"].items()),
        )
    )
    for name in ("table", "chart"):
        rows += [
            Row(f"{name} of {ROWS:,} requests, first painted", spread(figures[name]["painted"])),
            Row("  one page further (chart: drawn whole again)", spread(figures[name]["page"])),
        ]
    rows.append(Row("peak memory", megabytes(figures["peak"])))
    show("Painting, offscreen", rows)


def main() -> int:
    """Measure on one file and print the figures as JSON."""
    path = Path(sys.argv[1])
    app = QApplication.instance() or QApplication(["bench"])
    assert isinstance(app, QApplication)
    theme.choose(app, "light")
    reader = Reader(path)
    ids = reader.request_ids(THREAD)
    row = reader.request_rows(ids[-1:])[0]
    reader.close()
    figures: dict[str, Any] = {}
    _request(app, path, ids[0])  # fonts and styles are loaded once in a process
    for place, request in (("first", ids[0]), ("middle", ids[len(ids) // 2]), ("last", ids[-1])):
        trials = [_request(app, path, request) for _ in range(TRIALS)]
        figures[place] = {name: [trial[name] for trial in trials] for name in trials[0]}
    figures["areas"] = _areas(app, path, ids[-1])
    figures["table"] = _list(app, row, RequestsView, _scroll)
    figures["chart"] = _list(app, row, ChartView, _redraw)
    figures["peak"] = child.peak_bytes()
    print(json.dumps(figures))
    return 0


def _request(app: QApplication, path: Path, request: int) -> dict[str, float]:
    reader, jobs = Reader(path), Jobs()
    view = RequestView(reader, jobs)
    _show(app, view)
    used = time.process_time()
    began = time.perf_counter()
    detail = reader.request(request)
    read = time.perf_counter() - began
    view.show_request(detail)
    app.processEvents()
    painted = time.perf_counter() - began - read
    _rest(app, jobs)
    settled, used = time.perf_counter() - began, time.process_time() - used
    _end(app, view, jobs, reader)
    return {"read": read, "painted": painted, "settled": settled, "cpu": used}


def _areas(app: QApplication, path: Path, request: int) -> dict[str, float]:
    """Seconds from choosing an area until it is painted and has its texts."""
    taken: dict[str, list[float]] = {name: [] for name in AREAS}
    for _ in range(TRIALS):
        reader, jobs = Reader(path), Jobs()
        view = RequestView(reader, jobs)
        _show(app, view)
        view.show_request(reader.request(request))
        _rest(app, jobs)
        for index, name in enumerate(AREAS):
            if index != view.area():
                began = time.perf_counter()
                view.show_area(index)
                app.processEvents()
                taken[name].append(time.perf_counter() - began)
                _rest(app, jobs)
        _end(app, view, jobs, reader)
    return {name: statistics.median(values) for name, values in taken.items() if values}


class _Rows:
    """In a reader's place: one thread of many requests, from one real row."""

    def __init__(self, row: RequestRow) -> None:
        self._rows = [
            dataclasses.replace(
                row, id=number, number=number, sizes={k: v * number // ROWS for k, v in row.sizes.items()}
            )
            for number in range(1, ROWS + 1)
        ]

    def data_version(self) -> int:
        return 1

    def load(self, *_given: Any) -> bool:
        return True

    def loaded(self, thread_id: str) -> list[int]:
        return self.request_ids(thread_id)

    def threads(self) -> list[ThreadRow]:
        return [ThreadRow("long", "long", None, ROWS, 0.0, 0.0, "workspace", "idle")]

    def request_ids(self, thread_id: str) -> list[int]:
        return [row.id for row in self._rows]

    def request_rows(self, ids: Sequence[int]) -> list[RequestRow]:
        return [self._rows[number - 1] for number in ids]

    def request(self, request_id: int) -> RequestDetail:
        return RequestDetail(self._rows[request_id - 1], (), (), (), (), (), None, {}, None, None, (), True)


def _list(
    app: QApplication, row: RequestRow, make: Callable[[Session], Any], page: Callable[[Any, int], None]
) -> dict[str, list[float]]:
    painted, pages = [], []
    rows = _Rows(row)
    for _ in range(3):
        jobs = Jobs()
        session = Session(rows, jobs)
        view = make(session)
        _show(app, view)
        began = time.perf_counter()
        session.select_thread("long")
        while not (len(session.rows) and session.rows.complete and jobs.idle()) or _waits(view):
            app.processEvents()
        app.processEvents()
        painted.append(time.perf_counter() - began)
        _rest(app, jobs)
        for number in range(PAGES):
            began = time.perf_counter()
            page(view, number)
            app.processEvents()
            pages.append(time.perf_counter() - began)
        session.stop()
        _end(app, view, jobs, None)
    return {"painted": painted, "page": pages}


def _scroll(view: RequestsView, page: int) -> None:
    bar = view.table.verticalScrollBar()
    bar.setValue((bar.value() + bar.pageStep()) % (bar.maximum() + 1))


def _redraw(view: ChartView, _page: int) -> None:
    view.plot.redraw()
    view.grab()


def _show(app: QApplication, view: QWidget) -> None:
    view.resize(1000, 800)
    view.show()
    for _ in range(3):
        app.processEvents()


def _waits(view: QWidget) -> bool:
    """Whether the view has put off something that it will do by itself."""
    return any(timer.isActive() and timer.isSingleShot() for timer in view.findChildren(QTimer))


def _rest(app: QApplication, jobs: Jobs) -> None:
    """Handle events until no job is at work and nothing is left to do."""
    until = time.perf_counter() + _LIMIT
    quiet = 0
    while quiet < 2 and time.perf_counter() < until:
        app.processEvents()
        quiet = quiet + 1 if jobs.idle() else 0


def _end(app: QApplication, view: QWidget, jobs: Jobs, reader: Reader | None) -> None:
    view.close()
    jobs.close()
    view.deleteLater()
    app.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    app.processEvents()
    if reader is not None:
        reader.close()


if __name__ == "__main__":
    sys.exit(main())
