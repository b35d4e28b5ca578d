-- The last completed turn of a session's thread; NULL where Codex did not name it.

ALTER TABLE sessions ADD COLUMN last_turn TEXT;
