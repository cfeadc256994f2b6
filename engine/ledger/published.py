"""Figures that were published for the eight rounds, beside ours, and where each difference comes from.

Nothing here is fitted: the scenario is what it is, and its text (lines of 62 characters, call ids of 6)
is not that of the publication, which is not known.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.ledger.model import LedgerRow, Published, ReadBack

_PREFIX = "eight-rounds-"

_RECEIVED = (
    "The question, five results of 30,000 characters, and the stubs of the three of 240,000. The difference is that "
    "of the stubs, three times."
)
_STUB = (
    "A stub quotes the call's id twice and the first and last five lines, so it depends on ids (6 characters here) and "
    "lines (62 here); and since deepagents 0.7 the numbers before those lines take 25 characters less."
)
_READS = (
    "A page is 100 lines whatever their length. 240,000 characters are 3,810 lines of 62 here; 42 reads mean 4,101 to "
    "4,200 lines, of about 57."
)
_TOKENS = "240,000 characters at 4 a token, and here the status line above each page."
_MIDDLE = (
    "The published figure is not what the model received, in no order of the results: with the summary in force it "
    "receives this. It is what the state holds when the summarizing call takes one of the scripted answers, so that "
    "one small result is never fetched; here the state ends with all 870,013, since a summary leaves it as it is."
)
_NEITHER = "Nothing is put away: the question and eight results, whole."


def published_for(thread_id: str, rows: Sequence[LedgerRow], artifacts: Sequence[ReadBack]) -> tuple[Published, ...]:
    """Published figures beside those counted; none for a thread that nothing was published about."""
    received = rows[-1].received_chars if rows else None
    if thread_id == f"{_PREFIX}defaults":
        put_away = next((row for row in rows if row.offloaded_chars), None)
        back = next((item for item in artifacts if item.kind == "offloaded result"), None)
        return (
            Published("received in the last request, characters", 153_835, received, _RECEIVED),
            Published(
                "left of an offloaded result, characters", 1_274, put_away.left_chars if put_away else None, _STUB
            ),
            Published("reads to get one back whole", 42, back.reads_needed if back else None, _READS),
            Published("tokens of these reads", 60_000, back.read_tokens if back else None, _TOKENS),
        )
    if thread_id == f"{_PREFIX}no-offloading":
        return (Published("received in the last request, characters", 840_013, received, _MIDDLE),)
    if thread_id == f"{_PREFIX}neither":
        return (Published("received in the last request, characters", 870_013, received, _NEITHER),)
    return ()
