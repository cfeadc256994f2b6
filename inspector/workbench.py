"""What the workbench of memory and skills asks the engine, each as one function for a job.

No Qt. Most of these import deepagents when they are first called, which takes seconds: never call one on
the GUI thread.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from engine.importing import late
from engine.workbench import (
    Applied,
    BlastRadius,
    DeletionPlan,
    DeletionProof,
    DryComparison,
    Edits,
    FileVersion,
    Finding,
    Merge,
)
from inspector.drafts import Drafts, Slot

SKILL_FILE = "/SKILL.md"
MARKER = "<<<<<<< yours"


@dataclass(frozen=True, slots=True)
class Preview:
    """What the model would get of a text that is being edited."""

    section: str
    """Of this file alone: its place in the memory block, or its lines in the menu of skills."""
    whole: str
    """The whole block with the engine's own words; the same as ``section`` for a skill."""
    tokens: int
    whole_tokens: int
    removed: int
    """Characters that are not sent: comments, white space at the end."""
    findings: tuple[Finding, ...]
    verdict: str
    """A sentence: what comes of it."""


def is_skill(path: str) -> bool:
    """Whether a file is a SKILL.md."""
    return path.endswith(SKILL_FILE)


def preview(
    path: str, make: Callable[[], str], others: Sequence[tuple[str, str | None]], window: int | None, share: float
) -> Preview:
    """What the model would get of the text that ``make`` gives; ``others`` are all sources in order.

    A file that costs more than this ``share`` of the ``window`` is too long; without a window none is.
    """
    text = make()
    return _skill_preview(path, text) if is_skill(path) else _memory_preview(path, text, others, window, share)


def _memory_preview(
    path: str, text: str, others: Sequence[tuple[str, str | None]], window: int | None, share: float
) -> Preview:
    from engine import findings_in, sent_memory

    sources = [other for other, _ in others]
    if path not in sources:
        sources.append(path)
    contents = {other: said for other, said in others if said is not None and other != path}
    contents[path] = text
    sent = sent_memory(contents, sources)
    body = sent.sections.get(path, "")
    removed = sent.removed.get(path, 0)
    verdict = "Nothing of this file is sent." if not body else ""
    if body and removed:
        verdict = f"{removed:,} characters are not sent: comments, and white space at the end."
    section = f"{path}\n\n{body}" if body else ""
    found = tuple(findings_in(path, text, window, share))
    return Preview(section, sent.block, sent.section_tokens.get(path, 0), sent.tokens, removed, found, verdict)


def _skill_preview(path: str, text: str) -> Preview:
    from engine import check_skill
    from engine.memory.sent import tokens_of

    check = check_skill(path, text.encode("utf-8", "surrogatepass"))
    menu = check.menu or ""
    reason = check.reason
    verdict = "Listed to the model." if check.listed else "Not listed to the model."
    if reason is not None:
        line = f" (line {reason.line})" if reason.line else ""
        verdict = f"Not listed to the model{line}: {reason.sentence}"
    return Preview(menu, menu, tokens_of(menu), tokens_of(text), 0, check.findings, verdict)


def versions(workspace: Path, path: str, thread_id: str = "") -> list[FileVersion]:
    """Every text that the file has had, the latest first."""
    from engine.memory.versions import file_versions
    from engine.trace.book import Book

    with closing(Book(workspace)) as book:
        return file_versions(book, path, thread_id or None)


def version_text(workspace: Path, id: int) -> str:
    """The text of one version; what is not UTF-8 is shown with marks."""
    from engine.memory.versions import version_bytes
    from engine.trace.book import Book

    with closing(Book(workspace)) as book:
        return version_bytes(book, id).decode("utf-8", "replace")


def restore(workspace: Path, id: int, base_version: str) -> str:
    """Save a version again over the one that was seen; gives the new version."""
    from engine import restore_version

    return restore_version(workspace, id, base_version).version


def merge(base: str, mine: Callable[[], str], theirs: str) -> Merge:
    """Bring two edits of one text together."""
    from engine import merge_texts

    return merge_texts(base, mine(), theirs)


def refuse_undecided(base: str, text: str) -> None:
    """Raise ``UsageError`` for a text in which a merge left something to decide."""
    if MARKER in text and MARKER not in base:
        from engine.memory.merge import refuse_markers

        refuse_markers(text)


def apply_memory(workspace: Path, thread_id: str, paths: Sequence[str]) -> Applied:
    """Write the files as they stand into the thread's state."""
    from engine import apply_memory as apply

    return apply(workspace, thread_id, list(paths))


def apply_skills(workspace: Path, thread_id: str) -> Applied:
    """Write the menu of skills as it stands into the thread's state."""
    from engine import apply_skills as apply

    return apply(workspace, thread_id)


@dataclass(frozen=True, slots=True)
class LastApplied:
    """What was last written into a thread's state and not taken back since."""

    event: int
    at: float
    changed: tuple[str, ...]


def last_applied(workspace: Path, thread_id: str, what: str) -> LastApplied | None:
    """The last time that ``memory`` or ``skills`` were applied to a thread, unless it was taken back."""
    from engine import Reader

    with closing(Reader(workspace)) as reader:
        events = [event for event in reader.events(thread_id) if event.kind == f"{what} applied"]
    standing: dict[str, LastApplied] = {}
    for event in events:
        if event.data.get("undoes"):
            standing.pop(event.data["undoes"], None)
        else:
            made = LastApplied(event.id, event.at, tuple(event.data.get("changed") or ()))
            standing[event.data["checkpoint_id"]] = made
    return next(reversed(standing.values()), None)


def undo_apply(workspace: Path, event: int) -> Applied:
    """Take back what was applied."""
    from engine import undo_apply as undo

    return undo(workspace, event)


def reach(workspace: Path, path: str, thread_id: str) -> BlastRadius:
    """Whom an edit of a file concerns."""
    from engine import blast_radius

    return blast_radius(workspace, path, thread_id or None)


def next_requests(workspace: Path, thread_id: str, path: str, make: Callable[[], str], applied: bool) -> DryComparison:
    """The thread's next request before and after an edit; no model is called, nothing is written."""
    from engine import compare_requests, next_request

    edits = Edits(files={path: make().encode("utf-8")}, apply=applied)
    return compare_requests(next_request(workspace, thread_id), next_request(workspace, thread_id, edits=edits))


@dataclass(frozen=True, slots=True)
class OpenedPrompt:
    """A thread's system prompt made ready to try another one."""

    own: str
    typed: str | None
    """What was tried and not finished, as the editor shows it; None without any."""
    slot: Slot


def prompt_name(thread_id: str) -> str:
    """Under which a prompt that is tried is kept on disk."""
    return f"system prompt of {thread_id}"


def open_prompt(workspace: Path, thread_id: str, drafts: Drafts) -> OpenedPrompt:
    """The prompt of the thread's agent, and what was tried last."""
    own = late("engine.dryrun.prompt").own_prompt(workspace, thread_id)
    slot, draft, _more = drafts.adopt(workspace, prompt_name(thread_id))
    return OpenedPrompt(own, draft.text if draft is not None else None, slot)


def next_requests_with_prompt(workspace: Path, thread_id: str, prompt: str) -> DryComparison:
    """The thread's next request as it stands, and with another system prompt; no model is called."""
    from engine import compare_requests, next_request

    edits = Edits(system_prompt=prompt)
    return compare_requests(next_request(workspace, thread_id), next_request(workspace, thread_id, edits=edits))


def sent_now(path: str, text: str) -> str:
    """What a file would send."""
    from engine.memory.sent import sent_text

    return sent_text(path, text)


def stored_version(workspace: Path, path: str, thread_id: str) -> str:
    """Version of a file as it stands; empty where there is none."""
    from engine import read_memory

    return read_memory(workspace, path, thread_id).version


def revert_edit(workspace: Path, path: str, request: int, tool_call_id: str | None, base_version: str) -> bool:
    """Take one edit of an agent's out of a file; False where the file that it made is deleted by that.

    Raises ``EditConflict`` over another version; with a ``merge`` where later edits changed the same lines.
    """
    from engine import revert_edit as revert

    return revert(workspace, request, tool_call_id, path, base_version) is not None


def delete_file(workspace: Path, path: str, thread_id: str, base_version: str) -> None:
    """Delete a memory or skill file; its texts stay as versions. Raises ``EditConflict`` over another version."""
    from engine import delete_memory

    delete_memory(workspace, path, base_version, thread_id or None)


def new_skill(workspace: Path, name: str, description: str) -> str:
    """Create a skill from the template; gives its path."""
    from engine import new_skill as template
    from engine import save_memory

    path, text = template(name, description)
    save_memory(workspace, path, text, "", "from the template")
    return path


def deletion_plan(workspace: Path, thread_id: str) -> DeletionPlan:
    """What deleting everything about a thread would take with it."""
    from engine import plan_deletion

    return plan_deletion(workspace, thread_id)


def namespaces(workspace: Path) -> list[str]:
    """Namespaces of the store that can be deleted."""
    found: list[str] = late("engine.governance").namespaces(workspace)
    return found


def namespace_plan(workspace: Path, namespace: str, with_threads: bool) -> DeletionPlan:
    """What deleting everything in a namespace would take with it; the threads that hold copies too, where wanted."""
    from engine import plan_deletion

    return plan_deletion(workspace, namespace=namespace, with_threads=with_threads)


def delete(workspace: Path, plan: DeletionPlan) -> DeletionProof:
    """Delete what was planned, and make sure of it."""
    from engine import delete_for_good

    return delete_for_good(workspace, plan)
