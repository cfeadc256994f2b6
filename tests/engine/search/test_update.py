"""The index: brought up to date in steps, beside the workspace and never in its way, gone with what it holds."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from engine import Workspace
from engine.agent.scripted import Turn
from engine.errors import InspectorError
from engine.search import Search, forget
from tests.engine.share.world import at_rest, converse

WORD = "marmalade"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("update") / "w.ctx"
    for number in range(3):
        converse(path, f"t{number}", f"Question {number}", Turn(f"{WORD} number {number} q{number}zx"))
    return at_rest(path)


@pytest.fixture
def file(recorded: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(recorded, tmp_path / "w.ctx"))


def threads_with(search: Search, word: str = WORD) -> set[str | None]:
    return {hit.thread_id for hit in search.find(word).hits}


def units(search: Search) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(search.index_file)) as connection:
        return connection.execute("SELECT source, ref, version, kind FROM units ORDER BY source, ref").fetchall()


def test_what_is_new_is_not_found_before_an_update_and_counted(file: Path) -> None:
    with closing(Search(file)) as search:
        assert search.find(WORD).pending > 0
        assert threads_with(search) == set()
        search.update()
        assert threads_with(search) == {"t0", "t1", "t2"}
        converse(file, "t3", "More?", Turn(f"{WORD} once more"))
        results = search.find(WORD)
        assert results.pending > 0
        assert {hit.thread_id for hit in results.hits} == {"t0", "t1", "t2"}
        search.update()
        assert search.find(WORD).pending == 0
        assert threads_with(search) == {"t0", "t1", "t2", "t3"}


def test_it_is_kept_and_a_second_update_has_nothing_to_do(file: Path) -> None:
    told: list[tuple[int, int, str]] = []
    with closing(Search(file)) as search:
        search.update(lambda *what: told.append(what))
        before = units(search)
    assert told[0][1] >= told[0][0] > 0
    told.clear()
    with closing(Search(file)) as search:
        assert threads_with(search) == {"t0", "t1", "t2"}
        search.update(lambda *what: told.append(what))
        assert units(search) == before
    assert told == []


def test_stopped_it_goes_on_from_where_it_was(demo: Path, tmp_path: Path, search: Search) -> None:
    file = Path(shutil.copy(at_rest(demo), tmp_path / "demo.ctx"))
    stop = threading.Event()
    with closing(Search(file)) as mine:
        assert mine.update(lambda done, total, what: stop.set(), stop) is False
        part = units(mine)
        assert 0 < len(part) < len(units(search))
        assert mine.find("week").pending > 0
        assert mine.update() is True
        search.update()
        assert units(mine) == units(search)
        assert units(mine)[: len(part)] != part or set(part) <= set(units(mine))


def test_what_is_deleted_is_gone_from_the_index(file: Path) -> None:
    with closing(Search(file)) as search, closing(Workspace.open(file).connect()) as connection:
        search.update()
        part = connection.execute(
            "SELECT response_part FROM requests r JOIN threads t ON t.id = r.thread WHERE thread_id = 't2'"
        ).fetchone()
        for table in ("events", "requests", "runs"):
            connection.execute(f"DELETE FROM {table} WHERE thread = (SELECT id FROM threads WHERE thread_id = 't2')")
        connection.execute("DELETE FROM threads WHERE thread_id = 't2'")
        connection.execute("DELETE FROM checkpoints WHERE thread_id = 't2'")
        connection.execute("DELETE FROM parts WHERE id = ?", part)
        # The next part takes the id that became free.
        connection.execute("UPDATE parts SET id = ? WHERE id = (SELECT max(id) FROM parts)", part)
        connection.commit()
        search.update()
        assert threads_with(search) == {"t0", "t1"}
        assert threads_with(search, '"marmalade number 2"') == set()
        with closing(sqlite3.connect(search.index_file)) as index:
            held = {ref for (ref,) in index.execute("SELECT ref FROM units WHERE source = 'part'")}
            matches = index.execute("SELECT count(*) FROM grams WHERE grams MATCH '\"q2z\"'").fetchone()
            orphans = index.execute("SELECT count(*) FROM pieces WHERE unit NOT IN (SELECT id FROM units)").fetchone()
        there = {digest.hex() for (digest,) in connection.execute("SELECT digest FROM parts")}
        assert held <= there
        assert (matches, orphans) == ((0,), (0,))


def test_a_damaged_index_and_one_of_another_format_are_made_anew(file: Path) -> None:
    with closing(Search(file)) as search:
        search.update()
        index = search.index_file
    index.write_bytes(b"no database at all" * 100)
    with closing(Search(file)) as search:
        search.update()
        assert threads_with(search) == {"t0", "t1", "t2"}
    with closing(sqlite3.connect(index)) as connection:
        connection.execute("PRAGMA user_version = 99")
    with closing(Search(file)) as search:
        assert threads_with(search) == set()
        search.update()
        assert threads_with(search) == {"t0", "t1", "t2"}


def test_only_the_user_may_read_it_and_the_workspace_stays_as_it_is(file: Path) -> None:
    before = file.read_bytes()
    mask = os.umask(0)
    try:
        with closing(Search(file)) as search:
            search.update()
            assert threads_with(search)
            assert stat.S_IMODE(search.index_file.stat().st_mode) == 0o600
            assert stat.S_IMODE(search.index_file.parent.stat().st_mode) == 0o700
            index = search.index_file
    finally:
        os.umask(mask)
    assert file.read_bytes() == before
    assert index.exists()
    forget(file)
    assert not list(index.parent.glob(index.name + "*"))


def test_without_a_place_for_it_the_search_works_all_the_same(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where the folder should be")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    with closing(Search(file)) as search:
        search.update()
        assert threads_with(search) == {"t0", "t1", "t2"}
        index = search.index_file
        assert index.exists()
    assert not index.exists()


def test_an_sqlite_that_can_not_is_said_to_be_one(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.search.index._TABLES", "CREATE VIRTUAL TABLE grams USING fts5(a, tokenize='unknown')")
    with pytest.raises(InspectorError, match=r"needs 3\.34 or newer"):
        Search(file)


def test_the_index_of_a_workspace_that_is_gone_goes_too(file: Path, recorded: Path) -> None:
    with closing(Search(file)) as search:
        search.update()
        index = search.index_file
    file.unlink()
    with closing(Search(recorded)):
        assert not index.exists()


def test_no_writer_waits_for_an_update(demo: Path, tmp_path: Path) -> None:
    file = Path(shutil.copy(at_rest(demo), tmp_path / "demo.ctx"))
    wrote = []

    def write(*_: object) -> None:
        # In the middle of an update, and given no time to wait.
        with closing(sqlite3.connect(file, timeout=0)) as connection:
            connection.execute("UPDATE threads SET updated_at = updated_at + 1")
            connection.commit()
            wrote.append(1)

    with closing(Search(file)) as search:
        search.update(write)
    assert len(wrote) > 3


def test_two_processes_may_make_it_at_once(file: Path) -> None:
    program = (
        "import sys; from engine.search import Search; search = Search(sys.argv[1]); search.update(); "
        "print(len(search.find('marmalade', seconds=None).hits)); search.close()"
    )
    environment = {**os.environ, "PYTHONPATH": os.getcwd()}
    command = [sys.executable, "-c", program, str(file)]
    running = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    outputs = [process.communicate(timeout=60)[0] for process in running]
    assert [process.returncode for process in running] == [0, 0, 0]
    assert len(set(outputs)) == 1
    with closing(Search(file)) as search:
        assert threads_with(search) == {"t0", "t1", "t2"}
        names = [unit[:2] for unit in units(search)]
        assert len(names) == len(set(names))
        with closing(sqlite3.connect(search.index_file)) as connection:
            connection.execute("INSERT INTO grams(grams) VALUES ('integrity-check')")


def test_threads_may_search_while_another_updates(demo: Path, tmp_path: Path) -> None:
    file = Path(shutil.copy(at_rest(demo), tmp_path / "demo.ctx"))
    faults: list[BaseException] = []
    over = threading.Event()

    with closing(Search(file)) as search:

        def ask() -> None:
            try:
                while not over.is_set():
                    search.find("week units")
            except BaseException as error:
                faults.append(error)

        askers = [threading.Thread(target=ask) for _ in range(2)]
        for asker in askers:
            asker.start()
        search.update()
        over.set()
        for asker in askers:
            asker.join()
        assert faults == []
        assert search.find("week units").hits
