"""The Store pane: namespaces apart, any number of items, and edits that write over nothing unseen."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from langgraph.store.sqlite import SqliteStore
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor

from engine import Workspace, open_source, save_item, store_item
from engine.checkpoints import WorkspaceStore
from engine.errors import UsageError
from inspector.drafts import Drafts
from inspector.jobs import Jobs
from inspector.views.deletion import NamespaceDialog
from inspector.views.store import StoreView
from tests.inspector.side_world import MARKUP, rich_labels, unnamed

ANN, BOB, OTHER = ("acme", "ann~2e1", "facts"), ("acme", "bob", "facts"), ("globex", "ann~2e1", "facts")
SECRET = "sk-proj-" + "A1b2C3d4E5f6G7h8I9j0" * 3


class World:
    """A workspace with a store, and panes on it."""

    def __init__(self, qtbot, folder: Path) -> None:
        self.qtbot = qtbot
        self.file = folder / "w.ctx"
        self.store = WorkspaceStore(Workspace.create(self.file))
        self.drafts = Drafts(folder / "drafts")
        self.jobs = Jobs()
        self.readers: list = []

    def pane(self, file: Path | None = None) -> StoreView:
        reader = open_source(file or self.file)
        self.readers.append(reader)
        view = StoreView(reader, self.jobs, file or self.file, drafts=self.drafts)
        self.qtbot.addWidget(view)
        view.resize(360, 800)
        view.show()
        self.settle()
        return view

    def settle(self) -> None:
        self.qtbot.waitUntil(self.jobs.idle)

    def refresh(self, view: StoreView) -> None:
        view.refresh()
        self.settle()

    def select(self, view: StoreView, namespace: tuple[str, ...], key: str = "") -> None:
        assert view.namespaces.select(".".join(namespace))
        self.settle()
        if key:
            assert view.table.select(key)
            self.settle()

    def edit(self, view: StoreView) -> None:
        view.item.edit_button.click()
        self.settle()

    def note(self, view: StoreView, title: str) -> None:
        self.qtbot.mouseClick(view.edit.note.buttons()[title], Qt.MouseButton.LeftButton)
        self.settle()

    def value(self, namespace: tuple[str, ...], key: str):
        return store_item(self.file, ".".join(namespace), key).value

    def close(self) -> None:
        self.jobs.close()
        self.store.conn.close()
        for reader in self.readers:
            reader.close()


@pytest.fixture
def world(qtbot, qapp, tmp_path: Path) -> Iterator[World]:
    made = World(qtbot, tmp_path)
    yield made
    made.close()


def cells(view: StoreView) -> list[str]:
    rows = view.table.rows
    return [rows.index(row, 0).data() for row in range(rows.rowCount())]


def names(view: StoreView) -> list[tuple[str, str]]:
    model = view.namespaces.items
    return [(model.index(row, 0).data(), model.index(row, 1).data()) for row in range(model.rowCount())]


def put_text(view: StoreView, text: str) -> None:
    cursor = view.edit.editor.textCursor()
    cursor.select(QTextCursor.SelectionType.Document)
    cursor.insertText(text)


def test_tenants_and_users_stand_apart_each_with_its_own_items(world: World) -> None:
    for n, namespace in enumerate((ANN, BOB, OTHER)):
        for at in range(n + 1):
            world.store.put(namespace, f"{namespace[0]} {namespace[1]} {at}", {"n": at})
    view = world.pane()
    assert names(view) == [
        ("acme / ann.1 / facts", "1"), ("acme / bob / facts", "2"), ("globex / ann.1 / facts", "3"),
    ]  # fmt: skip
    for n, namespace in enumerate((ANN, BOB, OTHER)):
        world.select(view, namespace)
        assert cells(view) == [f"{namespace[0]} {namespace[1]} {at}" for at in range(n + 1)]
        assert view.item.found.item.namespace == ".".join(namespace)
    assert not rich_labels(view)
    assert not unnamed(view)


def test_hostile_names_and_values_are_shown_letter_by_letter(world: World) -> None:
    world.store.put(("<i>ns", "&x"), MARKUP, {"text": MARKUP})
    view = world.pane()
    assert names(view)[0][0] == "<i>ns / &x"
    assert view.item.text.text() == json.dumps({"text": MARKUP}, ensure_ascii=False, indent=2)
    assert MARKUP in view.item.facts.text()
    assert not rich_labels(view)


def test_secrets_are_masked_where_a_value_is_shown_and_true_where_it_is_edited(world: World) -> None:
    world.store.put(ANN, "k", {"token": SECRET})
    view = world.pane()
    assert SECRET not in view.item.text.edit.toPlainText()
    world.edit(view)
    assert SECRET in view.edit.editor.toPlainText()


def test_ten_thousand_items_are_listed_by_the_page(world: World) -> None:
    with world.store.conn as db:
        db.executemany(
            "INSERT INTO store (prefix, key, value, created_at, updated_at) "
            "VALUES ('facts', ?, ?, CURRENT_TIMESTAMP, CURRENT_TIMESTAMP)",
            ((f"{n:05}", json.dumps({"n": n, "text": f"word{n}"})) for n in range(10_000)),
        )
    view = world.pane()
    assert view.table.model().rowCount() == 10_000
    view.table.scrollToBottom()
    world.qtbot.waitUntil(lambda: view.table.rows.index(9_999, 0).data() == "09999")
    assert view.table.rows.index(5_000, 0).data() == "…"
    view.table.setCurrentIndex(view.table.model().index(5_000, 0))
    world.qtbot.waitUntil(lambda: view.item.found is not None and view.item.found.item.key == "05000")
    view.search.setText("WORD777")
    world.qtbot.waitUntil(lambda: view.table.rows.total == 11)
    assert cells(view) == ["00777", *(f"0777{n}" for n in range(10))]
    view.search.setText("nowhere")
    world.qtbot.waitUntil(lambda: view.list.state() == "empty")
    assert "No item matches." in view.list.message()


def test_what_others_write_comes_in_and_the_selection_stays(world: World) -> None:
    for n in range(200):
        world.store.put(("facts",), f"{n:03}", {"n": n})
    view = world.pane()
    world.select(view, ("facts",), "050")
    for n in range(30):
        world.store.put(("facts",), f"{n:03}-a", {"n": n})
    world.store.put(("facts",), "050", {"n": "another"})
    world.refresh(view)
    assert view.table.rows.total == 230
    assert view.table.current().key == "050"
    assert '"another"' in view.item.text.text()
    world.store.delete(("facts",), "050")
    world.refresh(view)
    assert view.table.current().key == "051"


def test_a_value_is_edited_and_what_is_no_json_is_told(world: World) -> None:
    world.store.put(ANN, "k", {"n": 1})
    view = world.pane()
    world.edit(view)
    put_text(view, '{"n": 2,}')
    view.edit.save()
    world.settle()
    assert "no JSON" in view.edit.note.text()
    assert world.value(ANN, "k") == {"n": 1}
    put_text(view, '{"n": 2}')
    view.edit.save()
    world.settle()
    assert world.value(ANN, "k") == {"n": 2}
    assert not view.has_unsaved()
    view.edits.close_edit()
    assert view.item.text.text() == '{\n  "n": 2\n}'


def test_a_file_is_edited_as_its_text(world: World) -> None:
    given = {"content": "- one\n", "encoding": "utf-8", "created_at": "x"}
    world.store.put(("memories",), "/AGENTS.md", given)
    view = world.pane()
    assert view.item.text.text() == "- one\n"
    assert "Read at: /memories/AGENTS.md" in view.item.facts.text()
    view.item.as_json.click()
    assert json.loads(view.item.text.text()) == given
    world.edit(view)
    put_text(view, "- two\n")
    view.edit.save()
    world.settle()
    saved = world.value(("memories",), "/AGENTS.md")
    assert saved == given | {"content": "- two\n", "modified_at": saved["modified_at"]}


@pytest.mark.parametrize("choice", ["Merge both", "Take the stored one", "Save mine over it"])
def test_a_change_that_was_not_seen_is_not_overwritten(world: World, choice: str) -> None:
    world.store.put(ANN, "k", {"a": 1, "b": 1, "c": 1, "d": 1, "e": 1})
    view = world.pane()
    world.edit(view)
    put_text(view, view.edit.buffer.text().replace('"a": 1', '"a": "mine"'))
    theirs = {"a": 1, "b": 1, "c": 1, "d": 1, "e": "theirs"}
    world.store.put(ANN, "k", theirs)
    view.edit.save()
    world.settle()
    assert world.value(ANN, "k") == theirs
    assert "Nothing was written." in view.edit.note.text()
    assert '−   "e": "theirs"' in view.edit.compare.text()
    world.note(view, choice)
    if choice == "Merge both":
        view.edit.save()
        world.settle()
    expected = {
        "Merge both": theirs | {"a": "mine"},
        "Take the stored one": theirs,
        "Save mine over it": theirs | {"a": "mine", "e": 1},
    }[choice]
    assert world.value(ANN, "k") == expected
    assert json.loads(view.edit.buffer.text()) == expected


def test_an_item_that_goes_while_it_is_edited_stays_in_the_editor(world: World) -> None:
    world.store.put(ANN, "k", {"n": 1})
    world.store.put(ANN, "l", {"n": 1})
    view = world.pane()
    world.edit(view)
    put_text(view, '{"n": "mine"}')
    world.store.delete(ANN, "k")
    world.refresh(view)
    assert view.edit.buffer.text() == '{"n": "mine"}'
    assert "The item was removed." in view.edit.note.text()
    world.note(view, "Save it again")
    assert world.value(ANN, "k") == {"n": "mine"}


def test_what_is_typed_stays_while_another_item_is_looked_at_and_in_the_next_window(world: World) -> None:
    for key in "abc":
        world.store.put(ANN, key, {"n": 1})
    view = world.pane()
    world.edit(view)
    put_text(view, '{"n": "typed"}')
    world.select(view, ANN, "c")
    assert not view.edits.isVisible()
    assert view.has_unsaved()
    view.unsaved.buttons()["a"].click()
    world.settle()
    assert view.edit.buffer.text() == '{"n": "typed"}'
    view.flush()
    view.edits.buffers.leave()
    again = world.pane()
    again.unsaved.buttons()["a"].click()
    world.settle()
    assert again.edit.buffer.text() == '{"n": "typed"}'
    assert world.value(ANN, "a") == {"n": 1}


def test_a_new_item_is_there_once_it_is_saved(world: World) -> None:
    view = world.pane()
    assert "The store is empty." in view.list.message()
    view.new_button.click()
    view.form.namespace.setText("acme..facts")
    view.form.key.setText("k")
    view.form.create_button.click()
    assert "none of them is empty" in view.form.says.text()
    view.form.namespace.setText("acme.facts")
    view.form.create_button.click()
    world.settle()
    assert view.edit.buffer.unsaved
    put_text(view, '{"liked": ["tables"]}')
    view.edit.save()
    world.settle()
    assert world.value(("acme", "facts"), "k") == {"liked": ["tables"]}
    assert names(view) == [("acme / facts", "1")]
    assert view.table.current().key == "k"


def test_a_new_item_whose_key_is_taken_shows_what_is_there(world: World) -> None:
    world.store.put(ANN, "k", {"n": 1})
    view = world.pane()
    view.form.open(".".join(ANN))
    view.form.key.setText("k")
    view.form.create_button.click()
    world.settle()
    assert json.loads(view.edit.buffer.text()) == {"n": 1}
    assert not view.has_unsaved()


def test_an_item_is_deleted_after_asking_and_never_another_than_was_seen(world: World) -> None:
    world.store.put(ANN, "k", {"n": 1})
    world.store.put(ANN, "l", {"n": 1})
    view = world.pane()
    view.item.delete_button.click()
    assert world.value(ANN, "k") == {"n": 1}
    world.store.put(ANN, "k", {"n": 2})
    view.item.note.buttons()["Delete"].click()
    world.settle()
    assert world.value(ANN, "k") == {"n": 2}
    assert "was changed since" in view.item.note.text()
    view.item.delete_button.click()
    view.item.note.buttons()["Delete"].click()
    world.settle()
    with pytest.raises(UsageError):
        world.value(ANN, "k")
    assert view.table.current().key == "l"


def test_a_damaged_value_is_shown_as_it_is_stored(world: World) -> None:
    world.store.put(ANN, "k", {"n": 1})
    world.store.conn.execute("UPDATE store SET value = '{\"n\": '")
    view = world.pane()
    assert view.table.rows.index(0, 0).data() == "! k"
    assert view.item.text.text() == '{"n": '
    assert "can't be read" in view.item.note.text()
    assert not view.item.edit_button.isEnabled()


def test_a_strangers_store_is_shown_without_a_way_to_edit_it(world: World, tmp_path: Path) -> None:
    file = tmp_path / "theirs.sqlite"
    from langgraph.checkpoint.sqlite import SqliteSaver

    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        SqliteSaver(db).setup()
        store = SqliteStore(db)
        store.setup()
        store.put(("users", "ann"), "likes", {"food": "soup"})
    view = world.pane(file)
    assert names(view) == [("users / ann", "1")]
    assert view.item.text.text() == '{\n  "food": "soup"\n}'
    for button in (view.item.edit_button, view.item.delete_button, view.new_button, view.delete_button):
        assert not button.isVisible()


def test_a_file_that_is_no_text_is_shown_and_not_edited(world: World) -> None:
    world.store.put(("memories",), "/x.png", {"content": "iVBORw0KGgo=", "encoding": "base64"})
    view = world.pane()
    assert "a PNG picture" in view.item.note.text()
    assert not view.item.edit_button.isEnabled()


def test_an_edit_of_an_agents_is_seen_by_the_pane(world: World) -> None:
    seen = save_item(world.file, ".".join(ANN), "k", {"n": 1}, "")
    view = world.pane()
    save_item(world.file, ".".join(ANN), "k", {"n": 2}, seen.version)
    world.refresh(view)
    assert json.loads(view.item.text.text()) == {"n": 2}


def test_the_window_reaches_the_store_edits_and_saves_by_its_commands(qtbot, make_window, demo_copy: Path) -> None:
    from tests.inspector.conftest import settle

    save_item(demo_copy, "acme.facts", "k", {"n": 1}, "")
    window = make_window(demo_copy)
    store = window.desk.around["store"]
    assert not window.commands.run("store.edit")
    window.commands.run("focus.store")
    settle(qtbot, window)
    assert store.isVisible()
    assert store.item.key == ("acme.facts", "k")
    assert window.commands.run("store.edit")
    settle(qtbot, window)
    put_text(store, '{"n": 2}')
    assert window.desk.has_unsaved()
    assert window.commands.run("memory.save")
    settle(qtbot, window)
    assert store_item(demo_copy, "acme.facts", "k").value == {"n": 2}
    window.commands.run("store.delete")
    store.item.note.buttons()["Delete"].click()
    settle(qtbot, window)
    with pytest.raises(UsageError):
        store_item(demo_copy, "acme.facts", "k")
    store.delete_button.click()
    dialog = window.findChild(NamespaceDialog)
    settle(qtbot, window)
    assert dialog.choice.currentText() == store.namespace
    dialog.reject()
