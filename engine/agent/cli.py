"""Running agents in a terminal: a turn, going on, summarizing now, and answering what a run stopped at."""

from __future__ import annotations

import argparse
import sys
import uuid
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from engine.errors import InspectorError, UsageError
from engine.running import Answer, Answers, Decision, HandCall, HandReply, HandRequest, Question
from engine.tables import visible

if TYPE_CHECKING:
    from engine.agent.run import Run
    from engine.agent.runner import Runner

Command = Callable[..., argparse.ArgumentParser]


def add_commands(command: Command, json_text: Callable[[Any], str]) -> None:
    """Add ``run``, ``questions`` and ``answer``."""
    run = command("run", _run, "Run a thread's agent: send it one message, or go on.", "workspace file")
    what = run.add_mutually_exclusive_group(required=True)
    what.add_argument("--message", metavar="TEXT")
    what.add_argument("--resume", action="store_true", help="go on with a turn that failed or was stopped")
    what.add_argument("--compact", action="store_true", help="summarize the thread's older messages now")
    run.add_argument("--thread", metavar="ID", help="thread to go on with, or a new one; by default a new one")
    run.add_argument("--model", metavar="PROVIDER:MODEL", help="by default the thread's own; hand: you answer")
    run.add_argument("--agent", metavar="NAME", help="stored agent that the thread goes on with from now on")
    words = "List what a thread waits for: the calls that somebody has to decide on."
    questions = command("questions", lambda options: _questions(options, json_text), words, "workspace file")
    questions.add_argument("--thread", required=True, metavar="ID")
    questions.add_argument("--json", action="store_true", help="print JSON")
    words = "Decide on the calls that a thread waits for, one option a call in their order, and run on."
    answer = command("answer", _answer, words, "workspace file")
    answer.add_argument("--thread", required=True, metavar="ID")
    answer.add_argument("--question", metavar="ID", help="where there are several")
    answer.add_argument("--model", metavar="PROVIDER:MODEL", help="by default the thread's")
    for kind, metavar, words in (
        ("approve", None, "let the call run"),
        ("edit", "JSON", "run it with these arguments"),
        ("reject", "REASON", "don't run it, and tell the model why"),
        ("respond", "TEXT", "don't run it; this is its result"),
    ):
        answer.add_argument(f"--{kind}", dest="decisions", action=_Decide, metavar=metavar, help=words)
    own = answer.add_mutually_exclusive_group()
    own.add_argument("--text", help="answer to a question of a tool's own")
    own.add_argument("--value", metavar="JSON", help="the same, as a JSON value")


class _Decide(argparse.Action):
    """Gathers decisions in the order in which they are given."""

    def __init__(self, option_strings: list[str], dest: str, **kwargs: Any) -> None:
        self.kind: Any = option_strings[0].removeprefix("--")
        words: Any = {"approve": 0, "reject": "?"}.get(self.kind)
        super().__init__(option_strings, dest, nargs=words, default=(), **kwargs)

    def __call__(self, parser: Any, options: argparse.Namespace, value: Any, option: str | None = None) -> None:
        name = "args" if self.kind == "edit" else "message"
        decision = Decision(self.kind, **({name: value} if isinstance(value, str) else {}))
        options.decisions = (*options.decisions, decision)


def _run(options: argparse.Namespace) -> None:
    from engine.workspace import Workspace

    if options.message is None and options.thread is None:
        raise UsageError("Name the thread to go on with: --thread ID.")
    if options.message is not None and not options.message.strip():
        raise UsageError("The message is empty. Give it some text.")
    if options.model == "hand" and not sys.stdin.isatty():
        raise UsageError("To answer by hand, run this at a terminal.")
    if options.message is not None and not options.file.exists():
        Workspace.create(options.file)
    thread = options.thread if options.thread is not None else uuid.uuid4().hex
    if options.agent is not None:
        from engine.agent.stored import agent_named, assign_agent

        assign_agent(options.file, thread, agent_named(options.file, options.agent).id)

    def begin(runner: Runner) -> Run:
        if options.resume:
            return runner.resume(thread, options.model)
        if options.compact:
            return runner.compact(thread, options.model)
        return runner.start(thread, options.message, options.model)

    run = _followed(options, thread, begin)
    if options.thread is None:
        print(f"thread {thread}", file=sys.stderr)
    _say(options, run)


def _answer(options: argparse.Namespace) -> None:
    def begin(runner: Runner) -> Run:
        question = _chosen(runner.questions(options.thread), options)
        answers: Answers = {question.id: options.decisions}
        if options.text is not None or options.value is not None:
            own = Answer(options.text) if options.text is not None else Answer(options.value, json=True)
            answers = {question.id: own}
        return runner.answer(options.thread, answers, options.model)

    _say(options, _followed(options, options.thread, begin))


def _chosen(questions: tuple[Question, ...], options: argparse.Namespace) -> Question:
    if not questions:
        raise UsageError(f"The thread {options.thread!r} waits for no answer.")
    if options.question is None and len(questions) > 1:
        names = ", ".join(question.id for question in questions)
        raise UsageError(f"The thread waits for {len(questions)} answers. Choose with --question: {names}.")
    for question in questions:
        if options.question in (None, question.id):
            return question
    raise UsageError(f"The thread waits for no answer to {options.question!r}.")


def _followed(options: argparse.Namespace, thread: str, begin: Callable[[Runner], Run]) -> Run:
    """Run to the end; requests that are to be answered by hand are asked at the terminal."""
    from engine.agent.runner import Runner

    runner = Runner(options.file)
    try:
        run = begin(runner)
        while not run.wait(0.05):
            for request in run.waiting():
                _ask(run, request)
    finally:
        runner.close()
    if run.lost:
        print(f"context-inspector: {run.lost} entries were not recorded: {run.lost_reason}.", file=sys.stderr)
    if run.error:
        raise InspectorError(f"The run on thread {thread} failed: {run.error}")
    return run


def _say(options: argparse.Namespace, run: Run) -> None:
    if run.interrupted:
        print(
            f"The run waits for a decision: context-inspector questions {options.file} --thread {run.thread_id}",
            file=sys.stderr,
        )
    if run.result is not None:
        done = run.result
        tokens = f"~{done.tokens_before} → ~{done.tokens_after} tokens"
        print(f"{done.summarized} messages summarized, {done.kept} kept: {tokens}")
    else:
        print(run.answer)


def _ask(run: Run, request: HandRequest) -> None:
    if not sys.stdin.isatty():
        run.stop()
        raise UsageError("This thread's model is you. To answer by hand, run this at a terminal.")
    last = request.messages[-1]["data"]["content"]
    print(f"\nRequest {request.number} ({request.purpose}): {visible(str(last))}", file=sys.stderr)
    print(f"Tools: {', '.join(tool.name for tool in request.tools) or 'none'}", file=sys.stderr)
    print('Type the reply, or a call as /NAME {"argument": …}', file=sys.stderr)
    try:
        line = input("> ")
    except EOFError:
        run.stop()
        return
    name, _, args = line.removeprefix("/").partition(" ")
    try:
        run.reply(request.token, HandReply("", [HandCall(name, args)]) if line.startswith("/") else HandReply(line))
    except UsageError as error:
        print(error, file=sys.stderr)


def _questions(options: argparse.Namespace, json_text: Callable[[Any], str]) -> None:
    from engine.agent.questions import pending_questions

    found = pending_questions(options.file, options.thread)
    if options.json:
        print(json_text([asdict(question) for question in found]))
        return
    for question in found:
        print(f"{question.id}  {visible(question.agent or 'main agent')}, request {question.request}")
        for call in question.calls:
            print(f"  {visible(call.tool)} {visible(' '.join(call.args.split()))}  [{', '.join(call.allowed)}]")
        if not question.calls:
            print(f"  {visible(' '.join(question.value.split()))}")
