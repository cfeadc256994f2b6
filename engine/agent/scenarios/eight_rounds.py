"""Eight tool results, 870,000 characters, and three settings: what does the model receive?

One question of 13 characters, then eight calls of ``export`` in one turn of the user. The results
have 30,000 characters (five) and 240,000 (three), in lines of 62 characters and a line end, the last
line cut to the length. Their order is ``ORDER``: small and large mixed. Every answer but the last
("Done.") is a bare tool call, so what the model receives is the question and the results, as whole
text, as the stub left for an offloaded one, or as a summary.
"""

from __future__ import annotations

from typing import Final, Literal

from engine.agent.scenarios.value import Scenario, ScenarioThread
from engine.agent.scripted import Call, ScriptedChat, Turn
from engine.agent.settings import AgentSettings

Variant = Literal["defaults", "no-offloading", "neither"]
VARIANTS: Final[tuple[Variant, ...]] = ("defaults", "no-offloading", "neither")

QUESTION: Final = "Get all eight"
SMALL: Final = 30_000
LARGE: Final = 240_000
ORDER: Final = (SMALL, LARGE, SMALL, SMALL, LARGE, SMALL, LARGE, SMALL)
LINE: Final = 62
SUMMARY: Final = (
    "## SESSION INTENT\nGet all eight exports.\n\n## SUMMARY\nThe first exports were received whole; "
    "nothing in them needs an answer.\n\n## ARTIFACTS\nNone\n\n## NEXT STEPS\nGet the exports that "
    "are left, then say that it is done."
)

_TITLES: Final = {
    "defaults": "Eight rounds, the engine's defaults",
    "no-offloading": "Eight rounds, offloading off",
    "neither": "Eight rounds, offloading and summarization off",
}


def export(number: int, characters: int) -> str:
    """Export one table as text.

    Args:
        number: Which of the eight exports, from 1.
        characters: Length of the result in characters.
    """
    rows = []
    for row in range(1, characters // (LINE + 1) + 2):
        value = (row * 7919 + number * 104_729) % 100_000
        rows.append(f"export {number} | row {row:>6} | value {value:>6} |".ljust(LINE, "."))
    return "\n".join(rows)[:characters]


def eight_rounds(variant: Variant = "defaults") -> Scenario:
    """The eight rounds under one of the three settings."""
    turns = [Turn(calls=(Call("export", {"number": n, "characters": size}),)) for n, size in enumerate(ORDER, start=1)]
    model = ScriptedChat(
        model=f"scripted-eight-rounds-{variant}",
        script=[*turns, Turn("Done.")],
        summaries=[SUMMARY],
    )
    settings = AgentSettings(
        model=model,
        tools=(export,),
        memory=(),
        skills=(),
        offload_results="default" if variant == "defaults" else "off",
        offload_messages="default" if variant == "defaults" else "off",
        summarize="off" if variant == "neither" else "default",
        tags={"scenario": "eight-rounds", "variant": variant},
    )
    return Scenario(
        name=f"eight-rounds-{variant}",
        title=_TITLES[variant],
        threads=(
            ScenarioThread(
                thread_id=f"eight-rounds-{variant}",
                title=_TITLES[variant],
                settings=settings,
                turns=(QUESTION,),
            ),
        ),
    )
