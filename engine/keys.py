"""Plain values on keys of providers: whether there is one and where it comes from, never what it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

KeySource = Literal["environment", "keyring", ""]


@dataclass(frozen=True, slots=True)
class KeyState:
    """What a provider's models need, and whether it is there."""

    provider: str
    variable: str
    """Environment variable that the provider's integration reads; empty for a provider that needs no key."""
    source: KeySource
    """Where the key comes from; empty when none is set. The environment counts before the keyring."""
    keyring: str = ""
    """Why the system's keyring can't be used here; empty when it can."""

    @property
    def needed(self) -> bool:
        """Whether a key is needed and none is set."""
        return bool(self.variable) and not self.source
