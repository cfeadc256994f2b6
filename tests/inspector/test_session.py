import threading

import pytest

from engine.errors import WorkspaceError
from inspector.reads import CHUNK
from inspector.session import Session
from tests.inspector.values import FakeReader, request, thread


@pytest.fixture
def made(qtbot, jobs):
    def make(reader):
        session = Session(reader, jobs)
        session.setParent(jobs)
        return session

    return make


def ready(qtbot, jobs, session):
    qtbot.waitUntil(lambda: not session.loading and session.rows.complete and jobs.idle())


def test_a_commit_while_a_thread_opens_is_not_missed(qtbot, jobs, made):
    """The list is read, then somebody commits, then a poll sees the version: the row must come all the same."""
    read, go_on = threading.Event(), threading.Event()

    class Slow(FakeReader):
        def request_ids(self, thread_id):
            ids = super().request_ids(thread_id)
            if not read.is_set():
                read.set()
                go_on.wait(5)
            return ids

    reader = Slow([thread("t")], {"t": [request(1)]})
    session = made(reader)
    session.select_thread("t")
    qtbot.waitUntil(read.is_set)
    reader.rows["t"].append(request(2))
    reader.commit()
    session.poll()
    qtbot.waitUntil(lambda: session._version == reader.version)
    go_on.set()
    ready(qtbot, jobs, session)
    session.poll()
    qtbot.waitUntil(lambda: len(session.rows) == 2)


def test_only_the_thread_that_was_chosen_last_is_shown(qtbot, jobs, made):
    gate = threading.Event()

    class Slow(FakeReader):
        def request_ids(self, thread_id):
            if thread_id == "slow":
                gate.wait(5)
            return super().request_ids(thread_id)

    session = made(Slow([], {"slow": [request(1)], "quick": [request(2), request(3)]}))
    shown = []
    session.detail_ready.connect(lambda detail, _before: shown.append(detail.row.id))
    session.select_thread("slow")
    session.select_thread("quick")
    qtbot.waitUntil(lambda: session.request_id == 3)
    gate.set()
    ready(qtbot, jobs, session)
    assert session.rows.ids == [2, 3] and set(shown) == {3}


def test_stepping_fast_shows_the_last_one_only_once(qtbot, jobs, made):
    gate = threading.Event()

    class Slow(FakeReader):
        def request(self, request_id):
            gate.wait(5)
            return super().request(request_id)

    session = made(Slow([], {"t": [request(i) for i in range(1, 30)]}))
    shown = []
    session.detail_ready.connect(lambda detail, _before: shown.append(detail.row.id))
    session.select_thread("t", 1)
    qtbot.waitUntil(lambda: session.request_id == 1)
    for _ in range(20):
        session.step(1)
    gate.set()
    ready(qtbot, jobs, session)
    assert shown == [21]


def test_a_request_that_cannot_be_read_does_not_stop_the_others(qtbot, jobs, made):
    class Broken(FakeReader):
        def request(self, request_id):
            if request_id == 2:
                raise WorkspaceError("Part 9 is damaged.")
            return super().request(request_id)

    session = made(Broken([], {"t": [request(i, purpose="other") for i in range(1, 4)]}))
    failures, shown = [], []
    session.failed.connect(lambda *args: failures.append(args))
    session.detail_ready.connect(lambda detail, _before: shown.append(detail.row.id))
    session.select_thread("t", 1)
    ready(qtbot, jobs, session)
    assert failures == []  # the neighbour was looked at, and nobody asked for it yet
    session.step(1)
    ready(qtbot, jobs, session)
    session.step(1)
    ready(qtbot, jobs, session)
    assert failures == [("request", "Part 9 is damaged.")] and shown == [1, 3]


def test_a_long_thread_comes_around_the_selected_request_first(qtbot, jobs, made):
    asked = []

    class Spy(FakeReader):
        def request_rows(self, ids):
            asked.append(list(ids))
            return super().request_rows(ids)

    count = CHUNK * 5
    session = made(Spy([], {"t": [request(i) for i in range(1, count + 1)]}))
    session.select_thread("t", count // 2)
    ready(qtbot, jobs, session)
    assert count // 2 in asked[0] and len(asked[0]) == CHUNK
    assert session.rows.before(count).id == count - 1


def test_a_request_that_is_asked_for_before_it_is_there_is_selected_when_it_comes(qtbot, jobs, made):
    reader = FakeReader([], {"t": []})
    session = made(reader)
    session.select_thread("t", 7)
    ready(qtbot, jobs, session)
    assert session.request_id is None
    reader.rows["t"] += [request(6), request(7), request(8)]
    reader.commit()
    session.poll()
    qtbot.waitUntil(lambda: session.request_id == 7)


def test_the_request_before_of_the_same_agent_comes_along(qtbot, jobs, made):
    rows = [request(1, agent="a"), request(2, agent="b", purpose="subagent", depth=1, parent=1), request(3, agent="a")]
    session = made(FakeReader([], {"t": rows}))
    pairs = []
    session.detail_ready.connect(lambda now, before: pairs.append((now.row.id, before and before.row.id)))
    session.select_thread("t", 3)
    ready(qtbot, jobs, session)
    session.step(-1)
    ready(qtbot, jobs, session)
    assert pairs == [(3, 1), (2, None)]


def test_a_failing_poll_is_told_and_tried_again(qtbot, jobs, made):
    class Broken(FakeReader):
        broken = True

        def data_version(self):
            if self.broken:
                raise WorkspaceError("The disk is gone.")
            return super().data_version()

    reader = Broken([thread("t")])
    session = made(reader)
    with qtbot.waitSignal(session.failed) as told:
        session.poll()
    assert told.args == ["follow", "The disk is gone."]
    reader.broken = False
    reader.commit()
    session.poll()
    qtbot.waitUntil(lambda: session.threads is not None)
