//! What the user of Claude Code sees of a prompt's report, besides the model's text: masked, without
//! control characters, and without lines that were shown in the previous turn.

use host::environment::Environment;
use orchestration::exit::Exit;
use orchestration::parts::LIMITS_MARK;
use orchestration::settings::{FILE, Show};
use orchestration::{limits, variables};

use super::shown_lines::ShownLines;
use crate::control::show;
use crate::enrich::Enriched;
use crate::question::Question;
use crate::shown;

/// Maximum length of a message, in characters.
const MESSAGE_MAX: usize = 8_000;

/// Lines of `[Limits]` that the user must see even on success: a setting without effect, another
/// policy, or a repository that addresses the model.
const WARNINGS: [&str; 8] = [
    limits::TIER_2_ENV_ONLY,
    limits::WRONG_FILE,
    limits::LEGACY,
    limits::FILTERED,
    "unknown",
    limits::OTHER_VERSION,
    limits::PROJECTS_VARIABLES,
    variables::AUTO_TOOLS,
];
/// Lines that are shown beside the counts: reasons for an incomplete result.
const LESS: [&str; 7] = [
    "tier-2",
    limits::TOOL_TIMEOUT,
    limits::TOOL_UNAVAILABLE,
    limits::BUDGET,
    limits::NO_GIT_ROOT,
    "path refused",
    FILE,
];

/// The message for a prompt of a session, which is recorded.
pub(super) fn tell(
    enriched: &mut Enriched,
    question: &Question,
    environment: &Environment,
) -> String {
    let (show, faults) = show(environment, &question.cwd);
    for fault in faults {
        enriched.report.say(&fault);
    }
    let session_id = question.client.session_id.as_deref();
    let last = ShownLines::read(environment, session_id);
    let message = compose(enriched, show, &last);
    let limits = enriched.report.limits();
    // A prompt without look-ups does not count as a turn here.
    let is_turn = !limits.is_empty() || !enriched.report.plan().is_empty();
    let told = ShownLines::of(limits.lines());
    if is_turn && told != last {
        told.keep(environment, session_id);
    }
    message
}

/// The message without a session.
pub(super) fn once(enriched: &Enriched) -> String {
    compose(enriched, Show::Off, &ShownLines::default())
}

fn compose(enriched: &Enriched, show: Show, last: &ShownLines) -> String {
    let Enriched { report, exit } = enriched;
    let has_plan = !report.plan().is_empty();
    if show == Show::Full && has_plan {
        return shown(&shown::sections(report.as_value()));
    }
    let begins = |line: &str, words: &[&str]| {
        let words_of = line.trim_start_matches(LIMITS_MARK).trim_start();
        words.iter().any(|start| words_of.starts_with(start))
    };
    let is_told = |line: &&str| match (exit, show) {
        (Exit::Done, Show::Off) => begins(line, &WARNINGS),
        (Exit::Done, Show::Line) => begins(line, &WARNINGS) || begins(line, &LESS),
        _ => true,
    };
    let mut lines: Vec<String> = Vec::new();
    let new = report.limits().lines().filter(is_told).filter(|line| !last.has(line));
    lines.extend(new.map(str::to_owned));
    // A repeated failure is shown only by the line of counts.
    let goes_on = *exit != Exit::Done && lines.is_empty();
    if show != Show::Off && (has_plan || goes_on) {
        lines.insert(0, shown::counts(report.as_value()));
    }
    shown(&lines.join("\n"))
}

/// Makes a text safe for a terminal, whatever orchestrator it came from.
fn shown(text: &str) -> String {
    redact::sanitize(text, redact::Cut::chars(MESSAGE_MAX).marked())
}

#[cfg(test)]
mod tests;
