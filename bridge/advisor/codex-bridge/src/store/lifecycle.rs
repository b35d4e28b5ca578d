//! Writes to a run after its acceptance: start, events, end.

use contract::event::Event;
use contract::id::{RunId, SessionId};
use rusqlite::{OptionalExtension as _, params};
use serde_json::Value;

use super::codes;
use super::error::StoreError;
use super::record::{Ending, Finish, LastEvents};
use super::writer::Writer;

/// Marks the run as started.
pub(super) fn start(writer: &Writer, run_id: RunId) -> Result<(), StoreError> {
    in_flight(writer, run_id)?;
    writer
        .connection
        .prepare_cached(
            "UPDATE runs SET state = 'running', started_at = max(created_at, ?2) WHERE run_id = ?1",
        )?
        .execute(params![run_id.to_string(), writer.now_ms()])?;
    Ok(())
}

/// Ends the run and releases its session.
pub(super) fn finish(
    writer: &Writer,
    run_id: RunId,
    finish: &Finish,
    last: &LastEvents,
) -> Result<(), StoreError> {
    let session_id = in_flight(writer, run_id)?;
    append(writer, run_id, &last.events)?;
    let end_seq = match last.end_seq {
        Some(seq) => seq,
        None => first_free_seq(writer, run_id)?,
    };
    let outcome = writer.settings.bodies.then(|| finish.outcome.to_string());
    let facts = &finish.facts;
    let usage = facts.usage;
    writer
        .connection
        .prepare_cached(
            "UPDATE runs SET state = ?2, code = ?3, finished_at = max(created_at, ?4),
             duration_ms = ?5, end_seq = ?6, outcome = ?7, input_tokens = ?8,
             cached_input_tokens = ?9, output_tokens = ?10, reasoning_output_tokens = ?11,
             model = ?12, driver = ?13, attempts = ?14, queue_ms = ?15, first_event_ms = ?16
             WHERE run_id = ?1",
        )?
        .execute(params![
            run_id.to_string(),
            finish.ending.state().as_str(),
            finish.ending.code().map(|code| code.as_str()),
            writer.now_ms(),
            i64::try_from(finish.duration.as_millis()).unwrap_or(i64::MAX),
            end_seq,
            outcome,
            usage.map(|usage| usage.input_tokens),
            usage.map(|usage| usage.cached_input_tokens),
            usage.map(|usage| usage.output_tokens),
            usage.map(|usage| usage.reasoning_output_tokens),
            facts.model,
            facts.driver,
            facts.attempts,
            facts.queue_ms,
            facts.first_event_ms,
        ])?;
    settle_session(writer, session_id, finish)
}

/// Releases the session; advice uses up the round and makes its thread the session's.
///
/// The thread of a failed run is not stored. But if it is the session's own thread, its tokens are updated,
/// because later totals include them.
fn settle_session(
    writer: &Writer,
    session_id: SessionId,
    finish: &Finish,
) -> Result<(), StoreError> {
    let session_id = session_id.to_string();
    let thread_id = finish.thread.map(|thread| thread.id.to_string());
    let usage = finish
        .thread
        .and_then(|thread| thread.usage_total)
        .map(|usage| serde_json::to_string(&usage).expect("four numbers have a JSON form"));
    let connection = &writer.connection;
    match finish.ending {
        Ending::Advice => connection
            .prepare_cached(
                "UPDATE sessions SET leased_to = NULL, rounds_used = rounds_used + 1,
                 thread_id = ?2, transcript = ?3, usage_total = ?4, last_turn = ?5
                 WHERE session_id = ?1",
            )?
            .execute(params![
                session_id,
                thread_id,
                finish.thread.map(|thread| codes::transcript_word(thread.transcript)),
                usage,
                finish.thread.and_then(|thread| thread.last_turn).map(|turn| turn.to_string()),
            ])?,
        Ending::Failure(_) => connection
            .prepare_cached(
                "UPDATE sessions SET leased_to = NULL,
                 usage_total = iif(thread_id = ?2, coalesce(?3, usage_total), usage_total)
                 WHERE session_id = ?1",
            )?
            .execute(params![session_id, thread_id, usage])?,
    };
    Ok(())
}

/// Adds events to the run's log. Events that exist already are left unchanged.
pub(super) fn append(writer: &Writer, run_id: RunId, events: &[Event]) -> Result<(), StoreError> {
    let run_id = run_id.to_string();
    let mut insert = writer.connection.prepare_cached(
        "INSERT OR IGNORE INTO events (run_id, seq, event, data, at) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    let now_ms = writer.now_ms();
    for event in events {
        let data = match writer.settings.bodies {
            true => event.data.to_string(),
            false => wordless(&event.data).to_string(),
        };
        insert.execute(params![run_id, event.seq, event.name.as_str(), data, now_ms])?;
    }
    Ok(())
}

/// The keys of an event's data that contain text of a prompt or an answer.
const WORDS: [&str; 2] = ["text", "subject"];

/// An event's data as stored when texts are not stored.
fn wordless(data: &Value) -> Value {
    let mut data = data.clone();
    if let Some(members) = data.as_object_mut() {
        members.retain(|key, _| !WORDS.contains(&key.as_str()));
    }
    data
}

/// The position after the last stored event.
pub(super) fn first_free_seq(writer: &Writer, run_id: RunId) -> Result<u64, StoreError> {
    Ok(writer
        .connection
        .prepare_cached("SELECT coalesce(max(seq), 0) + 1 FROM events WHERE run_id = ?1")?
        .query_row([run_id.to_string()], |row| row.get(0))?)
}

/// The session of a run that has not ended.
fn in_flight(writer: &Writer, run_id: RunId) -> Result<SessionId, StoreError> {
    let found: Option<(SessionId, Option<i64>)> = writer
        .connection
        .prepare_cached("SELECT session_id, finished_at FROM runs WHERE run_id = ?1")?
        .query_row([run_id.to_string()], |row| {
            Ok((codes::column(row, 0, codes::word)?, row.get(1)?))
        })
        .optional()?;
    match found {
        None => Err(StoreError::UnknownRun { run_id }),
        Some((_, Some(_))) => Err(StoreError::AlreadyEnded { run_id }),
        Some((session_id, None)) => Ok(session_id),
    }
}
