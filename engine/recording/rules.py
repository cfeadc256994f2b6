"""The thresholds by which an agent's own middlewares put context away, as they stand when it is put together.

Read from deepagents' and LangChain's middlewares (a contract test holds the names); what a middleware of
another make goes by is not known and not guessed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

_CHARS_A_TOKEN = 4  # as FilesystemMiddleware counts


def rules_of(middlewares: Iterable[Any]) -> dict[str, Any]:
    """Limits by rule; a rule that is off is None, one whose middleware isn't there is left out.

    ``offloads`` and ``summarizes`` name the middlewares that go by them. ``offload_results`` and
    ``offload_messages`` are characters, ``offload_media`` is whether media become references. ``summarize`` is
    a list of clauses (``tokens``, ``messages``, ``fraction``), any of which suffices; ``keep`` and the trigger
    and keep of ``cut_arguments`` are pairs of a unit and a number. ``deepagents`` is the release.
    """
    rules: dict[str, Any] = {"deepagents": getattr(sys.modules.get("deepagents"), "__version__", None)}
    for item in middlewares:
        if hasattr(item, "_tool_token_limit_before_evict"):
            rules["offloads"] = item.name
            rules["offload_results"] = _chars(item._tool_token_limit_before_evict)
            rules["offload_messages"] = _chars(getattr(item, "_human_message_token_limit_before_evict", None))
            rules["offload_media"] = bool(getattr(item, "_offload_binary_content", False))
        elif hasattr(item, "_lc_helper"):
            rules["summarizes"], helper = item.name, item._lc_helper
            rules["summarize"] = [dict(clause) for clause in getattr(helper, "_trigger_clauses", None) or ()]
            rules["keep"] = _pair(getattr(helper, "keep", None))
            trigger = _pair(getattr(item, "_truncate_args_trigger", None))
            rules["cut_arguments"] = trigger and {
                "trigger": trigger,
                "keep": _pair(getattr(item, "_truncate_args_keep", None)),
                "longest": getattr(item, "_max_arg_length", None),
                "text": getattr(item, "_truncation_text", None),
            }
    return rules


def _chars(tokens: Any) -> int | None:
    return tokens * _CHARS_A_TOKEN if isinstance(tokens, int) and tokens else None


def _pair(value: Any) -> list[Any] | None:
    return list(value) if isinstance(value, (tuple, list)) and len(value) == 2 else None
