"""The tables of a workspace, their version and their migrations.

One SQLite file holds LangGraph's own tables (``checkpoints``, ``writes``, ``store``), made
by LangGraph's classes, and ours, made here. The file's ``user_version`` is the number of
migrations it has had; ``application_id`` says that it is ours.
"""

from __future__ import annotations

import sqlite3
from typing import Any

try:
    if __name__ != "engine.schema":
        raise ImportError("in a program that is recorded, by a private name, it isn't worth its 0.3 s")
    from sqlite_utils import Database
    from sqlite_utils.migrations import Migrations
except ImportError:
    from engine.migrations import Database, Migrations  # type: ignore[assignment]

from engine import file_history
from engine.workspace import APPLICATION_ID, VERSION

migrations = Migrations("context_inspector")


@migrations()
def m001_record(db: Any) -> None:
    """The record: parts by content, lists as chains, a row a request, events, runs, threads."""
    statements = """
        CREATE TABLE threads (
            id INTEGER PRIMARY KEY, thread_id TEXT NOT NULL UNIQUE, title TEXT NOT NULL, agent TEXT,
            created_at REAL NOT NULL, updated_at REAL NOT NULL, settings TEXT);
        CREATE TABLE runs (
            id INTEGER PRIMARY KEY, token TEXT NOT NULL UNIQUE, thread INTEGER NOT NULL REFERENCES threads(id),
            started_at REAL NOT NULL, ended_at REAL, status TEXT NOT NULL, error TEXT, pid INTEGER);
        CREATE INDEX runs_thread ON runs(thread);
        CREATE TABLE parts (
            id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, kind TEXT NOT NULL, packed INTEGER NOT NULL,
            chars INTEGER NOT NULL, tokens INTEGER NOT NULL, body BLOB NOT NULL);
        CREATE TABLE chain (
            id INTEGER PRIMARY KEY, parent INTEGER NOT NULL, part INTEGER NOT NULL REFERENCES parts(id),
            depth INTEGER NOT NULL, UNIQUE(parent, part));
        CREATE TABLE requests (
            id INTEGER PRIMARY KEY, token TEXT NOT NULL UNIQUE, thread INTEGER NOT NULL REFERENCES threads(id),
            run INTEGER REFERENCES runs(id), number INTEGER NOT NULL, purpose TEXT NOT NULL, agent TEXT,
            lane TEXT NOT NULL, checkpoint_ns TEXT NOT NULL, step INTEGER, checkpoint_id TEXT,
            parent INTEGER REFERENCES requests(id), parent_call TEXT, depth INTEGER NOT NULL,
            model TEXT, window INTEGER, trigger_at INTEGER, exact INTEGER NOT NULL,
            system_node INTEGER, tools_node INTEGER, messages_node INTEGER, raw_node INTEGER, cutoff INTEGER,
            params_part INTEGER, origin_part INTEGER, response_part INTEGER,
            messages INTEGER NOT NULL, raw_messages INTEGER, chars INTEGER NOT NULL, tokens INTEGER NOT NULL,
            sizes TEXT NOT NULL, input_tokens INTEGER, output_tokens INTEGER, cache_read INTEGER,
            cache_creation INTEGER, started_at REAL NOT NULL, ended_at REAL, status TEXT NOT NULL, error TEXT,
            calls TEXT);
        CREATE UNIQUE INDEX requests_number ON requests(thread, number);
        CREATE INDEX requests_lane ON requests(thread, lane, number);
        CREATE TABLE events (
            id INTEGER PRIMARY KEY, thread INTEGER NOT NULL REFERENCES threads(id),
            request INTEGER REFERENCES requests(id), lane TEXT NOT NULL, kind TEXT NOT NULL, at REAL NOT NULL,
            data TEXT NOT NULL);
        CREATE INDEX events_thread ON events(thread, kind, lane);
        CREATE INDEX events_request ON events(request);
        CREATE TABLE snapshots (
            thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL, checkpoint_id TEXT NOT NULL,
            channel TEXT NOT NULL, PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, channel)) WITHOUT ROWID;
    """
    for statement in statements.split(";"):
        if statement.strip():
            db.conn.execute(statement)


@migrations()
def m002_wire(db: Any) -> None:
    """What went over the wire: a row an attempt. Its body is a shell with a chain for each of its long lists."""
    db.conn.execute("""
        CREATE TABLE wire (
            id INTEGER PRIMARY KEY, request INTEGER NOT NULL REFERENCES requests(id), number INTEGER NOT NULL,
            started_at REAL NOT NULL, ended_at REAL, method TEXT NOT NULL, host TEXT NOT NULL, path TEXT NOT NULL,
            streamed INTEGER NOT NULL, status INTEGER, error TEXT, bytes INTEGER,
            shell_part INTEGER REFERENCES parts(id), nodes TEXT NOT NULL, facts TEXT NOT NULL, answer TEXT,
            UNIQUE(request, number))""")
    db.conn.execute(
        "CREATE TRIGGER wire_of_requests AFTER DELETE ON requests BEGIN DELETE FROM wire WHERE request = old.id; END"
    )


@migrations()
def m003_notes(db: Any) -> None:
    """Notes, marks and baselines of the reader; they go with what they stand on."""
    statements = """
        CREATE TABLE notes (
            id INTEGER PRIMARY KEY, token TEXT NOT NULL UNIQUE, thread INTEGER NOT NULL REFERENCES threads(id),
            request INTEGER REFERENCES requests(id), kind TEXT NOT NULL, text TEXT NOT NULL,
            version INTEGER NOT NULL, created_at REAL NOT NULL, updated_at REAL NOT NULL);
        CREATE INDEX notes_thread ON notes(thread);
        CREATE INDEX notes_request ON notes(request);
    """
    for statement in statements.split(";"):
        if statement.strip():
            db.conn.execute(statement)
    for table, column in (("threads", "thread"), ("requests", "request")):
        db.conn.execute(
            f"CREATE TRIGGER notes_of_{table} AFTER DELETE ON {table} "
            f"BEGIN DELETE FROM notes WHERE {column} = old.id; END"
        )


@migrations()
def m004_file_versions(db: Any) -> None:
    """Every text of memory and skill files, kept by triggers; what saves had kept in the store moves there."""
    db.conn.execute(file_history.TABLE)
    db.conn.execute(file_history.INDEX)
    if db.conn.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'store'").fetchone():
        file_history.adopt(db.conn)
        file_history.install(db.conn)


@migrations()
def m005_deletions(db: Any) -> None:
    """What was deleted for good: how much and when, never what; a writer that sees a new row forgets ids it knew."""
    db.conn.execute(
        "CREATE TABLE deletions (id INTEGER PRIMARY KEY AUTOINCREMENT, at REAL NOT NULL, kind TEXT NOT NULL, "
        "rows INTEGER NOT NULL, bytes INTEGER NOT NULL)"
    )


@migrations()
def m006_agents(db: Any) -> None:
    """Settings of agents, and which agent a thread goes on with, whether or not anything of it is recorded yet."""
    statements = """
        CREATE TABLE agents (
            id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, settings TEXT NOT NULL,
            version INTEGER NOT NULL, created_at REAL NOT NULL, updated_at REAL NOT NULL);
        CREATE TABLE thread_agents (
            thread_id TEXT PRIMARY KEY, agent INTEGER NOT NULL REFERENCES agents(id)) WITHOUT ROWID;
        CREATE INDEX thread_agents_agent ON thread_agents(agent);
    """
    for statement in statements.split(";"):
        if statement.strip():
            db.conn.execute(statement)


@migrations()
def m007_run_settings(db: Any) -> None:
    """The settings that a run had, each once a thread; ``threads.settings`` are those of its last run."""
    db.conn.execute(
        "CREATE TABLE run_settings (id INTEGER PRIMARY KEY, thread INTEGER NOT NULL REFERENCES threads(id), "
        "digest BLOB NOT NULL, body TEXT NOT NULL, UNIQUE(thread, digest))"
    )
    db.conn.execute("ALTER TABLE runs ADD COLUMN settings INTEGER REFERENCES run_settings(id)")


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a file of ours, or an empty one, to ``VERSION``; each migration whole or not at all."""
    migrations.apply(Database(connection))
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.commit()
