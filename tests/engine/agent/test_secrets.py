"""Keys: from the environment or the keyring to the provider, and into nothing that is kept or shown."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked, PasswordDeleteError
from pytest_httpserver import HTTPServer

from engine import AgentSettings, Reader, export_thread, forget_key, key_state, remember_key
from engine.agent.models import resolve_model
from engine.agent.secrets import SERVICE, provider_of
from engine.errors import InspectorError, UsageError
from tests.engine.agent.running import World
from tests.engine.wire.provider import KEY, Provider, Say, drops, fails, listening


class Drawer(KeyringBackend):
    """A keyring in memory."""

    priority = 1  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__()
        self.held: dict[tuple[str, str], str] = {}
        self.locked = False

    def _open(self) -> dict[tuple[str, str], str]:
        if self.locked:
            raise KeyringLocked(f"can't open the drawer with {self.held}")
        return self.held

    def get_password(self, service: str, username: str) -> str | None:
        return self._open().get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self._open()[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        if self._open().pop((service, username), None) is None:
            raise PasswordDeleteError("no such key")


@pytest.fixture
def drawer() -> Iterator[Drawer]:
    before = keyring.get_keyring()
    made = Drawer()
    keyring.set_keyring(made)
    yield made
    keyring.set_keyring(before)


@pytest.fixture(scope="module")
def listener() -> Iterator[HTTPServer]:
    with listening() as made:
        yield made


@pytest.mark.parametrize(
    ("model", "variable"),
    [
        ("openai:gpt-4o", "OPENAI_API_KEY"),
        ("gpt-4o", "OPENAI_API_KEY"),
        ("anthropic", "ANTHROPIC_API_KEY"),
        ("claude-opus-4", "ANTHROPIC_API_KEY"),
        ("google_genai:gemini-2.5-pro", "GOOGLE_API_KEY"),
        ("groq:some", "GROQ_API_KEY"),
        ("scripted", ""),
        ("ollama:llama3", ""),
    ],
)
def test_a_provider_says_which_variable_it_reads(drawer: Drawer, model: str, variable: str) -> None:
    state = key_state(model)
    assert (state.variable, state.source, state.needed) == (variable, "", bool(variable))
    assert state.provider == provider_of(model)


def test_the_environment_counts_before_the_keyring(drawer: Drawer, monkeypatch: pytest.MonkeyPatch) -> None:
    assert remember_key("openai", f" {KEY}\n").source == "keyring"
    assert drawer.held == {(SERVICE, "OPENAI_API_KEY"): KEY}
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-environment")
    assert key_state("openai").source == "environment"
    model: Any = resolve_model("openai:gpt-4o")
    assert model.openai_api_key.get_secret_value() == "sk-of-the-environment"
    monkeypatch.delenv("OPENAI_API_KEY")
    assert resolve_model("openai:gpt-4o").openai_api_key.get_secret_value() == KEY
    assert KEY not in os.environ.values()
    assert forget_key("openai").source == ""
    assert drawer.held == {}
    assert forget_key("openai").needed
    with pytest.raises(UsageError):
        resolve_model("openai:gpt-4o")


def test_a_keyring_that_refuses_is_told_without_what_it_holds(drawer: Drawer) -> None:
    drawer.held[SERVICE, "OPENAI_API_KEY"] = KEY
    drawer.locked = True
    state = key_state("openai")
    assert (state.source, state.needed) == ("", True)
    with pytest.raises(InspectorError) as raised:
        remember_key("openai", KEY)
    for told in (state.keyring, str(raised.value), repr(state)):
        assert KEY not in told
    assert "KeyringLocked" in state.keyring


@pytest.mark.parametrize("name", ["api_key", "openai_api_key"])
def test_settings_hold_no_key(drawer: Drawer, name: str) -> None:
    with pytest.raises(UsageError, match="keys don't belong there") as raised:
        resolve_model("openai:gpt-4o", parameters={name: KEY})
    assert KEY not in str(raised.value)


@pytest.mark.parametrize("value", ["", "  \n"])
def test_an_empty_key_is_refused(drawer: Drawer, value: str) -> None:
    with pytest.raises(UsageError):
        remember_key("openai", value)
    with pytest.raises(UsageError):
        remember_key("scripted", KEY)


def test_a_key_comes_into_nothing_that_is_kept(
    world: World,
    drawer: Drawer,
    listener: HTTPServer,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    server = Provider(listener)
    monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
    drawer.held[SERVICE, "OPENAI_API_KEY"] = KEY
    server.will(
        Say("", calls=[("call_1", "ls", {"path": "/"})]),
        Say("Well."),
        fails(401, f"Incorrect API key provided: {KEY}."),
        fails(400, f"Your header was Bearer {KEY}"),
    )
    settings = AgentSettings(model="openai:gpt-4o", model_parameters={"max_retries": 0})
    told = []
    for thread in ("t", "t", "failed"):
        run = world.runner.start(thread, "Go", settings=settings)
        told += world.done(run)
    server.will(drops)
    run = world.runner.start("dropped", "Go", settings=settings)
    told += world.done(run)
    assert [row.status for row in world.rows("t")] == ["done", "done", "failed"]
    assert len(server.received) == 5

    texts = [repr(told), caplog.text]
    with closing(Reader(world.file)) as reader:
        for thread in ("t", "failed", "dropped"):
            texts += [repr(reader.requests(thread)), repr(reader.events(thread)), repr(reader.threads())]
            texts += [export_thread(reader, thread, form, masked=False).text for form in ("json", "html", "markdown")]
    assert [text for text in texts if KEY in text] == []
    for file in world.file.parent.iterdir():
        assert KEY.encode() not in file.read_bytes(), file.name
    assert any("secret removed" in text for text in texts)
    world.runner.close()
    for file in world.file.parent.iterdir():
        assert KEY.encode() not in file.read_bytes(), file.name
