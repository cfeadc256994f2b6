"""Reading a record: threads, requests, areas, raw and effective, events, files. Never writes."""

from engine.trace.reader import Reader

__all__ = ["Reader"]
