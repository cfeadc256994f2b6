"""The scripted model against what a provider's model does, and against what the engine asks of one."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from deepagents import create_deep_agent
from deepagents.middleware.summarization import DEEPAGENTS_DEFAULT_SUMMARY_PROMPT
from langchain_core.exceptions import ContextOverflowError
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    get_buffer_string,
    message_chunk_to_message,
)
from langchain_core.messages.utils import count_tokens_approximately
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

from engine.agent.scripted import (
    OFFLINE_NOTE,
    Call,
    Exchange,
    ScriptedChat,
    ScriptError,
    SummaryText,
    Turn,
    write_summary,
)


@tool
def lookup(word: str) -> str:
    """Look a word up."""
    return f"{word}: found"


TURNS = (
    Turn("I look\n\nit up –  twice.", (Call("lookup", {"word": "Äpfel"}), Call("lookup", {"word": "b" * 200}))),
    Turn("Done.", blocks=({"type": "thinking", "thinking": "It is there.", "signature": "s1"},)),
)


def after(answer: AIMessage, *before: BaseMessage) -> list[BaseMessage]:
    """The messages with an answer and the results of its calls."""
    results = [ToolMessage("ok", tool_call_id=call["id"], name=call["name"]) for call in answer.tool_calls]
    return [*before, answer, *results]


def plain(message: BaseMessage) -> dict[str, Any]:
    """What must be equal however the message came: everything but its id and the cache reads."""
    dumped = message.model_dump(exclude={"id", "usage_metadata"})
    usage = dict(getattr(message, "usage_metadata", None) or {})
    usage.pop("input_token_details", None)
    return {**dumped, "usage": usage}


def added_up(chunks: list[AIMessageChunk]) -> BaseMessage:
    whole = chunks[0]
    for chunk in chunks[1:]:
        whole = whole + chunk
    return message_chunk_to_message(whole)


def test_streamed_pieces_add_up_to_the_answer() -> None:
    bound = ScriptedChat(script=TURNS).bind_tools([lookup])
    messages: list[BaseMessage] = [SystemMessage("Be brief."), HumanMessage("Apples?")]
    for _turn in TURNS:
        answer = bound.invoke(messages)
        chunks = list(bound.stream(messages))

        async def collect(given: list[BaseMessage]) -> list[Any]:
            return [chunk async for chunk in bound.astream(given)]

        later = asyncio.run(collect(messages))
        assert len(chunks) > 2
        assert plain(added_up(chunks)) == plain(answer)
        assert plain(added_up(later)) == plain(answer)
        assert plain(asyncio.run(bound.ainvoke(messages))) == plain(answer)
        messages = after(answer, *messages)


def test_text_comes_word_by_word_and_usage_last() -> None:
    chunks = list(ScriptedChat(script=[Turn("one two\n three")]).stream("go"))
    assert [chunk.text for chunk in chunks] == ["one", " two", "\n three", ""]
    assert [chunk.usage_metadata is not None for chunk in chunks] == [False, False, False, True]


def test_calls_have_ids_by_their_place() -> None:
    bound = ScriptedChat(script=[*TURNS, Turn(calls=(Call("lookup", {"word": "c"}),))]).bind_tools([lookup])
    first = bound.invoke("go")
    assert [call["id"] for call in first.tool_calls] == ["call_1", "call_2"]
    second = bound.invoke(after(first, HumanMessage("go")))
    third = bound.invoke([*after(first, HumanMessage("go")), second, HumanMessage("more")])
    assert [call["id"] for call in third.tool_calls] == ["call_3"]
    named = ScriptedChat(script=[Turn(calls=(Call("lookup", {}, id="call_apples"),))]).bind_tools([lookup])
    assert named.invoke("go").tool_calls[0]["id"] == "call_apples"


def test_a_tool_that_is_not_bound_is_refused_by_name() -> None:
    bound = ScriptedChat(script=[Turn(calls=(Call("missing"),))]).bind_tools([lookup])
    with pytest.raises(ScriptError, match=r"'missing', which is not bound; bound: lookup"):
        bound.invoke("go")
    with pytest.raises(ScriptError, match="bound: none"):
        ScriptedChat(script=[Turn(calls=(Call("lookup"),))]).invoke("go")


def test_tools_reach_the_request_in_openai_format() -> None:
    bound = ScriptedChat(script=TURNS).bind_tools([lookup], tool_choice="auto")
    kwargs = bound.kwargs  # type: ignore[attr-defined]
    assert kwargs["tools"][0]["function"]["parameters"]["properties"]["word"]["type"] == "string"
    assert kwargs["tool_choice"] == "auto"


@pytest.mark.parametrize(
    ("messages", "what"),
    [
        ([], "no messages"),
        ([SystemMessage("s")], "no message but the system's"),
        ([HumanMessage("a"), SystemMessage("s")], "must come first"),
        ([HumanMessage("a"), ToolMessage("r", tool_call_id="x")], "was not called"),
        (
            [AIMessage("", tool_calls=[{"name": "lookup", "args": {}, "id": "x"}]), HumanMessage("a")],
            "no result before message 1 for x",
        ),
        ([HumanMessage("a"), AIMessage("", tool_calls=[{"name": "lookup", "args": {}, "id": "x"}])], "at the end"),
    ],
)
def test_malformed_requests_are_refused(messages: list[BaseMessage], what: str) -> None:
    with pytest.raises(ScriptError, match=what):
        ScriptedChat(script=TURNS)._generate(messages)


def test_usage_is_counted_over_what_was_received() -> None:
    bound = ScriptedChat(script=TURNS).bind_tools([lookup])
    tools = bound.kwargs["tools"]  # type: ignore[attr-defined]
    messages: list[BaseMessage] = [SystemMessage("Be brief."), HumanMessage("Apples?")]
    first = bound.invoke(messages)
    assert first.usage_metadata is not None
    assert first.usage_metadata["input_tokens"] == count_tokens_approximately(messages, tools=tools)
    assert first.usage_metadata["input_token_details"] == {"cache_read": 0}
    bare = first.model_copy(update={"usage_metadata": None})
    assert first.usage_metadata["output_tokens"] == count_tokens_approximately([bare])
    second = bound.invoke(after(first, *messages))
    assert second.usage_metadata is not None
    assert second.usage_metadata["input_token_details"] == {"cache_read": first.usage_metadata["input_tokens"]}


def test_a_change_in_the_prefix_ends_the_cache_read_there() -> None:
    model = ScriptedChat(script=[Turn("a"), Turn("b")])
    system, first, second = SystemMessage("Be brief."), HumanMessage("one"), HumanMessage("two")
    model.invoke([system, first])
    shared = model.invoke([system, second]).usage_metadata
    assert shared is not None
    assert shared["input_token_details"] == {"cache_read": count_tokens_approximately([system])}
    other = model.invoke([SystemMessage("Be long."), second]).usage_metadata
    assert other is not None
    assert other["input_token_details"] == {"cache_read": 0}


def test_more_than_the_window_is_refused_as_a_provider_does() -> None:
    model = ScriptedChat(script=[Turn("a")], profile={"max_input_tokens": 10})
    with pytest.raises(ContextOverflowError):
        model.invoke("x" * 100)


def test_a_turn_made_from_the_messages() -> None:
    model = ScriptedChat(script=[lambda messages: Turn(f"You said {messages[-1].text}.")])
    assert model.invoke("hello").text == "You said hello."


def test_an_exception_is_raised_once_and_the_script_goes_on() -> None:
    model = ScriptedChat(script=[ConnectionError("away"), Turn("back")])
    with pytest.raises(ConnectionError, match="away"):
        model.invoke("go")
    assert model.invoke("go").text == "back"


def test_a_stream_can_break_off() -> None:
    model = ScriptedChat(script=[Turn("half of it", fail=ConnectionError("gone"))])
    seen: list[str] = []
    with pytest.raises(ConnectionError, match="gone"):
        seen.extend(chunk.text for chunk in model.stream("go"))
    seen = []
    with pytest.raises(ConnectionError):
        for chunk in model.stream("go"):
            seen.append(chunk.text)
    assert "".join(seen) == "half of it"


# --- finding the place ---

EXCHANGES = (
    Exchange("Fetch it", (Turn("I fetch.", (Call("lookup", {"word": "a"}),)), Turn("Fetched."))),
    Exchange("Again", (Turn("Once more."),)),
    Exchange("Fetch it", (Turn("As before."),)),
)


def test_the_place_follows_from_the_messages_not_from_a_counter() -> None:
    messages: list[BaseMessage] = [HumanMessage("Fetch it")]
    said = []
    for user in ("Again", "Fetch it", None):
        while True:
            # A new object each time: nothing is remembered but the messages.
            answer = ScriptedChat(script=EXCHANGES).bind_tools([lookup]).invoke(messages)
            said.append(answer.text)
            messages = after(answer, *messages)
            if not answer.tool_calls:
                break
        if user is not None:
            messages.append(HumanMessage(user))
    assert said == ["I fetch.", "Fetched.", "Once more.", "As before."]


def test_the_place_is_kept_when_a_summary_took_the_user_message() -> None:
    bound = ScriptedChat(script=EXCHANGES).bind_tools([lookup])
    answer = bound.invoke("Fetch it")
    summary = HumanMessage("<summary>…</summary>", additional_kwargs={"lc_source": "summarization"})
    assert bound.invoke(after(answer, summary)).text == "Fetched."


def test_a_plain_script_goes_on_after_a_summary_took_its_answers() -> None:
    model = ScriptedChat(script=[Turn("a"), Turn("b")])
    model.invoke("one")
    summary = HumanMessage("<summary>…</summary>", additional_kwargs={"lc_source": "summarization"})
    assert model.invoke([summary, HumanMessage("two")]).text == "b"
    fresh = ScriptedChat(script=[Turn("a"), Turn("b")], start_at=1)
    assert fresh.invoke([summary, HumanMessage("two")]).text == "b"


def test_a_message_that_was_moved_to_a_file_is_recognised_by_its_first_line() -> None:
    text = "Here is the transcript.\n\n" + "line\n" * 100
    stub = HumanMessage(
        "Message content too large …\n\n1  Here is the transcript.",
        additional_kwargs={"lc_evicted_to": "/conversation_history/x.md"},
    )
    model = ScriptedChat(script=[Exchange(text, (Turn("Read."),))])
    assert model.invoke([stub]).text == "Read."


# --- what no script knows ---


def test_free_text_gets_an_honest_answer_after_one_real_call() -> None:
    agent = create_deep_agent(model=ScriptedChat(script=EXCHANGES), tools=[lookup], checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "t"}}
    agent.invoke({"messages": [HumanMessage("Fetch it")]}, config)
    state = agent.invoke({"messages": [HumanMessage("And what do you think?")]}, config)
    called, result, answer = state["messages"][-3:]
    assert [call["name"] for call in called.tool_calls] == ["ls"]
    assert result.type == "tool"
    assert answer.text.startswith(OFFLINE_NOTE)
    ids = [call["id"] for m in state["messages"] if isinstance(m, AIMessage) for call in m.tool_calls]
    again = agent.invoke({"messages": [HumanMessage("And what do you think?")]}, config)
    assert again["messages"][-3].tool_calls[0]["id"] not in ids
    back = agent.invoke({"messages": [HumanMessage("Again")]}, config)
    assert back["messages"][-1].text == "Once more."


def test_free_text_without_tools_and_after_another_model() -> None:
    assert ScriptedChat().invoke("hello").text == OFFLINE_NOTE
    assert ScriptedChat().invoke([HumanMessage("a"), AIMessage("b"), HumanMessage("c")]).text == OFFLINE_NOTE


def test_strict_raises_where_the_script_ends() -> None:
    model = ScriptedChat(script=EXCHANGES, strict=True)
    with pytest.raises(ScriptError, match="no turn for the human message 'hello'"):
        model.invoke("hello")


# --- the summarizing call ---


def summary_prompt(*messages: BaseMessage) -> str:
    return DEEPAGENTS_DEFAULT_SUMMARY_PROMPT.format(messages=get_buffer_string(list(messages), format="xml")).rstrip()


def test_the_summarizing_call_is_answered_in_order() -> None:
    template = SummaryText("Second & last summary.\nThe file is $file.", {"file": r"/files/\w+\.md"})
    model = ScriptedChat(script=TURNS, summaries=["First <summary>.", template])
    first = model.invoke(summary_prompt(HumanMessage("Apples?")))
    assert first.text == "First <summary>."
    second_prompt = summary_prompt(HumanMessage(f"… {first.text}"), AIMessage("It is in /files/x1.md"))
    second = model.invoke(second_prompt)
    assert second.text == "Second & last summary.\nThe file is /files/x1.md."
    assert ScriptedChat(summaries=model.summaries).invoke(second_prompt).text == second.text
    third = model.invoke(summary_prompt(HumanMessage(second.text), HumanMessage("Pears?")))
    assert "offline scripted model" in third.text


def test_a_written_summary_holds_what_the_prompt_holds() -> None:
    prompt = summary_prompt(HumanMessage("Compare a & b"), AIMessage("Saved in /reports/x.md"))
    text = ScriptedChat().invoke(prompt).text
    for part in ("## SESSION INTENT\nCompare a & b", "- /reports/x.md", "The last answer: Saved in"):
        assert part in text
    assert write_summary("no history") == write_summary("no history")


def test_a_users_question_about_summaries_is_not_a_summarizing_call() -> None:
    model = ScriptedChat(script=[Turn("An answer.")], summaries=["A summary."])
    assert model.invoke("What are Messages to summarize: in a prompt?").text == "An answer."


# --- in the engine ---


def test_the_model_says_what_it_is_without_its_script() -> None:
    model = ScriptedChat(script=TURNS, model="scripted-demo", profile={"max_input_tokens": 500})
    assert model._get_invocation_params() == {"model": "scripted-demo", "_type": "scripted", "stop": None}
    assert model._get_ls_params()["ls_provider"] == "scripted"
    assert "look" not in repr(model)
    assert model.profile == {"max_input_tokens": 500}
    smaller = model.model_copy(update={"profile": {"max_input_tokens": 5}})
    with pytest.raises(ContextOverflowError):
        smaller.invoke("x" * 100)


def test_messages_stream_out_of_a_running_agent() -> None:
    agent = create_deep_agent(model=ScriptedChat(script=TURNS), tools=[lookup])
    pieces = [
        chunk.text
        for chunk, _metadata in agent.stream({"messages": [HumanMessage("go")]}, stream_mode="messages")
        if isinstance(chunk, AIMessageChunk)
    ]
    assert "".join(pieces) == "I look\n\nit up –  twice.Done."
    assert len(pieces) > 6
