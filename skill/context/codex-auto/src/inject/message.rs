//! What the person at Claude Code sees of a prompt's report, beside what the model gets: masked, without
//! control characters, and without what was told in the last turn.

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

/// The longest message, in characters: what a terminal shows of it is read, if at all, in part.
const MESSAGE_MAX: usize = 8_000;

/// Lines of `[Limits]` that a person must see although all went well: a setting without effect, another
/// policy, or a repository that speaks to the model.
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
/// Lines that stand beside the numbers: why the answer is less than it could be.
const LESS: [&str; 7] = [
    "tier-2",
    limits::TOOL_TIMEOUT,
    limits::TOOL_UNAVAILABLE,
    limits::BUDGET,
    limits::NO_GIT_ROOT,
    "path refused",
    FILE,
];

/// The message for a prompt of a session, which is remembered.
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
    // A prompt that nothing was looked up for is no turn in this count.
    let is_turn = !limits.is_empty() || !enriched.report.plan().is_empty();
    let told = ShownLines::of(limits.lines());
    if is_turn && told != last {
        told.keep(environment, session_id);
    }
    message
}

/// The message where there is no session to remember it for.
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
    // A failure that goes on is told by its number alone.
    let goes_on = *exit != Exit::Done && lines.is_empty();
    if show != Show::Off && (has_plan || goes_on) {
        lines.insert(0, shown::counts(report.as_value()));
    }
    shown(&lines.join("\n"))
}

/// Fit for a terminal, whichever orchestrator it came from.
fn shown(text: &str) -> String {
    redact::sanitize(text, redact::Cut::chars(MESSAGE_MAX).marked())
}

#[cfg(test)]
mod tests;
