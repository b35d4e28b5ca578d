//! One run in full, and both rounds of one session.

use contract::advice::Meta;
use contract::event::Event;
use contract::failure::{Failure, FailureCode};
use contract::id::{RunId, SessionId};
use contract::input::AdvisorInput;
use contract::orchestrate::{OrchestrateInput, TurnReport};
use contract::outcome::Outcome;
use contract::run::{RunKind, RunRecord};
use jiff::Timestamp;
use window::view::{Asked, Ended, Facts, Moment, Run, Session};

use super::live::progress;
use super::row::{row, shown_kind};
use crate::service::Service;
use crate::store::record::{RunFacts, RunText};
use crate::token::Rights;

/// Collects a run with its events.
///
/// # Errors
/// `not_found`, also if it may not be shown; `store_failed`, `overloaded`.
pub async fn run(service: &Service, id: RunId, rights: Rights) -> Result<Run, Failure> {
    let mut run = without_events(service, id, rights).await?;
    let events = service.stored_events(id).await?;
    let times = service.event_times(id).await?;
    let at_ms = |event: &Event| times.get(&event.seq?).copied();
    run.timeline = events.into_iter().map(|event| Moment { at_ms: at_ms(&event), event }).collect();
    Ok(run)
}

/// Collects a session: its runs without their events.
///
/// # Errors
/// `unknown_session`, also if one of its runs may not be shown; `store_failed`, `overloaded`.
pub async fn session(service: &Service, id: SessionId, rights: Rights) -> Result<Session, Failure> {
    let record = service.session(id, None).await?;
    if record.runs.iter().any(|run| !may_see(rights, run.kind)) {
        let message = format!("no such session: {id}");
        return Err(Failure::new(FailureCode::UnknownSession, message));
    }
    let mut runs = Vec::new();
    for run in &record.runs {
        runs.push(without_events(service, run.run_id, rights).await?);
    }
    Ok(Session {
        session_id: id,
        created_ms: milliseconds(&record.created_at),
        expires_ms: milliseconds(&record.expires_at),
        rounds_left: record.rounds_left,
        runs,
    })
}

/// Checks that a run may be shown, and thus cancelled.
///
/// # Errors
/// `not_found`, also if it may not be shown; `store_failed`.
pub async fn check(service: &Service, id: RunId, rights: Rights) -> Result<(), Failure> {
    seen(service, id, rights).await.map(drop)
}

fn may_see(rights: Rights, kind: RunKind) -> bool {
    shown_kind(rights).is_none_or(|only| only == kind)
}

async fn seen(service: &Service, id: RunId, rights: Rights) -> Result<RunRecord, Failure> {
    let record = service.run(id).await?;
    match may_see(rights, record.run.kind) {
        true => Ok(record),
        false => Err(Failure::new(FailureCode::NotFound, format!("no such run: {id}"))),
    }
}

async fn without_events(service: &Service, id: RunId, rights: Rights) -> Result<Run, Failure> {
    let version = service.changes().borrow().runs;
    // The record includes the outcome even if it could not be stored yet.
    let record = seen(service, id, rights).await?;
    let RunText { row: mut found, question, .. } = service.run_text(id).await?;
    let has_ended = record.run.state.is_terminal();
    let outcome = record.ended();
    found.run = record.run;
    let facts = facts(&found.facts, outcome.as_ref());
    let ended = match outcome {
        None if has_ended => Ended::NotKept,
        None => Ended::Not,
        Some(Outcome::Advice(report)) => Ended::Advice(report),
        Some(Outcome::Turn(report)) => Ended::Turn(report.text().to_owned()),
        Some(Outcome::Failure(failure)) => Ended::Failure(Box::new(failure)),
    };
    Ok(Run {
        asked: asked(found.run.kind, question.as_deref()),
        row: row(found),
        ended,
        progress: progress(&service.going(id)),
        facts,
        timeline: Vec::new(),
        version,
    })
}

/// The question. A text of another version is treated as absent.
fn asked(kind: RunKind, question: Option<&str>) -> Asked {
    let Some(question) = question else { return Asked::NotKept };
    match kind {
        RunKind::Analyze => serde_json::from_str::<AdvisorInput>(question)
            .map_or(Asked::NotKept, |input| Asked::Advice(Box::new(input))),
        RunKind::Orchestrate => serde_json::from_str::<OrchestrateInput>(question)
            .map_or(Asked::NotKept, |input| Asked::Turn(input.prompt)),
    }
}

fn facts(kept: &RunFacts, outcome: Option<&Outcome>) -> Facts {
    let mut facts = Facts {
        driver: kept.driver.clone(),
        attempts: kept.attempts,
        queue_ms: kept.queue_ms,
        first_event_ms: kept.first_event_ms,
        ..Facts::default()
    };
    match outcome {
        Some(Outcome::Advice(report)) => add_meta(&mut facts, &report.meta),
        Some(Outcome::Failure(failure)) => {
            if let Some(meta) = &failure.meta {
                add_meta(&mut facts, meta);
            }
        }
        Some(Outcome::Turn(report)) => add_turn(&mut facts, report),
        None => {}
    }
    facts
}

fn add_meta(facts: &mut Facts, meta: &Meta) {
    facts.codex_version = meta.codex.version.clone();
    facts.thread_id = meta.codex.thread_id.map(|thread| thread.to_string());
    facts.limits = meta.limits.clone();
    facts.redactions = meta.redactions.clone();
}

fn add_turn(facts: &mut Facts, report: &TurnReport) {
    facts.thread_id = report.thread_id().map(|thread| thread.to_string());
    let limits = report.limits_text();
    facts.limits = limits.lines().map(str::to_owned).collect();
}

/// A timestamp of the contract, in milliseconds since 1970.
fn milliseconds(time: &str) -> i64 {
    time.parse::<Timestamp>().map_or(0, Timestamp::as_millisecond)
}
