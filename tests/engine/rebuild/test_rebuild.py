"""With the agent at hand, the exact request of any checkpoint, no model called, the database untouched."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import message_to_dict
from langgraph.checkpoint.sqlite import SqliteSaver

from engine import open_source
from engine.errors import InspectorError, UsageError
from engine.rebuild.parent import rebuild
from tests.received import text

AGENT = '''
import base64
import os
from deepagents import create_deep_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.utils.function_calling import convert_to_openai_tool

print("the agent's module may print what it likes")
SEEN = []

class Model(BaseChatModel):
    """Answers from a list; outside the test's own run it must not be reached."""
    answers: list = []

    @property
    def _llm_type(self):
        return "stand-in"

    def bind_tools(self, tools, **kwargs):
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs)

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        if os.environ.get("MODEL_ALLOWED") != "yes":
            raise SystemError("a model was called")
        SEEN.append((messages, kwargs))
        turn = sum(1 for message in messages if message.type == "ai")
        calls = [{"name": "look", "args": {"n": turn}, "id": f"c{turn}"}] if turn % 3 != 2 else []
        message = AIMessage("" if calls else "done", tool_calls=calls)
        return ChatResult(generations=[ChatGeneration(message=message)])

def look(n: int) -> str:
    """Look at a number."""
    return f"saw {n}"

def make(config):
    return create_deep_agent(model=Model(), tools=[look], system_prompt="Look <b>well</b>.", skills=None)

agent = make({})
'''
PICTURE = {"type": "image", "source_type": "base64", "data": "iVBORw0KGgo=", "mime_type": "image/png"}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A project with an agent, its database, and what its model received in each request."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "their_agent.py").write_text(AGENT)
    (folder / "langgraph.json").write_text(
        json.dumps({"dependencies": ["."], "graphs": {"main": "./their_agent.py:make"}, "env": {"A": "b"}})
    )
    sys.path.insert(0, str(folder))
    os.environ["MODEL_ALLOWED"] = "yes"
    try:
        import their_agent  # type: ignore[import-not-found]

        with SqliteSaver.from_conn_string(str(folder / "their.db")) as saver:
            graph = their_agent.agent.copy(update={"checkpointer": saver})
            config = {"configurable": {"thread_id": "t"}}
            content = [{"type": "text", "text": "Look"}, PICTURE]
            graph.invoke({"messages": [{"role": "user", "content": content}]}, config)
            graph.invoke({"messages": [{"role": "user", "content": "Again"}]}, config)
            saver.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        seen = list(their_agent.SEEN)
    finally:
        sys.path.remove(str(folder))
        del os.environ["MODEL_ALLOWED"]
    return folder, seen


def test_every_request_is_rebuilt_exactly_and_the_database_stays(project: Any) -> None:
    folder, seen = project
    path = folder / "their.db"
    before = {each.name: each.read_bytes() for each in folder.iterdir() if each.is_file()}
    with closing(open_source(path)) as source:
        rows = source.requests("t")
    assert len(rows) == len(seen) == 6
    for row, (messages, kwargs) in zip(rows[::4], seen[::4], strict=True):
        found = rebuild(path, "t", f"{folder}/their_agent.py:agent", row.checkpoint_id)
        assert [text(message) for message in found.messages] == [text(message_to_dict(each)) for each in messages]
        assert [text(tool) for tool in found.tools] == [text(tool) for tool in kwargs["tools"]]
        assert found.checkpoint_id == row.checkpoint_id
    assert {each.name: each.read_bytes() for each in folder.iterdir() if each.is_file()} == before


def test_a_langgraph_json_and_a_factory(project: Any) -> None:
    folder, seen = project
    with closing(open_source(folder / "their.db")) as source:
        first = source.requests("t")[0]
    for agent in (f"{folder}/langgraph.json", f"{folder}/langgraph.json:main"):
        found = rebuild(folder / "their.db", "t", agent, first.checkpoint_id)
        assert [text(message) for message in found.messages] == [text(message_to_dict(each)) for each in seen[0][0]]


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        ("no_such_module:agent", "There is no module no_such_module"),
        ("{folder}/their_agent.py:nobody", "has no nobody"),
        ("{folder}/their_agent.py", "names no agent"),
        ("{folder}/their_agent.py:look", "not a LangGraph agent"),
        ("{folder}/langgraph.json:other", "has no graph other"),
        ("{folder}/missing.json", "There is no file"),
    ],
)
def test_a_wrong_agent_is_a_sentence(project: Any, agent: str, words: str) -> None:
    folder, _ = project
    with pytest.raises((UsageError, InspectorError)) as caught:
        rebuild(folder / "their.db", "t", agent.replace("{folder}", str(folder)))
    assert words in str(caught.value) or "failed before" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("code", ["raise ValueError('<b>no</b>')", "import sys; sys.exit(7)", "import os; os._exit(3)"])
def test_failing_code_is_a_sentence(project: Any, tmp_path: Path, code: str) -> None:
    folder, _ = project
    (tmp_path / "bad.py").write_text(code)
    with pytest.raises(InspectorError) as caught:
        rebuild(folder / "their.db", "t", f"{tmp_path}/bad.py:agent")
    assert "bad.py" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_code_that_does_not_end_is_stopped(project: Any, tmp_path: Path) -> None:
    folder, _ = project
    (tmp_path / "slow.py").write_text("while True: pass")
    with pytest.raises(InspectorError, match="was stopped"):
        rebuild(folder / "their.db", "t", f"{tmp_path}/slow.py:agent", seconds=3)


def test_a_finished_thread_and_an_unknown_one_are_sentences(project: Any) -> None:
    folder, _ = project
    with pytest.raises(UsageError, match="nothing left to do"):
        rebuild(folder / "their.db", "t", f"{folder}/their_agent.py:agent")
    with pytest.raises(UsageError, match="no such checkpoint"):
        rebuild(folder / "their.db", "nobody", f"{folder}/their_agent.py:agent")


def test_the_terminal_asks_before_it_runs_code(project: Any) -> None:
    folder, seen = project
    with closing(open_source(folder / "their.db")) as source:
        first = source.requests("t")[0]
    command = [sys.executable, "-m", "inspector", "rebuild", str(folder / "their.db"), "--thread", "t"]
    command += ["--agent", f"{folder}/their_agent.py:agent", "--request", str(first.id), "--json"]
    environment = {**os.environ, "PYTHONPATH": os.getcwd()}
    options: dict[str, Any] = {"env": environment, "stdin": subprocess.DEVNULL, "capture_output": True, "text": True}
    asked = subprocess.run(command, **options)
    assert asked.returncode == 2
    assert "--yes" in asked.stderr
    done = subprocess.run([*command, "--yes"], **options)
    assert done.returncode == 0, done.stderr
    assert [text(message) for message in json.loads(done.stdout)["messages"]] == [
        text(message_to_dict(each)) for each in seen[0][0]
    ]
