//! `court explain`: shows how the gate judges a call.

use std::path::{Path, PathBuf};

use gate::{Judgement, Level, Outcome, Seen, ToolCall};
use gate_disk::{OnDisk, Session};
use serde_json::{Value, json};

use super::context::CliContext;
use super::output::{Failed, Output};
use crate::config::Verdict;
use crate::fence;
use crate::guard::{LOOK_UPS_MAX, Surroundings};

/// `court explain`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A shell command; with --tool, the tool's input as JSON
    command: String,
    /// Judge a call of this tool instead of a shell command
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// As if the call ran in this folder
    #[arg(long, value_name = "FOLDER")]
    cwd: Option<PathBuf>,
}

/// Judges a call and explains the result. Nothing is run or recorded.
pub(super) fn explain(desk: &CliContext, args: &Args) -> Result<Output, Failed> {
    let name = args.tool.as_deref().unwrap_or("Bash");
    let input: Value = match &args.tool {
        None => json!({"command": args.command}),
        Some(_) => serde_json::from_str(&args.command)
            .map_err(|error| Failed::Input(format!("the tool's input is no JSON: {error}")))?,
    };
    let cwd = args.cwd.as_ref().map_or(desk.here.clone(), |cwd| desk.here.join(cwd));
    Ok(told(desk, name, &input, &cwd))
}

/// The gate's judgement of a call, as text and for programs.
pub(super) fn told(desk: &CliContext, name: &str, input: &Value, cwd: &Path) -> Output {
    let config = &desk.resolved.config;
    let search = desk.environment.text("PATH").unwrap_or_default();
    let disk = OnDisk::new(search, desk.places.answering(), LOOK_UPS_MAX, Session::default);
    let surroundings = Surroundings::of(cwd, &desk.places, config, &disk);
    let call = ToolCall { name, input };
    let judgement = gate::judge(&call, &surroundings.context(), config.policy);
    let allowed = gate::allowed_by(&config.allow, &call, &surroundings.context(), &judgement);
    let verdict = match allowed {
        Some(pattern) => format!("passes: gate.allow has `{pattern}`"),
        None => verdict(&judgement, config.l2),
    };
    let shell = input.get("command").and_then(Value::as_str);
    let text = text(&judgement, &verdict, shell);
    let mut json = as_json(&judgement, &verdict);
    json["allowed_by"] = json!(allowed.map(ToString::to_string));
    Output::done(text, json)
}

fn verdict(judgement: &Judgement, l2: Verdict) -> String {
    match (judgement.level, l2) {
        (Level::L0, _) => "passes in silence",
        (Level::L1, _) => "passes in silence, marked for review",
        (Level::L2, Verdict::Deny) => "denied until it is reviewed",
        (Level::L2, Verdict::Ask) => "the user is asked",
        (Level::L3, _) => "denied",
    }
    .to_owned()
}

fn text(judgement: &Judgement, verdict: &str, shell: Option<&str>) -> String {
    let mut lines = vec![format!("Level {}: {verdict}", judgement.level)];
    if let Outcome::CouldNotJudge { reason } = &judgement.outcome {
        lines.push(format!("Could not judge: {}", fence::sanitize_line(reason, 300)));
    }
    if !judgement.commands.is_empty() {
        lines.push("Commands".to_owned());
    }
    for seen in &judgement.commands {
        let via = match seen.via.is_empty() {
            true => String::new(),
            false => format!("   (through {})", fence::sanitize_line(&seen.via.join(" > "), 200)),
        };
        lines.push(format!("  {}{via}", words(seen)));
    }
    lines.push(if judgement.findings.is_empty() { "No rule applies" } else { "Rules" }.to_owned());
    for finding in &judgement.findings {
        let what = fence::sanitize_line(&finding.what, 200);
        lines.push(format!("  {} {}: {}", finding.level, finding.rule.id, finding.rule.why));
        let place = shell.and_then(|shell| shell.get(finding.span.clone()));
        let place =
            place.map(|text| fence::sanitize_line(text, 120)).filter(|text| !text.is_empty());
        let place = place.map(|text| format!("  at {}: {text}", finding.span.start));
        lines.push(format!("     in `{what}`{}", place.unwrap_or_default()));
    }
    lines.join("\n")
}

/// The words of a command, with `(?)` for those that are only known at run time.
fn words(seen: &Seen) -> String {
    let word = |word: &String| {
        let shown = fence::sanitize_line(&word.replace(Seen::UNKNOWN, "(?)"), 300);
        let plain = |char: char| char.is_alphanumeric() || "-_./=:+,@%(?)".contains(char);
        if !shown.is_empty() && shown.chars().all(plain) { shown } else { format!("'{shown}'") }
    };
    seen.words.iter().map(word).collect::<Vec<_>>().join(" ")
}

fn as_json(judgement: &Judgement, verdict: &str) -> Value {
    let findings: Vec<Value> = judgement
        .findings
        .iter()
        .map(|finding| {
            json!({
                "rule": finding.rule.id, "level": finding.level.to_string(),
                "why": finding.rule.why, "what": finding.what,
                "start": finding.span.start, "end": finding.span.end,
            })
        })
        .collect();
    let commands: Vec<Value> = judgement
        .commands
        .iter()
        .map(|seen| {
            let words: Vec<String> =
                seen.words.iter().map(|word| word.replace(Seen::UNKNOWN, "(?)")).collect();
            json!({"words": words, "via": seen.via})
        })
        .collect();
    let outcome = match &judgement.outcome {
        Outcome::Judged => json!("judged"),
        Outcome::CouldNotJudge { reason } => json!({"could_not_judge": reason}),
    };
    json!({
        "level": judgement.level.to_string(), "verdict": verdict, "outcome": outcome,
        "findings": findings, "commands": commands,
    })
}
