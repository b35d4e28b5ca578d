//! Faults of rules, with their place and the correct form.

use std::fmt;

/// A rule that cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{list}[{index}], `{text}`: {fault}")]
pub struct RuleFault {
    /// The list that it is in.
    pub list: RuleList,
    /// Its index in the list, from 0.
    pub index: usize,
    /// As written.
    pub text: String,
    pub(super) fault: Fault,
}

/// A list of rules in the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleList {
    /// `permissions.allow`.
    Allow,
    /// `permissions.ask`.
    Ask,
    /// `permissions.deny`.
    Deny,
}

impl fmt::Display for RuleList {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Allow => "permissions.allow",
            Self::Ask => "permissions.ask",
            Self::Deny => "permissions.deny",
        })
    }
}

/// A fault, with the correct form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Fault {
    /// It is not `KIND(...)`; the text is a suggestion.
    #[error("a rule is written KIND(...), here perhaps `{0}`")]
    Form(String),
    /// Its kind is unknown.
    #[error("`{0}` is no kind of rule; there are shell, edit, mcp, fetch and rule")]
    Kind(String),
    /// `rule(...)` in the list of allowed calls.
    #[error(
        "a rule of the gate is never allowed; it may stand in permissions.ask or permissions.deny"
    )]
    AllowsRule,
    /// `shell()` or `edit()`.
    #[error("it is empty; `*` alone stands for everything")]
    Empty,
    /// A character that a shell interprets.
    #[error(
        "it has the sign {0:?}; write a command's first words, as in shell(npm test): what follows them is covered"
    )]
    Sign(char),
    /// Options before the program, or an assignment.
    #[error("its first word must be a program's name, as in shell(npm test)")]
    Program,
    /// A pattern of paths that cannot be parsed.
    #[error("it is no pattern of paths ({0}); write one as in edit(src/**)")]
    Path(String),
    /// It is not a server and a tool.
    #[error(
        "write a server and a tool, as in mcp(github, list_issues), or mcp(github) for all of its tools"
    )]
    Mcp,
    /// It is not a host.
    #[error("write a host without scheme and path, as in fetch(docs.rs) or fetch(*.rust-lang.org)")]
    Host,
    /// No rule of the gate has this name.
    #[error("the gate has no rule `{0}`, but {1}")]
    Unknown(String, String),
}

impl Fault {
    /// The fault for a name that no gate rule has.
    pub(super) fn unknown(id: &str) -> Self {
        let room = id.split('.').next().unwrap_or_default();
        let beside = |known: &&str| known.split('.').next() == Some(room);
        let mut known: Vec<&str> = gate::rule_ids().filter(beside).collect();
        if known.is_empty() {
            known = gate::rule_ids().filter_map(|id| id.split('.').next()).collect();
            known.sort_unstable();
            known.dedup();
            return Self::Unknown(
                id.to_owned(),
                format!("rules that begin with {}", known.join(", ")),
            );
        }
        Self::Unknown(id.to_owned(), known.join(", "))
    }

    /// The fault for a text that is not `KIND(...)`.
    pub(super) fn form(text: &str) -> Self {
        let inside = text.trim_end_matches(')').split_once('(');
        Self::Form(match inside {
            Some((kind, inside)) => format!("{kind}({inside})"),
            None if text == "edit" || text == "shell" => format!("{text}(*)"),
            None => format!("shell({text})"),
        })
    }
}
