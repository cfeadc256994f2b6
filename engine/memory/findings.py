"""What to know about a memory file before it is saved: what stops the agent, and what should not be in it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.memory.secrets import secrets_in
from engine.memory.sent import sent_text, tokens_of
from engine.memory.text import BOM, hidden_in, line_of, line_of_fault
from engine.workbench import Finding

SHARE = 0.05
"""Of the model's window: a file that costs more is too long."""

_INSTRUCTIONS = {
    "asks to leave other instructions aside": (
        r"\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,40}"
        r"\b(?:instructions?|prompts?|rules|guidelines|directives|safety policies)\b"
    ),
    "asks to hide something from the user": (
        r"\b(?:do not|don't|never|without)\b[^.\n]{0,20}\b(?:tell|telling|mention|mentioning|inform|informing|reveal|"
        r"show|notify|notifying)\b[^.\n]{0,30}\b(?:user|human|anyone|operator)\b"
    ),
    "gives the model another identity": r"\byou are (?:now|no longer)\b|\bdeveloper mode\b|\bjailbr[eo]ak",
    "sends something away": (
        r"\b(?:send|post|upload|forward|exfiltrate|transmit)\b[^.\n]{0,80}(?:https?://|\b[\w.+-]+@[\w-]+\.[a-z])"
    ),
    "runs what it downloads": r"\b(?:curl|wget)\b[^\n|]{0,200}\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b",
    "imitates a model's own marks": (
        r"<\|[a-z_]{2,20}\|>|\[/?INST\]|<</?SYS>>|</?(?:system|assistant|human|tool_result|tool_use|function_results?|"
        r"function_calls?|system-reminder)>"
    ),
}
_PATTERNS = {words: re.compile(pattern, re.IGNORECASE) for words, pattern in _INSTRUCTIONS.items()}
_ENCODED = re.compile(r"[A-Za-z0-9+/]{400,}={0,2}")
_SECTION = re.compile(r"</?(?:agent_memory|memory_guidelines)>")
_FEW = 20  # findings of one kind; a file of nothing but hidden characters is said once


def findings_of(path: str, data: bytes, window: int | None = None, share: float = SHARE) -> list[Finding]:
    """Findings in the order of the text; those of the whole come first.

    ``window`` is the model's, in tokens; without it nothing is too long.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = line_of_fault(data, error.start)
        sentence = (
            f"Byte {error.start:,} (line {line}) is 0x{data[error.start]:02x}, which is not UTF-8: "
            "a run that loads this file fails."
        )
        return [Finding("not utf-8", "stops", sentence, line)]
    return findings_in(path, text, window, share)


def findings_in(path: str, text: str, window: int | None = None, share: float = SHARE) -> list[Finding]:
    """As :func:`findings_of`, of a text."""
    sent = sent_text(path, text)
    placed = sorted((*_hidden(text), *_secrets(text), *_instructions(text)), key=lambda one: one.start or 0)
    return [*_whole(text, sent, window, share), *placed]


def secret_and_hidden(text: str) -> list[Finding]:
    """Findings that no text should have, whatever it is for."""
    return [*_hidden(text), *_secrets(text)]


def _whole(text: str, sent: str, window: int | None, share: float) -> Iterator[Finding]:
    if text.startswith(BOM):
        sentence = "A byte order mark stands at the beginning; it reaches the model as a character."
        yield Finding("byte order mark", "warning", sentence, 1, 0, 1)
    if text and not sent:
        yield Finding("nothing sent", "note", "Nothing of this file is sent: it holds only comments or white space.")
    at = text.rfind("<!--")
    if at >= 0 and "-->" not in text[at:]:
        sentence = "A comment is opened here and never closed, so it is sent."
        yield Finding("comment", "warning", sentence, line_of(text, at), at, 4)
    tokens = tokens_of(sent)
    if window and tokens > share * window:
        sentence = (
            f"It costs ~{tokens:,} tokens in every request, {tokens / window:.0%} of the model's window "
            f"({window:,}); more than {share:.0%} is much for memory."
        )
        yield Finding("long", "warning", sentence)


def _hidden(text: str) -> Iterator[Finding]:
    found = list(hidden_in(text))
    for at, name in found[:_FEW]:
        sentence = f"A character that can't be seen: {name}."
        yield Finding("hidden", "warning", sentence, line_of(text, at), at, 1)
    if len(found) > _FEW:
        at, more = found[_FEW][0], len(found) - _FEW
        yield Finding("hidden", "warning", f"{more:,} more characters that can't be seen.", line_of(text, at), at, 1)


def _secrets(text: str) -> Iterator[Finding]:
    for start, end, kind in secrets_in(text)[:_FEW]:
        sentence = f"This looks like a secret ({kind}). Secrets belong in the environment or a keyring."
        yield Finding("secret", "warning", sentence, line_of(text, start), start, end - start)


def _instructions(text: str) -> Iterator[Finding]:
    for words, pattern in _PATTERNS.items():
        for _, match in zip(range(_FEW), pattern.finditer(text), strict=False):
            sentence = f"This reads like an instruction that somebody slipped in: it {words}."
            yield Finding(
                "instructions", "warning", sentence, line_of(text, match.start()), match.start(), len(match.group())
            )
    for _, match in zip(range(_FEW), _SECTION.finditer(text), strict=False):
        sentence = f"{match.group()} is how the engine marks memory: it makes the model take the text apart elsewhere."
        yield Finding("section", "warning", sentence, line_of(text, match.start()), match.start(), len(match.group()))
    for _, match in zip(range(_FEW), _ENCODED.finditer(text), strict=False):
        sentence = f"{len(match.group()):,} characters of encoded text, which nobody can read."
        yield Finding(
            "instructions", "warning", sentence, line_of(text, match.start()), match.start(), len(match.group())
        )
