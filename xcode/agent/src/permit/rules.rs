//! The rules of a configuration: `permissions.allow`, `ask` and `deny`. Not here: their sources, and their
//! precedence (see `verdict`).

mod command;
mod fault;
mod path;

use std::fmt;
use std::path::{Path, PathBuf};

pub use fault::{RuleFault, RuleList};

use self::command::Words;
use self::fault::Fault;
use self::path::Paths;

/// How ordinary changes by a sandboxed command are treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SandboxedCommands {
    /// They need a question, as without a sandbox.
    Ask,
    /// They run.
    Allow,
}

/// The permission rules of a user or a project.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    /// Changes that run without a question.
    pub(super) allow: Vec<Rule>,
    /// Calls that always need a question.
    pub(super) ask: Vec<Rule>,
    /// Calls that are always denied.
    pub(super) deny: Vec<Rule>,
    /// Rules of the gate that the user has changed from denial to a question.
    pub(super) lowered: Vec<String>,
}

#[derive(Debug, Clone)]
pub(super) struct Rule {
    /// As written.
    text: String,
    reach: Reach,
}

/// What a rule applies to.
#[derive(Debug, Clone)]
enum Reach {
    /// `shell(npm test)`: commands that begin with these words; `shell(*)`: every command.
    Shell(Words),
    /// `edit(src/**)`: written files.
    Edit(Paths),
    /// `mcp(server, tool)`; without a tool, all tools of the server.
    Mcp { server: String, tool: Option<String> },
    /// `fetch(host)`; `*.example.com` for its subdomains.
    Fetch { host: String },
    /// `rule(files.mode)`: the findings of a gate rule.
    Gate { id: String },
}

impl Rules {
    /// Parses the rules of a configuration.
    ///
    /// # Errors
    /// All faults of all rules, each with its place and the correct form.
    pub fn parse(
        allow: &[String],
        ask: &[String],
        deny: &[String],
    ) -> Result<Self, Vec<RuleFault>> {
        let mut faults = Vec::new();
        let mut read = |list: RuleList, texts: &[String]| -> Vec<Rule> {
            let mut rules = Vec::new();
            for (index, text) in texts.iter().enumerate() {
                match Rule::parse(list, text) {
                    Ok(rule) => rules.push(rule),
                    Err(fault) => faults.push(RuleFault { list, index, text: text.clone(), fault }),
                }
            }
            rules
        };
        let mut rules = Self {
            allow: read(RuleList::Allow, allow),
            ask: read(RuleList::Ask, ask),
            deny: read(RuleList::Deny, deny),
            lowered: Vec::new(),
        };
        if !faults.is_empty() {
            return Err(faults);
        }
        let moved = rules.ask.iter().filter_map(|rule| match &rule.reach {
            Reach::Gate { id } => Some(id.clone()),
            _ => None,
        });
        rules.lowered = moved.collect();
        Ok(rules)
    }

    /// These rules with the questions and denials of a project, which can only restrict: its list of allowed calls
    /// is ignored.
    #[must_use]
    pub fn stricter(mut self, ask_and_deny: Self) -> Self {
        self.ask.extend(ask_and_deny.ask);
        self.deny.extend(ask_and_deny.deny);
        self
    }
}

impl Rule {
    fn parse(list: RuleList, text: &str) -> Result<Self, Fault> {
        let text = text.trim();
        let (kind, inside) = text
            .strip_suffix(')')
            .and_then(|text| text.split_once('('))
            .ok_or_else(|| Fault::form(text))?;
        let (kind, inside) = (kind.trim(), inside.trim());
        let reach = match kind {
            "shell" => Reach::Shell(Words::parse(inside)?),
            "edit" => Reach::Edit(Paths::parse(inside)?),
            "mcp" => mcp(inside)?,
            "fetch" => Reach::Fetch { host: host(inside)? },
            "rule" if list == RuleList::Allow => return Err(Fault::AllowsRule),
            "rule" => Reach::Gate { id: id(inside)? },
            _ => return Err(Fault::Kind(kind.to_owned())),
        };
        Ok(Self { text: text.to_owned(), reach })
    }

    /// Whether it covers all commands of a plain line that are not known to be read-only.
    pub(super) fn covers_command(&self, words: &[String]) -> bool {
        matches!(&self.reach, Reach::Shell(rule) if rule.begins(words))
    }

    /// Whether it may apply to a command as executed: its program under any path, options before its
    /// sub-command, words that are only known at run time.
    pub(super) fn touches_command(&self, words: &[String]) -> bool {
        matches!(&self.reach, Reach::Shell(rule) if rule.may_begin(words))
    }

    /// Whether it applies to every command.
    pub(super) fn is_about_every_command(&self) -> bool {
        matches!(&self.reach, Reach::Shell(rule) if rule.is_any())
    }

    /// Whether it covers a file, by its absolute path in one of the folders of the workspace.
    pub(super) fn covers_file(&self, path: &Path, folders: &[PathBuf], home: &Path) -> bool {
        matches!(&self.reach, Reach::Edit(rule) if rule.covers(path, folders, home))
    }

    /// Whether it covers a tool of an MCP server.
    pub(super) fn covers_mcp(&self, server: &str, tool: &str) -> bool {
        let Reach::Mcp { server: ruled, tool: only } = &self.reach else { return false };
        (ruled == "*" || ruled == server) && only.as_deref().is_none_or(|only| only == tool)
    }

    /// Whether it covers a host, given in lower case.
    pub(super) fn covers_host(&self, host: &str) -> bool {
        let Reach::Fetch { host: ruled } = &self.reach else { return false };
        match ruled.strip_prefix("*.") {
            Some(parent) => host.strip_suffix(parent).is_some_and(|below| below.ends_with('.')),
            None => ruled == "*" || ruled == host,
        }
    }

    /// Whether it applies to a gate rule.
    pub(super) fn covers_finding(&self, id: &str) -> bool {
        matches!(&self.reach, Reach::Gate { id: ruled } if ruled == id)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

fn mcp(inside: &str) -> Result<Reach, Fault> {
    let (server, tool) = match inside.split_once(',') {
        Some((server, tool)) => (server.trim(), Some(tool.trim())),
        None => (inside, None),
    };
    let is_name = |name: &str| {
        name == "*"
            || !name.is_empty()
                && !name.contains(|each: char| each.is_whitespace() || "*,()".contains(each))
    };
    if !is_name(server) || !tool.is_none_or(is_name) {
        return Err(Fault::Mcp);
    }
    let tool = tool.filter(|tool| *tool != "*").map(str::to_owned);
    Ok(Reach::Mcp { server: server.to_owned(), tool })
}

fn host(inside: &str) -> Result<String, Fault> {
    let name = inside.strip_prefix("*.").unwrap_or(inside);
    let plain = |each: char| each.is_alphanumeric() || "-.:[]".contains(each);
    let is_host = inside == "*" || !name.is_empty() && name.chars().all(plain);
    is_host.then(|| inside.to_lowercase()).ok_or(Fault::Host)
}

fn id(inside: &str) -> Result<String, Fault> {
    let known = gate::rule_ids().any(|id| id == inside);
    known.then(|| inside.to_owned()).ok_or_else(|| Fault::unknown(inside))
}

#[cfg(test)]
mod tests;
