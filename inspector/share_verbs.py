"""What the commands of sharing do to the window: they ask, start the work, and say what came of it."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QDir, Qt
from PySide6.QtWidgets import QFileDialog

from inspector import clipboard, sharing
from inspector.commands import Command
from inspector.export import safe_name
from inspector.views.export import ExportDialog

if TYPE_CHECKING:
    from inspector.window import MainWindow

_FILTERS = {"html": "HTML pages (*.html)", "markdown": "Markdown (*.md)", "json": "JSON (*.json)"}


def file_commands(w: MainWindow) -> list[Command]:
    """Commands of the menu File."""
    return [
        Command("share.export", "Export the thread…", lambda: ask_what(w), "File", ("Ctrl+Shift+E",),
                enabled=lambda: w.session is not None and w.session.thread_id is not None, separated=True,
                contexts=("thread",), hint="As HTML, Markdown or JSON; likely secrets are masked."),
        Command("share.export_request", "Export the request…", lambda: ask_what(w, True), "File",
                enabled=lambda: w.session is not None and w.session.request_row() is not None,
                contexts=("request",), hint="The selected request alone, in the same forms."),
        Command("share.import", "Import a thread…", lambda: ask_which(w), "File", enabled=w.can_write,
                hint="From the JSON that an export wrote."),
    ]  # fmt: skip


def copy_commands(w: MainWindow) -> list[Command]:
    """Commands of the menu Edit, and of a request."""

    def shown() -> bool:
        return w.session is not None and w.session.request_id is not None

    def copy(what: str, title: str, hint: str, separated: bool = False) -> Command:
        return Command(f"share.copy_{what}", title, lambda: copy_as(w, what), "Edit", enabled=shown,
                       contexts=("request",), hint=hint, separated=separated)  # fmt: skip

    return [
        copy("json", "Copy the request as JSON", "All areas; likely secrets are masked.", True),
        Command("share.copy_area", "Copy the area as JSON", lambda: copy_area(w), "Edit", contexts=("request",),
                enabled=lambda: shown() and area_in_front(w) is not None,
                hint="The area of the request that is in front; likely secrets are masked."),
        Command("share.copy_message", "Copy the message as JSON", lambda: copy_message(w), "Edit",
                enabled=lambda: message_in_front(w) is not None,
                hint="The selected message of Messages or Raw ↔ Effective; likely secrets are masked."),
        copy("curl", "Copy as a curl command", "Without keys: they come from the environment."),
        copy("python", "Copy as a Python program", "Over LangChain, without keys."),
    ]  # fmt: skip


def ask_what(w: MainWindow, request: bool = False) -> None:
    """Ask what the export of the selected thread, or of its selected request alone, should hold."""
    if w.desk is None or w.session is None or (thread_id := w.session.thread_id) is None:
        return
    row = w.session.thread_row()
    chosen = w.session.request_row() if request else None
    number = chosen.number if chosen is not None else None
    json = getattr(w.desk.opened.reader, "kind", "") == "workspace"
    title = row.title if row is not None and row.title else thread_id
    dialog = ExportDialog(title if number is None else f"Request {number} of {title}", json, w.ask, w)
    dialog.setWindowTitle("Export the thread" if number is None else "Export the request")
    dialog.wanted.connect(partial(ask_where, w, thread_id, number))
    dialog.open()


def ask_where(w: MainWindow, thread_id: str, number: int | None, wish: sharing.Wish) -> None:
    """Ask for a new file. One that is there already is refused when it comes to writing."""
    ending = sharing.ENDINGS[wish.form]
    dialog = QFileDialog(w, "Export the thread", QDir.homePath(), _FILTERS[wish.form])
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setOption(QFileDialog.Option.DontConfirmOverwrite)
    dialog.setDefaultSuffix(ending)
    name = safe_name(thread_id, "thread") + ("" if number is None else f"-request-{number}")
    dialog.selectFile(f"{name}.{ending}")
    dialog.fileSelected.connect(partial(export_to, w, thread_id, wish, number=number))
    dialog.open()


def export_to(w: MainWindow, thread_id: str, wish: sharing.Wish, target: str, number: int | None = None) -> None:
    """Write the thread, or one request of it, to a file, off the GUI thread."""
    if w.desk is not None:
        w.jobs.run(
            "Exporting the thread", sharing.export, w.desk.opened.reader, thread_id, number, wish, target,
            done=w.status.show_note, failed=w.status.show_problem, key=(w.desk, "export"),
        )  # fmt: skip


def ask_which(w: MainWindow) -> None:
    """Ask for a file and bring its thread in."""
    dialog = QFileDialog(w, "Import a thread", QDir.homePath(), "JSON (*.json)")
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    dialog.fileSelected.connect(partial(import_from, w))
    dialog.open()


def import_from(w: MainWindow, file: str) -> None:
    """Bring the thread of a file in, off the GUI thread, and show it."""
    desk = w.desk
    if desk is None or not w.can_write():
        return

    def done(found: tuple[str, list[str]]) -> None:
        if w.desk is not desk:
            return
        thread_id, said = found
        w.status.show_note(" ".join(said))
        desk.session.poll()
        desk.session.select_thread(thread_id)

    w.jobs.run("Importing a thread", sharing.bring, Path(desk.opened.path), file, done=done,
               failed=w.status.show_problem, key=(desk, "import"))  # fmt: skip


def cancelled(w: MainWindow, key: object) -> None:
    """Say that an import was cancelled; other jobs have panes that do."""
    if w.desk is not None and key == (w.desk, "import"):
        w.status.show_note("The import was cancelled.")


def area_in_front(w: MainWindow) -> str | None:
    """Name of the area in front, when it can be copied."""
    index = w.desk.request.area() if w.desk is not None else -1
    return sharing.AREA_NAMES[index] if 0 <= index < len(sharing.AREA_NAMES) else None


def copy_area(w: MainWindow) -> None:
    """The area in front."""
    if (area := area_in_front(w)) is not None:
        copy_as(w, area)


def message_in_front(w: MainWindow) -> int | None:
    """Part of the message that is selected in the area in front."""
    return w.desk.request.selected_message() if w.desk is not None and w.desk.request.detail() is not None else None


def copy_message(w: MainWindow) -> None:
    """The selected message."""
    if (part := message_in_front(w)) is not None:
        copy_as(w, sharing.MESSAGE, part)


def copy_as(w: MainWindow, what: str, part: int | None = None) -> None:
    """Put the selected request in a form, an area of it, or a message by its part on the clipboard."""
    if w.desk is None or (request := w.desk.session.request_id) is None:
        return

    def done(text: str) -> None:
        clipboard.put_true(text)
        w.status.show_note("Copied.")

    w.jobs.run("Copying", sharing.copied, w.desk.opened.reader, request if part is None else part, what, done=done,
               failed=w.status.show_problem, key=(w.desk, "copy"))  # fmt: skip
