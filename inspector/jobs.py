"""Work off the GUI thread, with progress, cancel and errors.

``Jobs.run`` is the only way from a view to a slow function. The function runs in a worker thread;
``done`` and ``failed`` are called in the GUI thread, never after the widget they belong to is gone,
and never for a job that a newer one of the same key replaced. A function that has a parameter named
``progress`` gets a ``Progress``, through which it tells how far it is and learns that it was cancelled.
"""

from __future__ import annotations

import inspect as _inspect
import sys
import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import shiboken6
from PySide6.QtCore import QObject, Qt, QThread, Signal

WORKERS = 3
REPORT_EVERY_S = 0.1


class Cancelled(Exception):
    """Raised inside a job by ``Progress.check`` after its cancellation."""


class Failure(str):
    """The sentence for the user, with the exception itself for who must look closer (an edit conflict)."""

    error: BaseException

    @classmethod
    def of(cls, error: BaseException, what: str) -> Failure:
        """The failure of a job that did ``what``."""
        made = cls(describe(error, what))
        made.error = error
        return made


class Progress:
    """Handed to a job: says how far it is, and carries its cancellation."""

    def __init__(self, told: Callable[[int, int | None, str], None] | None = None) -> None:
        self._event = threading.Event()
        self._told = told
        self._last = 0.0

    @property
    def stop(self) -> threading.Event:
        """Set once somebody asked the job to stop."""
        return self._event

    @property
    def cancelled(self) -> bool:
        """Whether somebody asked the job to stop."""
        return self._event.is_set()

    def cancel(self) -> None:
        """Ask the job to stop."""
        self._event.set()

    def check(self) -> None:
        """Raise ``Cancelled`` when the job should stop."""
        if self._event.is_set():
            raise Cancelled

    def report(self, done: int = 0, total: int | None = None, text: str = "") -> None:
        """Tell how far the job is (passed on at most ten times a second); raises ``Cancelled``."""
        self.check()
        now = time.monotonic()
        finished = total is not None and done >= total
        if self._told is not None and (finished or now - self._last >= REPORT_EVERY_S):
            self._last = now
            self._told(done, total, text)

    __call__ = report


class Job:
    """One piece of work on its way. Only ``Jobs`` makes them."""

    def __init__(
        self,
        what: str,
        key: Hashable | None,
        done: Callable[[Any], None] | None,
        failed: Callable[[Failure], None] | None,
        quiet: bool,
    ) -> None:
        self.what = what
        """What is being done, for the status bar: ``Reading request 12``."""
        self.key = key
        self.quiet = quiet
        """Not worth naming in the status bar (prefetching, polling)."""
        self.started = time.monotonic()
        self.done_so_far = 0
        self.total: int | None = None
        self.text = ""
        self.progress = Progress()
        self.dropped = False
        self._done = done
        self._failed = failed
        self._future: Future[None] | None = None


class Jobs(QObject):
    """Runs functions in a few worker threads and delivers in the GUI thread."""

    changed = Signal()
    """A job started, went on or ended: ``active()`` is another list."""
    problem = Signal(str)
    """A job without ``failed`` failed; the sentence."""

    _finished = Signal(object, object, object)
    _reported = Signal(object, int, object, str)

    def __init__(self, parent: QObject | None = None, workers: int = WORKERS) -> None:
        super().__init__(parent)
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="job")
        self._lanes: dict[str, ThreadPoolExecutor] = {}
        self._running: list[Job] = []
        self._keyed: dict[Hashable, Job] = {}
        self._closers: list[Callable[[], Any]] = []
        self._closed = False
        self._finished.connect(self._deliver, Qt.ConnectionType.QueuedConnection)
        self._reported.connect(self._report, Qt.ConnectionType.QueuedConnection)

    def run(
        self,
        what: str,
        fn: Callable[..., Any],
        *args: Any,
        done: Callable[[Any], None] | None = None,
        failed: Callable[[Failure], None] | None = None,
        key: Hashable | None = None,
        quiet: bool = False,
        lane: str = "",
    ) -> Job:
        """Run ``fn(*args)`` in a worker; jobs of one ``lane`` run in one thread, one after another.

        ``done(result)`` or ``failed(failure)`` follows in the GUI thread (``Failure`` is a ``str`` with
        the exception in ``.error``). A newer job with the same
        ``key`` cancels this one and its result is dropped. Call from the GUI thread only.
        """
        if QThread.currentThread() is not self.thread():
            raise RuntimeError("jobs are started in the GUI thread")
        job = Job(what, key, done, failed, quiet)
        if self._closed:
            job.dropped = True
            return job
        if key is not None:
            self.cancel(key)
            self._keyed[key] = job
        job.progress = Progress(lambda n, total, text: self._tell(job, n, total, text))
        kwargs = {"progress": job.progress} if _takes_progress(fn) else {}
        self._running.append(job)
        job._future = self._executor(lane).submit(self._work, job, fn, args, kwargs)
        self.changed.emit()
        return job

    def after_all(self, fn: Callable[[], Any]) -> None:
        """Run ``fn`` once everything that is at work now has ended; at the latest in ``close``."""
        waited = [job._future for job in self._running if job._future is not None]
        self._closers.append(fn)

        def last() -> None:
            for future in waited:
                _wait_for(future)
            if fn in self._closers:
                self._closers.remove(fn)
                fn()

        self.run("Closing", last, quiet=True, lane="last")

    def cancel(self, key: Hashable) -> None:
        """Ask the job with this key to stop; its result will not be delivered."""
        job = self._keyed.pop(key, None)
        if job is not None:
            self.cancel_job(job)

    def cancel_job(self, job: Job) -> None:
        """As ``cancel``, for a job at hand."""
        job.dropped = True
        job.progress.cancel()
        if self._keyed.get(job.key) is job:
            del self._keyed[job.key]
        if job._future is not None and job._future.cancel():
            self._forget(job)
        else:
            self.changed.emit()

    def cancel_all(self) -> None:
        """Ask every job to stop."""
        for job in list(self._running):
            self.cancel_job(job)

    def active(self) -> list[Job]:
        """Jobs at work or waiting that are worth naming, oldest first."""
        return [job for job in self._running if not job.quiet and not job.dropped]

    def idle(self) -> bool:
        """Whether nothing at all is at work, quiet and dropped jobs included."""
        return not self._running

    def close(self) -> None:
        """Stop taking work, ask what runs to stop, and wait for the threads."""
        if self._closed:
            return
        self._closed = True
        self.cancel_all()
        for pool in (self._pool, *self._lanes.values()):
            pool.shutdown(wait=True, cancel_futures=True)
        while self._closers:
            self._closers.pop()()
        self._running.clear()
        self._keyed.clear()

    def _executor(self, lane: str) -> ThreadPoolExecutor:
        if not lane:
            return self._pool
        if lane not in self._lanes:
            self._lanes[lane] = ThreadPoolExecutor(1, thread_name_prefix=f"job {lane}")
        return self._lanes[lane]

    # -- in the worker ---------------------------------------------------------------------

    def _work(self, job: Job, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        try:
            job.progress.check()
            result, error = fn(*args, **kwargs), None
        except BaseException as caught:  # delivered, never swallowed
            result, error = None, caught
        try:
            self._finished.emit(job, result, error)
        except RuntimeError:  # the window is gone
            pass

    def _tell(self, job: Job, done: int, total: int | None, text: str) -> None:
        try:
            self._reported.emit(job, done, total, text)
        except RuntimeError:
            pass

    # -- in the GUI thread -----------------------------------------------------------------

    def _report(self, job: Job, done: int, total: int | None, text: str) -> None:
        if job not in self._running:
            return
        job.done_so_far, job.total, job.text = done, total, text
        self.changed.emit()

    def _deliver(self, job: Job, result: Any, error: BaseException | None) -> None:
        if job not in self._running:
            return
        self._forget(job)
        if job.dropped or isinstance(error, Cancelled):
            return
        if error is None:
            if job._done is not None and _alive(job._done):
                job._done(result)
            return
        sentence = Failure.of(error, job.what)
        if not is_known(error):
            sys.excepthook(type(error), error, error.__traceback__)
        if job._failed is None:
            self.problem.emit(sentence)
        elif _alive(job._failed):
            job._failed(sentence)

    def _forget(self, job: Job) -> None:
        if job in self._running:
            self._running.remove(job)
        if job.key is not None and self._keyed.get(job.key) is job:
            del self._keyed[job.key]
        self.changed.emit()


def _wait_for(future: Future[None]) -> None:
    """Until it has ended or was cancelled. ``futures.wait`` never learns that a waiting one was cancelled."""
    over = threading.Event()
    future.add_done_callback(lambda _future: over.set())
    over.wait()


def is_known(error: BaseException) -> bool:
    """Whether the error is of the user's world (its text is a sentence), not a bug of ours."""
    from engine.errors import InspectorError

    return isinstance(error, InspectorError)


def describe(error: BaseException, what: str) -> str:
    """A sentence for the user."""
    if is_known(error):
        return str(error)
    detail = str(error) or "no further detail"
    return f"{what} failed: {type(error).__name__}: {detail}"


def _takes_progress(fn: Callable[..., Any]) -> bool:
    try:
        return "progress" in _inspect.signature(fn).parameters
    except (TypeError, ValueError):
        return False


def _alive(callback: Callable[..., Any]) -> bool:
    owner = getattr(callback, "__self__", None)
    return not isinstance(owner, QObject) or shiboken6.isValid(owner)
