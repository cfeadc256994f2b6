"""What explaining calls of the engine, and that its rules explain whatever the engine does, drawn at random."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

import pytest
from deepagents.middleware.filesystem import FilesystemMiddleware
from deepagents.middleware.summarization import SummarizationMiddleware
from hypothesis import HealthCheck, given, settings

from engine import Explainer, Reader, open_source
from engine.recording.rules import rules_of
from tests.contract.models import Told
from tests.contract.test_sample_database import SAMPLE
from tests.engine.explain.runs import Fork, Limits, Plan, Say, plans, play
from tests.engine.explain.test_waterfall import OnlyTheInterface, assert_sums

SOME = settings(
    max_examples=20,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def assert_explained(path: Path) -> set[str]:
    """Every request of a file sums, every message has its fate, and nothing differs. Gives the rules met."""
    rules: set[str] = set()
    with closing(Reader(path)) as reader:
        explainer = Explainer(reader)
        for thread in reader.threads():
            for row in reader.requests(thread.thread_id):
                assert_sums(explainer.waterfall(row.id), reader)
                found = explainer.fates(row.id)
                assert not {one.fate for one in found.raw} & {"not sent", "replaced"}
                assert not {one.fate for one in found.made} & {"inserted"}
                rules.update(rule for one in found.raw for rule in one.rules)
                rules.update("previewed" for one in found.raw if one.fate == "sent" and one.path)
        checked = explainer.check()
        assert checked.differences == ()
        assert checked.missing_artifacts == ()
        assert Explainer(OnlyTheInterface(reader)).check().differences == ()
    return rules


def test_one_plan_meets_every_rule(tmp_path: Path) -> None:
    cut = {"trigger": ("messages", 4), "keep": ("messages", 2), "max_length": 40, "truncation_text": "…"}
    limits = Limits(results=400, messages=40, trigger=("messages", 12), keep=("messages", 3), cut=cut)
    exports, files = (("export", 3_000), ("export", 900)), (("write", 300), ("memory", 1), ("task", 1))
    acts = (
        Say(700, (files, exports)),
        Say(80, ((("export", 900),), (("broken", 30), ("edit", 30)))),
        Fork(3, edit=False),
        Say(5, ((("export", 1_500), ("export", 1_500)),), overflow=1),
        Fork(6, edit=True),
        Say(5, ((("read", 1), ("failing", 1)),)),
        Say(5, ()),
    )
    met = assert_explained(play(tmp_path, Plan(limits, acts)))
    assert met == {"summarized", "offloaded", "previewed", "arguments cut", "clipped"}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
@SOME
@given(plans)
def test_nothing_that_the_engine_does_is_left_unexplained(tmp_path: Path, plan: Plan) -> None:
    path = play(tmp_path, plan)
    assert_explained(path)


@pytest.mark.skipif(not SAMPLE.is_dir(), reason=f"the sample of Deep Agents Code is not at {SAMPLE}")
def test_the_sample_database_explains_itself(tmp_path: Path) -> None:
    with closing(open_source(shutil.copy(SAMPLE / "sessions.db", tmp_path / "sessions.db"))) as source:
        found = Explainer(source).check()
        assert found.requests > 30
        assert found.clean
        assert found.notes
        assert all("its agent's files are not kept in this file, so /tmp/dcode" in note for note in found.notes)


def test_the_limits_of_the_engines_middlewares_are_read() -> None:
    model = Told(profile={"max_input_tokens": 1_000})
    cut = {"trigger": ("messages", 4), "keep": ("tokens", 50), "max_length": 9, "truncation_text": "…"}
    found = rules_of(
        [
            FilesystemMiddleware(tool_token_limit_before_evict=10, human_message_token_limit_before_evict=None),
            SummarizationMiddleware(
                model=model,
                backend=FilesystemMiddleware().backend,
                trigger=[("tokens", 500), {"messages": 9, "fraction": 0.5}],
                keep=("fraction", 0.1),
                truncate_args_settings=cut,
            ),
        ]
    )
    assert found.pop("deepagents").startswith("0.")
    assert found == {
        "offloads": "FilesystemMiddleware",
        "offload_results": 40,
        "offload_messages": None,
        "offload_media": False,
        "summarizes": "SummarizationMiddleware",
        "summarize": [{"tokens": 500}, {"messages": 9, "fraction": 0.5}],
        "keep": ["fraction", 0.1],
        "cut_arguments": {"trigger": ["messages", 4], "keep": ["tokens", 50], "longest": 9, "text": "…"},
    }


def test_the_engines_own_limits_are_read(tmp_path: Path) -> None:
    plain = FilesystemMiddleware()
    found = rules_of([plain, SummarizationMiddleware(model=Told(), backend=plain.backend)])
    assert (found["offload_results"], found["offload_messages"]) == (80_000, 200_000)
    assert (found["summarize"], found["keep"], found["cut_arguments"]) == ([], ["messages", 20], None)
