"""Threads to search and to share, run by the real engine on the scripted model."""

from __future__ import annotations

import sqlite3
import zlib
from contextlib import closing
from pathlib import Path
from typing import Any

from engine import AgentSettings, Runner, Workspace
from engine.agent.scripted import Call, ScriptedChat, Turn
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


SCRIPTS = (
    "<script>window.hacked = 1</script>", "<img src=x onerror='window.hacked = 2'>", "<svg onload='window.hacked = 3'>",
    "<iframe src='https://e.invalid/frame'></iframe>", "<link rel=stylesheet href='https://e.invalid/style.css'>",
    "</div></section><script src='https://e.invalid/script.js'></script>", "<meta http-equiv=refresh content='0;url=https://e.invalid'>",
    "javascript:window.hacked=4", "'\"><script>window.hacked = 5</script>",
    "]]><!--><script>window.hacked = 6</script>",
)  # fmt: skip
"""Texts that run or fetch something where they become markup."""

ODD_THREAD = "odd " + "".join(MARKUP[:5]) + " \u202e %s"
ODD = "\r\ncarriage \x00 nul \ud83d half \u2028 line \u202eevil\u2066 👩\u200d🔬 \x1b[8mhidden\x1b[0m \u200b摘要\ttab  "


def look_at(what: str) -> list[dict[str, str]]:
    """Look at something."""
    picture = {"type": "image", "base64": "iVBORw0KGgo=" * 500, "mime_type": "image/png"}
    return [{"type": "text", "text": f"see {what}"}, picture]


def odd_workspace(path: Path) -> Path:
    """A workspace in which markup, secrets and odd characters stand everywhere."""
    texts = "\n".join([*MARKUP, *SCRIPTS])
    args = {"file_path": f"/{MARKUP[1]}.md", "content": texts + ODD, "x": float("nan"), "big": 2**60}
    thinking = {"type": "thinking", "thinking": "<b>hm</b>", "signature": "S" * 900}
    converse(
        path, ODD_THREAD, texts + ODD,
        Turn(SECRET_TEXT, calls=[Call("write_file", args), Call("read_file", {"file_path": "/no<i>thing</i>"})]),
        Turn(texts, blocks=[thinking, {"type": "text", "text": "seen"}]),
        system_prompt="\n".join(SCRIPTS),
        name="<b>agent</b>",
    )  # fmt: skip
    converse(
        path,
        ODD_THREAD,
        "look",
        Turn(calls=[Call("look_at", {"what": "<b>it</b>"})]),
        Turn("A picture."),
        tools=[look_at],
    )
    converse(path, ODD_THREAD, "fail", ConnectionError("no <b>route</b> " + SCRIPTS[0]))
    return path


def converse(path: Path, thread: str, message: str, *script: Any, **more: Any) -> None:
    """Run one turn on a thread; the workspace is made when it isn't there."""
    if not path.exists():
        Workspace.create(path)
    runner = Runner(path)
    try:
        name = f"scripted {_number(thread + message)}"  # one script's answers are not another's
        model = ScriptedChat(model=name, script=list(script), call_prefix=f"{name[9:]}-")
        settings = AgentSettings(model=model, **more)
        run = runner.start(thread, message, settings=settings, title=f"Thread {thread}")
        assert run.wait(120)
        assert not run.lost
    except UsageError as error:
        raise AssertionError(error) from error
    finally:
        runner.close()


def _number(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))


def at_rest(path: Path) -> Path:
    """The same file with nothing of it left in a WAL."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path
