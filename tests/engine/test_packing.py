"""Bodies of the record, made smaller and read back."""

from __future__ import annotations

import builtins
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from engine import Reader, Workspace, record
from engine.errors import WorkspaceError
from engine.packing import PLAIN, ZLIB, ZSTD, packer, unpack
from tests.contract.stranger import Plain

BODY = b'{"text": "a body that gets smaller"}' * 50


@pytest.fixture
def without_zstandard(monkeypatch: pytest.MonkeyPatch) -> None:
    original = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "zstandard":
            raise ImportError(name)
        return original(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)


def test_what_was_packed_is_unpacked() -> None:
    how, pack = packer()
    assert how == ZSTD
    assert len(pack(BODY)) < len(BODY)
    assert unpack(how, pack(BODY)) == unpack(PLAIN, BODY) == BODY


def test_without_zstandard_zlib_serves(without_zstandard: None) -> None:
    how, pack = packer()
    assert how == ZLIB
    assert len(pack(BODY)) < len(BODY)
    assert unpack(how, pack(BODY)) == BODY


def test_a_record_written_without_zstandard_is_read(
    tmp_path: Path, without_zstandard: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "many words " * 100
    with record(tmp_path / "z.ctx"):
        Plain().invoke(text)
    monkeypatch.undo()
    with closing(sqlite3.connect(tmp_path / "z.ctx")) as connection:
        assert {row[0] for row in connection.execute("SELECT DISTINCT packed FROM parts")} == {PLAIN, ZLIB}
    with closing(Reader(tmp_path / "z.ctx")) as reader:
        (thread,) = reader.threads()
        (request,) = reader.request_ids(thread.thread_id)
        assert reader.text(reader.request(request).messages[0].part) == text


@pytest.mark.parametrize(("how", "body"), [(ZSTD, b"no zstd"), (ZLIB, b"no zlib"), (7, b"")])
def test_what_cant_be_unpacked_is_a_damaged_part(tmp_path: Path, how: int, body: bytes) -> None:
    workspace = Workspace.create(tmp_path / "d.ctx")
    with closing(workspace.connect()) as connection:
        values = (b"digest", "human", how, 0, 0, body)
        connection.execute(
            "INSERT INTO parts(digest, kind, packed, chars, tokens, body) VALUES (?, ?, ?, ?, ?, ?)", values
        )
        connection.commit()
    with closing(Reader(workspace.path)) as reader, pytest.raises(WorkspaceError, match="is damaged"):
        reader.value(1)
