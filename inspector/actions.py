"""The table of commands of the main window: what can be done, by which key, and when.

Keys that are a letter or a digit alone belong to the middle, where nothing is typed but in fields, and a
field takes what is typed into it. Everything else that a part does with a key is in ``IN_PLACE``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication

from inspector import agents_here, file_verbs, memory_verbs, share_verbs, store_verbs, theme, verbs
from inspector.chart_verbs import chart_commands
from inspector.commands import Command, InPlace
from inspector.models.rows import has_error, has_offload, has_summary, on_branch
from inspector.rebuild_verbs import rebuild_commands
from inspector.run_verbs import answer_commands, run_commands
from inspector.searching import Searchable
from inspector.secret_verbs import secret_commands

if TYPE_CHECKING:
    from engine.trace.model import RequestRow
    from inspector.window import MainWindow


AREAS = ("System", "Messages", "Tools", "Provider", "Raw ↔ Effective", "Why", "Diff")

IN_PLACE = (
    InPlace("Anywhere", "Next part, previous part, as one reads", ("Tab", "Shift+Tab")),
    InPlace("List", "Into the text of the row", ("Return",)),
    InPlace("Raw ↔ Effective", "On the summary: opens the file with its history", ("Return",)),
    InPlace("Why, Diff", "To the piece, in its area", ("Return",)),
    InPlace("Search bar", "Next match", ("Return",)),
    InPlace("Search bar", "Previous match", ("Shift+Return",)),
    InPlace("Search bar", "Closes the search", ("Escape",)),
    InPlace("Next request, before and after", "Next difference, difference before", ("D", "Shift+D")),
    InPlace("Find", "Into what was found", ("Down", "Return")),
    InPlace("Find", "Empties the query", ("Escape",)),
    InPlace("Search threads", "Into the list", ("Down", "Return")),
    InPlace("Search threads", "All threads again", ("Escape",)),
    InPlace("Message", "A new line", ("Return",)),
    InPlace("Message", "Stops the run", ("Escape",)),
    InPlace("Answer", "Adds the call of the tool that is named", ("Return",)),
    InPlace("Link, button", "Follows it", ("Space",)),
)
"""Keys that every list, field or button has by itself."""


def all_commands(window: MainWindow) -> list[Command]:
    """Every command, in the order of the menus."""
    return [
        *_file(window), *_edit(window), *_thread(window), *_go(window), *_areas(window), *_focus(window),
        *_view(window), *_help(window),
    ]  # fmt: skip


def _file(w: MainWindow) -> list[Command]:
    return [
        Command("file.open", "Open a file…", w.choose_file, "File", ("Ctrl+O",),
                hint="A workspace, or a LangGraph database that somebody else wrote."),
        Command("file.default", "Open your workspace", lambda: w.open(None), "File",
                hint="The default workspace with the demo threads."),
        Command("file.reload", "Read again", lambda: verbs.reload(w), "File", ("F5",),
                enabled=lambda: w.session is not None,
                hint="Looks for changes now and reads the selected request again."),
        Command("file.check", "Check this workspace", lambda: verbs.check(w), "File",
                enabled=lambda: w.session is not None,
                hint="Works out every request from its state, and looks for the files that it speaks of."),
        *memory_verbs.file_commands(w),
        *store_verbs.file_commands(w),
        *share_verbs.file_commands(w),
        Command("file.quit", "Quit", w.close, "File", ("Ctrl+Q",), separated=True,
                hint="Closes the window. A run under way is stopped first, after a question."),
    ]  # fmt: skip


def _edit(w: MainWindow) -> list[Command]:
    def text(id: str, title: str, key: str, do: Callable[[Searchable], object], hint: str, separated: bool = False,
             ) -> Command:  # fmt: skip
        return Command(f"text.{id}", title, lambda: verbs.in_text(w, do), "Edit", (key,),
                       lambda: verbs.find_target(w) is not None, hint=hint, separated=separated)  # fmt: skip

    return [
        Command("find.open", "Find in the workspace…", lambda: w.focus("find"), "Edit", ("Ctrl+Shift+F",),
                hint="In all threads, files and memory; filters narrow it."),
        text("find", "Find in the text…", "Ctrl+F", lambda t: t.open_find(),
             "In the text of the part that has the keyboard, else in that of the request."),
        *memory_verbs.edit_commands(w),
        text("next", "Next match", "F3", lambda t: t.step_find(False), "Around the end."),
        text("previous", "Previous match", "Shift+F3", lambda t: t.step_find(True), "Around the beginning."),
        text("copy", "Copy the whole text", "Ctrl+Shift+C", lambda t: t.copy_all(),
             "As it is, also where hidden characters are drawn as marks; what is masked stays masked.", separated=True),
        Command("request.copy", "Copy the row", lambda: verbs.copy_request(w), "Edit", ("Ctrl+C",), scope="table",
                enabled=lambda: w.session is not None and w.session.request_row() is not None,
                contexts=("request",), hint="The selected request, with exact numbers."),
        *file_verbs.edit_commands(w),
        *share_verbs.copy_commands(w),
        *secret_commands(w),
    ]  # fmt: skip


def _thread(w: MainWindow) -> list[Command]:
    def selected() -> bool:
        return w.session is not None and w.session.thread_id is not None

    return [
        Command("thread.new", "New thread", w.new_thread, "Thread", ("Ctrl+N",), enabled=w.can_write,
                hint="The next message starts a thread of its own."),
        *run_commands(w),
        *answer_commands(w),
        Command("thread.follow", "Select new requests as they arrive", w.following.toggle, "Thread",
                checked=lambda: w.following.on, separated=True,
                hint="Off: nothing moves what you are reading, and a count of new requests appears."),
        Command("thread.mark", "Mark the thread", lambda: verbs.toggle_thread_mark(w), "Thread",
                enabled=lambda: verbs.can_annotate_thread(w), checked=lambda: verbs.thread_is_marked(w),
                separated=True, contexts=("thread",), hint="Or takes its mark away. The list of threads shows it."),
        Command("thread.note", "Note on the thread…", lambda: verbs.edit_thread_note(w), "Thread",
                enabled=lambda: verbs.can_annotate_thread(w), contexts=("thread",),
                hint="A few words of yours, kept in the workspace; the search of threads looks into them too."),
        *agents_here.commands(w),
        *memory_verbs.thread_commands(w),
        *rebuild_commands(w),
        Command("thread.delete", "Delete everything about this thread…", lambda: verbs.delete_thread(w), "Thread",
                enabled=lambda: selected() and w.can_write(), separated=True,
                hint="Shows what would go, asks twice, and proves that it went."),
        Command("thread.copy_id", "Copy the thread id", lambda: verbs.copy_thread_id(w), "Thread", enabled=selected,
                contexts=("thread",), hint="The id exactly as it is stored."),
    ]  # fmt: skip


def _go(w: MainWindow) -> list[Command]:
    def some() -> bool:
        return w.session is not None and len(w.session.rows) > 0

    def to(id: str, title: str, key: str, run: object, hint: str, *, scope: str = "centre", chart: str = "",
           anywhere: str = "", separated: bool = False, context: bool = False) -> Command:  # fmt: skip
        also = [place for place in (("chart", chart), ("", anywhere)) if place[1]]
        return Command(id, title, run, "Go", (key,), some, scope=scope, hint=hint, separated=separated,  # type: ignore[arg-type]
                       also=tuple(also), contexts=("request",) if context else ())  # fmt: skip

    def pair(name: str, word: str, key: str, wanted: Callable[[RequestRow], bool], hint: str, context: bool = False,
             separated: bool = False) -> list[Command]:  # fmt: skip
        return [
            to(f"go.{way}_{name}", f"{way.capitalize()} {word}", f"{shift}{key}",
               lambda by=by: verbs.jump(w, by, wanted, word), hint if by > 0 else "", anywhere=f"Ctrl+Alt+{shift}{key}",
               context=context and by > 0, separated=separated and by > 0)
            for way, by, shift in (("next", 1, ""), ("previous", -1, "Shift+"))
        ]  # fmt: skip

    return [
        to("go.next", "Next request", "J", lambda: verbs.step(w, 1), "Of those that the filter lets through.",
           chart="Right", anywhere="Alt+Down"),
        to("go.previous", "Previous request", "K", lambda: verbs.step(w, -1), "", chart="Left", anywhere="Alt+Up"),
        to("go.next_of_agent", "Next request of the same agent", "Shift+J", lambda: verbs.jump_of_agent(w, 1),
           "Passes over what subagents and others asked meanwhile.", anywhere="Alt+Shift+Down", context=True),
        to("go.previous_of_agent", "Previous request of the same agent", "Shift+K",
           lambda: verbs.jump_of_agent(w, -1), "", anywhere="Alt+Shift+Up", context=True),
        to("go.first", "First request", "Home", lambda: verbs.go_to_end(w, False), "", scope="table", chart="Home",
           anywhere="Alt+Home"),
        to("go.last", "Last request", "End", lambda: verbs.go_to_end(w, True), "", scope="table", chart="End",
           anywhere="Alt+End"),
        *pair("summary", "summary", "N", has_summary,
              "The next request at which a summary came into force or was written.", context=True, separated=True),
        *pair("offload", "offload", "O", has_offload,
              "The next request before which something was moved to a file.", context=True),
        *pair("error", "error", "E", has_error, "The next request that failed or carries a warning.", context=True),
        *pair("branch", "request on a branch", "Y", on_branch,
              "The next request that was made on another line of the thread's history than its first."),
        *pair("mark", "mark", "G", lambda row: verbs.is_marked(w)(row), "The next request that you marked."),
        Command("go.back", "Back", lambda: verbs.move(w, -1), "Go", ("Alt+Left",),
                lambda: w.desk is not None and w.desk.going.can(-1), separated=True,
                hint="To the request that was looked at before, also in another thread."),
        Command("go.forward", "Forward", lambda: verbs.move(w, 1), "Go", ("Alt+Right",),
                lambda: w.desk is not None and w.desk.going.can(1)),
        to("go.filter", "Filter the requests…", "L", lambda: verbs.open_filter(w),
           "Only those requests are listed that pass; the filters are those of Find."),
        Command("request.mark", "Mark the request", lambda: verbs.toggle_mark(w), "Edit", ("M",),
                lambda: verbs.can_annotate(w), checked=lambda: verbs.request_is_marked(w), scope="centre",
                contexts=("request",), separated=True, hint="Or takes its mark away. The workspace keeps it."),
        Command("request.note", "Note on the request…", lambda: verbs.edit_note(w), "Edit", ("A",),
                lambda: verbs.can_annotate(w), scope="centre", contexts=("request",),
                hint="A few words of yours, kept in the workspace."),
        to("go.into", "Look into the request", "Return", lambda: w.focus("request"),
           "From the table into the request.", scope="table", context=True),
    ]  # fmt: skip


def _areas(w: MainWindow) -> list[Command]:
    def shown() -> bool:
        return w.desk is not None and w.desk.request.detail() is not None

    def area(index: int, title: str) -> Command:
        return Command(f"area.{index + 1}", f"Area: {title}", lambda: verbs.show_area(w, index), "Go",
                       (f"Alt+{index + 1}",), shown, scope="", also=(("centre", f"{index + 1}"),),
                       separated=index == 0, hint="Of the selected request.")  # fmt: skip

    return [
        *(area(index, title) for index, title in enumerate(AREAS)),
        Command("raw.cut", "To the cut", lambda: verbs.to_the_cut(w), "Go", ("C",), scope="centre", separated=True,
                enabled=lambda: (view := verbs.in_raw(w)) is not None and view.can_show_cut(),
                hint="In Raw ↔ Effective: where the summary stands in place of older messages."),
        Command("raw.next_difference", "Next difference", lambda: verbs.step_difference(w, 1), "Go", ("D",),
                scope="centre", enabled=lambda: verbs.with_differences(w) is not None,
                hint="In Raw ↔ Effective: the next row where the sides differ. In Diff: the next change."),
        Command("raw.previous_difference", "Previous difference", lambda: verbs.step_difference(w, -1), "Go",
                ("Shift+D",), scope="centre", enabled=lambda: verbs.with_differences(w) is not None),
        Command("why.contributor", "Who put it there", lambda: verbs.show_contributor(w), "Go", ("W",), shown,
                scope="centre", separated=True,
                hint="From a block, message or tool to its contributor in Why."),
        *memory_verbs.go_commands(w),
        Command("diff.compare", "Compare with…", lambda: verbs.compare_with(w), "Go", ("=",), shown, scope="centre",
                contexts=("request",), hint="Compares the selected request with another one, by its number."),
        Command("diff.baseline", "Set as baseline", lambda: verbs.set_baseline(w), "Go", ("B",), shown,
                scope="centre", contexts=("request",),
                hint="Diff compares every request with this one from now on; the workspace keeps it."),
        Command("diff.before", "Compare with the one before", lambda: verbs.compare_with_before(w), "Go", ("Shift+B",),
                lambda: shown() and w.desk is not None and w.desk.request.diff.baseline is not None, scope="centre",
                hint="Diff compares each request with its agent's one before again."),
    ]  # fmt: skip


def _focus(w: MainWindow) -> list[Command]:
    places = (
        ("threads", "Threads"), ("requests", "Requests"), ("request", "Request"), ("files", "Files"),
        ("summaries", "Summaries"), ("memory", "Memory"), ("skills", "Skills"), ("composer", "Message"),
        ("ledger", "Ledger"),
    )  # fmt: skip
    keys = {name: f"Ctrl+{n}" for n, (name, _title) in enumerate(places, 1)} | {"store": "Ctrl+Shift+D"}
    return [
        Command(f"focus.{name}", f"To {title}", lambda name=name: w.focus(name), "Go", (keys[name],),  # type: ignore[misc]
                separated=name == "threads", hint="Shows it when it is hidden, and gives it the keyboard.")
        for name, title in (*places, ("store", "Store"))
    ]  # fmt: skip


def _view(w: MainWindow) -> list[Command]:
    app = QApplication.instance()
    assert isinstance(app, QApplication)

    def colours(wanted: theme.Choice) -> None:
        theme.choose(app, wanted)
        w.prefs.set("colours", wanted)

    def pane(name: str, title: str) -> Command:
        return Command(f"view.{name}", title, lambda: w.around.toggle(name), "View",
                       checked=lambda: w.around.is_shown(name), hint="Shows or hides the pane.")  # fmt: skip

    def scheme(name: theme.Choice, title: str, separated: bool = False) -> Command:
        return Command(f"view.colours_{name}", title, lambda: colours(name), "View",
                       checked=lambda: theme.choice() == name, separated=separated)  # fmt: skip

    return [
        Command("view.threads", "Threads", lambda: verbs.toggle_threads(w), "View",
                checked=lambda: not w.threads_dock.isHidden(), hint="Shows or hides the pane."),
        Command("view.chart", "Chart", lambda: verbs.toggle_chart(w), "View",
                checked=lambda: not w.centre.chart.isHidden(), hint="The table holds the same numbers."),
        pane("files", "Files"), pane("summaries", "Summaries"), pane("memory", "Memory"), pane("skills", "Skills"),
        pane("store", "Store"), pane("ledger", "Ledger"), pane("find", "Find"),
        Command("view.reset", "Panels as on the first start", w.parts.reset, "View"),
        *chart_commands(w),
        scheme("system", "Colours of the system", True), scheme("light", "Light"), scheme("dark", "Dark"),
    ]  # fmt: skip


def _help(w: MainWindow) -> list[Command]:
    return [
        Command("help.palette", "Find a command…", lambda: verbs.show_palette(w), "Help", ("Ctrl+Shift+P",),
                hint="Every command by name."),
        Command("help.keys", "Keys and commands", lambda: verbs.show_keys(w), "Help", ("F1",), hint="This page."),
        Command("help.welcome", "What to look at", w.beginning.show_welcome, "Help",
                hint="The lines of the first start."),
        *file_verbs.help_commands(w),
        Command("help.about", "About", lambda: verbs.show_about(w), "Help", separated=True, hint="Versions."),
    ]  # fmt: skip
