"""What is copied: JSON that is the record's, commands and programs that do what the request did, and no key."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import convert_to_openai_messages, message_to_dict, messages_from_dict

from engine import Reader
from engine.share.snippets import area_json, message_json, request_curl, request_json, request_python
from tests.engine.share.world import COMMIT, ODD_THREAD, SECRETS
from tests.received import text

THREAD = "competitor-report-week-22"


def ids(reader: Reader, thread: str) -> list[int]:
    return reader.request_ids(thread)


def test_json_is_what_the_record_holds(reader: Reader) -> None:
    for request in ids(reader, THREAD)[::9]:
        detail = reader.request(request)
        for row in detail.messages[-3:]:
            assert json.loads(message_json(reader, row.part)) == reader.message(row.part)
        assert json.loads(area_json(reader, request, "messages")) == [reader.message(r.part) for r in detail.messages]
        assert json.loads(area_json(reader, request, "tools")) == [reader.value(tool.part) for tool in detail.tools]
        whole = json.loads(request_json(reader, request))
        assert whole["messages"] == json.loads(area_json(reader, request, "messages"))
        assert [item["fate"] for item in whole["raw"]] == [raw.fate for raw in detail.raw]


def test_no_secret_is_copied_unless_asked_for(odd: Reader) -> None:
    request = ids(odd, ODD_THREAD)[1]
    part = odd.request(request).messages[1].part
    lines = [secret.split("\n")[0] for secret in SECRETS]
    for copied in (
        message_json(odd, part), area_json(odd, request, "messages"), request_json(odd, request),
        request_curl(odd, request), request_python(odd, request),
    ):  # fmt: skip
        assert not any(line in copied for line in lines)
        assert "[masked: " in copied
        assert COMMIT in copied
        json_only = copied.startswith(("{", "["))
        assert not json_only or json.loads(copied, parse_constant=lambda name: pytest.fail(name))
    assert all(line in request_json(odd, request, masked=False) for line in lines)


def asked(command: str, folder: Path) -> tuple[list[str], Any]:
    """Arguments and body that the command gives to curl, by a curl that only says so."""
    fake = folder / "curl"
    fake.write_text(f"#!{sys.executable}\nimport json, sys\nprint(json.dumps([sys.argv[1:], sys.stdin.read()]))\n")
    fake.chmod(0o755)
    keys = {"OPENAI_API_KEY": "from the environment"}
    environment = {**os.environ, **keys, "PATH": f"{folder}:{os.environ['PATH']}"}
    script = folder / "command.sh"
    script.write_text(command)
    done = subprocess.run(["sh", script], capture_output=True, text=True, env=environment, timeout=30, check=True)
    assert not done.stderr
    arguments, body = json.loads(done.stdout)
    return arguments, json.loads(body)


@pytest.mark.parametrize("which", ["demo", "odd"])
def test_the_curl_command_sends_the_request(which: str, reader: Reader, odd: Reader, tmp_path: Path) -> None:
    source, thread = (reader, THREAD) if which == "demo" else (odd, ODD_THREAD)
    for request in ids(source, thread)[1::20]:
        command = request_curl(source, request, masked=False)
        assert command.isascii()
        arguments, body = asked(command, tmp_path)
        system = source.system_message(request)
        messages = [*([system] if system else []), *[source.message(r.part) for r in source.request(request).messages]]
        expected = convert_to_openai_messages(messages_from_dict(messages))
        assert json.dumps(body["messages"]) == json.dumps(expected)
        names = [tool["function"]["name"] for tool in body.get("tools", [])]
        assert names == [tool.name for tool in source.request(request).tools]
        assert arguments[0].startswith("https://")
        assert "Authorization: Bearer from the environment" in arguments
        assert "rebuilt from LangChain's view" in command.splitlines()[0]


@pytest.mark.parametrize("which", ["demo", "odd"])
def test_the_program_gives_the_model_the_request(
    which: str, reader: Reader, odd: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, thread = (reader, THREAD) if which == "demo" else (odd, ODD_THREAD)
    given: dict[str, Any] = {}

    class Model:
        def bind(self, **bound: Any) -> Model:
            given["bound"] = bound
            return self

        def invoke(self, messages: Any) -> str:
            given["messages"] = messages
            return "answer"

    def init(model: str, model_provider: str) -> Model:
        given["model"] = model, model_provider
        return Model()

    monkeypatch.setattr("langchain.chat_models.init_chat_model", init)
    for request in ids(source, thread)[1::20]:
        program = request_python(source, request, masked=False)
        exec(compile(program, "snippet", "exec"), {})
        detail = source.request(request)
        system = source.system_message(request)
        messages = [*([system] if system else []), *[source.message(row.part) for row in detail.messages]]
        expected = [message_to_dict(message) for message in messages_from_dict(messages)]
        assert text([message_to_dict(message) for message in given["messages"]]) == text(expected).replace(
            "NaN", "null"
        )
        assert given["bound"].get("tools", []) == [source.value(tool.part) for tool in detail.tools]
        assert given["model"] == (detail.provider["model"], detail.provider["provider"])
