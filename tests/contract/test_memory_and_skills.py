"""Memory and skills: what is loaded, what reaches the model, what a thread keeps once it has run."""

from __future__ import annotations

from typing import Any

import pytest
from deepagents.backends.protocol import FileDownloadResponse
from langgraph.store.memory import InMemoryStore

from tests.contract.models import Told, call, deep_agent, memory_and_skills, put, say, thread

MEMORY = "/memories/AGENTS.md"
NOTHING = "(No memory loaded)"


def remembering(files: dict[str, str | bytes], *, memory: Any = (MEMORY,), **more: Any) -> tuple[Any, Told, Any]:
    """An agent with memory, its model and its backend."""
    model = Told(turns=["one", "two", "three"])
    store = more.pop("store", None)
    backend = more.pop("backend", None) or memory_and_skills(store)
    return deep_agent(model, backend=backend, files=files, memory=list(memory), **more), model, backend


@pytest.fixture
def store() -> Any:
    return InMemoryStore()


# --- memory ---


def test_memory_is_in_the_request_that_the_model_got(store: Any) -> None:
    agent, model, _ = remembering({MEMORY: "Bullet points."}, store=store)
    say(agent, "a")
    assert f"{MEMORY}\n\nBullet points." in model.given[0].system


def test_an_edit_does_not_reach_a_thread_that_has_run_and_reaches_a_new_one(store: Any) -> None:
    agent, model, backend = remembering({MEMORY: "Bullet points."}, store=store)
    say(agent, "a", thread("old"))
    put(backend, {MEMORY: "Paragraphs."})
    say(agent, "b", thread("old"))
    say(agent, "c", thread("new"))
    assert ["Paragraphs." in given.system for given in model.given] == [False, False, True]
    assert ["Bullet points." in given.system for given in model.given] == [True, True, False]
    assert agent.get_state(thread("old")).values["memory_contents"] == {MEMORY: "Bullet points."}


def test_a_file_made_after_a_thread_began_does_not_reach_it(store: Any) -> None:
    agent, model, backend = remembering({}, store=store)
    say(agent, "a")
    put(backend, {MEMORY: "Bullet points."})
    say(agent, "b")
    assert agent.get_state(thread()).values["memory_contents"] == {}
    assert NOTHING in model.given[1].system


def test_writing_none_into_state_does_not_load_memory_again(store: Any) -> None:
    agent, model, _ = remembering({MEMORY: "Bullet points."}, store=store)
    say(agent, "a")
    agent.update_state(thread(), {"memory_contents": None})
    say(agent, "b")
    assert NOTHING in model.given[1].system
    assert "Bullet points." not in model.given[1].system


def test_writing_new_contents_into_state_reaches_the_thread(store: Any) -> None:
    agent, model, _ = remembering({MEMORY: "Bullet points."}, store=store)
    say(agent, "a")
    agent.update_state(thread(), {"memory_contents": {MEMORY: "Paragraphs."}})
    say(agent, "b")
    assert f"{MEMORY}\n\nParagraphs." in model.given[1].system


def test_a_missing_file_is_skipped_and_the_others_load(store: Any) -> None:
    agent, model, _ = remembering({MEMORY: "Bullet points."}, memory=["/memories/none.md", MEMORY], store=store)
    say(agent, "a")
    assert "Bullet points." in model.given[0].system
    assert "/memories/none.md" not in model.given[0].system
    assert list(agent.get_state(thread()).values["memory_contents"]) == [MEMORY]


def test_any_other_failure_raises_and_nothing_is_asked_of_the_model(store: Any) -> None:
    backend = memory_and_skills(store)
    backend.download_files = lambda paths: [FileDownloadResponse(path, error="permission_denied") for path in paths]
    agent, model, _ = remembering({}, backend=backend)
    with pytest.raises(ValueError, match="permission_denied"):
        say(agent, "a")
    assert model.given == []


def test_a_file_that_is_not_utf8_raises(store: Any) -> None:
    agent, model, _ = remembering({MEMORY: b"caf\xe9"}, store=store)
    with pytest.raises(UnicodeDecodeError):
        say(agent, "a")
    assert model.given == []


def test_html_comments_are_kept_in_state_and_not_sent(store: Any) -> None:
    text = "One.\n<!-- not\nsent -->\nTwo."
    agent, model, _ = remembering({MEMORY: text}, store=store)
    say(agent, "a")
    assert agent.get_state(thread()).values["memory_contents"] == {MEMORY: text}
    assert f"{MEMORY}\n\nOne.\n\nTwo." in model.given[0].system


@pytest.mark.parametrize("text", ["", " \n", "<!-- only a comment -->"])
def test_a_file_with_nothing_to_send_is_not_named(store: Any, text: str) -> None:
    agent, model, _ = remembering({MEMORY: text}, store=store)
    say(agent, "a")
    assert NOTHING in model.given[0].system
    assert f"{MEMORY}\n" not in model.given[0].system


@pytest.mark.parametrize("paths", [["/memories/b.md", "/memories/a.md"], ["/memories/a.md", "/memories/b.md"]])
def test_several_files_stand_in_the_order_in_which_they_are_declared(store: Any, paths: list[str]) -> None:
    agent, model, _ = remembering({"/memories/a.md": "Of a.", "/memories/b.md": "Of b."}, memory=paths, store=store)
    say(agent, "a")
    system = model.given[0].system
    assert sorted(paths, key=system.index) == paths
    assert list(agent.get_state(thread()).values["memory_contents"]) == paths


def test_braces_in_memory_are_sent_as_they_are(store: Any) -> None:
    agent, model, _ = remembering({MEMORY: "Use {curly} and {0} and {{double}}."}, store=store)
    say(agent, "a")
    assert "Use {curly} and {0} and {{double}}." in model.given[0].system


def test_a_named_subagent_gets_no_memory(store: Any) -> None:
    helper = Told(turns=["helped"])
    model = Told(turns=[call("task", "c1", description="do it", subagent_type="helper"), "done"])
    agent = deep_agent(
        model,
        backend=memory_and_skills(store),
        files={MEMORY: "Bullet points."},
        memory=[MEMORY],
        subagents=[{"name": "helper", "description": "helps", "system_prompt": "You help.", "model": helper}],
    )
    say(agent, "a")
    assert "Bullet points." in model.given[0].system
    assert "Bullet points." not in helper.given[0].system


def test_memory_that_the_agent_edits_stays_as_it_was_in_its_own_thread(store: Any) -> None:
    edit = call("edit_file", "c1", file_path=MEMORY, old_string="Bullet", new_string="No bullet")
    model = Told(turns=[edit, "done", "two", "three"])
    backend = memory_and_skills(store)
    agent = deep_agent(model, backend=backend, files={MEMORY: "Bullet points."}, memory=[MEMORY])
    say(agent, "a")
    say(agent, "b")
    assert backend.download_files([MEMORY])[0].content == b"No bullet points."
    assert ["No bullet points." in given.system for given in model.given] == [False, False, False]
    say(agent, "c", thread("new"))
    assert "No bullet points." in model.given[-1].system


# --- skills ---


def skill(name: str = "report", description: str = "Writes the report.", body: str = "Do it.") -> str:
    return f"---\nname: {name}\ndescription: {description}\n---\n{body}\n"


def listing(files: dict[str, str | bytes], store: Any, sources: Any = ("/skills/",)) -> tuple[Any, Told, Any]:
    """An agent with skills that has run once, its model and its backend."""
    model, backend = Told(turns=["one", "two", "three"]), memory_and_skills(store)
    agent = deep_agent(model, backend=backend, files=files, skills=list(sources))
    say(agent, "a")
    return agent, model, backend


def test_the_menu_lists_name_description_and_path_and_not_the_text(store: Any) -> None:
    _, model, _ = listing({"/skills/report/SKILL.md": skill()}, store)
    system = model.given[0].system
    assert "- **report**: Writes the report." in system
    assert "/skills/report/SKILL.md" in system
    assert "Do it." not in system


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + skill(),
        skill(description="Reports: weekly ones"),
        "---\nname: report\ndescription: Writes the report.\nDo it.\n",
        "---\nname: report\ndescription: Writes the report.\n---",
        "---\nname: report\n---\nDo it.\n",
        "---\n- report\n---\nDo it.\n",
        "name: report\ndescription: Writes the report.\n",
        b"---\nname: report\ndescription: caf\xe9\n---\nDo it.\n",
    ],
    ids=[
        "byte order mark",
        "unquoted colon",
        "no closing line",
        "closing line without its end",
        "no description",
        "a list",
        "no opening line",
        "not UTF-8",
    ],
)
def test_a_malformed_skill_is_not_loaded_and_the_others_are(store: Any, text: str | bytes) -> None:
    files = {"/skills/report/SKILL.md": text, "/skills/other/SKILL.md": skill("other", "Other.")}
    agent, model, _ = listing(files, store)
    assert [one["name"] for one in agent.get_state(thread()).values["skills_metadata"]] == ["other"]
    assert "report/SKILL.md" not in model.given[0].system
    assert "**other**" in model.given[0].system


def test_a_description_left_empty_is_listed_as_none(store: Any) -> None:
    _, model, _ = listing({"/skills/report/SKILL.md": skill(description="")}, store)
    assert "- **report**: None" in model.given[0].system


@pytest.mark.parametrize(("chars", "listed"), [(1_024, 1_024), (1_025, 1_024), (5_000, 1_024)])
def test_a_description_is_cut_after_1024_characters(store: Any, chars: int, listed: int) -> None:
    agent, model, _ = listing({"/skills/report/SKILL.md": skill(description="d" * chars)}, store)
    (one,) = agent.get_state(thread()).values["skills_metadata"]
    assert one["description"] == "d" * listed
    assert "d" * listed in model.given[0].system
    assert "d" * (listed + 1) not in model.given[0].system


@pytest.mark.parametrize("sources", [("/skills/one/", "/skills/two/"), ("/skills/two/", "/skills/one/")])
def test_the_last_of_two_equal_names_wins(store: Any, sources: tuple[str, str]) -> None:
    files = {f"/skills/{of}/report/SKILL.md": skill(description=f"From {of}.") for of in ("one", "two")}
    agent, model, _ = listing(files, store, sources)
    (one,) = agent.get_state(thread()).values["skills_metadata"]
    assert one["path"] == f"{sources[-1]}report/SKILL.md"
    assert model.given[0].system.count("**report**") == 1


def test_a_name_that_breaks_the_rules_is_loaded_all_the_same(store: Any) -> None:
    _, model, _ = listing({"/skills/report/SKILL.md": skill(name="My Report")}, store)
    assert "- **My Report**" in model.given[0].system


def test_a_thread_that_has_run_keeps_its_menu(store: Any) -> None:
    agent, model, backend = listing({"/skills/report/SKILL.md": skill()}, store)
    put(backend, {"/skills/report/SKILL.md": skill(description="Changed."), "/skills/new/SKILL.md": skill("new", "N.")})
    say(agent, "b")
    say(agent, "c", thread("new"))
    assert ["Changed." in given.system for given in model.given] == [False, False, True]
    assert ["**new**" in given.system for given in model.given] == [False, False, True]


def test_writing_none_into_state_loads_the_menu_again(store: Any) -> None:
    """Unlike memory."""
    agent, model, backend = listing({"/skills/report/SKILL.md": skill()}, store)
    put(backend, {"/skills/report/SKILL.md": skill(description="Changed.")})
    agent.update_state(thread(), {"skills_metadata": None})
    say(agent, "b")
    assert "Changed." in model.given[1].system


def test_a_pinned_skill_is_a_message_of_its_own_in_state(store: Any) -> None:
    model, backend = Told(turns=["one"]), memory_and_skills(store)
    agent = deep_agent(model, backend=backend, files={"/skills/report/SKILL.md": skill()}, skills=["/skills/"])
    raw = agent.invoke({"messages": [("user", "a")], "pinned_skills": ["report"]}, thread())["messages"]
    pinned = raw[1]
    assert pinned.additional_kwargs["lc_source"] == "pinned_skill"
    assert pinned.additional_kwargs["skill"]["name"] == "report"
    assert pinned.text == '<skill name="report" path="/skills/report/SKILL.md">\nDo it.\n</skill>'
    assert model.given[0].conversation == raw[:-1]
