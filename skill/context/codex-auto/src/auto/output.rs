//! Prints answers to standard output and everything else to standard error. A closed pipe is not a
//! failure: the exit code still has the result.

use std::io::{self, IsTerminal as _};

use crate::shown::{counts, sections};
use client::exit::Exit;
use contract::advice::Usage;
use contract::failure::Failure;
use contract::orchestrate::{Orchestration, TurnReport};
use host::streams::{note, note_dim, print, print_json};

/// The format of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// The report as JSON.
    Json,
    /// The text, and the whole context found for it.
    Open,
    /// The text, and one line about the context.
    Folded,
}

/// Prints an answer. `said` is the last message that was already shown.
pub(super) fn answer(form: Form, report: &TurnReport, said: Option<&str>) -> Exit {
    match form {
        Form::Json => print_json(&format!("{:#}", report.body())),
        Form::Open | Form::Folded => {
            let text = report.text().trim_end();
            let is_shown = said.is_some_and(|said| said.trim() == text.trim());
            // A person who reads both streams has seen it already; a file or a pipe has not.
            if !(is_shown && io::stdout().is_terminal() && io::stderr().is_terminal()) {
                print(text);
            }
            let opened = match form {
                Form::Open => sections(report.body()),
                _ if report.is_degraded() => report.limits_text().to_owned(),
                _ => String::new(),
            };
            if !opened.is_empty() {
                note(&opened);
            }
            note_dim(&folded(report));
        }
    }
    Exit::Done
}

/// Prints the prompt that Codex would get.
pub(super) fn plan(form: Form, report: &Orchestration, prompt: &str) -> Exit {
    match form {
        Form::Json => print_json(&format!("{:#}", report.body())),
        Form::Open | Form::Folded => {
            print(&fence::before_prompt(report.additional_context(), prompt));
            note(&sections(report.body()));
        }
    }
    Exit::Done
}

/// Prints a failure; the exit code tells who has to act.
pub(super) fn failure(form: Form, failure: &Failure) -> Exit {
    match form {
        Form::Json => {
            let body = serde_json::to_value(failure).unwrap_or_default();
            print(&format!("{body:#}"));
        }
        Form::Open | Form::Folded => note(&told(failure)),
    }
    Exit::of_failure(failure)
}

/// A failure as text.
pub(super) fn told(failure: &Failure) -> String {
    let error = &failure.error;
    let mut text = format!("{}: {}", error.code.as_str(), error.message);
    for detail in &error.details {
        let place = if detail.path.is_empty() { "" } else { &format!("{}: ", detail.path) };
        text.push_str(&format!("\n  {place}{}", detail.message));
        if let Some(hint) = &detail.hint {
            text.push_str(&format!("; {hint}"));
        }
    }
    if let Some(summary) = &error.summary {
        text.push_str(&format!("\n  codex said: {summary}"));
    }
    text
}

/// The context and the cost of the turn in one line.
fn folded(report: &TurnReport) -> String {
    let mut line = counts(report.body());
    if let Some(usage) = report.usage() {
        line.push_str(&format!(" · {}", tokens(usage)));
    }
    line
}

/// Tokens as text.
pub(super) fn tokens(usage: Usage) -> String {
    format!(
        "{} tokens in ({} cached), {} out",
        grouped(usage.input_tokens),
        grouped(usage.cached_input_tokens),
        grouped(usage.output_tokens)
    )
}

/// A number with thousands separators.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn example(name: &str) -> Value {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../schemas/examples/valid/");
        let text = std::fs::read_to_string(format!("{folder}{name}.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn a_report_folds_into_one_line_and_opens_into_its_sections() {
        let report = TurnReport::read(example("orchestrator-report-answered")).unwrap();
        expect_test::expect![
            "[Auto Tools] 1 · [Results] 1 · [Limits] 1 · 2,310 tokens in (1,024 cached), 85 out"
        ]
        .assert_eq(&folded(&report));
        let opened = sections(report.body());
        let starts: Vec<_> = opened.lines().map(|line| line.split(' ').next().unwrap()).collect();
        assert_eq!(starts, ["[Auto", "[Results]", "[Limits]"], "{opened}");
        assert!(opened.contains("src/login.rs:12-40 `login`"), "{opened}");
        expect_test::expect![[r#"
            [Auto Tools] none: nothing was looked up for this prompt
            [Limits] orchestrator unavailable"#]]
        .assert_eq(&sections(&example("orchestrator-report-empty")));
    }

    #[test]
    fn numbers_are_grouped() {
        for (number, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(number), text);
        }
    }
}
