"""Running turns: updates, stopping, several threads side by side, a thread that goes on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from engine import AgentSettings, Reader, Runner, Workspace
from engine.agent.scripted import Call, ScriptedChat, Turn
from engine.errors import UsageError, WorkspaceError

SLOW = "word " * 400


@pytest.fixture
def runner(tmp_path: Path) -> Iterator[Runner]:
    runner = Runner(Workspace.create(tmp_path / "run.ctx").path)
    yield runner
    runner.close()


def settings(*script: object, delay: float = 0.0) -> AgentSettings:
    return AgentSettings(model=ScriptedChat(script=list(script), delay=delay))


def kinds(run: object) -> list[str]:
    return [update.kind for update in run.drain()]  # type: ignore[attr-defined]


def test_a_turn_tells_what_happens_and_ends(runner: Runner) -> None:
    run = runner.start("t", "Go", settings=settings(Turn(calls=[Call("ls", {"path": "/"})]), Turn("All done.")))
    assert run.wait(60)
    told = run.drain()
    assert run.error is None
    assert run.answer == "All done."
    assert [update.kind for update in told].count("request") == 4
    assert "tool" in [update.kind for update in told]
    assert "".join(update.text for update in told if update.kind == "token") == "All done."
    assert (told[-1].kind, told[-1].text) == ("done", "All done.")


def test_the_summarizers_words_are_no_tokens_of_the_conversation(runner: Runner) -> None:
    script = [*[Turn(calls=[Call("ls", {"path": "/"})]) for _ in range(6)], Turn("The end.")]
    model = ScriptedChat(script=script, summaries=["SECRET OF THE SUMMARY"])
    made = AgentSettings(model=model, summarize=("messages", 6), keep=("messages", 2))
    run = runner.start("t", "Go", settings=made)
    assert run.wait(60)
    words = "".join(update.text for update in run.drain() if update.kind == "token")
    with closing(Reader(runner.workspace.path)) as reader:
        assert "summary" in {row.purpose for row in reader.requests("t")}
    assert "The end." in words
    assert "SECRET" not in words


def test_stop_stops_and_the_thread_goes_on(runner: Runner) -> None:
    run = runner.start("t", "Go", settings=settings(Turn(SLOW), delay=0.05))
    while not any(update.kind == "token" for update in run.drain()):
        assert not run.wait(0.01)
    run.stop()
    assert run.wait(10)
    assert kinds(run)[-1] == "stopped"
    with closing(Reader(runner.workspace.path)) as reader:
        (row,) = reader.requests("t")
        assert row.status == "stopped"
        assert reader.threads()[0].status == "stopped"
    again = runner.start("t", "Go on", settings=settings(Turn("Here I am.")))
    assert again.wait(60)
    assert again.answer == "Here I am."
    with closing(Reader(runner.workspace.path)) as reader:
        last = reader.request(reader.request_ids("t")[-1])
        texts = [reader.text(row.part) for row in last.messages]
        assert texts == ["Go", "Go on"]


def test_a_run_stopped_before_it_began(runner: Runner) -> None:
    run = runner.start("t", "Go", settings=settings(Turn(SLOW), delay=0.05))
    run.stop()
    assert run.wait(60)
    assert kinds(run)[-1] == "stopped"


def test_threads_run_side_by_side_into_one_record(runner: Runner) -> None:
    script = [*[Turn(calls=[Call("ls", {"path": "/"})]) for _ in range(5)], Turn("done")]
    runs = [runner.start(f"t{n}", "Go", settings=settings(*script)) for n in range(4)]
    assert all(run.wait(60) for run in runs)
    assert [run.error for run in runs] == [None] * 4
    assert [run.lost for run in runs] == [0] * 4
    with closing(Reader(runner.workspace.path)) as reader:
        for n in range(4):
            rows = reader.requests(f"t{n}")
            assert [row.number for row in rows] == list(range(1, 7))
            assert [row.messages for row in rows] == [1, 3, 5, 7, 9, 11]


def test_one_thread_runs_once_at_a_time(runner: Runner) -> None:
    run = runner.start("t", "Go", settings=settings(Turn(SLOW), delay=0.05))
    with pytest.raises(UsageError, match="running already"):
        runner.start("t", "Me too")
    run.stop()
    assert run.wait(10)


def test_a_failing_model_is_a_sentence_and_the_thread_goes_on(runner: Runner) -> None:
    run = runner.start("t", "Go", settings=settings(ConnectionError("no route <to> host")))
    assert run.wait(60)
    assert run.error == "ConnectionError: no route <to> host"
    again = runner.start("t", "Again", settings=settings(Turn("Fine.")))
    assert again.wait(60)
    assert again.answer == "Fine."


def test_an_unknown_provider_is_a_sentence(runner: Runner) -> None:
    run = runner.start("t", "Go", model="nobody:nothing")
    assert run.wait(60)
    assert run.error is not None
    assert run.error.startswith("The model 'nobody:nothing' can't be used: ")
    assert "\n" not in run.error


def test_bad_messages_and_files_are_refused(runner: Runner, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="empty"):
        runner.start("t", " \n")
    with pytest.raises(UsageError):
        Runner(tmp_path / "missing.ctx")
    (tmp_path / "text.ctx").write_text("x")
    with pytest.raises(WorkspaceError):
        Runner(tmp_path / "text.ctx")
