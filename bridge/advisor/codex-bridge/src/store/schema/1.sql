-- Times are milliseconds since 1970 in UTC. Ids are hyphenated UUIDs.
-- Bodies (problem, question, outcome) are NULL where the operator keeps none.

CREATE TABLE sessions (
    session_id  TEXT NOT NULL PRIMARY KEY,
    opening     TEXT NOT NULL CHECK (opening IN ('initial', 'final')),
    rounds_used INTEGER NOT NULL DEFAULT 0 CHECK (rounds_used BETWEEN 0 AND 2),
    leased_to   TEXT,             -- the run in flight
    thread_id   TEXT,             -- of the last round answered with advice
    transcript  TEXT CHECK (transcript IN ('saved', 'lost')),
    usage_total TEXT,             -- JSON, cumulative over the thread
    created_at  INTEGER NOT NULL,
    expires_at  INTEGER NOT NULL
) STRICT;

CREATE TABLE runs (
    run_id      TEXT NOT NULL PRIMARY KEY,
    session_id  TEXT NOT NULL REFERENCES sessions (session_id),
    round       INTEGER NOT NULL CHECK (round IN (1, 2)),
    phase       TEXT NOT NULL CHECK (phase IN ('initial', 'final')),
    state       TEXT NOT NULL CHECK (state IN
        ('queued', 'running', 'succeeded', 'failed', 'cancelled', 'interrupted')),
    code        TEXT,
    created_at  INTEGER NOT NULL,
    started_at  INTEGER,          -- NULL: Codex was never reached
    finished_at INTEGER,          -- NULL: in flight
    duration_ms INTEGER,
    end_seq     INTEGER,          -- position of the terminal event, which is made from this row
    problem     TEXT,
    question    TEXT,
    outcome     TEXT
) STRICT;

CREATE INDEX runs_by_session ON runs (session_id, run_id);
CREATE INDEX runs_by_state ON runs (state, run_id);
CREATE INDEX runs_by_code ON runs (code, run_id) WHERE code IS NOT NULL;
CREATE INDEX runs_by_end ON runs (finished_at);

CREATE TABLE idempotency (
    key       TEXT NOT NULL PRIMARY KEY,
    body_hash BLOB NOT NULL,
    run_id    TEXT NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_by_run ON idempotency (run_id);

CREATE TABLE events (
    run_id TEXT NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE,
    seq    INTEGER NOT NULL,
    event  TEXT NOT NULL,
    data   TEXT NOT NULL,
    PRIMARY KEY (run_id, seq)
) STRICT, WITHOUT ROWID;

-- One row that the readiness check rewrites.
CREATE TABLE probe (
    id      INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    written INTEGER NOT NULL
) STRICT;
