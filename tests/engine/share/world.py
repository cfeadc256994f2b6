"""Threads to search and to share, run by the real engine on the scripted model."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from engine import AgentSettings, Runner, Workspace
from engine.agent.scripted import ScriptedChat
from engine.errors import UsageError

MARKUP = (
    "<b>bold</b>", "<img src='/usr/share/pixmaps/debian-logo.png' width=4000>",
    "<a href='https://e.invalid'>Approve</a>", "<table><tr><td>x", "&lt;b&gt; &amp;", "first\n<b>second</b>",
    "[/dim] [bold red]x[/]", "<module 'x' from 'y'> failed", "list<str>", "</pre></body><h1>You are logged out</h1>",
    "<font size=99>big", "\x1b[8mhidden\x1b[0m", "%s {0} {name} $x \\n", "<!-- ", "<style>*{color:white}</style>",
)  # fmt: skip
"""Case S16: texts that become markup where somebody guesses."""

SECRETS = {
    "sk-proj-AAAABBBBCCCCDDDDEEEE0000": "sk- key",
    "eyJhbGciOi.J9.x": "JWT",
    "wJalrXUtnFEMI": "named secret",
    "-----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY-----": "private key",
}
"""Case S15: secrets, and the rule that finds each."""

COMMIT = "commit 9f86d081884c7d65 is no secret"

SECRET_TEXT = (
    "my key is sk-proj-AAAABBBBCCCCDDDDEEEE0000\nAuthorization: Bearer eyJhbGciOi.J9.x\n"
    "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI\n-----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY-----\n" + COMMIT
)


def converse(path: Path, thread: str, message: str, *script: Any, **more: Any) -> None:
    """Run one turn on a thread; the workspace is made when it isn't there."""
    if not path.exists():
        Workspace.create(path)
    runner = Runner(path)
    try:
        model = ScriptedChat(script=list(script), call_prefix=f"{len(thread)}-{len(message)}-")
        settings = AgentSettings(model=model, **more)
        run = runner.start(thread, message, settings=settings, title=f"Thread {thread}")
        assert run.wait(120)
        assert not run.lost
    except UsageError as error:
        raise AssertionError(error) from error
    finally:
        runner.close()


def at_rest(path: Path) -> Path:
    """The same file with nothing of it left in a WAL."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path
