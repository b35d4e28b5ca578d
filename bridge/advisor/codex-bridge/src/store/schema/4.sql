-- The least schema version that a codex-bridge must know to use this file. A later version that only
-- adds what an older one may leave out keeps the number: going back to the older one keeps the store.

CREATE TABLE compatibility (
    id            INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    least_version INTEGER NOT NULL
) STRICT;

INSERT INTO compatibility (id, least_version) VALUES (1, 4);
