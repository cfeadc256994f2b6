"""What is remembered in a request, and by which mechanism: each of the six in a real agent's own request."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from engine import AgentSettings, Explainer, Reader, Runner, SubagentSettings, Workspace, save_item
from engine.agent.scripted import Call, ScriptedChat, Turn
from engine.places import BackendSettings, Identity, Place

MEMORY, NOTES = "/memories/AGENTS.md", "/memories/notes.md"


def told(file: Path, thread: str) -> list[list[tuple[str, str, str, int]]]:
    with closing(Reader(file)) as reader:
        explainer = Explainer(reader)
        rows = [row for row in reader.requests(thread) if row.purpose == "agent"]
        found = [explainer.remembered(row.id) for row in rows]
    return [[(one.by, one.what, one.area, one.index) for one in each] for each in found]


def run(file: Path, message: str, settings: AgentSettings) -> None:
    runner = Runner(file)
    try:
        made = runner.start("t", message, settings=settings)
        assert made.wait(60) and made.error is None
    finally:
        runner.close()


def test_each_of_the_six_is_named_where_it_stands(tmp_path: Path) -> None:
    file = Workspace.create(tmp_path / "w.ctx").path
    for key, text in (("/AGENTS.md", "Be brief."), ("/notes.md", "Ann likes tables.")):
        save_item(file, "acme.ann.memories", key, {"content": text, "encoding": "utf-8"}, "")
    routes = {"/memories/": Place("store", namespace=("{tenant}", "{user}", "memories"))}
    settings = {
        "memory": [MEMORY], "identity": Identity("acme", "ann"), "backend": BackendSettings(routes=routes),
        "subagents": [
            SubagentSettings(
                name="helper", description="Helps.", system_prompt="Help.",
                model=ScriptedChat(script=[Turn("helped")]),
            )
        ],
    }  # fmt: skip
    script = [
        Turn("", (Call("read_file", {"file_path": NOTES}), Call("read_file", {"file_path": "/own.md"}))),
        Turn("", (Call("task", {"description": "x", "subagent_type": "helper"}),)),
        Turn("done"),
    ]
    run(file, "go on", AgentSettings(model=ScriptedChat(script=script), **settings))
    who = ("runtime context", "tenant acme, user ann: in no area of the request", "", 0)
    first, _second, third = told(file, "t")
    memory = next(one for one in first if one[0] == "memory file")
    assert memory[1:3] == (MEMORY, "system")
    assert first == [memory, who]
    assert third == [
        memory,
        ("store", f"read_file {NOTES} in acme.ann.memories", "messages", 2),
        ("subagent", "helper", "messages", 5),
        who,
    ]
    run(
        file, "and now",
        AgentSettings(
            model=ScriptedChat(script=[*script, Turn("again")], summaries=["older"] * 3),
            summarize=("messages", 4), keep=("messages", 1), **settings,
        ),
    )  # fmt: skip
    last = told(file, "t")[-1]
    assert ("summary", "older messages, in its words", "messages", 0) in last


def test_messages_of_earlier_turns_come_from_the_checkpoint(tmp_path: Path) -> None:
    file = Workspace.create(tmp_path / "w.ctx").path
    for n in range(2):
        script = [Turn(f"answer {one}") for one in range(n + 1)]
        run(file, f"question {n}", AgentSettings(model=ScriptedChat(script=script)))
    first, second = told(file, "t")
    assert [one for one in first if one[0] == "checkpoint"] == []
    assert [one for one in second if one[0] == "checkpoint"] == [
        ("checkpoint", "2 messages of earlier turns", "messages", 0)
    ]
