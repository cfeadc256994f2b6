"""The callback that needs no help from whoever runs the agent: it follows every run from its start to its end.

From the starts it knows the invocation that a model call belongs to, the state that its node was given, and
the tool that it is made for; the root's end is the end of the run.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from engine.failures import Failure
from engine.recording.handler import Handler, OpenRequest, how_it_ended, quiet
from engine.recording.tree import Place, Tree
from engine.wire.tap import Log


class FollowingHandler(Handler):
    """Follows whole invocations; ``over`` is told of the end of each."""

    ignore_chain = ignore_agent = ignore_retriever = False

    def __init__(
        self,
        started: Callable[[OpenRequest, list[Any], Any, dict[str, Any], bool], None],
        ended: Callable[[OpenRequest, str, Any, Failure | None], None],
        log: Log,
        over: Callable[[Tree, str, str | None], None],
    ) -> None:
        super().__init__(started, ended, log)
        self._over = over
        self._places: dict[UUID, Place] = {}

    @property
    def run_inline(self) -> bool:  # type: ignore[override]
        """True, but for a moment: LangChain forgets a program's own handlers at the start of a text completion
        when any handler is inline (``AsyncCallbackManager.on_llm_start`` in langchain-core 1.8)."""
        caller = sys._getframe(1)
        if caller.f_code.co_name == "<listcomp>" and caller.f_back is not None:
            caller = caller.f_back
        return caller.f_code.co_name != "on_llm_start"

    # Starts

    @quiet
    def on_chain_start(self, serialized: Any, inputs: Any, *, run_id: UUID, **kwargs: Any) -> None:
        place = self._place(run_id, kwargs)
        node = (kwargs.get("metadata") or {}).get("langgraph_node")
        if node is not None and kwargs.get("name") == node:
            place = Place(place.tree, node, inputs if isinstance(inputs, Mapping) else None, place.tool_call)
        self._places[run_id] = place

    @quiet
    def on_tool_start(self, serialized: Any, input_str: str, *, run_id: UUID, **kwargs: Any) -> None:
        place = self._place(run_id, kwargs)
        call = kwargs.get("tool_call_id")
        self._places[run_id] = Place(place.tree, tool_call=place.tool_call if call is None else str(call))

    @quiet
    def on_retriever_start(self, serialized: Any, query: str, *, run_id: UUID, **kwargs: Any) -> None:
        self._places[run_id] = self._place(run_id, kwargs)

    @quiet
    def on_chat_model_start(self, serialized: Any, messages: list[list[Any]], *, run_id: UUID, **kwargs: Any) -> None:
        place = self._place(run_id, kwargs)
        self._places[run_id] = Place(place.tree, tool_call=place.tool_call)
        self._begin(serialized, messages, run_id, kwargs, place)

    def _place(self, run_id: UUID, kwargs: dict[str, Any]) -> Place:
        """The place of a run's parent; a run without one that was seen is a root."""
        known = self._places.get(kwargs.get("parent_run_id"))  # type: ignore[arg-type]
        return known if known is not None else Place(Tree(run_id))

    # Ends

    @quiet
    def on_chain_end(self, outputs: Any, *, run_id: UUID, **kwargs: Any) -> None:
        self._ends(run_id, "done", None)

    @quiet
    def on_chain_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        place = self._places.get(run_id)
        if place is not None and place.tree is not None:
            place.tree.interrupted |= any(cls.__name__ == "GraphInterrupt" for cls in type(error).__mro__)
        self._ends(run_id, *how_it_ended(error))

    on_tool_end = on_retriever_end = on_chain_end  # type: ignore[assignment]
    on_tool_error = on_retriever_error = on_chain_error

    def on_llm_end(self, response: Any, *, run_id: UUID, **kwargs: Any) -> None:
        super().on_llm_end(response, run_id=run_id, **kwargs)
        self.on_chain_end(None, run_id=run_id)

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        super().on_llm_error(error, run_id=run_id, **kwargs)
        self.on_chain_error(error, run_id=run_id)

    def _ends(self, run_id: UUID, status: str, error: str | None) -> None:
        place = self._places.pop(run_id, None)
        tree = place.tree if place is not None else None
        if tree is not None and tree.root == run_id and tree.runs:
            self._over(tree, "interrupted" if tree.interrupted and status == "done" else status, error)
