"""Faults of the user's world, each with a sentence that says what is wrong and what to do.

Anything else that is raised is a bug of ours and is reported as one.
"""

from __future__ import annotations


class InspectorError(Exception):
    """A fault that the user can understand; ``str(error)`` is the sentence to show."""

    exit_code = 1


class UsageError(InspectorError):
    """The command or the call asked for something that isn't there or can't be."""

    exit_code = 2


class NothingToDo(InspectorError):
    """What was asked for is done already, or there is nothing to do it with; nothing was changed."""


class WorkspaceError(InspectorError):
    """The file is not a workspace of ours, is damaged, or belongs to a newer version."""

    exit_code = 3


class AgentCodeFailed(InspectorError):
    """The code of somebody's agent failed while it ran here; ``details`` is its traceback and what it printed."""

    def __init__(self, sentence: str, details: str) -> None:
        super().__init__(sentence)
        self.details = details


class EditConflict(InspectorError):
    """The text changed since it was opened; nothing was written.

    ``current`` is the text as it stands now (None when it is gone or not text), ``version``
    the digest that a new attempt has to name.
    """

    def __init__(self, sentence: str, current: str | None, version: str) -> None:
        super().__init__(sentence)
        self.current = current
        self.version = version
