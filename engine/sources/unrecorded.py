"""What only a workspace records. Asked of somebody else's database, the answer is that there is nothing."""

from __future__ import annotations

from typing import Any

from engine.errors import UsageError
from engine.wire.model import WireAttempt
from engine.workbench import AgentEdit, FileVersion


class Unrecorded:
    """Questions to which a LangGraph database has no answer. ``engine.trace.Reader`` says what each means."""

    def system_message(self, request_id: int) -> dict[str, Any] | None:
        """None: the system message is in no checkpoint."""
        return None

    def wire(self, request_id: int) -> tuple[WireAttempt, ...]:
        """Nothing: what a client sent is in no checkpoint."""
        return ()

    def wire_bytes(self, attempt_id: int) -> bytes:
        """Raises ``UsageError``."""
        raise UsageError("What went over the wire is not in a LangGraph database.")

    def versions(self, path: str, thread_id: str | None = None) -> list[FileVersion]:
        """Nothing: earlier texts of memory and skill files are kept by a workspace alone."""
        return []

    def version(self, id: int) -> bytes:
        """Raises ``UsageError``."""
        raise UsageError("Earlier texts of files are not in a LangGraph database.")

    def edits(self, thread_id: str | None = None, path: str | None = None) -> list[AgentEdit]:
        """Nothing: which texts an agent's edits left is recorded by a workspace alone."""
        return []

    def copied_lines(self, edit: AgentEdit) -> list[tuple[int, str]]:
        """Nothing, as there are no edits."""
        return []
