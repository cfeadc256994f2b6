"""Models by name: made as the engine makes them, and known without being made."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from deepagents.backends import StateBackend
from deepagents.middleware.summarization import create_summarization_middleware
from langchain.chat_models import init_chat_model
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from engine.agent.build import build_agent
from engine.agent.effective import effective
from engine.agent.models import resolve_model
from engine.agent.profiles import answer_tokens, is_installed, known_models, profile_of, providers
from engine.agent.settings import AgentSettings
from engine.errors import UsageError
from engine.workspace import Workspace

NAMES = ("openai:gpt-5.5", "openai:gpt-4o", "openai:of-my-own", "anthropic:claude-sonnet-4-6", "anthropic:claude-x")


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, "no-key-at-all")


@pytest.mark.parametrize("name", NAMES)
def test_a_profile_is_known_without_making_the_model(name: str) -> None:
    assert (resolve_model(name).profile or None) == profile_of(name)


@pytest.mark.parametrize("name", [name for name in NAMES if profile_of(name)])
@pytest.mark.parametrize("parameters", [{}, {"max_tokens": 1_234}])
def test_the_largest_request_is_the_engines_own_for_the_real_model(name: str, parameters: dict[str, Any]) -> None:
    model = resolve_model(name, parameters=parameters)
    request: Any = SimpleNamespace(model=model, model_settings={})
    budget = create_summarization_middleware(model, StateBackend())._input_budget(request)
    settings = AgentSettings(model=name, model_parameters=parameters)
    assert {item.name: item.value for item in effective(settings)}["largest request"] == budget
    assert answer_tokens(settings) == getattr(model, "max_tokens", None)


def test_the_known_providers_are_those_of_langchain() -> None:
    with pytest.raises(ValueError) as refused:
        init_chat_model("x", model_provider="nobody")
    for provider in providers():
        assert provider in str(refused.value)


@contextmanager
def asked(server: HTTPServer, tmp_path: Path, settings: AgentSettings) -> Iterator[list[Request]]:
    """What a server is asked by an agent's first request; it refuses it."""
    found: list[Request] = []

    def refuse(request: Request) -> Response:
        found.append(request)
        return Response('{"error": {"message": "no", "type": "invalid_request_error"}}', 400)

    server.expect_request(re.compile(".*")).respond_with_handler(refuse)
    agent = build_agent(Workspace.create(tmp_path / "w.ctx"), settings)
    try:
        with pytest.raises(Exception, match="400"):
            agent.graph.invoke({"messages": [("user", "Hello")]}, {"configurable": {"thread_id": "t"}})
        yield found
    finally:
        agent.close()


@pytest.mark.parametrize(
    ("model", "parameters", "path"),
    [
        ("openai:gpt-4o", {"temperature": 0.25}, "/v1/responses"),
        ("openai:gpt-4o", {"temperature": 0.25, "use_responses_api": False}, "/v1/chat/completions"),
        ("anthropic:claude-sonnet-4-6", {"temperature": 0.25, "max_tokens": 99}, "/v1/v1/messages"),
    ],
)
def test_parameters_and_address_reach_the_server(
    httpserver: HTTPServer, tmp_path: Path, model: str, parameters: dict[str, Any], path: str
) -> None:
    settings = AgentSettings(model=model, model_parameters=parameters, base_url=httpserver.url_for("/v1"))
    with asked(httpserver, tmp_path, settings) as requests:
        body = requests[0].get_json()
    assert requests[0].path == path
    assert body["model"] == model.partition(":")[2]
    assert body["temperature"] == 0.25
    assert body.get("max_tokens") == parameters.get("max_tokens")


def test_a_profile_that_is_set_takes_the_place_of_the_integrations() -> None:
    assert resolve_model("openai:gpt-5.5", {"max_input_tokens": 5_000}).profile == {"max_input_tokens": 5_000}


def test_a_model_that_cannot_be_made_is_said_without_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    for name, words in (("openai:x", "can't be used"), ("groq:x", "is not installed"), ("nobody:x", "can't be used")):
        with pytest.raises(UsageError, match=words):
            resolve_model(name)
    with pytest.raises(UsageError, match="can't be used"):
        resolve_model("openai:x", parameters={"temperature": "hot"})


def test_the_models_that_are_offered_are_those_that_installed_integrations_describe() -> None:
    offered = known_models()
    assert offered[:2] == ("hand", "scripted")
    for name in offered[2:]:
        provider = name.partition(":")[0]
        assert is_installed(providers()[provider])
        assert profile_of(name), name
