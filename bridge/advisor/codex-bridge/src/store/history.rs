//! Read queries of the HTTP interface: runs, pages of runs, sessions, event logs.

use contract::event::Event;
use contract::failure::FailureCode;
use contract::id::{RunId, SessionId};
use contract::run::{RunPage, RunRecord, RunSummary, SessionRecord};
use contract::workspace::Workspace;
use rusqlite::types::Value as SqlValue;
use rusqlite::{OptionalExtension as _, Row, params, params_from_iter};

use super::codes;
use super::error::StoreError;
use super::record::{Ending, EventPage, EventRest};
use super::writer::Writer;
use crate::request::RunFilter;
use crate::session::SessionFacts;

/// Default page size.
const PAGE_DEFAULT: u16 = 50;
/// Maximum page size.
const PAGE_MAX: u16 = 200;

/// Start of a query whose rows [`read_summary`] reads.
pub(super) const SUMMARY: &str = "SELECT run_id, session_id, round, phase, state, code, created_at, \
                       finished_at, duration_ms, problem, kind, workspace";

fn summary(writer: &Writer, row: &Row<'_>) -> rusqlite::Result<RunSummary> {
    let mut summary = read_summary(row)?;
    writer.deferred.borrow().complete(&mut summary);
    Ok(summary)
}

/// Reads a run's summary from a row.
pub(super) fn read_summary(row: &Row<'_>) -> rusqlite::Result<RunSummary> {
    let finished: Option<i64> = row.get(7)?;
    Ok(RunSummary {
        run_id: codes::column(row, 0, codes::word)?,
        session_id: codes::column(row, 1, codes::word)?,
        kind: codes::column(row, 10, codes::word)?,
        workspace: row.get::<_, Option<String>>(11)?.map(Workspace::from_stored),
        round: row.get(2)?,
        phase: codes::column(row, 3, codes::word)?,
        state: codes::column(row, 4, codes::word)?,
        code: codes::optional_column(row, 5, codes::word)?,
        created_at: codes::time_as_text(row, 6)?,
        finished_at: finished.map(|_| codes::time_as_text(row, 7)).transpose()?,
        duration_ms: row.get(8)?,
        problem: row.get(9)?,
    })
}

/// One run in full.
pub(super) fn run(writer: &Writer, run_id: RunId) -> Result<Option<RunRecord>, StoreError> {
    let found = writer
        .connection
        .prepare_cached(&format!("{SUMMARY}, outcome FROM runs WHERE run_id = ?1"))?
        .query_row([run_id.to_string()], |row| {
            let outcome = codes::optional_column(row, 12, |text| serde_json::from_str(text).ok())?;
            Ok(RunRecord { run: summary(writer, row)?, progress: None, outcome })
        })
        .optional()?;
    Ok(found.map(|mut record| {
        if let Some(end) = writer.deferred.borrow().get(run_id)
            && writer.settings.bodies
        {
            record.outcome = Some(end.finish.outcome.clone());
        }
        record
    }))
}

/// A page of the history, newest first.
pub(super) fn runs(writer: &Writer, filter: &RunFilter) -> Result<RunPage, StoreError> {
    let limit = filter.limit.unwrap_or(PAGE_DEFAULT).clamp(1, PAGE_MAX);
    let conditions = [
        ("state = ?", filter.state.map(|state| state.as_str().to_owned())),
        ("code = ?", filter.code.map(|code| code.as_str().to_owned())),
        ("session_id = ?", filter.session_id.map(|id| id.to_string())),
        ("run_id < ?", filter.before.map(|id| id.to_string())),
        ("kind = ?", filter.kind.map(|kind| kind.as_str().to_owned())),
        ("workspace = ?", filter.workspace.as_ref().map(|each| each.as_str().to_owned())),
    ];
    let (clauses, mut values): (Vec<&str>, Vec<SqlValue>) = conditions
        .into_iter()
        .filter_map(|(clause, value)| Some((clause, SqlValue::Text(value?))))
        .unzip();
    let filtered = match clauses.is_empty() {
        true => String::new(),
        false => format!("WHERE {}", clauses.join(" AND ")),
    };
    // One more row than requested tells whether there is a next page.
    values.push(SqlValue::Integer(i64::from(limit) + 1));
    let mut statement = writer
        .connection
        .prepare_cached(&format!("{SUMMARY} FROM runs {filtered} ORDER BY run_id DESC LIMIT ?"))?;
    let mut runs = statement
        .query_map(params_from_iter(values), |row| summary(writer, row))?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    let more = runs.len() > usize::from(limit);
    runs.truncate(usize::from(limit));
    let next_before = if more { runs.last().map(|run| run.run_id) } else { None };
    Ok(RunPage { runs, next_before })
}

/// One session with its runs, oldest first.
pub(super) fn session(
    writer: &Writer,
    session_id: SessionId,
) -> Result<Option<SessionRecord>, StoreError> {
    let id = session_id.to_string();
    let found = writer
        .connection
        .prepare_cached(
            "SELECT opening, rounds_used, thread_id, created_at, expires_at
             FROM sessions WHERE session_id = ?1",
        )?
        .query_row([&id], |row| {
            let expires_at = codes::time(row, 4)?;
            let facts = SessionFacts {
                opening: codes::column(row, 0, codes::word)?,
                rounds_used: row.get(1)?,
                leased_to: None,
                expires_at,
            };
            Ok(SessionRecord {
                session_id,
                rounds_used: facts.rounds_used,
                rounds_left: facts.rounds_left(),
                thread_id: codes::optional_column(row, 2, codes::word)?,
                created_at: codes::time_as_text(row, 3)?,
                expires_at: codes::time_as_text(row, 4)?,
                runs: Vec::new(),
            })
        })
        .optional()?;
    let Some(mut session) = found else { return Ok(None) };
    let mut statement = writer
        .connection
        .prepare_cached(&format!("{SUMMARY} FROM runs WHERE session_id = ?1 ORDER BY run_id"))?;
    let runs = statement.query_map([&id], |row| summary(writer, row))?;
    session.runs = runs.collect::<rusqlite::Result<_>>()?;
    Ok(Some(session))
}

/// The events after `after`: at most `limit` of them, then the terminal event.
///
/// The terminal event is derived from the run's row, so an ended run has one even if other events were lost.
pub(super) fn events_after(
    writer: &Writer,
    run_id: RunId,
    after: u64,
    limit: u16,
) -> Result<EventPage, StoreError> {
    // The number comes from the caller; SQLite's integers are signed.
    let after = after.min(i64::MAX.cast_unsigned());
    let mut statement = writer.connection.prepare_cached(
        "SELECT seq, event, data FROM events WHERE run_id = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3",
    )?;
    let mut events = statement
        .query_map(params![run_id.to_string(), after, limit], |row| {
            Ok(Event {
                seq: Some(row.get(0)?),
                name: codes::column(row, 1, codes::word)?,
                data: codes::column(row, 2, |text| serde_json::from_str(text).ok())?,
            })
        })?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    if events.len() == usize::from(limit) {
        return Ok(EventPage { events, rest: EventRest::More });
    }
    let Some(end) = terminal_event(writer, run_id)? else {
        return Ok(EventPage { events, rest: EventRest::Open });
    };
    if end.seq > Some(after) {
        events.push(end);
    }
    Ok(EventPage { events, rest: EventRest::Ended })
}

/// The terminal event of an ended run; its data is the outcome, or null if bodies are not stored.
fn terminal_event(writer: &Writer, run_id: RunId) -> Result<Option<Event>, StoreError> {
    let found: Option<(Option<FailureCode>, Option<u64>)> = writer
        .connection
        .prepare_cached("SELECT code, end_seq FROM runs WHERE run_id = ?1")?
        .query_row([run_id.to_string()], |row| {
            Ok((codes::optional_column(row, 0, codes::word)?, row.get(1)?))
        })
        .optional()?;
    let Some((code, end_seq)) = found else { return Err(StoreError::UnknownRun { run_id }) };
    let deferred = writer.deferred.borrow().get(run_id).cloned();
    let (ending, seq) = match (deferred, end_seq) {
        (Some(end), _) => (end.finish.ending, Some(end.end_seq)),
        (None, seq) => (code.map_or(Ending::Advice, Ending::Failure), seq),
    };
    let Some(seq) = seq else { return Ok(None) };
    let outcome = run(writer, run_id)?.and_then(|record| record.outcome);
    Ok(Some(Event {
        seq: Some(seq),
        name: ending.event(),
        data: outcome.unwrap_or(serde_json::Value::Null),
    }))
}
