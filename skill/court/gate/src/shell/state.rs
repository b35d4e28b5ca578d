//! What the shell knows while it is followed: variables, functions, folders, files.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::context::Context;
use crate::field::{Taint, UNKNOWN};
use crate::limits::VALUES_MAX;
use crate::path::is_secret_word;
use crate::syntax::Command;

/// A text and where it comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Value {
    pub(crate) text: String,
    pub(crate) taint: Taint,
}

impl Value {
    pub(crate) fn new(text: &str) -> Self {
        Self { text: text.to_owned(), taint: Taint::default() }
    }

    pub(crate) fn unknown() -> Self {
        Self::new(&UNKNOWN.to_string())
    }
}

/// A variable: what it may hold, and its elements if it is an array.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    /// At least one.
    pub(crate) values: Vec<Value>,
    pub(crate) elements: Option<Vec<Value>>,
}

/// A file that was written.
#[derive(Clone, Debug)]
pub(crate) struct File {
    /// Its text, [`UNKNOWN`] where it is not known.
    pub(crate) content: String,
    pub(crate) taint: Taint,
}

#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) cwd: String,
    pub(crate) old_cwd: String,
    pub(crate) variables: HashMap<String, Variable>,
    pub(crate) positional: Option<Rc<Vec<Value>>>,
    pub(crate) functions: HashMap<String, Rc<Command>>,
    /// What this call wrote, and what of the session's files was looked at.
    pub(crate) files: HashMap<String, File>,
    /// Paths that are links, and where they lead: what is written to one is written there.
    pub(crate) links: HashMap<String, String>,
    /// Paths that are copies of programs.
    pub(crate) copies: HashMap<String, String>,
    /// Variables whose values are evaluated when they are assigned.
    pub(crate) integers: HashSet<String>,
    /// Variables that arithmetic has read.
    pub(crate) evaluated: HashSet<String>,
    /// Names that stand for other variables.
    pub(crate) references: HashMap<String, String>,
    /// Programs of packages that this command has installed.
    pub(crate) installed: Vec<String>,
    /// What a compiler has made, and of which sources.
    pub(crate) built: HashMap<String, Vec<String>>,
    /// Remote repositories that this command has named.
    pub(crate) remotes: Vec<String>,
    /// Folders that this command has fetched from a network.
    pub(crate) fetched: Vec<String>,
    /// Folders that this command has unpacked archives in.
    pub(crate) unpacked: Vec<String>,
    /// What can be read from descriptors that were opened for good.
    pub(crate) opened: Vec<Value>,
    /// What aliases stand for.
    pub(crate) aliases: HashMap<String, String>,
    /// Within something that may or may not run: assignments add, they do not replace.
    pub(crate) conditional: bool,
}

impl State {
    pub(crate) fn new(context: &Context<'_>) -> Self {
        Self {
            cwd: context.cwd.to_owned(),
            old_cwd: UNKNOWN.to_string(),
            variables: HashMap::new(),
            positional: None,
            functions: HashMap::new(),
            files: HashMap::new(),
            links: HashMap::new(),
            copies: HashMap::new(),
            integers: HashSet::new(),
            evaluated: HashSet::new(),
            references: HashMap::new(),
            installed: Vec::new(),
            built: HashMap::new(),
            remotes: Vec::new(),
            fetched: Vec::new(),
            unpacked: Vec::new(),
            opened: Vec::new(),
            aliases: HashMap::new(),
            conditional: false,
        }
    }

    /// The variable that a name stands for.
    pub(crate) fn referred<'a>(&'a self, name: &'a str) -> &'a str {
        let mut name = name;
        for _ in 0..8 {
            match self.references.get(name) {
                Some(other) => name = other,
                None => break,
            }
        }
        name
    }

    pub(crate) fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.get(self.referred(name))
    }

    pub(crate) fn set(&mut self, name: &str, value: Value) {
        let kept = if self.conditional {
            self.variables.get(name).map(|old| old.values.clone()).unwrap_or_default()
        } else {
            Vec::new()
        };
        let mut values = vec![value];
        values.extend(kept);
        values.dedup();
        if values.len() > VALUES_MAX {
            values = vec![Value::unknown()];
        }
        self.variables.insert(name.to_owned(), Variable { values, elements: None });
    }

    pub(crate) fn set_array(&mut self, name: &str, elements: Vec<Value>) {
        let first = elements.first().cloned().unwrap_or_default();
        let variable = Variable { values: vec![first], elements: Some(elements) };
        self.variables.insert(name.to_owned(), variable);
    }

    /// A variable as the environment has it, where that is known without looking.
    pub(crate) fn inherited(&self, name: &str, context: &Context<'_>) -> Value {
        match name {
            "HOME" => Value::new(context.home),
            "PWD" => Value::new(&self.cwd),
            "OLDPWD" => Value::new(&self.old_cwd),
            "TMPDIR" | "TMP" | "TEMP" => Value::new("/tmp"),
            "IFS" => Value::new(" \t\n"),
            // Where they lead if nobody has said otherwise.
            "ZDOTDIR" => Value::new(context.home),
            "XDG_CONFIG_HOME" => Value::new(&format!("{}/.config", context.home)),
            "ZSH_CUSTOM" => Value::new(&format!("{}/.oh-my-zsh/custom", context.home)),
            "CARGO_HOME" => Value::new(&format!("{}/.cargo", context.home)),
            "CLAUDE_CONFIG_DIR" => Value::new(&format!("{}/.claude", context.home)),
            "CODEX_HOME" => Value::new(&format!("{}/.codex", context.home)),
            "BASH_ENV" => Value::new(&format!("{}/.bashrc", context.home)),
            "PYTHONSTARTUP" => Value::new(&format!("{}/.pythonrc", context.home)),
            "GIT_CONFIG_GLOBAL" => Value::new(&format!("{}/.gitconfig", context.home)),
            "CLAUDE_PROJECT_DIR" => Value::new(context.project),
            "SHELL" => Value::new("/bin/bash"),
            "USER" | "LOGNAME" => Value::new(crate::path::name(context.home)),
            "RANDOM" | "SECONDS" | "LINENO" | "UID" | "EUID" | "PPID" | "EPOCHSECONDS"
            | "SHLVL" => Value::new("1"),
            // One's own processes: numbers as others have.
            "$" | "!" | "BASHPID" => Value::new("4242"),
            "?" | "#" => Value::new("0"),
            "-" => Value::new(""),
            _ => Value {
                text: UNKNOWN.to_string(),
                taint: Taint { secret: is_secret_word(name), ..Taint::default() },
            },
        }
    }
}
