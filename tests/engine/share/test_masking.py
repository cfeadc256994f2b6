"""Likely secrets: masked with the rule's name wherever they stand, and nothing else touched."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from engine import Reader
from engine.masking import RULES, Masker, mask, secrets_in
from tests.engine.share.world import COMMIT, SECRET_TEXT, SECRETS

# Put together here, so that no file holds the form of a real key.
KEYS = {
    "sk-" + "ant-api03-" + "A1b2" * 8: "sk- key",
    "AKIA" + "ABCDEFGH" * 2: "AWS access key",
    "ghp" + "_" + "a1B2" * 9: "GitHub token",
    "github" + "_pat_" + "a1B2" * 8: "GitHub token",
    "glpat" + "-" + "a1B2" * 6: "GitLab token",
    "xoxb" + "-" + "1234567890-abc": "Slack token",
    "sk" + "_live_" + "a1B2" * 5: "Stripe key",
    "AIza" + "a1B2c" * 7: "Google key",
    "lsv2" + "_pt_" + "a1b2" * 8: "provider key",
    "hf" + "_" + "a1B2" * 8: "provider key",
}


def test_the_case_of_secrets_in_traces() -> None:
    messages = [
        HumanMessage("my key is sk-proj-AAAABBBBCCCCDDDDEEEE0000"),
        AIMessage(
            "",
            tool_calls=[
                {"name": "http", "id": "1", "args": {
                    "headers": {"Authorization": "Bearer eyJhbGciOi.J9.x", "X-Api-Key": "k"},
                    "url": "https://u:p@h.example/?token=abc"}}
            ],
        ),
        ToolMessage(
            "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI\n-----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY-----\n"
            "commit 9f86d081884c7d65 is no secret",
            tool_call_id="1",
        ),
    ]  # fmt: skip
    metadata = {
        "source": "loop",
        "configurable": {"openai_api_key": "sk-x", "user_id": "u"},
        "ls_api_key": "lsv2_pt_0",
    }
    masker = Masker()
    masked = masker.value([*[message.model_dump() for message in messages], metadata])
    said = json.dumps(masked)
    for secret in ("sk-proj", "eyJhbGciOi", '"k"', ":p@", "token=abc", "wJalrXUtnFEMI", "MII", "sk-x", "lsv2_pt_0"):
        assert secret not in said
    assert masked[0]["content"] == "my key is [masked: sk- key]"
    call = masked[1]["tool_calls"][0]
    assert call["args"]["headers"] == {"Authorization": "[masked: named secret]", "X-Api-Key": "[masked: named secret]"}
    assert call["args"]["url"] == "https://u:[masked: password in a URL]@h.example/?token=[masked: key in a URL]"
    assert masked[2]["content"].endswith("[masked: private key]\ncommit 9f86d081884c7d65 is no secret")
    assert masked[3]["configurable"]["user_id"] == "u"
    assert masked[3]["source"] == "loop"
    assert masker.counts.total() == 9


@pytest.mark.parametrize(("key", "rule"), KEYS.items())
def test_keys_of_known_forms(key: str, rule: str) -> None:
    for text in (key, f"the key {key} is here", f'{{"a": "{key}"}}', f"export X={key}\n", f"({key})"):
        assert f"[masked: {rule}]" in mask(text).text
        assert key not in mask(text).text


@pytest.mark.parametrize(
    "text",
    [
        COMMIT,
        "commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "max_tokens: 4096, total_tokens=153, token: str, tokens > 10",
        "api_key: str | None = None",
        'os.environ["OPENAI_API_KEY"]',
        "OPENAI_API_KEY=$KEY API_KEY=${KEY} TOKEN=<your token>",
        '{"next_page_token": "abcdef", "usage": {"input_tokens": 5}}',
        "https://example.org/a?page_token=abc&b=1",
        "tool_call_id: call_0123456789abcdef",
        "lc_run--01a22980-521d-759d-98a5-eb03205132ab",
        "ask-me-anything-about-this-long-thing",
        "the password is what nobody says",
        "http://localhost:8080/a@b",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "d450bcdc-4a0c-4c4e-9b7f-b7576fc8cb31",
        "toolu_01A09q90qw90lq917835lq9 call_Ab12Cd34Ef56Gh78Ij90Kl12",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg==",
        "session_0123456789abcdef0123456789abcdef",
        "eyJust a word, and eyJ alone",
        "1.2.3.4:8080/path?page=2&sort=key",
    ],
)
def test_what_is_no_secret_is_left(text: str) -> None:
    assert secrets_in(text) == ()
    assert mask(text).text == text


def test_nothing_of_the_demo_is_taken_for_a_secret(reader: Reader) -> None:
    for thread in reader.threads():
        for request in reader.request_ids(thread.thread_id):
            detail = reader.request(request)
            for row in [*detail.messages, *detail.system, *detail.tools]:
                assert Masker().value(reader.value(row.part)) == reader.value(row.part)


def test_a_place_after_a_mask_is_where_it_was() -> None:
    masked = mask(SECRET_TEXT)
    assert [secret.rule for secret in masked.secrets] == list(SECRETS.values())
    for secret in SECRETS:
        assert masked.text[masked.place(SECRET_TEXT.index(secret)) :].startswith("[masked: ")
        assert secret not in masked.text
    at = SECRET_TEXT.index(COMMIT)
    assert masked.text[masked.place(at) :] == COMMIT
    assert masked.place(0) == 0


@given(st.text(max_size=300))
def test_masking_keeps_the_rest_and_does_nothing_twice(text: str) -> None:
    masked = mask(text)
    assert mask(masked.text).text == masked.text
    rest, at = [], 0
    for secret in masked.secrets:
        assert at <= secret.start < secret.end <= len(text)
        rest.append(text[at : secret.start])
        at = secret.end
    rest.append(text[at:])
    assert masked.text.startswith(rest[0])
    assert masked.text.endswith(rest[-1])
    assert all(piece in masked.text for piece in rest)


json_values: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=20,
)


@given(json_values)
def test_values_keep_their_shape(value: Any) -> None:
    def shape(item: Any) -> Any:
        if isinstance(item, dict):
            return {key: shape(inner) for key, inner in item.items()}
        return [shape(inner) for inner in item] if isinstance(item, list) else type(item)

    assert shape(Masker().value(value)) == shape(value)
    assert Masker(on=False).value(value) is value


def test_every_rule_has_hints_that_its_secrets_hold() -> None:
    for rule in RULES:
        assert rule.hints
        assert all(hint == hint.lower() for hint in rule.hints)


# -- texts that were cut --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        *KEYS,
        "https://me:correct-horse@example.org/",
        "https://example.org/?token=abcdefgh",
        '{"password": "correct horse"}',
        "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI",
        "Authorization: Bearer eyJhbGciOi.J9.x",
    ],
)
def test_the_beginning_of_a_secret_at_the_end_of_a_cut_text_is_masked(text: str) -> None:
    whole = secrets_in(text)[0]
    for end in range(min(whole.start + 12, whole.end - 1), whole.end):  # longer than the name of any form
        cut = f"see {text[:end]}"
        found = secrets_in(cut, goes_on=True)
        assert found, cut
        assert found[-1].end == len(cut)
        assert found[-1].start <= 4 + whole.start


@pytest.mark.parametrize(
    "text", ["", "plain words that end", "http://localhost:80", "token", "commit 9f86d081884c7d65"]
)
def test_words_at_the_end_of_a_cut_text_are_left(text: str) -> None:
    assert mask(text, goes_on=True).text == text


def test_a_value_of_several_words_under_a_secrets_name_is_masked_whole() -> None:
    masked = mask('{"password": "correct horse \\"battery\\" staple", "user": "me"}')
    assert masked.text == '{"password": "[masked: named secret]", "user": "me"}'


# -- hostile texts --------------------------------------------------------------------------------------

_HOSTILE = """
from engine.masking import RULES, secrets_in
N = 400_000
between = ("", "-", " ", "a", ".", "/", ":", "=", '"', "?")
for rule in RULES:
    for hint in rule.hints:
        for more in between:
            piece = hint + more
            list(rule.pattern.finditer(piece * (N // len(piece))))
for opening in ("eyJ", "-eyJ", "://", "?a-", "-----BEGIN ", "-----BEGIN PRIVATE KEY-----", "password: ",
                'token": "', "bearer "):
    for filling in ("a", "-", " ", "A", "\\\\", "a-"):
        secrets_in(opening + filling * N)
        secrets_in((opening + filling * 20) * (N // 40))
"""


def test_no_text_makes_the_work_grow_with_its_square() -> None:
    """Quadratic work over these texts would take hours: the limit tells ending from not ending."""
    subprocess.run([sys.executable, "-c", _HOSTILE], check=True, timeout=240)
