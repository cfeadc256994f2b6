"""Week 22 of the competitor report: everything is new, and two preferences are learned."""

from __future__ import annotations

from typing import Final

from engine.agent.scenarios.report_parts import (
    MEMORY,
    PASTED,
    SKILL,
    WINDOW,
    edit,
    export,
    exported,
    grep,
    in_history,
    in_pasted,
    news,
    read,
    say,
    task,
    template,
    text,
    totals,
    write,
)
from engine.agent.scenarios.transcript import call_transcript
from engine.agent.scripted import Call, Exchange, ScriptedChat, SummaryText, Turn

ASK_REPORT: Final = (
    "Good morning. Please prepare the competitor report for week 22 (25 to 31 May 2026): Arctis, Brightbox, "
    "Coldtrace, Deltanode and Everfrost. For each of them price moves, volume and the news that our field team "
    "will be asked about. Look at Arctis and Brightbox yourself, they meet us in almost every tender. Collect "
    "first; I'll say when to write it down."
)
ANSWER_QUESTIONS: Final = (
    "Street prices, in euro. Everything under 2 per cent is noise and can be left out, that holds for every "
    "report. And yes, compare with the week before only. Now Everfrost, please, in detail: we have a customer who "
    "wants to get rid of 40 EF-403."
)
PASTE_HEAD: Final = (
    "This is the transcript of Thursday's account review with Kallmeyer. What did they say about our competitors, "
    "and what do we have to check?"
)
CHECK_CLAIM: Final = (
    "Check the claim about Poland, please. The whole market, not only the average: I want to know whether a single "
    "dealer was under 150. And is Everfrost being sold off there?"
)
WRITE_REPORT: Final = "Good. Now write the report, in the format of the quarterly business review."
WANT_BULLETS: Final = (
    "The content is right. But nobody reads paragraphs on a phone between two customers: from now on bullet points "
    "please, and price moves first, for every report and also for your answers. Change this one accordingly."
)
WANT_SLACK: Final = "Thanks. And two lines for Slack, please."

TURNS: Final = (
    ASK_REPORT,
    ANSWER_QUESTIONS,
    f"{PASTE_HEAD}\n\n{call_transcript()}",
    CHECK_CLAIM,
    WRITE_REPORT,
    WANT_BULLETS,
    WANT_SLACK,
)
"""What the user writes, in order."""

_BULLETS: Final = "Write reports and answers as bullet points, not as paragraphs; price moves first"
_OLD_PREFERENCE: Final = "- Answer in English, with German names left as they are."
_NOISE_PREFERENCE: Final = (
    "- Prices are street prices in EUR. Changes under 2 per cent are noise and are left out.\n"
    "- Compare with the week before only."
)


def analyst() -> ScriptedChat:
    """The main agent's model."""
    arctis, brightbox = exported("Arctis", 22), exported("Brightbox", 22)
    everfrost = exported("Everfrost", 22)
    notes, report = "/reports/week-22-notes.md", "/reports/week-22.md"
    script = (
        Exchange(
            ASK_REPORT,
            (
                Turn(
                    "I'll take Arctis and Brightbox first and give Coldtrace and Deltanode to researchers "
                    "afterwards. Starting with the data of Arctis.",
                    (export("Arctis", 22),),
                ),
                Turn(
                    "The export was saved to a file. The totals are at its end.",
                    (totals("Arctis", 22),),
                ),
                Turn(
                    say("AR-210 moved by $AR210_move. I want to see whether Germany carries it or a few dealers."),
                    (grep("DE,AR-210", arctis),),
                ),
                Turn(
                    "The cut runs through all dealers. Does it go on in the next model, the AR-310?",
                    (read(arctis, 1_261, 630),),
                ),
                Turn(calls=(news("Arctis", 22),)),
                Turn("Now Brightbox.", (export("Brightbox", 22),)),
                Turn(calls=(totals("Brightbox", 22), news("Brightbox", 22))),
                Turn(
                    say("BX-200 fell by $BX200_move, more than any other model. Germany in detail."),
                    (grep("DE,BX-200", brightbox),),
                ),
                Turn(
                    "And the BX-900, which is said to have become dearer.",
                    (read(brightbox, 1_891, 560),),
                ),
                Turn(
                    "Coldtrace and Deltanode are independent of each other, so two researchers can work at once.",
                    (task("Coldtrace", 22), task("Deltanode", 22)),
                ),
                Turn(calls=(write(notes, text("notes-22.md")),)),
                Turn(text("answer-22-collected.md")),
            ),
        ),
        Exchange(
            ANSWER_QUESTIONS,
            (
                Turn(
                    "I'll keep that for every later report, then go on with Everfrost.",
                    (
                        edit(
                            MEMORY,
                            _OLD_PREFERENCE,
                            f"{_OLD_PREFERENCE}\n{_NOISE_PREFERENCE}",
                        ),
                    ),
                ),
                Turn(calls=(export("Everfrost", 22), news("Everfrost", 22))),
                Turn(calls=(totals("Everfrost", 22),)),
                Turn(
                    say("EF-403: $EF403_move. Germany in detail."),
                    (grep("DE,EF-403", everfrost),),
                ),
                Turn(
                    "And the EF-409, to see whether the fall goes on in the next model.",
                    (read(everfrost, 1_891, 560),),
                ),
                Turn(
                    calls=(
                        edit(
                            notes,
                            "## Everfrost\nnot yet looked at",
                            text("notes-22-everfrost.md").strip(),
                        ),
                    )
                ),
                Turn(text("answer-22-everfrost.md")),
            ),
        ),
        Exchange(
            TURNS[2],
            (
                in_pasted(
                    lambda path: Turn(
                        "The transcript is too long for one message and was saved. I'll read how it begins, then "
                        "look for the names.",
                        (read(path, 0, 120),),
                    )
                ),
                in_pasted(lambda path: Turn(calls=(grep("Brightbox", path), grep("Arctis", path)))),
                in_pasted(lambda path: Turn(calls=(grep("Everfrost", path), grep("Coldtrace", path)))),
                in_pasted(
                    lambda path: Turn(
                        "The passage on Poland in its context.",
                        (read(path, 188, 14),),
                    )
                ),
                in_pasted(
                    lambda path: Turn(
                        "And what was agreed at the end of the day.",
                        (read(path, 1_690, 60),),
                    )
                ),
                Turn(
                    calls=(
                        edit(
                            notes,
                            "## Field\nnothing yet",
                            text("notes-22-field.md").strip(),
                        ),
                    )
                ),
                Turn(text("answer-22-transcript.md")),
            ),
        ),
        Exchange(
            CHECK_CLAIM,
            (
                Turn(calls=(grep("PL,BX-200", brightbox),)),
                Turn(
                    say("The lowest street price in Poland is $BX200_PL_low EUR. To be sure, the days one by one."),
                    (read(brightbox, 18_271, 640),),
                ),
                Turn(calls=(grep("PL,EF-403", everfrost),)),
                Turn(
                    "For comparison the Netherlands, which are not served from Poznań, and Denmark, which is.",
                    (grep("NL,EF-403", everfrost),),
                ),
                Turn(calls=(grep("DK,EF-403", everfrost),)),
                Turn(
                    "One more: if the AR-210 is as cheap in Poland, it is the country and not Brightbox.",
                    (grep("PL,AR-210", arctis),),
                ),
                Turn(text("answer-22-poland.md")),
            ),
        ),
        Exchange(
            WRITE_REPORT,
            (
                Turn(
                    "There is a skill for this format; I'll read it before I write.",
                    (Call("read_file", {"file_path": SKILL}),),
                ),
                Turn(calls=(Call("read_file", {"file_path": notes}),)),
                in_history(
                    lambda path: Turn(
                        "The exact words on the subscription were earlier in our conversation; they are in the saved "
                        "history.",
                        (grep("6.90", path),),
                    )
                ),
                Turn(calls=(totals("Brightbox", 22), totals("Everfrost", 22))),
                Turn(calls=(write(report, text("report-22.md")),)),
                Turn(text("answer-22-report.md")),
            ),
        ),
        Exchange(
            WANT_BULLETS,
            (
                Turn(
                    "That holds from now on, so it goes into the memory first.",
                    (
                        edit(
                            MEMORY,
                            "- Compare with the week before only.",
                            "- Compare with the week before only.\n"
                            f"- {_BULLETS}. Reason: the field team reads on the phone between two customers.\n"
                            "- Reports follow the skill qbr-report, in bullet points.",
                        ),
                    ),
                ),
                Turn(calls=(Call("read_file", {"file_path": report}),)),
                Turn(calls=(write("/reports/week-22-bullets.md", text("report-22-bullets.md")),)),
                Turn(
                    "The prices of this week should be at hand next Monday.",
                    (
                        edit(
                            MEMORY,
                            "## Preferences",
                            say(
                                "## Known from week 22\n"
                                "- AR-210 $AR210, BX-200 $BX200, CT-020 $CT020, EF-403 $EF403 EUR (street price).\n"
                                "- Kallmeyer heard of BX-200 under 150 EUR in Poland: not in the data, the lowest "
                                "was $BX200_PL_low EUR.\n\n"
                                "## Preferences"
                            ),
                        ),
                    ),
                ),
                Turn(text("answer-22-bullets.md")),
            ),
        ),
        Exchange(WANT_SLACK, (Turn(text("answer-22-slack.md")),)),
    )
    pasted = {"transcript": PASTED.pattern}
    return ScriptedChat(
        model="scripted-analyst-week-22",
        script=script,
        summaries=[
            text("summary-22-1.md"),
            SummaryText(template("summary-22-2.md", 22), pasted),
        ],
        profile={"max_input_tokens": WINDOW},
    )
