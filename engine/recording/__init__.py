"""Recording: observe a run and keep every model request exactly as the model received it.

Knows LangChain's classes, nothing of how an agent is built and nothing of Qt. A fault in
here never reaches the run; what could not be kept is counted and said.

Needs langchain-core and nothing else; what else is installed is made use of. Importing the package imports
nothing, since a program that is recorded may never call a model.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, which takes longer to import than all of this
if TYPE_CHECKING:
    from typing import Any

    from engine.recording.recorder import Recorder as Recorder

__all__ = ["Recorder"]


def __getattr__(name: str) -> Any:
    if name == "Recorder":
        from engine.recording.recorder import Recorder

        return Recorder
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
