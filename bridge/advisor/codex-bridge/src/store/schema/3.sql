-- The project that asked: an absolute folder; NULL where the caller named none, and in older runs.

ALTER TABLE runs ADD COLUMN workspace TEXT;

CREATE INDEX runs_by_workspace ON runs (workspace, run_id) WHERE workspace IS NOT NULL;
