import threading

import pytest
from PySide6.QtCore import QObject, QThread

from engine.errors import EditConflict, UsageError
from inspector.jobs import Failure, Jobs, Progress


def test_the_work_is_done_elsewhere_and_delivered_here(qtbot, jobs: Jobs):
    got = []

    def work(a: int, b: int) -> tuple[int, int]:
        return a + b, threading.get_ident()

    jobs.run("Adding", work, 2, 3, done=lambda result: got.append((result, QThread.currentThread())))
    qtbot.waitUntil(lambda: bool(got))
    (total, thread), here = got[0]
    assert total == 5
    assert thread != threading.get_ident()
    assert here is jobs.thread()


def test_a_newer_job_of_the_same_key_replaces_the_older(qtbot, jobs: Jobs):
    gate, got = threading.Event(), []
    jobs.run("Old", lambda: gate.wait(5) and "old", done=got.append, key="k")
    jobs.run("New", lambda: "new", done=got.append, key="k")
    qtbot.waitUntil(lambda: got == ["new"])
    gate.set()
    qtbot.waitUntil(jobs.idle)
    assert got == ["new"]


def test_a_cancelled_job_learns_of_it_and_is_not_delivered(qtbot, jobs: Jobs):
    began, ended, got = threading.Event(), threading.Event(), []

    def work(progress: Progress) -> str:
        began.set()
        try:
            while True:
                progress.check()
                progress.stop.wait(0.01)
        finally:
            ended.set()

    jobs.run("Long", work, done=got.append, failed=got.append, key="k")
    qtbot.waitUntil(began.is_set)
    jobs.cancel("k")
    qtbot.waitUntil(lambda: ended.is_set() and jobs.idle())
    assert got == []


def test_progress_arrives(qtbot, jobs: Jobs):
    gate = threading.Event()

    def work(progress: Progress) -> None:
        progress.report(3, 12, "week 22")
        gate.wait(5)

    jobs.run("Making", work)
    qtbot.waitUntil(lambda: any(job.text == "week 22" for job in jobs.active()))
    assert (jobs.active()[0].done_so_far, jobs.active()[0].total) == (3, 12)
    gate.set()
    qtbot.waitUntil(jobs.idle)


def test_a_known_error_is_its_sentence_and_keeps_the_exception(qtbot, jobs: Jobs):
    failures: list[Failure] = []

    def work() -> None:
        raise EditConflict("The file changed since you opened it.", "text", "v2")

    jobs.run("Saving", work, failed=failures.append)
    qtbot.waitUntil(lambda: bool(failures))
    assert failures[0] == "The file changed since you opened it."
    assert isinstance(failures[0].error, EditConflict)
    assert failures[0].error.version == "v2"


def test_a_bug_of_ours_is_told_and_reaches_the_last_hook(qtbot, jobs: Jobs, faults):
    failures: list[Failure] = []
    jobs.run("Counting", lambda: 1 // 0, failed=failures.append)
    qtbot.waitUntil(lambda: bool(failures))
    assert "Counting failed: ZeroDivisionError" in failures[0]
    assert [type(fault) for fault in faults] == [ZeroDivisionError]


def test_a_failure_that_nobody_waits_for_is_still_told(qtbot, jobs: Jobs):
    def work() -> None:
        raise UsageError("There is no thread x.")

    with qtbot.waitSignal(jobs.problem) as told:
        jobs.run("Reading", work)
    assert told.args == ["There is no thread x."]


def test_nothing_is_delivered_to_what_is_gone(qtbot, jobs: Jobs):
    import shiboken6

    class Owner(QObject):
        calls = 0

        def take(self, _result: object) -> None:
            Owner.calls += 1

    owner, gate = Owner(), threading.Event()
    jobs.run("Late", lambda: gate.wait(5), done=owner.take)
    shiboken6.delete(owner)
    gate.set()
    qtbot.waitUntil(jobs.idle)
    assert Owner.calls == 0


def test_a_lane_is_one_thread(qtbot, jobs: Jobs):
    threads: list[int] = []
    for _ in range(12):
        jobs.run("Looking", threading.get_ident, done=threads.append, lane="follow")
    qtbot.waitUntil(lambda: len(threads) == 12)
    assert len(set(threads)) == 1


def test_what_closes_comes_after_what_reads(qtbot, jobs: Jobs):
    gate, order = threading.Event(), []
    jobs.run("Reading", lambda: (gate.wait(5), order.append("read")))
    jobs.after_all(lambda: order.append("closed"))
    gate.set()
    qtbot.waitUntil(lambda: order == ["read", "closed"])
    qtbot.waitUntil(jobs.idle)


def test_closing_does_what_was_to_come_last(qtbot):
    jobs, gate, order = Jobs(), threading.Event(), []

    def read(progress: Progress) -> None:
        progress.stop.wait(5)
        order.append("read")

    jobs.run("Reading", read)
    jobs.after_all(lambda: order.append("closed"))
    gate.set()
    jobs.close()
    assert order[-1] == "closed" and order.count("closed") == 1
    jobs.run("Too late", lambda: order.append("late"))
    assert jobs.idle() and "late" not in order
    jobs.deleteLater()


def test_closing_does_not_wait_for_what_never_began(qtbot):
    jobs, order, gate = Jobs(workers=1), [], threading.Event()
    jobs.run("Reading", lambda: (gate.wait(20), order.append("read")))
    waiting = jobs.run("Waiting for a worker", lambda: order.append("too late"))
    jobs.after_all(lambda: order.append("closed"))
    qtbot.waitUntil(lambda: jobs._running[-1]._future.running())
    closing = threading.Thread(target=jobs.close)
    closing.start()
    qtbot.waitUntil(lambda: waiting._future.cancelled())
    gate.set()
    closing.join(10)
    assert not closing.is_alive() and order == ["read", "closed"]
    jobs.deleteLater()


def test_jobs_are_started_in_the_gui_thread_only(qtbot, jobs: Jobs):
    caught = []

    def elsewhere() -> None:
        try:
            jobs.run("Wrong", int)
        except RuntimeError as error:
            caught.append(error)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert len(caught) == 1


def test_quiet_jobs_are_not_named(qtbot, jobs: Jobs):
    gate = threading.Event()
    jobs.run("Following", lambda: gate.wait(5), quiet=True)
    assert jobs.active() == [] and not jobs.idle()
    gate.set()
    qtbot.waitUntil(jobs.idle)


@pytest.mark.parametrize("done", [5, 10])
def test_the_last_report_is_passed_on_however_soon(done):
    told = []
    progress = Progress(lambda *args: told.append(args))
    progress.report(1, 10)
    progress.report(done, 10)
    assert told[-1][0] == (10 if done == 10 else 1)
