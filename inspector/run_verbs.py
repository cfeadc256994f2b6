"""What the commands of runs, decisions and answers by hand do to the window."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from inspector.commands import Command

if TYPE_CHECKING:
    from engine.running import DecisionKind
    from inspector.window import MainWindow


def run_commands(w: MainWindow) -> list[Command]:
    """Commands of the menu Thread that run one on."""
    return [
        Command("thread.send", "Send the message", w.send, "Thread", ("Ctrl+Return", "Ctrl+Enter"),
                enabled=lambda: w.composer.can_send() or w.parts.answer.can_send(),
                hint="Runs the thread on with the message; in the panel above it, sends the answer."),
        Command("thread.stop", "Stop the run", lambda: w.composer.stop(), "Thread", ("Ctrl+.",),
                enabled=lambda: w.composer.can_stop(),
                hint="The one of this thread; what was finished stays recorded. Escape in the message does the same."),
        Command("thread.resume", "Go on with the run", lambda: w.composer.resume(), "Thread", ("Ctrl+Shift+Return",),
                enabled=lambda: w.composer.can_resume(),
                hint="With one that failed or was stopped, from where it stood. Interrupted tools run again."),
        Command("thread.compact", "Summarize older messages now", lambda: w.composer.compact(), "Thread",
                enabled=lambda: w.composer.can_compact(),
                hint="As the engine does by itself when the window fills; the messages are kept in a file."),
        Command("thread.failure", "How the run failed…", lambda: show_failure(w), "Thread",
                enabled=lambda: w.session is not None and w.session.thread_id is not None,
                hint="The sentence, and the class and message of the error."),
        Command("thread.next_run", "Next run under way", lambda: next_run(w), "Thread", ("Ctrl+Alt+R",),
                enabled=lambda: bool(w.turns.running()), hint="Shows the thread of the next run, around the end."),
    ]  # fmt: skip


def answer_commands(w: MainWindow) -> list[Command]:
    """Commands of the menu Thread that answer what a run waits for."""
    panel = w.parts.answer

    def decide(kind: DecisionKind, title: str, key: str, hint: str, separated: bool = False) -> Command:
        return Command(f"answer.{kind}", title, lambda: panel.question.decide(kind), "Thread", (key,),
                       lambda: panel.asks_decision() and panel.question.can_decide(kind), scope="answer", hint=hint,
                       separated=separated)  # fmt: skip

    return [
        Command("focus.answer", "To the answer", lambda: w.focus("answer"), "Thread", ("Ctrl+Alt+A",),
                lambda: panel.open, separated=True,
                hint="The panel above the message, while the thread waits for a decision or an answer by hand."),
        decide("approve", "Approve the call", "A", "Runs it as it stands."),
        decide("edit", "Edit the call", "E", "Runs it with other arguments."),
        decide("reject", "Reject the call", "R", "Does not run it, and tells the model why."),
        decide("respond", "Respond in the tool's place", "P", "What you write stands for the result."),
        Command("answer.approve_all", "Approve all calls", lambda: panel.question.approve_all(), "Thread", ("Shift+A",),
                lambda: panel.asks_decision() and panel.question.can_decide("approve"), scope="answer",
                hint="Those that are not decided on yet."),
        Command("answer.request", "Show the request that waits", lambda: show_request(w), "Thread",
                enabled=lambda: panel.open, hint="The one whose answer asked for the calls, or that you answer."),
        Command("hand.call", "Call a tool in the answer", lambda: panel.hand.calls.ask_tool(), "Thread",
                ("Ctrl+Alt+T",), lambda: panel.asks_hand() and panel.hand.current() is not None,
                hint="To the field with the request's tools."),
        Command("hand.model", "Let a model answer this one", lambda: panel.hand.let_model(), "Thread",
                enabled=lambda: panel.asks_hand() and panel.hand.current() is not None,
                hint="The one that is named in the panel; your next answer is by hand again."),
    ]  # fmt: skip


def show_request(w: MainWindow) -> None:
    """The request that waits, in the middle."""
    panel = w.parts.answer
    (panel.hand if panel.asks_hand() else panel.question).go_to_request()


def next_run(w: MainWindow) -> None:
    """The thread of the next run under way."""
    ids = [turn.thread_id for turn in w.turns.running()]
    here = w.session.thread_id if w.session is not None else None
    if ids:
        w.choose_thread(ids[(ids.index(here) + 1) % len(ids)] if here in ids else ids[0])


def show_failure(w: MainWindow) -> None:
    """What is known of how the thread's last run failed, in a window of its own."""
    from inspector.views.text_window import TextWindow

    if w.desk is None or (thread := w.desk.session.thread_id) is None:
        return
    turn = w.turns.of(thread)
    said = turn.sentence if turn is not None and turn.how == "failed" else ""
    fetch = partial(failure_words, w.desk.opened.reader, thread, said)
    TextWindow(w.jobs, "How the last run failed", fetch, w).show()


def failure_words(reader: Any, thread_id: str, said: str) -> str:
    """The sentence, and what the record has of the error. In a job."""
    parts = [said] if said else []
    found = [event for event in reader.events(thread_id) if event.kind in ("failure", "step failed")]
    if found:
        data = dict(found[-1].data)
        parts.append("\n".join(f"{name}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
                               for name, value in data.items()))  # fmt: skip
    return "\n\n".join(parts) or "Nothing is recorded of a failure in this thread."
