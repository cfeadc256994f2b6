"""Likely secrets in a text: the detectors of detect-secrets, and the key forms that it doesn't know yet.

Its detectors of high entropy are left out: in prose they take every word for a secret, and a commit hash
is none. Nothing is verified, so nothing leaves the machine.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

_SKIPPED = {"IPPublicDetector", "KeywordDetector"}
_MORE = {
    "OpenAI key": r"\bsk-(?!ant-)[A-Za-z0-9_-]{20,}",
    "Anthropic key": r"\bsk-ant-[A-Za-z0-9_-]{16,}",
    "LangSmith key": r"\blsv2_(?:pt|sk)_[0-9a-f_]{16,}",
    "Google key": r"\bAIza[0-9A-Za-z_-]{35}",
    "Bearer token": r"(?i)\bbearer\s+([A-Za-z0-9._~+/-]{16,}=*)",
    "Password or key": (
        r"(?i)(?:api[_ -]?key|access[_ -]?key|secret[_ -]?key|secret|password|passwd|pwd|token)['\"]?\s{0,8}[:=]\s{0,8}"
        r"['\"]?([^\s'\"<>{}$]{8,200})"
    ),
}
_WRITTEN = "Password or key"
_PIECE, _OVERLAP = 2_000, 300  # characters


def secrets_in(text: str) -> list[tuple[int, int, str]]:
    """Start, end and kind of each likely secret, in order; where two overlap, the first and longest."""
    found = sorted(_all(text), key=lambda one: (one[0], -one[1]))
    kept: list[tuple[int, int, str]] = []
    for one in found:
        if not kept or one[0] >= kept[-1][1]:
            kept.append(one)
    return kept


def _all(text: str) -> Iterator[tuple[int, int, str]]:
    for offset, piece in _pieces(text):
        for kind, pattern in _patterns():
            for match in pattern.finditer(piece):
                group = 1 if kind in _MORE and match.re.groups else 0
                if kind != _WRITTEN or _is_no_word(match.group(group)):
                    yield offset + match.start(group), offset + match.end(group), kind


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """The text in pieces that end with a line where they can: some patterns take the square of a line's length."""
    start = 0
    while start < len(text):
        end = start + _PIECE
        if end < len(text):
            end = text.rfind("\n", start, end) + 1 or end
        yield start, text[start:end]
        whole_lines = end >= len(text) or text[end - 1] == "\n"
        start = end if whole_lines else end - _OVERLAP


def _is_no_word(value: str) -> bool:
    """Letters and digits mixed, or cases: not a word, and not a commit's or a file's hash."""
    mixed = re.search("[0-9]", value) and re.search("[A-Za-z]", value)
    if not mixed and not re.search("[a-z][A-Z]", value):
        return False
    return re.fullmatch("[0-9a-f]{7,12}|[0-9a-f]{40}|[0-9a-f]{64}", value) is None


@cache
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
    from detect_secrets.plugins.base import RegexBasedDetector

    found: list[tuple[str, re.Pattern[str]]] = [(kind, re.compile(pattern)) for kind, pattern in _MORE.items()]
    plugins: dict[str, Any] = get_mapping_from_secret_type_to_class()
    for kind, plugin in plugins.items():
        if issubclass(plugin, RegexBasedDetector) and plugin.__name__ not in _SKIPPED:
            found += [(kind, pattern) for pattern in plugin().denylist]
    return found
