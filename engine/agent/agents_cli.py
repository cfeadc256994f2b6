"""The terminal command ``agents``: the stored agents, what is wrong with them, and what their settings come to."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from engine.tables import visible

if TYPE_CHECKING:
    from engine.blueprint import EffectiveValue, StoredAgent


def add_command(command: Callable[..., argparse.ArgumentParser], to_json: Callable[[Any], str]) -> None:
    """Add the command; ``to_json`` writes what ``--json`` prints."""
    words = "List the agents of a workspace with what is wrong with them and what their settings come to."
    made = command("agents", lambda options: _agents(options, to_json), words, "workspace file")
    made.add_argument("--json", action="store_true", help="print JSON")


def _agents(options: argparse.Namespace, to_json: Callable[[Any], str]) -> None:
    from engine.agent.stored import list_agents

    told = [_told(agent) for agent in list_agents(options.file)]
    if options.json:
        print(to_json(told))
        return
    for at, agent in enumerate(told):
        threads = f"{len(agent['threads']):,} threads" if len(agent["threads"]) != 1 else "1 thread"
        print(f"{'' if at == 0 else chr(10)}{visible(agent['name'])}: {visible(agent['model'])}, {threads}")
        if agent["fault"]:
            print(f"  error: {visible(agent['fault'])}")
        for problem in agent["problems"]:
            print(f"  {problem['level']}: {visible(problem['field'])}: {visible(problem['sentence'])}")
        for item in agent["effective"]:
            print(f"  {item['name']:<27} {_amount(item):<23} {item['origin']:<15} {visible(item['note'])}".rstrip())


def _told(agent: StoredAgent) -> dict[str, Any]:
    from engine.agent.checking import check_settings
    from engine.agent.written import settings_form

    return {
        "id": agent.id,
        "name": agent.name,
        "model": agent.settings.model,
        "version": agent.version,
        "created_at": agent.created_at,
        "updated_at": agent.updated_at,
        "threads": list(agent.threads),
        "fault": agent.fault,
        "settings": None if agent.fault else settings_form(agent.settings),
        "problems": [] if agent.fault else [asdict(problem) for problem in check_settings(agent.settings)],
        "effective": [asdict(value) for value in _values(agent)],
    }


def _values(agent: StoredAgent) -> tuple[EffectiveValue, ...]:
    """Effective values; none where the engine refuses a size, which is one of the problems then."""
    from engine.agent.effective import effective
    from engine.errors import UsageError

    if agent.fault is not None:
        return ()
    try:
        return effective(agent.settings)
    except UsageError:
        return ()


def _amount(item: dict[str, Any]) -> str:
    value = item["value"]
    if value is None:
        return "–"
    if isinstance(value, str):
        return visible(value)
    return f"{value:.0%} {item['unit']}" if item["unit"] == "of the window" else f"{value:,} {item['unit']}"
