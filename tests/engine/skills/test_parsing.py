"""One SKILL.md: the verdict is the engine's, the reason and the line are ours; held against a real agent."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest
from deepagents import __version__ as installed
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.store.memory import InMemoryStore

from engine.errors import UsageError
from engine.skills import check_skill, engine_version, new_skill
from engine.skills.engine_parser import listed_as, rules
from tests.contract.models import Told, deep_agent, memory_and_skills, say, thread

PATH = "/skills/x/SKILL.md"

SKIPPED: dict[str, tuple[str, str, int]] = {
    "bom": ("\ufeff---\nname: x\ndescription: d\n---\nDo.\n", "byte order mark", 1),
    "colon": ("---\nname: x\ndescription: Use when: asked\n---\nDo.\n", "not yaml", 3),
    "list": ("---\n- a\n---\nDo.\n", "no keys", 2),
    "open": ("---\nname: x\ndescription: d\n", "no closing line", 1),
    "closing without end": ("---\nname: x\ndescription: d\n---", "no closing line", 4),
    "blank first": ("\n---\nname: x\ndescription: d\n---\nDo.\n", "no front matter", 1),
    "no front matter": ("# X\n\nDo.\n", "no front matter", 1),
    "empty": ("", "no front matter", 1),
    "tab": ("---\nname: x\ndescription: d\nmetadata:\n\ta: b\n---\nDo.\n", "not yaml", 5),
    "tag": ("---\nname: x\ndescription: !!python/object/apply:os.getcwd []\n---\n", "not yaml", 3),
    "no description": ("---\n\nname: x\n---\nDo.\n", "no description", 3),
    "empty name": ('---\nname: ""\ndescription: d\n---\nDo.\n', "no name", 2),
    "CRLF without a closing line": ("---\r\nname: x\r\ndescription: d\r\n", "no closing line", 1),
    "only text": ("---\njust words\n---\nDo.\n", "no keys", 2),
}
LISTED: dict[str, tuple[str, str, list[tuple[str, int | None]]]] = {
    "plain": ("---\nname: x\ndescription: d\n---\nDo.\n", "d", []),
    "null": ("---\nname: x\ndescription:\n---\nDo.\n", "None", [("description not text", 3)]),
    "bool": ("---\nname: x\ndescription: yes\n---\nDo.\n", "True", [("description not text", 3)]),
    "number": ("---\nname: x\ndescription: 1.50\n---\nDo.\n", "1.5", [("description not text", 3)]),
    "long": ("---\nname: x\ndescription: " + "w" * 1_500 + "\n---\nDo.\n", "w" * 1_024, [("description cut", 3)]),
    "twice": ("---\nname: y\nname: x\ndescription: d\n---\nDo.\n", "d", [("twice", 3)]),
    "rule inside": ("---\nname: x\ndescription: |\n  a\n  ---\n  b\n---\nbody\n", "a\n---\nb", []),
    "CRLF": ("---\r\nname: x\r\ndescription: d\r\n---\r\nDo.\r\n", "d", []),
    "no text": ("---\nname: x\ndescription: d\n---\n \n", "d", [("no text", None)]),
    "odd name": ("---\nname: My X\ndescription: d\n---\nDo.\n", "d", [("name", 2)]),
    "tools": ("---\nname: x\ndescription: d\nallowed-tools: 7\n---\nDo.\n", "d", [("allowed-tools", 4)]),
    "metadata": ("---\nname: x\ndescription: d\nmetadata: [a]\n---\nDo.\n", "d", [("metadata", 4)]),
    "include": (
        "---\nname: x\ndescription: d\nmetadata:\n  include_tools: [a, b]\n---\nDo.\n",
        "d",
        [("include_tools", 4)],
    ),
    "hidden": ("---\nname: x\ndescription: d\n---\nDo\u200b it.\n", "d", [("hidden", 5)]),
    "secret": ("---\nname: x\ndescription: d\n---\npassword: hunter2secret\n", "d", [("secret", 5)]),
}


def menu_of_an_agent(files: dict[str, str | bytes]) -> tuple[list[str], str]:
    """Paths that a real agent lists of these files, and its system message."""
    model = Told(turns=["one"])
    agent = deep_agent(model, backend=memory_and_skills(InMemoryStore()), files=files, skills=["/skills/"])
    say(agent, "a")
    listed = agent.get_state(thread()).values["skills_metadata"]
    return [skill["path"] for skill in listed], model.given[0].system


@pytest.mark.parametrize("case", SKIPPED)
def test_a_skipped_skill_has_a_reason_and_a_line(case: str) -> None:
    text, kind, line = SKIPPED[case]
    found = check_skill(PATH, text.encode())
    assert (found.listed, found.metadata, found.menu) == (False, None, None)
    assert found.reason is not None
    assert (found.reason.kind, found.reason.line) == (kind, line)
    assert menu_of_an_agent({PATH: text})[0] == []


@pytest.mark.parametrize("case", LISTED)
def test_a_listed_skill_is_shown_as_the_model_sees_it(case: str) -> None:
    text, description, findings = LISTED[case]
    found = check_skill(PATH, text.encode())
    assert found.listed
    assert found.reason is None
    assert found.metadata is not None
    assert found.metadata["description"] == description
    assert [(one.kind, one.line) for one in found.findings] == findings
    paths, system = menu_of_an_agent({PATH: text})
    assert paths == [PATH]
    assert found.menu is not None
    assert f"\n{found.menu}\n" in system


def test_bytes_that_are_not_utf8_are_not_listed() -> None:
    data = b"---\nname: x\ndescription: caf\xe9\n---\nDo.\n"
    found = check_skill(PATH, data)
    assert found.reason is not None
    assert (found.listed, found.reason.kind, found.reason.line) == (False, "not utf-8", 3)
    assert menu_of_an_agent({PATH: data})[0] == []


def test_a_file_beyond_the_engines_limit_is_not_listed() -> None:
    text = "---\nname: x\ndescription: d\n---\n" + "x" * rules().largest
    found = check_skill(PATH, text.encode())
    assert found.reason is not None
    assert found.reason.kind == "too large"
    assert listed_as(PATH, text) is None


front = st.lists(
    st.sampled_from(
        [
            "name: x",
            "description: d",
            "description: a: b",
            "- a",
            "",
            " ",
            "\t",
            "---",
            "...",
            "? x",
            "'",
            "{",
            "a: &b *b",
        ]
    ),
    max_size=6,
).map("\n".join)


@settings(max_examples=400, deadline=None)
@given(
    before=st.sampled_from(["", "\ufeff", "\n", " "]),
    inside=front,
    after=st.sampled_from(["\n---\n", "\n---", "", "\n--- \nx"]),
)
def test_whatever_is_written_there_is_always_a_reason_or_a_listing(before: str, inside: str, after: str) -> None:
    text = f"{before}---\n{inside}{after}"
    found = check_skill(PATH, text.encode())
    assert found.listed is (listed_as(PATH, text) is not None)
    assert found.listed is (found.reason is None)
    assert found.reason is None or found.reason.kind != "unknown"
    assert all(one.line is None or 1 <= one.line <= text.count("\n") + 1 for one in found.findings)


def test_the_engines_log_is_not_repeated(caplog: pytest.LogCaptureFixture) -> None:
    check_skill(PATH, b"---\nname: x\ndescription: a: b\n---\n")
    assert [record for record in caplog.records if record.name.startswith("deepagents")] == []


def test_the_release_is_named() -> None:
    assert engine_version() == installed


@pytest.mark.parametrize(
    "description",
    [
        "Use when asked.",
        "Use when: asked",
        'Say "so" \u2013 or not',
        "yes",
        "1.50",
        "# no comment",
        "- a",
        "ends with:",
        "\u00fcber",
        "{x}",
    ],
)
def test_a_new_skill_is_listed_as_it_is_meant(description: str) -> None:
    path, text = new_skill("my-skill", f" {description}\n")
    assert path == "/skills/my-skill/SKILL.md"
    found = check_skill(path, text.encode())
    assert found.metadata is not None
    assert (found.metadata["name"], found.metadata["description"]) == ("my-skill", description)
    assert found.findings == ()
    assert PurePosixPath(menu_of_an_agent({path: text})[0][0]) == PurePosixPath(path)


@pytest.mark.parametrize("name", ["", "My Skill", "-x", "a--b", "x" * 65, "a/b"])
def test_a_name_that_breaks_the_rules_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="can't be a skill's name"):
        new_skill(name, "d")


@pytest.mark.parametrize("description", ["", " \n", "w" * 1_025])
def test_a_description_that_says_nothing_or_is_cut_is_refused(description: str) -> None:
    with pytest.raises(UsageError, match="needs a description"):
        new_skill("x", description)
