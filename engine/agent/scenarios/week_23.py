"""Week 23 of the competitor report: nothing has to be asked, the memory knows it."""

from __future__ import annotations

from typing import Final

from engine.agent.scenarios.report_parts import (
    SKILL,
    WINDOW,
    export,
    exported,
    grep,
    news,
    task,
    text,
    totals,
    write,
)
from engine.agent.scripted import Call, Exchange, ScriptedChat, Turn

ASK_NEXT: Final = "Good morning Monday. The report for week 23 (1 to 7 June 2026), please."
ASK_POLAND: Final = "What about Poland and the BX-200, still nobody under 150?"
TURNS: Final = (ASK_NEXT, ASK_POLAND)
"""What the user writes, in order."""


def analyst() -> ScriptedChat:
    """The main agent's model."""
    arctis, brightbox = exported("Arctis", 23), exported("Brightbox", 23)
    script = (
        Exchange(
            ASK_NEXT,
            (
                Turn(
                    "Street prices, 2 per cent, bullet points: I have that from last week. Three companies here, two "
                    "with the researchers, all at once.",
                    (
                        export("Arctis", 23),
                        export("Brightbox", 23),
                        export("Everfrost", 23),
                        task("Coldtrace", 23),
                        task("Deltanode", 23),
                    ),
                ),
                Turn(
                    calls=(
                        totals("Arctis", 23),
                        totals("Brightbox", 23),
                        totals("Everfrost", 23),
                    )
                ),
                Turn(calls=(news("Arctis", 23), news("Brightbox", 23), news("Everfrost", 23))),
                Turn(calls=(grep("DE,AR-310", arctis),)),
                Turn(calls=(Call("read_file", {"file_path": SKILL}),)),
                Turn(calls=(write("/reports/week-23.md", text("report-23.md", 23)),)),
                Turn(text("answer-23.md", 23)),
            ),
        ),
        Exchange(
            ASK_POLAND,
            (
                Turn(calls=(grep("PL,BX-200", brightbox),)),
                Turn(text("answer-23-poland.md", 23)),
            ),
        ),
    )
    return ScriptedChat(
        model="scripted-analyst-week-23",
        script=script,
        profile={"max_input_tokens": WINDOW},
    )
