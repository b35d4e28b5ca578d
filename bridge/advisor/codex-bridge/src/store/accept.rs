//! Accepts a new run in one transaction: checks its idempotency key and the session rules, and takes
//! the lease.

use contract::advice::Advice;
use contract::id::{RunId, SessionId};
use contract::input::{AdvisorInput, Phase};
use contract::key::IdempotencyKey;
use contract::run::headline;
use contract::workspace::Workspace;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::codes;
use super::error::StoreError;
use super::record::{Accept, NewRun, PreviousRound, RunLease, Thread};
use super::writer::Writer;
use crate::request::Request;
use crate::session::{self, Refusal, Round, SessionFacts};

/// Accepts the new run, or returns the refusal. A refusal writes nothing.
///
/// The idempotency rule comes first: a repeated request gets its run whatever the state of the session
/// now.
pub(super) fn accept(writer: &Writer, new: &NewRun) -> Result<Accept, StoreError> {
    let connection = &writer.connection;
    if let Some(key) = &new.key
        && let Some(known) = replay(connection, key, &new.body_hash)?
    {
        return Ok(known);
    }
    let phase = new.request.phase();
    let seat = match new.request.session_id() {
        None => open_session(writer, phase)?,
        Some(session_id) => match continue_session(writer, session_id, phase)? {
            Ok(seat) => seat,
            Err(refusal) => return Ok(Accept::Refused(refusal)),
        },
    };
    insert_run(writer, new, &seat)?;
    Ok(Accept::New(RunLease {
        run_id: new.run_id,
        session_id: seat.session_id,
        round: seat.round,
        previous: seat.previous.map(Box::new),
    }))
}

/// Checks the idempotency key: returns its run, or `None` if the key is new.
pub(super) fn replay(
    connection: &Connection,
    key: &IdempotencyKey,
    body_hash: &[u8; 32],
) -> Result<Option<Accept>, StoreError> {
    let known: Option<(RunId, [u8; 32])> = connection
        .prepare_cached("SELECT run_id, body_hash FROM idempotency WHERE key = ?1")?
        .query_row([key.as_str()], |row| Ok((codes::column(row, 0, codes::word)?, row.get(1)?)))
        .optional()?;
    Ok(known.map(|(run_id, hash)| {
        if hash == *body_hash {
            Accept::Replayed(run_id)
        } else {
            Accept::Refused(Refusal::IdempotencyConflict { run_id })
        }
    }))
}

/// The round of a run within a session.
struct Seat {
    session_id: SessionId,
    round: Round,
    previous: Option<PreviousRound>,
}

fn open_session(writer: &Writer, phase: Phase) -> Result<Seat, StoreError> {
    let session_id = SessionId::generate();
    let now = writer.now_ms();
    let ttl = i64::try_from(writer.settings.session_ttl.as_millis()).unwrap_or(i64::MAX);
    let latest = jiff::Timestamp::MAX.as_millisecond();
    writer
        .connection
        .prepare_cached(
            "INSERT INTO sessions (session_id, opening, created_at, expires_at)
             VALUES (?1, ?2, ?3, ?4)",
        )?
        .execute(params![
            session_id.to_string(),
            phase.as_str(),
            now,
            now.saturating_add(ttl).min(latest),
        ])?;
    Ok(Seat { session_id, round: session::open(phase), previous: None })
}

fn continue_session(
    writer: &Writer,
    session_id: SessionId,
    phase: Phase,
) -> Result<Result<Seat, Refusal>, StoreError> {
    let found = writer
        .connection
        .prepare_cached(
            "SELECT opening, rounds_used, leased_to, expires_at, thread_id, transcript, usage_total,
             last_turn FROM sessions WHERE session_id = ?1",
        )?
        .query_row([session_id.to_string()], |row| {
            let facts = SessionFacts {
                opening: codes::column(row, 0, codes::word)?,
                rounds_used: row.get(1)?,
                leased_to: codes::optional_column(row, 2, codes::word)?,
                expires_at: codes::time(row, 3)?,
            };
            Ok((facts, thread(row)?))
        })
        .optional()?;
    let Some((facts, thread)) = found else { return Ok(Err(Refusal::UnknownSession)) };
    let round = match session::continue_with(&facts, phase, writer.clock.now()) {
        Ok(round) => round,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let previous = match round.number {
        1 => None,
        _ => Some(previous_round(&writer.connection, session_id, round, thread)?),
    };
    Ok(Ok(Seat { session_id, round, previous }))
}

fn thread(row: &rusqlite::Row<'_>) -> rusqlite::Result<Option<Thread>> {
    let id = codes::optional_column(row, 4, codes::word)?;
    let transcript = codes::optional_column(row, 5, codes::transcript)?;
    let usage_total = codes::optional_column(row, 6, |text| serde_json::from_str(text).ok())?;
    let last_turn = codes::optional_column(row, 7, codes::word)?;
    let thread = |(id, transcript)| Thread { id, transcript, usage_total, last_turn };
    Ok(id.zip(transcript).map(thread))
}

fn previous_round(
    connection: &Connection,
    session_id: SessionId,
    round: Round,
    thread: Option<Thread>,
) -> Result<PreviousRound, StoreError> {
    let session_id = session_id.to_string();
    let failed_tries = connection
        .prepare_cached(
            "SELECT count(*) FROM runs
             WHERE session_id = ?1 AND round = ?2 AND started_at IS NOT NULL",
        )?
        .query_row(params![session_id, round.number], |row| row.get(0))?;
    let bodies = connection
        .prepare_cached(
            "SELECT question, outcome FROM runs
             WHERE session_id = ?1 AND round = ?2 AND state = 'succeeded'",
        )?
        .query_row(params![session_id, round.number - 1], |row| {
            Ok((row.get::<_, Option<String>>(0)?, row.get::<_, Option<String>>(1)?))
        })
        .optional()?;
    let (question, outcome) = bodies.unwrap_or_default();
    Ok(PreviousRound {
        thread,
        failed_tries,
        // A body of an older version that cannot be parsed is treated as absent.
        question: question.and_then(|text| serde_json::from_str::<AdvisorInput>(&text).ok()),
        advice: outcome.and_then(|text| advice_of(&text)),
    })
}

/// The advice in a report, without the bridge's own fields.
fn advice_of(report: &str) -> Option<Advice> {
    let mut report: serde_json::Value = serde_json::from_str(report).ok()?;
    report.as_object_mut()?.remove("meta");
    serde_json::from_value(report).ok()
}

fn insert_run(writer: &Writer, new: &NewRun, seat: &Seat) -> Result<(), StoreError> {
    let run_id = new.run_id.to_string();
    let session_id = seat.session_id.to_string();
    let kept = writer.settings.bodies.then_some(&new.request);
    let request = kept.map(Request::to_json);
    writer
        .connection
        .prepare_cached(
            "INSERT INTO runs
             (run_id, session_id, kind, round, phase, state, created_at, problem, question,
              workspace)
             VALUES (?1, ?2, ?3, ?4, ?5, 'queued', ?6, ?7, ?8, ?9)",
        )?
        .execute(params![
            run_id,
            session_id,
            new.request.kind().as_str(),
            seat.round.number,
            new.request.phase().as_str(),
            writer.now_ms(),
            kept.map(|request| headline(request.headline())),
            request,
            new.workspace.as_ref().map(Workspace::as_str),
        ])?;
    if let Some(key) = &new.key {
        writer
            .connection
            .prepare_cached("INSERT INTO idempotency (key, body_hash, run_id) VALUES (?1, ?2, ?3)")?
            .execute(params![key.as_str(), new.body_hash, run_id])?;
    }
    writer
        .connection
        .prepare_cached("UPDATE sessions SET leased_to = ?2 WHERE session_id = ?1")?
        .execute(params![session_id, run_id])?;
    Ok(())
}
