"""Small things that commands do to the window and that no part needs of its own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QApplication

from inspector import clipboard, dialogs, format
from inspector.models.requests import HEADERS
from inspector.models.rows import same_agent
from inspector.searching import Searchable, searchable
from inspector.views.note import NoteDialog
from inspector.views.palette import Palette, recently

if TYPE_CHECKING:
    from engine.trace.model import RequestRow
    from inspector.window import MainWindow

    Wanted = Callable[[RequestRow], bool]

RAW_EFFECTIVE, DIFF = 4, 6
"""Places of Raw ↔ Effective and Diff among the areas; their module is imported after the first paint."""


def step(w: MainWindow, by: int) -> None:
    """Select the next or previous request of those that are listed."""
    if w.session is not None and not w.session.step(by):
        _none_passes(w)


def go_to_end(w: MainWindow, last: bool) -> None:
    """Select the first or last request of those that are listed."""
    if w.session is not None and not w.session.go_to_end(last):
        _none_passes(w)


def jump(w: MainWindow, step: int, wanted: Wanted, word: str) -> None:
    """Select the next or previous request that is wanted, or say that there is none."""
    session = w.session
    if session is None or session.go(step, wanted):
        return
    if session.shown is None:
        w.status.show_note(f"There is no {word} {'after' if step > 0 else 'before'} this request.")
    elif session.shown:
        passing = format.count(len(session.shown), "request")
        where = "after" if step > 0 else "before"
        w.status.show_note(f"There is no {word} {where} this request among the {passing} that the filter lets through.")
    else:
        _none_passes(w)


def jump_of_agent(w: MainWindow, step: int) -> None:
    """Select the next or previous request of the agent that made the selected one."""
    if w.session is None or (row := w.session.request_row()) is None:
        return
    agent = same_agent(row)
    if agent is None:
        w.status.show_note("This call stands alone: it belongs to no agent's own requests.")
    else:
        jump(w, step, lambda other: same_agent(other) == agent, "request of this agent")


def _none_passes(w: MainWindow) -> None:
    w.status.show_note("No request passes the filter. Change it, or close it to step through all.")


def reload(w: MainWindow) -> None:
    """Look for changes now, and read the selected request again."""
    if w.session is not None:
        w.session.poll()
        w.session.reload_detail()


def check(w: MainWindow) -> None:
    """Check the file in a window of its own."""
    from inspector.explaining import Explaining
    from inspector.views.check import CheckDialog

    desk = w.desk
    if desk is None:
        return
    dialog = CheckDialog(w.jobs, Explaining(desk.opened.reader), desk.opened.path.name, w)
    dialog.go_to.connect(desk.session.select_thread)
    desk.destroyed.connect(dialog.close)
    dialog.show()


def delete_thread(w: MainWindow) -> None:
    """Show what deleting everything about the selected thread would take, and ask."""
    from inspector.forgetting import thread_deleted
    from inspector.views.deletion import DeletionDialog

    desk = w.desk
    if desk is None or desk.session.thread_id is None:
        return
    dialog = DeletionDialog(w.jobs, desk.opened.path, desk.session.thread_id, w)

    dialog.deleted.connect(partial(thread_deleted, w, desk, dialog))
    dialog.setModal(True)
    dialog.show()


def find_target(w: MainWindow) -> Searchable | None:
    """The text of the part that has the keyboard; else that of the request."""
    found = searchable(QApplication.focusWidget())
    if found is None and w.desk is not None:
        found = w.desk.request.find_target()
    return found


def in_text(w: MainWindow, do: Callable[[Searchable], object]) -> None:
    """Do something with the text that Ctrl+F means."""
    if (target := find_target(w)) is not None:
        do(target)


def show_area(w: MainWindow, index: int) -> None:
    """Bring an area of the request to the front."""
    if w.desk is not None:
        w.centre.tabs.setCurrentWidget(w.centre.request)
        w.desk.request.bring_area(index)


def in_raw(w: MainWindow) -> Any:
    """Raw ↔ Effective while it is in front and filled, else None."""
    if w.desk is None or w.desk.request.detail() is None or w.desk.request.area() != RAW_EFFECTIVE:
        return None
    return w.desk.request.raw_effective


def with_differences(w: MainWindow) -> Any:
    """The area in front where it steps from difference to difference, else None."""
    if w.desk is not None and w.desk.request.detail() is not None and w.desk.request.area() == DIFF:
        return w.desk.request.diff
    return in_raw(w)


def to_the_cut(w: MainWindow) -> None:
    """The row at the cut."""
    if (view := in_raw(w)) is not None:
        view.show_cut()


def step_difference(w: MainWindow, by: int) -> None:
    """The next or previous difference."""
    if (view := with_differences(w)) is not None:
        view.step_difference(by)


def show_contributor(w: MainWindow) -> None:
    """From a piece of the request to who put it there."""
    if w.desk is not None:
        w.centre.tabs.setCurrentWidget(w.centre.request)
        w.desk.request.show_contributor()


def compare_with(w: MainWindow) -> None:
    """Diff, and the field for the number of the other request."""
    if w.desk is not None:
        show_area(w, DIFF)
        w.desk.request.diff.ask_number()


def set_baseline(w: MainWindow) -> None:
    """Diff compares with the selected request from now on."""
    if w.desk is not None and (row := w.desk.session.request_row()) is not None:
        w.desk.request.diff.use_baseline(row)
        w.desk.baseline.set(row.id)
        w.status.show_note(f"Diff compares with request {row.number} from now on.")


def compare_with_before(w: MainWindow) -> None:
    """Diff compares with the same agent's request before again."""
    if w.desk is not None:
        w.desk.request.diff.compare_with_before()
        w.desk.baseline.set(None)


def move(w: MainWindow, by: int) -> None:
    """Back or forward through what was looked at."""
    if w.desk is not None:
        w.desk.going.move(by)


def is_marked(w: MainWindow) -> Wanted:
    """Whether a request is marked."""
    return w.desk.annotations.is_marked if w.desk is not None else lambda _row: False


def request_is_marked(w: MainWindow) -> bool:
    """Whether the selected request is marked."""
    return w.desk is not None and w.desk.session.request_id in w.desk.annotations.marked


def can_annotate(w: MainWindow) -> bool:
    """Whether the selected request can be marked and noted on."""
    return w.desk is not None and w.desk.annotations.writable and w.desk.session.request_id is not None


def toggle_mark(w: MainWindow) -> None:
    """Mark the selected request, or take its mark away."""
    if w.desk is not None and (request := w.desk.session.request_id) is not None:
        w.desk.annotations.toggle_mark(request)


def edit_note(w: MainWindow) -> None:
    """A note on the selected request."""
    if w.desk is not None and (row := w.desk.session.request_row()) is not None:
        NoteDialog(w.desk.annotations, row.id, f"Request {row.number}", w).open()


def can_annotate_thread(w: MainWindow) -> bool:
    """Whether the selected thread can be marked and noted on."""
    return w.desk is not None and w.desk.annotations.writable and w.desk.session.thread_row() is not None


def toggle_thread_mark(w: MainWindow) -> None:
    """Mark the selected thread, or take its mark away."""
    if w.desk is not None:
        w.desk.annotations.toggle_mark(None)


def thread_is_marked(w: MainWindow) -> bool:
    """Whether the selected thread is marked."""
    return w.desk is not None and w.desk.annotations.thread_is_marked()


def edit_thread_note(w: MainWindow) -> None:
    """A note on the selected thread."""
    if w.desk is not None and (row := w.desk.session.thread_row()) is not None:
        NoteDialog(w.desk.annotations, None, f"Thread {row.title or row.thread_id}", w).open()


def open_filter(w: MainWindow) -> None:
    """The filter over the table of requests."""
    if w.desk is not None:
        w.desk.filter.open()


def copy_thread_id(w: MainWindow) -> None:
    """The id as it is stored."""
    if w.session is not None and w.session.thread_id is not None:
        clipboard.put_true(w.session.thread_id)


def copy_request(w: MainWindow) -> None:
    """The selected row with exact numbers, a line a column."""
    if w.desk is not None and (row := w.desk.session.request_row()) is not None:
        model = w.desk.requests.model
        lines = (f"{name}: {model.exact_text(row, column)}" for column, name in enumerate(HEADERS))
        clipboard.put_text("\n".join(lines))


def toggle_threads(w: MainWindow) -> None:
    """Show or hide the threads."""
    w.threads_dock.setVisible(w.threads_dock.isHidden())


def toggle_chart(w: MainWindow) -> None:
    """Show or hide the chart."""
    w.centre.show_chart(w.centre.chart.isHidden())


def show_palette(w: MainWindow) -> None:
    """Find a command by name."""
    palette = Palette(w.commands, w.prefs.names("recent_commands"), w)
    palette.chosen.connect(lambda id: w.prefs.set_names("recent_commands", recently(id, palette.recent)))
    palette.open()


def show_keys(w: MainWindow) -> None:
    """The page of keys."""
    dialogs.KeysPage(w.commands, w).show()


def show_about(w: MainWindow) -> None:
    """Versions."""
    dialogs.About(w).show()
