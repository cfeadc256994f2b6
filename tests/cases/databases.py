"""Databases of one case each, as other programs write them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage

from tests.engine.sources.databases import put_state, saver_over

MODEL = "~__pregel_pull, model"


def of_state(file: Path, thread_id: str = "t", answer: AIMessage | None = None, **values: Any) -> Path:
    """A database of one thread with one checkpoint from which a model was called."""
    with saver_over(file) as saver:
        config = put_state(saver, thread_id, values)
        written = answer if answer is not None else AIMessage("answer", id="the-answer")
        saver.put_writes(config, [("messages", [written])], "task", MODEL)
    return file
