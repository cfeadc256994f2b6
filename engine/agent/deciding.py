"""Answers to questions: whether they are ones, what a run is resumed with, and what the record keeps of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from engine.arguments import arguments
from engine.errors import UsageError
from engine.running import Answer, Answers, Decision, PendingCall, Question


def resuming(questions: Sequence[Question], answers: Answers) -> dict[str, Any]:
    """What LangGraph resumes with, by question.

    Raises:
        UsageError: an answer is of no such question, is of the wrong form or number, is not allowed, or its edited
            arguments don't fit.
    """
    if not questions:
        raise UsageError("This thread waits for no answer. Nothing was changed.")
    if not answers:
        raise UsageError("No answer was given. Nothing was changed.")
    by_id = {question.id: question for question in questions}
    values = {}
    for id, answer in answers.items():
        if id not in by_id:
            raise UsageError("This question was answered already, or is another thread's. Nothing was changed.")
        values[id] = _value(by_id[id], answer)
    return values


def told(question: Question, answer: Sequence[Decision] | Answer) -> dict[str, Any]:
    """An answer for the record: what was asked, what was decided, and what an edit changed."""
    if isinstance(answer, Answer):
        return {"id": question.id, "asked": json.loads(question.value), "answer": _plain(answer)}
    decisions = []
    for call, decision in zip(question.calls, answer, strict=True):
        entry: dict[str, Any] = {"tool": call.tool, "tool_call_id": call.tool_call_id, "decision": decision.kind}
        entry["before"] = json.loads(call.args)
        if decision.kind == "edit":
            entry["after"] = {"tool": decision.tool or call.tool, "args": json.loads(decision.args or call.args)}
        if decision.message:
            entry["message"] = decision.message
        decisions.append(entry)
    return {"id": question.id, "decisions": decisions}


def asked(question: Question) -> dict[str, Any]:
    """A question for the record."""
    return {"id": question.id, "agent": question.agent, "values": [json.loads(question.value)]}


def _value(question: Question, answer: Sequence[Decision] | Answer) -> Any:
    if isinstance(answer, Answer):
        if question.calls:
            raise UsageError("This question wants a decision on each call, not an answer. Nothing was changed.")
        return _plain(answer)
    if not question.calls:
        raise UsageError("This question wants an answer of its own, not a decision. Nothing was changed.")
    if len(answer) != len(question.calls):
        calls = "1 call waits" if len(question.calls) == 1 else f"{len(question.calls)} calls wait"
        given = "1 decision was" if len(answer) == 1 else f"{len(answer)} decisions were"
        raise UsageError(f"{calls} for a decision, but {given} given. Decide on each; nothing was changed.")
    schemas = {call.tool: call.schema for call in question.calls}
    return {"decisions": [_decision(call, item, schemas) for call, item in zip(question.calls, answer, strict=True)]}


def _decision(call: PendingCall, decision: Decision, schemas: Mapping[str, Any]) -> dict[str, Any]:
    if decision.kind not in call.allowed:
        raise UsageError(
            f"{decision.kind!r} is not allowed for {call.tool}; it may be: {', '.join(call.allowed)}. "
            "Nothing was changed."
        )
    if decision.kind == "edit":
        tool = decision.tool or call.tool
        if tool != call.tool and tool not in schemas:
            raise UsageError(f"{call.tool} can't become {tool!r}: no call here asks for that. Nothing was changed.")
        args = arguments(tool, decision.args or call.args, schemas.get(tool))
        return {"type": "edit", "edited_action": {"name": tool, "args": args}}
    if decision.kind == "respond":
        return {"type": "respond", "message": decision.message}
    if decision.kind == "reject" and decision.message:
        return {"type": "reject", "message": decision.message}
    return {"type": decision.kind}


def _plain(answer: Answer) -> Any:
    if not answer.json:
        return answer.text
    try:
        return json.loads(answer.text)
    except ValueError:
        raise UsageError("The answer is not JSON. Nothing was changed.") from None
