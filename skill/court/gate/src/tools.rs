//! The client's tools other than the shell: by name, path and address.

use serde_json::Value;

use crate::call::ToolCall;
use crate::context::Context;
use crate::judgement::{Extent, Finding, Judgement, Source, Target};
use crate::level::Level;
use crate::path::{self, Place, absolute, is_secret, within};
use crate::rules::{Rule, tools as rules};

/// Tools that only read: the client's lists, questions and plans too.
const READ: &[&str] = &[
    "Read",
    "Glob",
    "Grep",
    "LS",
    "NotebookRead",
    "TodoRead",
    "TodoWrite",
    "TaskList",
    "TaskGet",
    "TaskOutput",
    "BashOutput",
    "AskUserQuestion",
    "EnterPlanMode",
    "ExitPlanMode",
    "ListMcpResourcesTool",
    "ToolSearch",
    "CronList",
    "LSP",
    "SendUserMessage",
    "StructuredOutput",
    "TaskCreate",
    "TaskUpdate",
    "ReportFindings",
];
const WRITE: &[&str] = &["Write", "Edit", "MultiEdit", "NotebookEdit"];
const DELEGATE: &[&str] = &["Agent", "Task"];
const PROCESS: &[&str] = &["KillShell", "KillBash", "TaskStop", "EnterWorktree", "ExitWorktree"];
/// Names of shell tools, in lower case and without what is no letter.
const SHELL: &[&str] = &[
    "bash",
    "bashtool",
    "monitor",
    "sh",
    "shell",
    "shelltool",
    "shellcommand",
    "localshell",
    "terminal",
    "runcommand",
    "runshellcommand",
    "runterminalcmd",
    "executecommand",
    "execcommand",
    "exec",
    "zsh",
    "cmd",
    "powershell",
    "pwsh",
    "powershelltool",
];

/// Fields in which a command is given.
const COMMANDS: &[&str] = &[
    "command",
    "cmd",
    "script",
    "commands",
    "argv",
    "shell_command",
    "commandLine",
    "command_line",
];

fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphabetic).collect::<String>().to_ascii_lowercase()
}

pub(crate) fn is_shell(name: &str) -> bool {
    name.len() < 64 && SHELL.contains(&plain(name).as_str())
}

/// Whether a tool does nothing but execute a command.
pub(crate) fn runs_commands(name: &str) -> bool {
    is_shell(name) && plain(name) != "monitor"
}

/// The command that a call gives to a shell; none where it has none. What is no text, and no list of texts, is an
/// error.
pub(crate) fn command(call: &ToolCall<'_>) -> Result<Option<String>, &'static str> {
    let Some(given) = COMMANDS.iter().find_map(|field| call.input.get(field)) else {
        return Ok(None);
    };
    let text = match given {
        Value::String(text) => text.clone(),
        Value::Array(words) => {
            let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
            let words = words.ok_or("the command is a list of what is no text")?;
            // One command's words, or a list of commands: both count.
            let one: Vec<String> = words.iter().map(|word| quoted(word)).collect();
            let several = words.iter().filter(|word| word.contains(' ')).copied();
            std::iter::once(one.join(" ").as_str()).chain(several).collect::<Vec<_>>().join("\n")
        }
        _ => return Err("the command is no text"),
    };
    let program = plain(call.name);
    Ok(Some(match program.as_str() {
        "powershell" | "pwsh" | "powershelltool" => format!("pwsh -Command {}", quoted(&text)),
        "cmd" => format!("cmd /c {}", quoted(&text)),
        _ => text,
    }))
}

/// A word as the shell takes it literally.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// What a tool that is no shell would do.
pub(crate) fn judge(call: &ToolCall<'_>, context: &Context<'_>) -> Judgement {
    let mut findings = Vec::new();
    let mut writes = Vec::new();
    let mut add = |rule: &'static Rule, what: &str| {
        let what: String = what.chars().take(200).collect();
        findings.push(Finding { rule, level: rule.level, what, span: 0..0 });
    };
    let name = call.name;
    let file = ["file_path", "notebook_path", "path"]
        .into_iter()
        .map(|field| call.text(field))
        .find(|text| !text.is_empty())
        .unwrap_or_default();
    if name == "Read" || name == "NotebookRead" || name == "Grep" {
        let real = real(file, context);
        if !file.is_empty() && is_secret(&real, context.home) {
            add(&rules::READ_SECRET, file);
        }
    } else if READ.contains(&name) {
    } else if WRITE.contains(&name) {
        add(write(file, context), file);
        let path = real(file, context);
        writes.push(Target { path, extent: Extent::File, source: Source::Local });
    } else if DELEGATE.contains(&name) {
        add(&rules::DELEGATE, call.text("subagent_type"));
    } else if name == "WebFetch" || name == "WebSearch" {
        let url = call.text("url");
        add(if carries_away(url) { &rules::FETCH_SECRET } else { &rules::FETCH }, url);
    } else if name == "Skill" || name == "SlashCommand" {
        add(&rules::SKILL, call.text("skill"));
    } else if name == "SendMessage" || name == "TeamCreate" || name == "TeamDelete" {
        add(&rules::MESSAGE, name);
    } else if name == "Workflow" || name == "RemoteTrigger" {
        add(&rules::WORKFLOW, name);
    } else if name.starts_with("Cron") || name == "ScheduleWakeup" {
        add(&rules::SCHEDULE, name);
    } else if PROCESS.contains(&name) {
        add(&rules::PROCESS, name);
    } else if name.starts_with("mcp__") || name == "ReadMcpResourceTool" {
        add(mcp(name), name);
    } else {
        add(&rules::UNKNOWN, name);
    }
    let mut judgement = Judgement::new(findings, Vec::new());
    judgement.writes = writes;
    judgement
}

fn real(file: &str, context: &Context<'_>) -> String {
    let plain = absolute(
        &file.replacen('~', context.home, usize::from(file.starts_with("~/"))),
        context.cwd,
    );
    context.disk.resolve(&plain).unwrap_or(plain)
}

fn write(file: &str, context: &Context<'_>) -> &'static Rule {
    let real = real(file, context);
    let court = format!("{}/.court", context.project.trim_end_matches('/'));
    let historian = format!("{}/.claude/historian", context.project.trim_end_matches('/'));
    if within(&real, &court) || within(&real, &historian) {
        return &rules::WRITE_COURT;
    }
    if let Some(place) = path::other_name(&real, context) {
        let is_record = path::is_record(&place, context);
        return if is_record { &rules::WRITE_COURT } else { &rules::WRITE_WIRING };
    }
    match path::place(&real, context.cwd, context) {
        Place::Wiring => &rules::WRITE_WIRING,
        Place::InProject | Place::Project if is_secret(&real, context.home) => &rules::WRITE_SECRET,
        Place::InProject | Place::Project | Place::Scratch | Place::Nowhere => &rules::WRITE,
        _ => &rules::WRITE_OUTSIDE,
    }
}

/// Words of a tool's name that say it only reads.
const READING: &[&str] = &[
    "get",
    "list",
    "read",
    "search",
    "find",
    "query",
    "fetch",
    "show",
    "describe",
    "view",
    "lookup",
    "count",
    "status",
    "resolve",
    "explain",
    "check",
    "consult",
    "inspect",
    "browse",
    "analyze",
    "analyse",
    "review",
    "summarize",
    "validate",
    "compare",
    "preview",
    "info",
    "help",
];
const ACTING: &[&str] = &[
    "create", "update", "delete", "remove", "write", "send", "post", "execute", "exec", "run",
    "set", "put", "push", "merge", "close", "move", "drop", "insert", "deploy", "publish", "click",
    "type", "fill", "upload", "start", "stop", "kill", "add", "edit", "apply", "invoke", "eval",
    "evaluate",
];

/// `mcp__server__tool`: by the words of the tool's name.
fn mcp(name: &str) -> &'static Rule {
    let tool = name.rsplit("__").next().unwrap_or(name);
    let mut words = Vec::new();
    let mut word = String::new();
    for character in tool.chars() {
        if character.is_ascii_uppercase() || !character.is_ascii_alphanumeric() {
            words.push(std::mem::take(&mut word));
        }
        if character.is_ascii_alphanumeric() {
            word.push(character.to_ascii_lowercase());
        }
    }
    words.push(word);
    let has = |table: &[&str]| words.iter().any(|word| table.contains(&word.as_str()));
    let reads = (has(READING) && !has(ACTING)) || name == "ReadMcpResourceTool";
    if reads { &rules::MCP_READ } else { &rules::MCP }
}

/// Addresses that carry a secret, or reach into a private network.
fn carries_away(url: &str) -> bool {
    let lower = url.to_ascii_lowercase();
    let host = lower
        .split_once("://")
        .map_or(lower.as_str(), |(_, rest)| rest)
        .split(['/', ':', '?'])
        .next()
        .unwrap_or_default();
    let private = host.starts_with("169.254.")
        || host.starts_with("10.")
        || host.starts_with("192.168.")
        || host == "metadata.google.internal"
        || host.contains('@');
    let telling = ["token=", "password=", "secret=", "api_key=", "apikey=", "key=sk-"]
        .iter()
        .any(|word| lower.contains(word));
    private || telling || url.len() > 2000 || lower.starts_with("file:")
}

/// The level of the strict policy's table, by the tool's name alone.
pub(crate) fn strict_level(name: &str) -> Level {
    let network = ["WebFetch", "WebSearch", "RemoteTrigger"];
    if is_shell(name) || name.starts_with("mcp__") || network.contains(&name) {
        Level::L2
    } else if READ.contains(&name) {
        Level::L0
    } else {
        Level::L1
    }
}

/// Whether a text of the input has one of the sensitive words of the strict policy.
pub(crate) fn is_sensitive(input: &Value) -> bool {
    const WORDS: &[&str] = &[".env", "secret", "password", "credentials", "api_key"];
    // A list of what is still to be looked at: no recursion into hostile nesting.
    let mut waiting = vec![input];
    while let Some(value) = waiting.pop() {
        match value {
            Value::String(text) => {
                let lower = text.to_ascii_lowercase();
                if WORDS.iter().any(|word| lower.contains(word)) {
                    return true;
                }
            }
            Value::Array(values) => waiting.extend(values),
            Value::Object(fields) => waiting.extend(fields.values()),
            _ => {}
        }
    }
    false
}
