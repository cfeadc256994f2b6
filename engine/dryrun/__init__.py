"""Requests without a model: the exact next one of a thread, what an edit would change in it, a recorded one again.

Imports deepagents, so importing it takes seconds the first time.
"""

from engine.dryrun.compare import compare_requests
from engine.dryrun.run import NEXT_MESSAGE, next_request, request_again

__all__ = ["NEXT_MESSAGE", "compare_requests", "next_request", "request_again"]
