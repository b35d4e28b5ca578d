-- When an event was stored, in milliseconds since 1970; NULL for one of an older version.

ALTER TABLE events ADD COLUMN at INTEGER;
