"""What is wrong with the sizes of an agent: what is offloaded, summarized, kept and cut, and when."""

from __future__ import annotations

import string
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from engine import importing
from engine.agent.profiles import WINDOW, profile_for, profile_of, window_in
from engine.agent.settings import AgentSettings, ArgumentCut
from engine.blueprint import Problem
from engine.errors import UsageError

_KINDS = ("tokens", "messages", "fraction")


def size_problems(settings: AgentSettings) -> Iterator[Problem]:
    """Problems of sizes, and of what summaries are made with."""
    for name in ("offload_results", "offload_messages"):
        value = getattr(settings, name)
        if value not in ("default", "off") and not _positive(value):
            yield Problem(name, f"A limit is a whole number of tokens above 0, or off; {value!r} is neither.")
    found = list(_sizes(settings))
    yield from found
    yield from _prompts(settings)
    if not found:
        yield from _together(settings)


def _sizes(settings: AgentSettings) -> Iterator[Problem]:
    if isinstance(settings.summarize, str) and settings.summarize not in ("default", "off"):
        yield Problem(
            "summarize", f"A summary is made at a size, by default, or not at all; not {settings.summarize!r}."
        )
    profile = profile_for(settings)
    if profile is not None and WINDOW in profile and window_in(profile) is None:
        yield Problem(
            "profile", f"{WINDOW} of the model's profile is a whole number of tokens, not {profile[WINDOW]!r}."
        )
    window = window_in(profile)
    for name, size in sizes_in(settings).items():
        sentence = _size(size, window)
        if sentence:
            yield Problem(name, sentence)
    cut = settings.cut_arguments
    if isinstance(cut, ArgumentCut) and not _positive(cut.max_length):
        yield Problem("cut_arguments.max_length", "The longest argument is a whole number of characters above 0.")
    fractions = [name for name, size in sizes_in(settings).items() if size[0] == "fraction"]
    for at, item in enumerate(settings.subagents):
        if fractions and item.model is not None and window_in(profile_of(item.model)) is None:
            yield Problem(
                f"subagents[{at}].model",
                f"{fractions[0]} is a fraction of the window, and the profile of {item.model} names none. Give sizes "
                "in tokens, or the subagent another model.",
            )


def sizes_in(settings: AgentSettings) -> dict[str, Any]:
    """Field → size, of those that are set."""
    given: dict[str, Any] = {"keep": settings.keep}
    if not isinstance(settings.summarize, str):
        given["summarize"] = settings.summarize
    if isinstance(settings.cut_arguments, ArgumentCut):
        given["cut_arguments.trigger"] = settings.cut_arguments.trigger
        given["cut_arguments.keep"] = settings.cut_arguments.keep
    return {name: size for name, size in given.items() if size is not None}


def _size(size: Any, window: int | None) -> str | None:
    if not isinstance(size, (tuple, list)) or len(size) != 2 or size[0] not in _KINDS:
        return f"A size is a number of tokens or messages, or a fraction of the window; {size!r} is none of them."
    kind, amount = size
    if kind != "fraction":
        return None if _positive(amount) else f"A size in {kind} is a whole number above 0, not {amount!r}."
    if isinstance(amount, bool) or not isinstance(amount, (int, float)) or not 0 < amount <= 1:
        return f"A fraction of the window is above 0 and at most 1, not {amount!r}."
    if window is None:
        return (
            "A fraction needs the model's window, and its profile names none. Give the profile a max_input_tokens, "
            "or the size in tokens."
        )
    return None


def _prompts(settings: AgentSettings) -> Iterator[Problem]:
    prompt = settings.summary_prompt
    if prompt is not None:
        try:
            names = [name for _, name, _, _ in string.Formatter().parse(prompt) if name is not None]
            prompt.format(messages="")
        except (ValueError, KeyError, IndexError, AttributeError):
            yield Problem("summary_prompt", "Braces stand for {messages} alone; double any others: {{ and }}.")
        else:
            if "messages" not in names:
                yield Problem("summary_prompt", "Without {messages} the conversation is not in it.")
    if settings.compact_tool and settings.summarize == "off":
        yield Problem(
            "compact_tool",
            "The tool compacts from half of the size at which a summary is made; with summaries off it never does.",
            "warning",
        )
    if settings.compact_prompt is not None and not settings.compact_tool:
        yield Problem("compact_prompt", "It tells of a tool that the agent hasn't got.", "warning")


def _together(settings: AgentSettings) -> Iterator[Problem]:
    """What the sizes mean beside each other, and what the engine itself says to them."""
    with importing.lock:  # deferred: deepagents takes seconds to import
        from engine.agent.effective import effective

    try:
        values = {
            item.name: item
            for item in effective(replace(settings, offload_results="default", offload_messages="default"))
        }
    except (UsageError, ValueError, TypeError) as error:
        yield Problem("summarize", str(error))
        return
    window, trigger = values["window"].value, values["summarize at"]
    pairs = [("summarize at", "keep", "keep", "a summary")]
    if isinstance(settings.cut_arguments, ArgumentCut):
        pairs.append(("cut arguments at", "arguments left whole", "cut_arguments.keep", "cutting"))
    for at, left, field, what in pairs:
        if _reaches(values[left], values[at], window):
            yield Problem(field, f"As much is kept as makes for {what}, so next to nothing is shortened.", "warning")
    largest = values["largest request"].value
    tokens, unit = _comparable(trigger, window)
    if not isinstance(settings.summarize, str) and isinstance(largest, int) and unit == "tokens" and tokens > largest:
        sentence = f"It is never reached: the engine summarizes every request over {largest:,} tokens."
        yield Problem("summarize", sentence, "warning")
    if window is None and settings.summarize == "default":
        yield Problem(
            "profile",
            f"Summarization waits for {trigger.value:,} {trigger.unit} whatever the model's window is: its profile "
            "names none. Give the profile a max_input_tokens, or summarize at a size.",
            "warning",
        )


def _reaches(left: Any, at: Any, window: Any) -> bool:
    """Whether what is left is as large as what was to be made smaller, where both can be compared."""
    (kept, one), (trigger, other) = _comparable(left, window), _comparable(at, window)
    return one == other != "" and kept >= trigger


def _comparable(item: Any, window: Any) -> tuple[float, str]:
    """A size and its unit, a fraction as tokens; no unit for one that is off."""
    if not isinstance(item.value, (int, float)):
        return 0, ""
    return (item.value * window, "tokens") if item.unit == "of the window" and window else (item.value, item.unit)


def _positive(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0
