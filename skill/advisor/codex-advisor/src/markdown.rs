//! The output for people: the recommendation first, then its reason, then the rest.

use std::fmt::Write as _;

use client::markdown::{indented, list, paragraph, sections};
use contract::advice::{Meta, NO_PLAN, Report};
use contract::failure::{Failure, FailureKind};
use contract::outcome::Outcome;
use contract::run::{RunPage, RunRecord, RunState, RunSummary};

use crate::follow::Pending;
use crate::status::Status;

/// The outcome of a run.
pub(crate) fn outcome(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Advice(report) => advice(report),
        Outcome::Turn(report) => format!("{}\n\n{}\n", report.text().trim(), report.limits_text()),
        Outcome::Failure(failure) => self::failure(failure),
    }
}

fn advice(report: &Report) -> String {
    let Report { advice, meta } = report;
    let recommendation = &advice.recommendation;
    let sure = recommendation.confidence.as_str();
    let mut text = match recommendation.preferred_plan.as_str() {
        NO_PLAN => format!("# No plan is recommended (confidence: {sure})\n\n"),
        plan => format!("# Recommended: {plan} (confidence: {sure})\n\n"),
    };
    paragraph(&mut text, &recommendation.reason);
    sections(&mut text, advice);
    foot(&mut text, meta);
    text
}

fn foot(text: &mut String, meta: &Meta) {
    list(text, "Limits of this answer", meta.limits.iter().cloned());
    let masked: u32 = meta.redactions.iter().map(|each| each.count).sum();
    text.push_str("---\n\n");
    let _ = write!(text, "Round {} in {:.1} s", meta.round, seconds(meta.duration_ms));
    if masked > 0 {
        let noun = if masked == 1 { "secret" } else { "secrets" };
        let _ = write!(text, ", {masked} {noun} masked");
    }
    let _ = writeln!(text, ", run {}.", meta.run_id);
    if meta.rounds_left > 0 {
        let _ = writeln!(
            text,
            "One more round: `codex-advisor ask --phase final --session {}`",
            meta.session_id
        );
    }
}

pub(crate) fn failure(failure: &Failure) -> String {
    let error = &failure.error;
    let advice = match error.kind {
        FailureKind::InputError => "Mend the question and ask again.",
        FailureKind::BridgeFailure => "CODEX_FALLBACK: go on without the advisor.",
        FailureKind::CodexFailure => "No advice is to be had now: go on with your own plan.",
    };
    let kind = error.kind.as_str();
    let mut text = format!("# No advice: {kind} / {}\n\n", error.code.as_str());
    paragraph(&mut text, &error.message);
    let details = error.details.iter().map(|violation| {
        let path = match violation.path.as_str() {
            "" => "as a whole".to_owned(),
            path => format!("`{path}`"),
        };
        let hint = violation.hint.as_deref().map(|hint| format!(" ({hint})")).unwrap_or_default();
        format!("{path}: {}{hint}", violation.message)
    });
    for line in details {
        let _ = writeln!(text, "- {}", indented(&line));
    }
    if !error.details.is_empty() {
        text.push('\n');
    }
    if let Some(summary) = &error.summary {
        text.push_str("Codex said:\n\n");
        for line in summary.lines() {
            let _ = writeln!(text, "> {line}");
        }
        text.push('\n');
    }
    paragraph(&mut text, advice);
    if let Some(meta) = &failure.meta {
        let _ = writeln!(text, "Run {}.", meta.run_id);
    }
    text
}

/// A run that continues.
pub(crate) fn pending(pending: &Pending) -> String {
    format!(
        "# Still {}\n\n{}.\n\n- pick it up: `{}`\n- cancel it: `{}`\n",
        pending.state.as_str(),
        capital(&pending.message),
        pending.pick_up,
        pending.cancel
    )
}

/// The record of a run.
pub(crate) fn record(record: &RunRecord) -> String {
    let mut text = summary(&record.run);
    text.push('\n');
    match record.outcome.as_ref().map(|body| (body, record.ended())) {
        Some((_, Some(outcome))) => text.push_str(&self::outcome(&outcome)),
        Some((body, None)) => {
            let _ = writeln!(text, "```json\n{body:#}\n```");
        }
        None if record.run.state.is_terminal() => text.push_str("Its answer is not kept.\n"),
        None => {
            if let Some(progress) = &record.progress {
                let _ = writeln!(text, "Now: {}\n", progress.words());
            }
            let _ = writeln!(text, "Follow it: `codex-advisor wait {}`", record.run.run_id);
        }
    }
    text
}

/// One line of the history.
pub(crate) fn summary(run: &RunSummary) -> String {
    let mut text = format!("Run {}: {}", run.run_id, run.state.as_str());
    if let Some(code) = run.code.filter(|code| code.as_str() != run.state.as_str()) {
        let _ = write!(text, " ({})", code.as_str());
    }
    let _ = write!(text, ", round {} of session {}", run.round, run.session_id);
    if let Some(duration) = run.duration_ms {
        let _ = write!(text, ", {:.1} s", seconds(duration));
    }
    text.push('\n');
    if let Some(problem) = &run.problem {
        let _ = writeln!(text, "\n> {problem}");
    }
    text
}

/// A page of the history.
pub(crate) fn page(page: &RunPage) -> String {
    if page.runs.is_empty() {
        return "No runs.\n".to_owned();
    }
    let mut text = "| run | state | round | accepted | took | problem |\n".to_owned();
    text.push_str("| --- | --- | --- | --- | --- | --- |\n");
    for run in &page.runs {
        let state = match (run.state, run.code) {
            (RunState::Failed, Some(code)) => format!("failed: {}", code.as_str()),
            (state, _) => state.as_str().to_owned(),
        };
        let took = run.duration_ms.map(|ms| format!("{:.1} s", seconds(ms))).unwrap_or_default();
        let problem = run.problem.as_deref().unwrap_or_default().replace('|', "\\|");
        let (id, round, at) = (run.run_id, run.round, &run.created_at);
        let at = at.get(..19).unwrap_or(at).replace('T', " ");
        let _ = writeln!(text, "| {id} | {state} | {round} | {at} | {took} | {problem} |");
    }
    if let Some(before) = page.next_before {
        let _ = writeln!(text, "\nOlder ones: `codex-advisor runs --before {before}`");
    }
    text
}

/// The location and the condition of the bridge.
pub(crate) fn status(status: &Status) -> String {
    let mut text = format!("# {}\n\n", if status.ready { "Ready" } else { "Not ready" });
    if let Some(problem) = &status.problem {
        paragraph(&mut text, problem);
    }
    let place =
        |place: &crate::status::LookedFor| match (&place.value, &place.origin, &place.message) {
            (Some(value), Some(origin), _) => format!("{value} (from {origin})"),
            (None, Some(origin), _) => format!("found (from {origin})"),
            (.., Some(message)) => format!("not found: {message}"),
            (.., None) => "not found".to_owned(),
        };
    let _ = writeln!(text, "- address: {}", place(&status.address));
    let _ = writeln!(text, "- token: {}", place(&status.token));
    if let Some(folder) = &status.state_dir {
        let _ = writeln!(text, "- state folder: {folder}");
    }
    let daemon = match &status.daemon.version {
        Some(version) if version == status.version => format!("running, version {version}"),
        Some(version) => format!(
            "running, version {version}, and this is {}: restart it, or update the older of the two",
            status.version
        ),
        None => "does not answer".to_owned(),
    };
    let _ = writeln!(text, "- daemon: {daemon}");
    for line in &status.checks {
        let mark = if line.ok { "ok" } else { "MISSING" };
        let hint = line.hint.as_deref().map(|hint| format!("; {hint}")).unwrap_or_default();
        let _ = writeln!(text, "- {}: {mark}, {}{hint}", line.name, line.message);
    }
    text
}

fn capital(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(characters).collect()
}

#[expect(clippy::cast_precision_loss, reason = "tenths of a second are shown")]
fn seconds(milliseconds: u64) -> f64 {
    milliseconds as f64 / 1000.0
}

#[cfg(test)]
mod tests {
    use contract::failure::{FailureCode, Violation};
    use contract::run::RunKind;
    use expect_test::expect;
    use serde_json::Value;

    use super::*;

    #[test]
    fn the_recommendation_comes_first() {
        let example = include_str!("../../../../schemas/examples/valid/report-initial.json");
        let body: Value = serde_json::from_str(example).unwrap();
        let outcome = Outcome::report(RunKind::Analyze, &body).unwrap();
        expect![[r#"
            # Recommended: TransactionalOutbox (confidence: medium)

            Failures become delays.

            ## Trade-offs

            - **complexity**: Some 200 lines that you own.

            ## Assumptions

            - **plausible**: Polling every 200 ms is quick enough - The target is 5 s.

            ## Questions for you

            - Must the events of one order arrive in order?

            ## Alternatives

            ### OutboxWithNotify

            LISTEN/NOTIFY wakes the relay.

            + Short delay
            - Needs the poll as a safety net

            Applicable when: The delay matters.

            ## Follow-ups

            - Benchmark the extra insert

            ## Summary

            Take the outbox.

            ---

            Round 1 in 18.2 s, 1 secret masked, run 0199a213-81c0-7800-8aa1-bbab2a035a51.
            One more round: `codex-advisor ask --phase final --session 0199a213-81c0-7800-8aa1-bbab2a035a52`
        "#]].assert_eq(&self::outcome(&outcome));
    }

    #[test]
    fn a_failure_says_what_to_do() {
        let failure = Failure::new(FailureCode::ContractViolation, "two faults")
            .with_details(vec![
                Violation::new("/problem", "expected a string").with_hint("write a sentence"),
                Violation::new("", "unknown\nlines"),
            ])
            .with_summary("it said\nthis");
        expect![[r#"
            # No advice: input_error / contract_violation

            two faults

            - `/problem`: expected a string (write a sentence)
            - as a whole: unknown
              lines

            Codex said:

            > it said
            > this

            Mend the question and ask again.

        "#]]
        .assert_eq(&self::failure(&failure));
    }
}
