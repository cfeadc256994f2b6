"""Where the truth about a request is: the doors that the recorder uses, and what each of them shows."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import deepagents.graph
import deepagents.middleware.subagents
import pytest
from langchain.agents.middleware.types import AgentMiddleware
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import HumanMessage
from langgraph.types import Command

from engine.recording import model as model_door
from tests.contract.models import Told, call, calls, deep_agent, recorded, say, summarizing, thread

MEMORY = "/memories/AGENTS.md"
SKILL = "---\nname: report\ndescription: Writes the report.\n---\nThe whole procedure.\n"
FILES = {MEMORY: "The user likes bullet points.", "/skills/report/SKILL.md": SKILL}
HELPER = {"name": "helper", "description": "helps", "system_prompt": "You help."}
PNG = "iVBORw0KGgo="


class Traced(BaseCallbackHandler):
    """What a callback is told of each model call."""

    def __init__(self) -> None:
        self.messages: list[list[Any]] = []
        self.params: list[dict[str, Any]] = []
        self.metadata: list[dict[str, Any]] = []
        self.tags: list[list[str]] = []

    def on_chat_model_start(self, serialized: Any, messages: Any, **kwargs: Any) -> None:
        self.messages.append(list(messages[0]))
        self.params.append(kwargs["invocation_params"])
        self.metadata.append(kwargs["metadata"])
        self.tags.append(kwargs["tags"])


class Spy(AgentMiddleware[Any, Any, Any]):
    """Keeps the requests that pass."""

    def __init__(self, name: str = "Spy") -> None:
        self._name = name
        self.seen: list[Any] = []

    @property
    def name(self) -> str:
        return self._name

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        self.seen.append(request)
        return handler(request)


class Assembled:
    """The lists of middlewares that are put together, with a spy after each where one is wanted."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, with_spies: bool = False) -> None:
        self.names: dict[str | None, list[str]] = {}
        self.spies: dict[str, Spy] = {}
        self._with_spies = with_spies
        for module in (deepagents.graph, deepagents.middleware.subagents):
            monkeypatch.setattr(module, "create_agent", self._creating(module.create_agent))

    def _creating(self, create_agent: Any) -> Any:
        def create(model: Any, **kwargs: Any) -> Any:
            given = list(kwargs["middleware"])
            self.names[kwargs.get("name")] = [item.name for item in given]
            if self._with_spies:
                kwargs["middleware"] = [each for item in given for each in (item, self._spy(item.name))]
            return create_agent(model, **kwargs)

        return create

    def _spy(self, after: str) -> Spy:
        return self.spies.setdefault(after, Spy(f"after-{after}"))


# --- the model's own methods, and callbacks ---


@pytest.mark.parametrize(
    "block",
    [
        {"type": "image", "base64": PNG, "mime_type": "image/png"},
        {"type": "file", "base64": "JVBERi0=", "mime_type": "application/pdf"},
    ],
)
def test_a_callback_gets_media_rewritten_and_the_model_the_original(block: dict[str, Any]) -> None:
    model, traced = Told(turns=["seen"]), Traced()
    content = [{"type": "text", "text": "Look:"}, block]
    say(deep_agent(model), content, thread(callbacks=[traced]))
    assert model.given[0].conversation[0].content == content
    assert traced.messages[0][1].content != content
    assert traced.messages[0][1].content[0] == content[0]


def test_a_callback_gets_text_tools_and_parameters_as_the_model_does() -> None:
    model, traced = Told(turns=["yes"]), Traced()
    say(deep_agent(model, system_prompt="Be short."), "Hello?", thread(callbacks=[traced]))
    assert [m.content for m in traced.messages[0]] == [m.content for m in model.given[0].messages]
    assert traced.params[0]["tools"] == model.given[0].tools
    assert {"ls", "read_file", "write_todos"} & {tool["function"]["name"] for tool in model.given[0].tools}


def test_the_system_message_comes_first_as_a_list_with_a_block_of_each_contributor() -> None:
    model = Told(turns=["yes"])
    say(deep_agent(model, system_prompt="Be short.", memory=[MEMORY], skills=["/skills/"], files=FILES), "Hello?")
    first, *others = model.given[0].messages
    assert first.type == "system"
    assert all(other.type != "system" for other in others)
    blocks = [block["text"] for block in first.content]
    assert "Be short." in blocks[0]
    (skills,) = [n for n, text in enumerate(blocks) if "Writes the report." in text]
    (memory,) = [n for n, text in enumerate(blocks) if "bullet points" in text]
    assert 0 < skills < memory


def own_doors(model: Any) -> set[str]:
    return {
        name
        for name in model_door._METHODS
        if getattr(type(model), name, None) is not getattr(BaseChatModel, name, None)
    }


def test_langchain_decides_on_streaming_by_the_methods_that_the_models_class_has() -> None:
    """So only methods that a class defines may be wrapped."""
    model = Told(turns=["a"])
    assert own_doors(model) == {"_generate"}
    model_door.observe_classes()
    assert own_doors(model) == {"_generate"}
    assert type(model) is Told
    assert hasattr(Told._generate, "__wrapped__")


def test_every_door_of_a_model_that_is_wrapped_is_still_one() -> None:
    doors = {name for name in model_door._METHODS if getattr(BaseChatModel, name, None) is not None}
    assert doors >= {"_generate", "_agenerate", "_stream", "_astream"}
    for name in doors:
        assert list(inspect.signature(getattr(BaseChatModel, name)).parameters)[:3] == ["self", "messages", "stop"]


def test_a_model_replaced_by_a_middleware_is_recorded_exactly(tmp_path: Path) -> None:
    other = Told(turns=["from the other"])

    class Swap(AgentMiddleware[Any, Any, Any]):
        def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
            return handler(request.override(model=other))

    world = recorded(tmp_path, Told(), middleware=[lambda _: Swap()])
    world.say([{"type": "image", "base64": PNG, "mime_type": "image/png"}])
    with world.reader() as reader:
        (row,) = reader.requests("t")
        detail = reader.request(row.id)
        assert detail.exact
        assert reader.message(detail.messages[0].part)["data"]["content"] == other.given[0].conversation[0].content


# --- middlewares ---


def test_a_middleware_of_the_users_sees_neither_the_skills_menu_nor_memory() -> None:
    model, spy = Told(turns=["yes"]), Spy()
    say(deep_agent(model, memory=[MEMORY], skills=["/skills/"], files=FILES, middleware=[spy]), "Hello?")
    for text in ("Writes the report.", "bullet points"):
        assert text in model.given[0].system
        assert text not in spy.seen[0].system_message.text


def test_the_order_of_the_main_agents_middlewares(monkeypatch: pytest.MonkeyPatch) -> None:
    assembled = Assembled(monkeypatch)
    deep_agent(
        Told(),
        name="main",
        memory=[MEMORY],
        skills=["/skills/"],
        middleware=[Spy()],
        interrupt_on={"write_file": True},
    )
    assert assembled.names["main"] == [
        "FilesystemMiddleware",
        "SubAgentMiddleware",
        "_ParentNotifierMiddleware",
        "SummarizationMiddleware",
        "PatchToolCallsMiddleware",
        "Spy",
        "SkillsMiddleware",
        "AnthropicPromptCachingMiddleware",
        "MemoryMiddleware",
        "HumanInTheLoopMiddleware",
        "UnsupportedContentMiddleware",
    ]


def test_the_order_of_a_subagents_middlewares(monkeypatch: pytest.MonkeyPatch) -> None:
    assembled = Assembled(monkeypatch)
    deep_agent(Told(), memory=[MEMORY], skills=["/skills/"], subagents=[{**HELPER, "middleware": [Spy()]}])
    assert assembled.names["helper"] == [
        "FilesystemMiddleware",
        "SummarizationMiddleware",
        "PatchToolCallsMiddleware",
        "Spy",
        "AnthropicPromptCachingMiddleware",
        "UnsupportedContentMiddleware",
    ]
    assert "SkillsMiddleware" in assembled.names["general-purpose"]


def test_an_instance_of_the_same_name_takes_a_defaults_place(monkeypatch: pytest.MonkeyPatch) -> None:
    assembled = Assembled(monkeypatch)
    own = summarizing(Told(), 10, 2)()
    deep_agent(Told(), name="main", middleware=[own])
    assert assembled.names["main"].count("SummarizationMiddleware") == 1
    assert assembled.names["main"].index("SummarizationMiddleware") == 3


def test_an_observer_sees_what_the_middlewares_before_it_added(monkeypatch: pytest.MonkeyPatch) -> None:
    assembled, model = Assembled(monkeypatch, with_spies=True), Told(turns=["yes"])
    say(deep_agent(model, name="main", memory=[MEMORY], skills=["/skills/"], files=FILES), "Hello?")
    first = {
        text: next(
            name for name in assembled.names["main"] if text in str(assembled.spies[name].seen[0].system_message)
        )
        for text in ("Writes the report.", "bullet points")
    }
    assert first == {"Writes the report.": "SkillsMiddleware", "bullet points": "MemoryMiddleware"}
    innermost = assembled.spies[assembled.names["main"][-1]].seen[0]
    assert innermost.system_message.content == model.given[0].messages[0].content
    assert innermost.messages == model.given[0].conversation


def test_every_observer_sees_the_raw_history_in_the_requests_state(monkeypatch: pytest.MonkeyPatch) -> None:
    assembled = Assembled(monkeypatch, with_spies=True)
    model = Told(turns=["one", "two", "three"], summaries=["So far."])
    agent = deep_agent(model, name="main", middleware=[summarizing(model, 5, 2)()])
    for text in ("a", "b", "c"):
        raw = [message.text for message in say(agent, text)][:-1]
    assert raw == ["a", "one", "b", "two", "c"]
    assert [m.text for m in model.asked[-1].conversation] != raw
    for name in assembled.names["main"]:
        assert [m.text for m in assembled.spies[name].seen[-1].state["messages"]] == raw


def test_what_a_middleware_is_told_of_the_messages_differs_from_raw_only_after_summarization(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assembled = Assembled(monkeypatch, with_spies=True)
    model = Told(turns=["one", "two", "three"], summaries=["So far."])
    agent = deep_agent(model, name="main", middleware=[summarizing(model, 5, 2)()])
    for text in ("a", "b", "c"):
        say(agent, text)
    names = assembled.names["main"]
    changed = [
        n for n in names if assembled.spies[n].seen[-1].messages != assembled.spies[n].seen[-1].state["messages"]
    ]
    assert changed == names[names.index("SummarizationMiddleware") :]


# --- metadata ---


def subagent_run() -> tuple[Told, Told, Traced, Any]:
    helper = Told(turns=["helped"])
    model = Told(turns=[call("task", "c1", description="do it", subagent_type="helper"), "done"])
    traced = Traced()
    agent = deep_agent(model, subagents=[{**HELPER, "model": helper}])
    say(agent, "Go.", thread(callbacks=[traced]))
    return model, helper, traced, agent


def test_metadata_of_the_main_agent() -> None:
    model, _, _, _ = subagent_run()
    for given in model.given:
        assert given.metadata["thread_id"] == "t"
        assert given.metadata["lc_agent_name"] is None
        assert given.metadata["langgraph_checkpoint_ns"].startswith("model:")
        assert "|" not in given.metadata["langgraph_checkpoint_ns"]
    first, second = (given.metadata["langgraph_step"] for given in model.given)
    assert first < second


def test_metadata_of_a_subagent_name_it_and_the_task_that_called_it() -> None:
    _, helper, _, _ = subagent_run()
    (given,) = helper.given
    assert given.metadata["thread_id"] == "t"
    assert given.metadata["lc_agent_name"] == "helper"
    parent, own = given.metadata["langgraph_checkpoint_ns"].split("|")
    assert parent.startswith("tools:")
    assert own.startswith("model:")


def test_a_callback_is_told_the_same_metadata_as_the_model() -> None:
    model, helper, traced, _ = subagent_run()
    for key in ("langgraph_step", "langgraph_checkpoint_ns", "lc_agent_name", "thread_id"):
        told = [metadata[key] for metadata in traced.metadata]
        assert told == [given.metadata[key] for given in (model.given[0], helper.given[0], model.given[1])]


def test_two_subagents_of_one_turn_have_two_namespaces() -> None:
    helper = Told(turns=["one", "two"])
    task = {"description": "do it", "subagent_type": "helper"}
    model = Told(turns=[calls(("task", "c1", task), ("task", "c2", task)), "done"])
    say(deep_agent(model, subagents=[{**HELPER, "model": helper}]), "Go.")
    assert len({given.metadata["langgraph_checkpoint_ns"].split("|")[0] for given in helper.given}) == 2


def test_the_summarizing_call_is_marked_and_not_streamed() -> None:
    model, traced = Told(turns=["one", "two"], summaries=["So far."]), Traced()
    agent = deep_agent(model, middleware=[summarizing(model, 3, 1)()])
    for text in ("a", "b"):
        say(agent, text, thread(callbacks=[traced]))
    marked = [(m.get("lc_source"), "nostream" in tags) for m, tags in zip(traced.metadata, traced.tags, strict=True)]
    assert marked == [(None, False), ("summarization", True), (None, False)]
    assert [given.summarizing for given in model.given] == [False, True, False]
    summary, request = model.given[1:]
    assert summary.metadata["langgraph_checkpoint_ns"] == request.metadata["langgraph_checkpoint_ns"]
    assert summary.tools == []


# --- the checkpoint ---


def test_checkpoint_map_names_the_checkpoint_that_holds_the_raw_messages(tmp_path: Path) -> None:
    model = Told(turns=[call("ls", "c1", path="/"), "one", "two"], summaries=["So far."])
    agent = deep_agent(model, middleware=[summarizing(model, 5, 2)()])
    say(agent, "a")
    final = say(agent, "b")
    lengths = []
    for given in model.given:
        at = given.configurable["checkpoint_map"][""]
        state = agent.get_state({"configurable": {"thread_id": "t", "checkpoint_id": at}})
        raw = state.values["messages"]
        assert raw == final[: len(raw)]
        lengths.append(len(raw))
    assert lengths == [1, 3, 5, 5]
    assert model.given[2].summarizing


def test_checkpoint_map_names_a_subagents_checkpoint_under_its_namespace() -> None:
    _, helper, _, agent = subagent_run()
    (given,) = helper.given
    namespace = given.metadata["langgraph_checkpoint_ns"].rpartition("|")[0]
    checkpoint_id = given.configurable["checkpoint_map"][namespace]
    at = {"thread_id": "t", "checkpoint_ns": namespace, "checkpoint_id": checkpoint_id}
    found = agent.checkpointer.get_tuple({"configurable": at})
    # A subagent's messages are a plain channel, unlike the main agent's: its checkpoints hold them whole.
    assert [m.text for m in found.checkpoint["channel_values"]["messages"]] == ["do it"]
    assert [m.text for m in given.conversation] == ["do it"]


def test_checkpoint_map_names_the_fork_when_a_thread_goes_on_from_one() -> None:
    model = Told(turns=["one", "two", "other"])
    agent = deep_agent(model)
    say(agent, "a")
    say(agent, "b")
    earlier = next(
        s for s in agent.get_state_history(thread()) if [m.text for m in s.values["messages"]] == ["a", "one"]
    )
    forked = agent.update_state(earlier.config, {"messages": [HumanMessage("instead")]})
    agent.invoke(Command(goto="model"), forked)
    at = {"thread_id": "t", "checkpoint_id": model.given[-1].configurable["checkpoint_map"][""]}
    state = agent.get_state({"configurable": at})
    assert [m.text for m in state.values["messages"]] == [m.text for m in model.given[-1].conversation]
    assert [m.text for m in model.given[-1].conversation] == ["a", "one", "instead"]
