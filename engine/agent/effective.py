"""What the settings of an agent come to, read off the very middlewares that its agent would have.

They are made for a stand-in with the model's profile, so that no provider is imported and no key is needed.
"""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, Literal

from deepagents.backends import CompositeBackend, StateBackend
from deepagents.middleware.filesystem import NUM_CHARS_PER_TOKEN as _CHARS
from deepagents.middleware.filesystem import FilesystemMiddleware
from deepagents.middleware.summarization import create_summarization_middleware

from engine.agent.profiles import WINDOW, answer_tokens, profile_for, window_in
from engine.agent.scripted import ScriptedChat
from engine.agent.settings import AgentSettings
from engine.agent.stack import replacements
from engine.blueprint import EffectiveValue

Origin = Literal["engine default", "model profile", "you"]


_UNITS = {"tokens": "tokens", "messages": "messages", "fraction": "of the window"}


def effective(settings: AgentSettings) -> tuple[EffectiveValue, ...]:
    """What counts for an agent's own conversation, each with where it comes from.

    Raises:
        UsageError: the engine refuses a size (a fraction of a window that is not known, for instance).
    """
    profile = profile_for(settings)
    window = window_in(profile)
    given: Any = None if profile is None else dict(profile)
    model = ScriptedChat(profile=given)
    backend = CompositeBackend(default=StateBackend(), routes={}, artifacts_root=settings.backend.artifacts_root)
    made = {item.name: item for item in replacements(replace(settings, summary_model=None), model, backend)}
    files = made.get("FilesystemMiddleware") or FilesystemMiddleware(backend=backend)
    summaries = made.get("SummarizationMiddleware") or create_summarization_middleware(model, backend)
    asked: Any = SimpleNamespace(
        model=SimpleNamespace(profile=given, max_tokens=answer_tokens(settings)), model_settings={}
    )
    budget = summaries._input_budget(asked)
    return (
        _window(settings, window),
        _budget(settings, window, budget),
        _limit("offload results", files._tool_token_limit_before_evict, settings.offload_results),
        _limit("offload messages", files._human_message_token_limit_before_evict, settings.offload_messages),
        EffectiveValue("results go to", f"{files._large_tool_results_prefix}/", "", _root(settings)),
        EffectiveValue("histories go to", f"{files._conversation_history_prefix}/", "", _root(settings)),
        *_summaries(settings, summaries, window, budget),
        *_arguments(settings, summaries, window),
    )


def _window(settings: AgentSettings, window: int | None) -> EffectiveValue:
    origin: Origin = "you" if settings.profile is not None and WINDOW in settings.profile else "model profile"
    note = "" if window is not None else "The model's profile names none, so no size can be a fraction of it."
    return EffectiveValue("window", window, "tokens", origin, note)


def _budget(settings: AgentSettings, window: int | None, budget: int | None) -> EffectiveValue:
    name = "largest request"
    if window is None or budget is None:
        return EffectiveValue(name, None, "tokens", "engine default", "The engine knows no window to keep requests in.")
    answer = answer_tokens(settings)
    less = f"some room and the {answer:,} tokens of an answer" if answer else "some room"
    note = f"The window less {less}. A larger request is summarized; one that stays larger fails."
    origin: Origin = "you" if settings.profile is not None and WINDOW in settings.profile else "model profile"
    return EffectiveValue(name, budget, "tokens", origin, note)


def _limit(name: str, limit: int | None, setting: Any) -> EffectiveValue:
    origin: Origin = "engine default" if setting == "default" else "you"
    if limit is None:
        return EffectiveValue(name, None, "tokens", origin, "Off: whatever its length, it stays in the conversation.")
    note = f"Larger than {limit * _CHARS:,} characters, as the engine counts {_CHARS} to a token."
    return EffectiveValue(name, limit, "tokens", origin, note)


def _root(settings: AgentSettings) -> Origin:
    return "engine default" if settings.backend.artifacts_root == "/" else "you"


def _summaries(settings: AgentSettings, made: Any, window: int | None, budget: int | None) -> list[EffectiveValue]:
    helper = made._lc_helper
    own_prompt: Origin = "engine default" if settings.summary_prompt is None else "you"
    writer = settings.summary_model
    named = writer if isinstance(writer, str) or writer is None else type(writer).__name__
    trim = helper.trim_tokens_to_summarize
    found = [
        _size("summarize at", helper.trigger, _origin(settings.summarize == "default", window), window),
        _size("keep", helper.keep, _origin(settings.keep is None, window), window),
        EffectiveValue("summary prompt", len(helper.summary_prompt), "characters", own_prompt),
        EffectiveValue(
            "summaries by", named or "the agent's own model", "", "engine default" if writer is None else "you"
        ),
        EffectiveValue(
            "history given to summaries",
            trim if trim is not None else "all of it",
            "tokens" if trim is not None else "",
            "engine default",
        ),
    ]
    note = _when(settings, helper.trigger, window, budget)
    return [replace(found[0], note=note) if note else found[0], *found[1:]]


def _when(settings: AgentSettings, trigger: Any, window: int | None, budget: int | None) -> str:
    """What the trigger alone does not say: the engine summarizes too where a request would be over its budget."""
    if trigger is None:
        over = "" if budget is None else f" a request over {budget:,} tokens, and"
        return f"Off, but the engine still summarizes{over} one that the provider refuses as too long."
    if window is None and settings.summarize == "default":
        return "Whatever the model's window is: its profile names none."
    kind, amount = trigger
    tokens = amount * (window or 0) if kind == "fraction" else amount if kind == "tokens" else None
    if budget is not None and tokens is not None and tokens > budget:
        return f"{int(tokens):,} tokens, but the engine summarizes from {budget:,} on, its largest request."
    return ""


def _arguments(settings: AgentSettings, made: Any, window: int | None) -> list[EffectiveValue]:
    by_default = settings.cut_arguments == "default"
    origin = _origin(by_default, window)
    if made._truncate_args_trigger is None:
        return [EffectiveValue("cut arguments at", None, "", origin, "Off: arguments of old tool calls stay whole.")]
    length: Origin = "engine default" if by_default else "you"
    return [
        _size("cut arguments at", made._truncate_args_trigger, origin, window),
        _size("arguments left whole", made._truncate_args_keep, origin, window),
        EffectiveValue("longest argument", made._max_arg_length, "characters", length),
    ]


def _origin(by_default: bool, window: int | None) -> Origin:
    if not by_default:
        return "you"
    return "engine default" if window is None else "model profile"


def _size(name: str, size: Any, origin: Origin, window: int | None) -> EffectiveValue:
    if size is None:
        return EffectiveValue(name, None, "", origin)
    kind, amount = size
    note = f"{int(window * amount):,} tokens." if kind == "fraction" and window is not None else ""
    return EffectiveValue(name, amount, _UNITS[kind], origin, note)
