-- What a run was asked for. An orchestrated turn is the one round of a session of its own.
-- `question` holds the request of either kind, `problem` the first line of the problem or prompt.

ALTER TABLE runs ADD COLUMN kind TEXT NOT NULL DEFAULT 'analyze'
    CHECK (kind IN ('analyze', 'orchestrate'));
