"""Likely secrets in texts, masked where something is shown or leaves the program.

A table of our own: of the texts in S15 and of common keys, detect-secrets 1.5 finds 4 of 11, names no end of
most of them, and takes 0.18 ms a line. A rule is a form that a provider gives its keys, or a name that says
that its value is one. High entropy alone is no rule: a commit's hash is no secret. What is masked
says which rule it was; the record itself keeps every character.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from engine.folding import fold


@dataclass(frozen=True)
class Rule:
    """A form of secrets. Its first group, or all of it where it has none, is the secret."""

    name: str
    hints: tuple[str, ...]
    """Lower case; a text that holds none of them needs no closer look."""
    form: str
    folded: bool
    """Looks at the text in lower case."""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The form, compiled when a text first holds a hint: all of them would take 20 ms of a start."""
        return re.compile(self.form)


def _rule(name: str, hints: str, form: str, folded: bool = False) -> Rule:
    return Rule(name, tuple(hints.split()), form, folded)


_KEY = "key(?:(?<=api[-_ ]key)|(?<=apikey)|(?<=access[-_]key)|(?<=accesskey)|(?<=secret[-_]key)|(?<=private[-_]key))"
_TOKEN = "token(?:(?<=auth[-_]token)|(?<=access[-_]token)|(?<=refresh[-_]token)|(?<=api[-_]token))"
# Each branch begins with a letter, and looks back for the rest of its name: that is many times quicker.
_STRONG = f"(?:{_KEY}|{_TOKEN}|passw(?:or)?d|passphrase|secret(?<=client[-_]secret))"
_ANY_TOKEN = "token" + "".join(f"(?<!{word}[-_]token)" for word in ("page", "next", "continuation", "sync", "max"))
_SAYS = f"(?:{_KEY}|{_ANY_TOKEN}|secret|passw(?:or)?d|passphrase|credentials?|authorization)"
_NAME = re.compile(
    rf"(?!.*(?:page|next|continuation|sync|max)token)(?:.*[-_.]|.*[a-z](?=[A-Z])|.*(?=[kK]ey))?{_SAYS}",
    re.IGNORECASE,
)
_NO_SECRET = re.compile(
    r"[$%{<\[].*|[*.•x…-]+|(?:none|null|true|false|undefined|str|string|int|optional|required|your)\b.*|\d{1,6}",
    re.IGNORECASE | re.DOTALL,
)
"""Values that stand for one: a variable, a placeholder, a type."""

NAMED = "named secret"
"""The rule of values that are secrets because of their name."""
_HINTS = "key secret passw passphrase credential authorization token"
_VALUE = r"(?:bearer |basic )?([^\s\"'\\]{1,500})"
_WORDS = r"(?:bearer |basic )?((?:[^\"\\\n]|\\.){1,500})"
_DEEP = r"(?:bearer |basic )?((?:[^\"\\\n]|\\{1,8}[^\"\\\n]){1,500})"  # in JSON in JSON, where quotes have backslashes
_BARE = r"((?:[^\s\"'`,;)<>\\]|\\(?![nrt\"\\])){4,500})"  # ends with a line, also where JSON spells its end
_PREFIXES = (
    "hf_", "lsv2_pt_", "lsv2_sk_", "npm_", "pypi-", "SG.", "tvly-", "gsk_", "xai-", "pplx-", "nvapi-", "r8_", "dop_v1_",
)  # fmt: skip

RULES = (
    _rule(
        "private key",
        "private",
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?:[^-]*-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
        r"|[A-Za-z0-9+/=\s\\]*)",
    ),
    _rule("sk- key", "sk-", r"sk-(?<![\w-]sk-)[A-Za-z0-9_-]{16,}"),
    _rule("AWS access key", "akia asia aroa aida", r"A(?:KIA|SIA|ROA|IDA)(?<!\w....)[A-Z0-9]{16,}\b"),
    _rule("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_(?<!\w....)\w{36,}"),
    _rule("GitHub token", "github_pat_", r"github_pat_\w{22,}"),
    _rule("GitLab token", "glpat- gldt- glrt-", r"gl(?:pat|dt|rt)-[\w-]{20,}"),
    _rule("Slack token", "xox", r"xox[a-z]-(?<!\w.....)[\w-]{10,}"),
    _rule("webhook", "hooks.slack.com", r"https://hooks\.slack\.com/services(/[\w/-]{8,})"),
    _rule("webhook", "discord", r"https://discord(?:app)?\.com/api/webhooks(/[\w/-]{8,})"),
    _rule("Stripe key", "_live_ _test_", r"(?:sk|rk|whsec)_(?:live|test)_\w{16,}"),
    _rule("Google key", "aiza", r"AIza(?<!\w....)[\w-]{35}"),
    _rule("Google key", "ya29.", r"ya29\.[\w-]{20,}"),
    *(
        _rule("provider key", prefix.lower(), rf"{re.escape(prefix)}(?<!\w{'.' * len(prefix)})[\w.-]{{20,}}")
        for prefix in _PREFIXES
    ),
    _rule("JWT", "eyj", r"eyJ(?<![\w-]...)[\w-]{5,}\.[\w-]{2,}\.[\w-]+"),
    _rule("bearer token", "bearer", r"bearer\s+([\w.~+/-]{8,}=*)", True),
    _rule("password in a URL", "://", r"://[^\s/:@\"'<>]{1,200}:([^\s/@\"'<>]{1,200})@"),
    _rule(
        "key in a URL",
        "token= key= secret= password= signature= credential= sig= auth=",
        r"[?&](?!(?:next|page|continuation|sync)[\w-]*token)"
        r"(?:[\w-]*(?:token|api_?key|secret|password|signature|credential)|key|sig|auth)=([^\s&#\"'<>\\]+)",
        True,
    ),
    _rule(NAMED, _HINTS, rf"{_SAYS}\\?[\"']\s{{0,3}}[:=]\s{{0,3}}\\?[\"']{_VALUE}\\?[\"']", True),
    _rule(NAMED, '":', rf"{_SAYS}\":\s{{0,3}}\"{_WORDS}\"", True),
    _rule(NAMED, '\\":', rf"{_SAYS}\\{{1,8}}\":\s{{0,3}}\\{{1,8}}\"{_DEEP}\\{{1,8}}\"", True),
    _rule(NAMED, _HINTS, rf"{_STRONG}\s{{0,3}}[:=]\s{{0,3}}\\?[\"']{_VALUE}\\?[\"']", True),
    _rule(NAMED, _HINTS, rf"(?:KEY|SECRET|TOKEN|PASSWORD|PASSWD|CREDENTIALS)={_BARE}"),
    _rule(
        NAMED,
        "authorization: api-key:",
        rf"(?:authorization|api-key):[ \t]*(?:(?:bearer|basic|token) )?{_BARE}",
        True,
    ),
)  # fmt: skip
"""Every rule for texts; :func:`named` is the one for values whose name is known."""
_HINTED = {hint: [at for at, rule in enumerate(RULES) if hint in rule.hints] for rule in RULES for hint in rule.hints}
"""Places of the rules by hint. Most texts hold none of them, and several rules share some: each is looked for once."""


@dataclass(frozen=True, slots=True)
class Secret:
    """A likely secret: its place in the text, and the rule that found it."""

    start: int
    end: int
    rule: str


@dataclass(frozen=True, slots=True)
class Masked:
    """A text whose likely secrets were replaced by the names of their rules."""

    text: str
    secrets: tuple[Secret, ...]
    """Places in the text before."""

    def place(self, position: int) -> int:
        """Where a place of the text before is now; inside a mask, its beginning."""
        moved = 0
        for secret in self.secrets[: bisect_right([secret.start for secret in self.secrets], position)]:
            if position < secret.end:
                return secret.start + moved
            moved += len(mask_of(secret.rule)) - (secret.end - secret.start)
        return position + moved


_GOES_ON = "X0" * 20 + '.X0.X0@"'
"""What no key's form minds at the end of a text that was cut."""


def secrets_in(text: str, *, goes_on: bool = False) -> tuple[Secret, ...]:
    """Likely secrets in a text, in order; those that overlap are one, by the rule that begins first.

    ``goes_on``: the text was cut, so that what stands at its end may be the beginning of a secret. Linear in
    the text: 75 ms a million characters that hold many hints.
    """
    length = len(text)
    if goes_on:
        text += _GOES_ON
    folded = fold(text)
    hinted = {at for hint, places in _HINTED.items() if hint in folded for at in places}
    if not hinted:
        return ()
    found = [
        Secret(start, min(end, length), rule.name)
        for rule in map(RULES.__getitem__, sorted(hinted))
        for match in rule.pattern.finditer(folded if rule.folded else text)
        for start, end in (match.span(match.re.groups),)
        if start < length and not (match.re.groups and _NO_SECRET.fullmatch(text[start : min(end, length)]))
    ]
    found.sort(key=lambda secret: (secret.start, -secret.end))
    kept: list[Secret] = []
    for secret in found:
        if not kept or secret.start >= kept[-1].end:
            kept.append(secret)
        elif secret.end > kept[-1].end:
            kept[-1] = replace(kept[-1], end=secret.end)
    return tuple(kept)


def mask(text: str, *, goes_on: bool = False) -> Masked:
    """The text without its likely secrets."""
    return masked_with(text, secrets_in(text, goes_on=goes_on))


_BEHIND = 600
"""Characters looked at behind the end of a beginning, for a secret that reaches over it."""


def beginning(text: str, limit: int, goes_on: bool = False) -> str:
    """The first ``limit`` characters of a text, likely secrets masked, one that begins there whole.

    ``goes_on``: the text was cut already, perhaps inside a secret. What is looked at is bounded.
    """
    look = text[: limit + _BEHIND]
    secrets = [
        secret
        for secret in secrets_in(look, goes_on=goes_on or len(look) < len(text))
        if secret.start < limit
    ]  # fmt: skip
    end = max(limit, secrets[-1].end) if secrets else limit
    return masked_with(look[:end], secrets).text


def masked_with(text: str, secrets: Sequence[Secret]) -> Masked:
    """The text without these secrets."""
    if not secrets:
        return Masked(text, ())
    pieces, at = [], 0
    for secret in secrets:
        pieces += [text[at : secret.start], mask_of(secret.rule)]
        at = secret.end
    return Masked("".join([*pieces, text[at:]]), tuple(secrets))


def named(name: str, value: Any) -> bool:
    """Whether a value is likely a secret because of its name."""
    return isinstance(value, str) and bool(value) and bool(_NAME.fullmatch(name)) and not _NO_SECRET.fullmatch(value)


class Masker:
    """Masks what one export holds, and counts what it masked. Does nothing when it is off."""

    def __init__(self, on: bool = True) -> None:
        self.on = on
        self.counts: Counter[str] = Counter()
        """Secrets masked by rule."""

    def text(self, text: str) -> str:
        """A text without its likely secrets."""
        if not self.on:
            return text
        masked = mask(text)
        self.counts.update(secret.rule for secret in masked.secrets)
        return masked.text

    def value(self, value: Any) -> Any:
        """A JSON value without the likely secrets in its strings and of its names."""
        if not self.on:
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return dict(self._items(value))
        if isinstance(value, list):
            return [self.value(item) for item in value]
        return value

    def _items(self, value: dict[str, Any]) -> Iterator[tuple[str, Any]]:
        for name, item in value.items():
            if named(name, item):
                self.counts[NAMED] += 1
                yield name, mask_of(NAMED)
            else:
                yield name, self.value(item)


def mask_of(rule: str) -> str:
    """What stands in the place of a secret."""
    return f"[masked: {rule}]"
