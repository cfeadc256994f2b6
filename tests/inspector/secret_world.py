"""A workspace in which secrets of every kind stand wherever a text can stand (case S15)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from pytest_httpserver import HTTPServer

from engine import AgentSettings, Reader, Runner, Workspace
from engine.agent.scripted import Call, ScriptedChat, Turn
from tests.engine.wire.agents import model, run
from tests.engine.wire.provider import Provider, Say

# Put together here, so that no file holds the form of a real key.
GITHUB = "ghp" + "_" + "gHb1" * 9
OPENAI = "sk" + "-proj-" + "AAAABBBBCCCCDDDDEEEE0000"
JWT = "eyJhbGciOi" + ".J9.xZq7"
AWS = "wJalrXUtnFEMI" + "Zq7"
PEM = "MIIEvQIBADANBgkq"
URL_PASSWORD, URL_TOKEN = "hunter2Zq7", "abcZq7token"
NAMED, WORDS = "kZq7", "correct horse Zq7"
PLANTED = {
    GITHUB: "GitHub token", OPENAI: "sk- key", JWT: "bearer token", AWS: "named secret", PEM: "private key",
    URL_PASSWORD: "password in a URL", URL_TOKEN: "key in a URL", NAMED: "named secret", WORDS: "named secret",
}  # fmt: skip
"""What must not be seen, and the rule that masks it."""

KEY_BLOCK = f"-----BEGIN PRIVATE KEY-----\n{PEM}\n{PEM[::-1]}\n-----END PRIVATE KEY-----"
URL = f"https://me:{URL_PASSWORD}@h.example/a?token={URL_TOKEN}"
COMMIT = "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b"
ALL = (
    f"token {GITHUB} and {OPENAI}\nAuthorization: Bearer {JWT}\nAWS_SECRET_ACCESS_KEY={AWS}\n{KEY_BLOCK}\n{URL}\n"
    + json.dumps({"X-Api-Key": NAMED, "password": WORDS})
    + f"\n{COMMIT}"
)
ARGS = {"url": URL, "password": WORDS, "headers": {"Authorization": f"Bearer {JWT}", "X-Api-Key": NAMED}, "note": ALL}
FILE = f"/notes {GITHUB}.md"
SKILL = f"---\nname: deploy\ndescription: Use it with {OPENAI}.\n---\n\n# Deploy\n\n{ALL}\n"
MEMORY = f"# Notes\n\n{ALL}\n"
SEEDS, THREAD, LONG, ON_WIRE = "seeds", "planted", "long", "on the wire"


def http(url: str, password: str, headers: dict[str, Any], note: str) -> str:
    """Ask a server."""
    return ALL


http.__doc__ = f"Ask a server, with {GITHUB} as usual.\n\n{ALL}"


def plant(file: Path, server: HTTPServer) -> Path:
    """Make the workspace: threads of our own agent, one that failed, one summarized, one that went over a wire."""
    Workspace.create(file)
    memory = Call("write_file", {"file_path": "/memories/AGENTS.md", "content": MEMORY})
    skill = Call("write_file", {"file_path": "/skills/deploy/SKILL.md", "content": SKILL})
    _converse(file, SEEDS, [f"remember {GITHUB}"], Turn(calls=[memory, skill]), Turn("Written."))
    note = Call("write_file", {"file_path": FILE, "content": ALL})
    _converse(
        file, THREAD, [ALL, "again"],
        Turn(ALL, calls=[Call("http", ARGS), note]), Turn(ALL), ConnectionError(f"no route to {URL} with {GITHUB}"),
        system_prompt=ALL, tools=[http], name="asker",
    )  # fmt: skip
    turns = [Turn(f"{n} {ALL}") for n in range(12)]
    _converse(file, LONG, [f"{n} {ALL}" for n in range(4)], *turns, summarize=("messages", 4), keep=("messages", 2))
    provider = Provider(server)
    provider.will(Say(ALL), Say(ALL))
    run(file, model("chat", provider, max_retries=0, model_kwargs={"user": URL}), ALL, "again", thread=ON_WIRE)
    with closing(Reader(file)) as reader:
        threads = {thread.thread_id: thread for thread in reader.threads()}
        assert set(threads) == {SEEDS, THREAD, LONG, ON_WIRE}
        assert threads[THREAD].title.startswith(f"token {GITHUB}")
        assert GITHUB in (reader.requests(THREAD)[-1].error or "")
        assert reader.summaries(LONG)
        assert reader.wire(reader.request_ids(ON_WIRE)[0])
        assert FILE in {each.path for each in reader.files(THREAD)}
        assert reader.skills(THREAD)
    return file


def _converse(path: Path, thread: str, messages: Sequence[str], *script: Any, **more: Any) -> None:
    runner = Runner(path)
    try:
        chat = ScriptedChat(model=f"scripted {thread}", script=list(script), call_prefix=thread)
        for message in messages:
            turn = runner.start(thread, message, settings=AgentSettings(model=chat, **more))
            assert turn.wait(120)
            assert not turn.lost
    finally:
        runner.close()
