"""The ledger of a thread: what its model received, what was put away, and what it costs to have that back.

Counted from the record through a reader's public methods, so it works for any source of threads.
"""

from engine.ledger.count import ledger_of
from engine.ledger.table import artifacts_csv, requests_csv

__all__ = ["artifacts_csv", "ledger_of", "requests_csv"]
