"""Recording: observe a run and keep every model request exactly as the model received it.

Knows LangChain's classes, nothing of how an agent is built and nothing of Qt. A fault in
here never reaches the run; what could not be kept is counted and said.
"""

from engine.recording.recorder import Recorder

__all__ = ["Recorder"]
