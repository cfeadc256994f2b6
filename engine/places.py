"""Where an agent's files lie in a workspace, and how long they live there."""

from __future__ import annotations

MEMORIES = "/memories/"
SKILLS = "/skills/"
ROUTES = {MEMORIES: "memories", SKILLS: "skills"}
"""Prefix of a virtual path → namespace in the store. The prefix is not part of the key there."""

RESULTS = "/large_tool_results/"
HISTORY = "/conversation_history/"

THREAD_STATE = "thread state"
STORE = "store"
LIFETIMES = {
    THREAD_STATE: "as long as this thread; no other thread sees it",
    STORE: "across threads, until it is deleted",
}


def in_store(path: str) -> tuple[str, str] | None:
    """Namespace and key of a path in the store; None for a file of the thread."""
    for prefix, namespace in ROUTES.items():
        if path.startswith(prefix):
            return namespace, path[len(prefix) - 1 :]
    return None


def path_in(namespace: str, key: str) -> str:
    """The path of a key in the store, as the agent sees it; the other way of :func:`in_store`."""
    prefix = next((prefix for prefix, known in ROUTES.items() if known == namespace), f"/{namespace}/")
    return prefix.rstrip("/") + key
