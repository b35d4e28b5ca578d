//! What a call of an agent would do, whatever the agent calls its tools, and what that is worth where it is no
//! command of a shell. Not here: the names of a host's tools (see `tools`).

use crate::context::Context;
use crate::judgement::{Extent, Finding, Judgement, Source, Target};
use crate::path::{self, Zone, absolute, is_secret, within};
use crate::rules::{Rule, tools as rules};

/// One thing that an agent would do. Paths may be relative to the call's working folder, or begin with `~/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action<'a> {
    /// A shell executes a command.
    Shell {
        /// The command, as bash reads it.
        command: String,
    },
    /// A file is read, or the files of a folder.
    Read {
        /// Which; empty where the call does not say.
        path: &'a str,
    },
    /// A file is made, changed or replaced.
    Write {
        /// Which.
        path: &'a str,
    },
    /// An address is fetched from a network.
    Fetch {
        /// Which.
        url: &'a str,
    },
    /// A network is searched.
    Search {
        /// What for.
        query: &'a str,
    },
    /// Work is handed to another agent, whose calls are judged by themselves.
    Delegate {
        /// To which kind of agent.
        agent: &'a str,
    },
    /// A tool of an MCP server is called.
    Mcp {
        /// The tool's name, alone or behind its server's: `mcp__server__tool`.
        name: &'a str,
    },
    /// Anything else.
    Other {
        /// What a finding names: the tool, or what it is given.
        name: &'a str,
        /// What it does.
        effect: Effect,
        /// A command that it is given. It counts as executed by a shell.
        command: Option<String>,
    },
}

/// What a tool does that neither reads nor writes a file, nor executes a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing outside of the conversation: lists, questions, plans.
    Nothing,
    /// A skill is loaded.
    Skill,
    /// A message goes to another agent.
    Message,
    /// Many steps run on their own.
    Workflow,
    /// Something runs later.
    Schedule,
    /// A background process is managed.
    Process,
    /// Not known.
    Unknown,
}

/// What an action would do, beside the command that it is given.
pub(crate) fn judge(action: &Action<'_>, context: &Context<'_>) -> Judgement {
    let (rule, what) = match *action {
        Action::Shell { .. } => (None, ""),
        Action::Read { path } => (reads(path, context), path),
        Action::Write { path } => (Some(write(path, context)), path),
        Action::Fetch { url } => (Some(fetch(url)), url),
        Action::Search { query } => (Some(&rules::FETCH), query),
        Action::Delegate { agent } => (Some(&rules::DELEGATE), agent),
        Action::Mcp { name } => (Some(mcp(name)), name),
        Action::Other { name, effect, .. } => (effect.rule(), name),
    };
    let finding = rule.map(|rule| {
        let what = what.chars().take(200).collect();
        Finding { rule, level: rule.level, what, span: 0..0 }
    });
    let mut judgement = Judgement::new(finding.into_iter().collect(), Vec::new());
    if let Action::Write { path } = *action {
        let path = real(path, context);
        judgement.writes.push(Target { path, extent: Extent::File, source: Source::Local });
    }
    judgement
}

impl Effect {
    fn rule(self) -> Option<&'static Rule> {
        Some(match self {
            Self::Nothing => return None,
            Self::Skill => &rules::SKILL,
            Self::Message => &rules::MESSAGE,
            Self::Workflow => &rules::WORKFLOW,
            Self::Schedule => &rules::SCHEDULE,
            Self::Process => &rules::PROCESS,
            Self::Unknown => &rules::UNKNOWN,
        })
    }
}

fn reads(file: &str, context: &Context<'_>) -> Option<&'static Rule> {
    let secret = !file.is_empty() && is_secret(&real(file, context), context.home);
    secret.then_some(&rules::READ_SECRET)
}

fn fetch(url: &str) -> &'static Rule {
    if carries_away(url) { &rules::FETCH_SECRET } else { &rules::FETCH }
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
    match path::zone_of(&real, context.cwd, context) {
        Zone::Persistence => &rules::WRITE_WIRING,
        Zone::InProject | Zone::Project if is_secret(&real, context.home) => &rules::WRITE_SECRET,
        Zone::InProject | Zone::Project | Zone::Scratch | Zone::Nowhere => &rules::WRITE,
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

/// By the words of the tool's name, which stands behind the last `__`.
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
    if has(READING) && !has(ACTING) { &rules::MCP_READ } else { &rules::MCP }
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
