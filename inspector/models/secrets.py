"""Likely secrets of a text that is drawn: masks laid over what else is drawn otherwise, and put into copies.

Pure functions, no Qt. Linear in the text: do it off the GUI thread for anything large.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from engine.masking import NAMED, Masked, Secret, mask_of, masked_with
from inspector import format

MarkKind = Literal["hidden", "control", "surrogate", "cut", "fold", "end", "line end", "label", "secret"]

Edit = tuple[int, int, str, MarkKind, str, int]
"""Start and end in the true text, what is drawn instead, kind, words, length of a long line (else 0)."""


def laid_over(edits: Iterator[Edit], secrets: Sequence[Secret]) -> Iterator[Edit]:
    """Both in order, the masks over what they cover: a key's line ends, folds and hidden characters are the key's.

    What a cut line hides is hidden already; the label before a text stays where it is.
    """
    waiting = iter(secrets)
    secret = next(waiting, None)
    done = 0
    for edit in edits:
        start, end, drawn, kind, says, length = edit
        while secret is not None and (secret.start < start or (secret.start == start < end)):
            if kind == "label" and secret.end > start > secret.start:
                yield from _masks(secret, done, start)
                done = start
                break
            yield from _masks(secret, done, secret.end)
            done = max(done, secret.end)
            secret = next(waiting, None)
        if end < done or (start < done and (end == done or kind != "cut")):
            continue
        yield max(start, done), end, drawn, kind, says, length
        done = max(done, end)
    while secret is not None:
        yield from _masks(secret, done, secret.end)
        done = max(done, secret.end)
        secret = next(waiting, None)


def _masks(secret: Secret, done: int, end: int) -> Iterator[Edit]:
    if end > max(secret.start, done):
        yield max(secret.start, done), end, mask_of(secret.rule), "secret", in_words(secret), 0


def named_secret(text: str) -> tuple[Secret, ...]:
    """All of a text as a secret, because of its name."""
    return (Secret(0, len(text), NAMED),) if text else ()


def in_words(secret: Secret) -> str:
    """What a mask says on hover."""
    size = format.count(secret.end - secret.start, "character")
    return f"Likely a secret, by the rule “{secret.rule}”: {size}, masked. A click shows it."


def between(source: str, secrets: Sequence[Secret], start: int, end: int) -> Masked:
    """A stretch of a text without these secrets; one that it holds in part is masked there."""
    if end <= start:
        return Masked("", ())
    first = bisect_right([secret.end for secret in secrets], start)
    inside = [
        Secret(max(secret.start, start) - start, min(secret.end, end) - start, secret.rule)
        for secret in secrets[first:]
        if secret.start < end
    ]
    return masked_with(source[start:end], inside)


def outside(found: Iterable[tuple[int, int]], secrets: Sequence[Secret]) -> Iterator[tuple[int, int]]:
    """Those ranges that reach into none of these secrets."""
    starts = [secret.start for secret in secrets]
    for start, end in found:
        before = bisect_left(starts, end) - 1  # the last one that begins before the range ends
        if before < 0 or secrets[before].end <= start:
            yield start, end
