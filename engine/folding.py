"""Letters without their case, one for one, so that a place in the folded text is a place in the text."""

from __future__ import annotations

import re

_UNFIT = re.compile("[\x00\ud800-\udfff]")


def fold(text: str) -> str:
    """The text in lower case, of the same length; what an index can't hold is replaced.

    FTS5's trigram tokenizer ends at a NUL, and SQLite can't hold half a surrogate pair.
    """
    low = text.lower()
    if len(low) != len(text):  # a few letters become two in lower case
        low = "".join(small if len(small := char.lower()) == 1 else char for char in text)
    return _UNFIT.sub(lambda unfit: "\x01" if unfit[0] == "\x00" else "\ufffd", low) if _UNFIT.search(low) else low
