-- What a run cost and how it went, for the pages: kept also where bodies are not. NULL where it is not
-- known, and in runs of an older codex-bridge. Tokens are those of the run; times are milliseconds from
-- its acceptance.

ALTER TABLE runs ADD COLUMN input_tokens INTEGER;
ALTER TABLE runs ADD COLUMN cached_input_tokens INTEGER;
ALTER TABLE runs ADD COLUMN output_tokens INTEGER;
ALTER TABLE runs ADD COLUMN reasoning_output_tokens INTEGER;
ALTER TABLE runs ADD COLUMN model TEXT;
ALTER TABLE runs ADD COLUMN driver TEXT;
ALTER TABLE runs ADD COLUMN attempts INTEGER;
ALTER TABLE runs ADD COLUMN queue_ms INTEGER;
ALTER TABLE runs ADD COLUMN first_event_ms INTEGER;

-- Runs that ended before have most of it in their outcome. Types are looked at: this file may have been
-- written by others, and a value of a wrong type would stop the migration.
UPDATE runs SET
    input_tokens = CASE json_type(outcome, '$.meta.usage.input_tokens')
        WHEN 'integer' THEN json_extract(outcome, '$.meta.usage.input_tokens') END,
    cached_input_tokens = CASE json_type(outcome, '$.meta.usage.cached_input_tokens')
        WHEN 'integer' THEN json_extract(outcome, '$.meta.usage.cached_input_tokens') END,
    output_tokens = CASE json_type(outcome, '$.meta.usage.output_tokens')
        WHEN 'integer' THEN json_extract(outcome, '$.meta.usage.output_tokens') END,
    reasoning_output_tokens = CASE json_type(outcome, '$.meta.usage.reasoning_output_tokens')
        WHEN 'integer' THEN json_extract(outcome, '$.meta.usage.reasoning_output_tokens') END,
    model = CASE json_type(outcome, '$.meta.codex.model')
        WHEN 'text' THEN json_extract(outcome, '$.meta.codex.model') END,
    driver = CASE WHEN json_extract(outcome, '$.meta.attempts') > 0 THEN 'exec' END,
    attempts = CASE json_type(outcome, '$.meta.attempts')
        WHEN 'integer' THEN json_extract(outcome, '$.meta.attempts') END,
    queue_ms = CASE json_type(outcome, '$.meta.queue_ms')
        WHEN 'integer' THEN json_extract(outcome, '$.meta.queue_ms') END
WHERE outcome IS NOT NULL AND json_valid(outcome);

-- Holds all that lists and sums need, so that no text of a run is read for them.
CREATE INDEX runs_by_creation ON runs (created_at, run_id, kind, state, code, model, duration_ms,
    queue_ms, first_event_ms, input_tokens, cached_input_tokens, output_tokens,
    reasoning_output_tokens);
