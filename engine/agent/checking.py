"""What is wrong with the settings of an agent, in sentences, before it is built. Nothing is called or loaded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

from engine import importing
from engine.agent.models import HAND, SCRIPTED
from engine.agent.profiles import is_installed, providers
from engine.agent.reach import path_problems, reach_problems
from engine.agent.secret_values import secret_in
from engine.agent.settings import AgentSettings, Decision, SubagentSettings
from engine.agent.sizes import size_problems
from engine.agent.trust import tool_source
from engine.agent.written import settings_from
from engine.blueprint import Problem
from engine.errors import UsageError

GENERAL_PURPOSE = "general-purpose"
"""The subagent that the engine gives every agent; one of the same name takes its place."""

_NAME = re.compile(r"[^\s<|\\/>]+")  # what OpenAI takes as the name of a message's author


def check_settings(
    settings: AgentSettings | Mapping[str, Any], tools: Iterable[str] | None = None
) -> tuple[Problem, ...]:
    """Problems of settings, or of their JSON form, in the order of the fields.

    ``tools`` are the names of the agent's own tools where they have been listed; without them, a rule for a tool
    that nobody has can only be told when no tool is named by its file.
    """
    if isinstance(settings, Mapping):
        settings = settings_from(settings)
    model = tuple(_model(settings.model, "model"))
    found = [
        *_unread(settings),
        *model,
        *_address(settings),
        *_secrets(settings),
        *_tools(settings.tools, "tools"),
        *_subagents(settings.subagents),
        *reach_problems(settings),
        *_interrupts(settings, None if tools is None else set(tools)),
        *([] if settings.summary_model is None else _model(settings.summary_model, "summary_model")),
        *size_problems(settings),
    ]
    if any(problem.level == "error" for problem in model):  # then it is no news that its window is not known
        found = [problem for problem in found if problem.field != "profile" or problem.level == "error"]
    return tuple(dict.fromkeys(found))


def _unread(settings: AgentSettings) -> Iterator[Problem]:
    values: list[tuple[str, Any]] = [("", settings)]
    values += [(f"subagents[{at}].", item) for at, item in enumerate(settings.subagents)]
    for where, value in values:
        known = {each.name for each in fields(value)}
        for name in value.other:
            if name in known:
                sentence = "It was stored by another version of the program and can't be read. Set it again."
                yield Problem(where + name, sentence)
            else:
                sentence = "Another version of the program set it. It is kept, and has no effect here."
                yield Problem(where + name, sentence, "warning")


def _model(model: Any, field: str) -> Iterator[Problem]:
    if not isinstance(model, str) or model in (SCRIPTED, HAND):
        return
    provider, colon, name = model.partition(":")
    if not model.strip():
        yield Problem(
            field, "No model is named. Give provider:model, such as openai:gpt-5.5, or hand to answer yourself."
        )
    elif not colon:
        yield Problem(field, f"{model!r} names no provider; LangChain guesses it. Give provider:model.", "warning")
    elif provider not in providers():
        yield Problem(field, f"There is no provider {provider!r}. Known: {', '.join(sorted(providers()))}.")
    elif not name.strip():
        yield Problem(field, f"{model!r} names a provider and no model.")
    elif not is_installed(providers()[provider]):
        package = providers()[provider].replace("_", "-")
        yield Problem(field, f"The package {package} for models of {provider} is not installed where the program is.")


def _address(settings: AgentSettings) -> Iterator[Problem]:
    if settings.name is not None and not _NAME.fullmatch(settings.name):
        yield Problem(
            "name",
            "It becomes the name of each answer in the conversation, and OpenAI refuses one that is empty or has "
            "spaces or < | \\ / >.",
            "warning",
        )
    url = settings.base_url
    if url is None:
        return
    if not url.startswith(("http://", "https://")):
        yield Problem("base_url", f"The address of a server begins with http:// or https://; {url!r} does not.")
    elif str(settings.model).startswith("openai:") and "use_responses_api" not in settings.model_parameters:
        yield Problem(
            "base_url",
            "The engine asks OpenAI's models through the Responses API. For a server that has Chat Completions alone, "
            "set the parameter use_responses_api to false.",
            "warning",
        )


def _secrets(settings: AgentSettings) -> Iterator[Problem]:
    found = secret_in(
        {
            "model_parameters": settings.model_parameters,
            "base_url": settings.base_url,
            "profile": settings.profile,
            "tags": settings.tags,
        }
    )
    if found is not None:
        yield Problem(
            found,
            "It looks like a key. A workspace keeps none, since it may be given to others: put it into the "
            "environment or into the keyring of the system.",
        )


def _tools(tools: Iterable[Any], field: str) -> Iterator[Problem]:
    seen: set[str] = set()
    for at, item in enumerate(tools):
        where = f"{field}[{at}]"
        if not isinstance(item, str):
            continue
        if item in seen:
            yield Problem(where, f"{item!r} is named twice.")
        seen.add(item)
        try:
            source = tool_source(item)
        except UsageError as error:
            yield Problem(where, str(error))
            continue
        if source.changed:
            yield Problem(where, f"{source.file} was changed since you let it run. Look at it and allow it again.")
        elif not source.trusted:
            yield Problem(where, f"{source.file} was not allowed to run yet. Look at it and allow it first.")
        if source.module is None and not Path(item.rpartition(":")[0] or item).expanduser().is_absolute():
            yield Problem(
                where, f"It is looked for in the folder the program was started in, now {source.file}.", "warning"
            )


def _subagents(subagents: Iterable[SubagentSettings]) -> Iterator[Problem]:
    names: set[str] = set()
    for at, item in enumerate(subagents):
        where = f"subagents[{at}]"
        if not item.name.strip():
            yield Problem(f"{where}.name", "A subagent needs a name, by which the agent calls it.")
        elif item.name in names:
            yield Problem(f"{where}.name", f"Two subagents are called {item.name!r}; the agent could call only one.")
        elif item.name == GENERAL_PURPOSE:
            yield Problem(f"{where}.name", "It takes the place of the engine's own subagent of this name.", "warning")
        names.add(item.name)
        if not item.description.strip():
            yield Problem(f"{where}.description", "Without a description the agent can't tell when to call it.")
        if item.mode not in ("isolated", "fork"):
            yield Problem(f"{where}.mode", f"A subagent is isolated or a fork, not {item.mode!r}.")
        if item.mode == "fork":
            yield Problem(f"{where}.mode", "Forks are experimental in the engine.", "warning")
            if item.skills:
                yield Problem(f"{where}.skills", "A fork has the agent's skills and can't have its own.")
        if item.model is not None:
            yield from _model(item.model, f"{where}.model")
        yield from _tools(item.tools or (), f"{where}.tools")
        yield from path_problems(item.skills, f"{where}.skills")


def _interrupts(settings: AgentSettings, listed: set[str] | None) -> Iterator[Problem]:
    with importing.lock:
        from engine.agent.loading import built_in, name_of

    tools = [*settings.tools, *(tool for item in settings.subagents for tool in item.tools or ())]
    if listed is None and not any(isinstance(tool, str) for tool in tools):
        listed = {name for name in map(name_of, tools) if name is not None}
    for tool, decisions in settings.interrupts.items():
        where = f"interrupts[{tool}]"
        if set(decisions) - set(get_args(Decision)):
            yield Problem(where, f"What may be decided is {', '.join(get_args(Decision))}; not {', '.join(decisions)}.")
        own = built_in() if settings.compact_tool else built_in() - {"compact_conversation"}
        if listed is not None and tool not in listed | own:
            yield Problem(where, f"The agent has no tool {tool!r}, so nothing will ever be asked for it.")
