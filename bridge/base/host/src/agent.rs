//! Detects whether an agent runs this program for its model, and finds the environment that the user gave that agent.
//!
//! An agent marks the commands that it runs by environment variables. Such a command is not run by a person: what a
//! model, or a project's own settings, put into its environment must not decide where the daemon is,
//! which token is read or which project is meant. Instead, the environment and the working folder
//! of the nearest ancestor process without a mark are used: what the user had set when the agent was started, as
//! reported by the kernel.
//!
//! Not prevented: a model that can run any program can clear the marks and set any variable.

use std::path::{Path, PathBuf};

use crate::environment::{self, Environment};
use crate::process::Process;

/// Variables that agents set for the commands that they run: Claude Code; Codex; Gemini CLI; Cursor; opencode; `xc`.
pub const MARKS: [&str; 9] = [
    "CLAUDECODE",
    "CODEX_THREAD_ID",
    "CODEX_CI",
    "CODEX_SANDBOX",
    "CODEX_SANDBOX_NETWORK_DISABLED",
    "GEMINI_CLI",
    "CURSOR_AGENT",
    "OPENCODE",
    "XC_AGENT",
];

/// Claude Code's default timeout of a command, in milliseconds. It only affects how long we wait, so the agent's value
/// is used.
pub const BASH_DEFAULT_TIMEOUT_MS: &str = "BASH_DEFAULT_TIMEOUT_MS";

/// Maximum number of ancestor processes that are checked.
const ANCESTORS_MAX: usize = 64;

/// Who runs this program.
#[derive(Debug, Clone)]
pub enum Caller {
    /// A person or their script: the environment is the user's.
    Person(Environment),
    /// A coding agent.
    Agent {
        /// The environment that the user gave the agent.
        environment: Environment,
        /// The folder in which the user started it; absent if unknown.
        folder: Option<PathBuf>,
        /// Variables that choose a location and have another value here; ignored.
        ignored: Vec<String>,
    },
}

impl Caller {
    /// Who runs this process.
    #[must_use]
    pub fn of_process() -> Self {
        let own = Environment::of_process();
        if !is_marked(&own) {
            return Self::Person(own);
        }
        Self::below(own, std::os::unix::process::parent_id(), Process::of)
    }

    /// The caller of a marked process whose parent is `parent`.
    fn below(own: Environment, mut parent: u32, look: impl Fn(u32) -> Option<Process>) -> Self {
        for _ in 0..ANCESTORS_MAX {
            let Some(process) = look(parent) else { break };
            if let Some(given) = process.environment
                && !is_marked(&given)
            {
                return Self::agent(own, given, process.folder);
            }
            parent = process.parent;
        }
        // No unmarked ancestor is known, so an empty environment is used.
        Self::agent(own, Environment::default(), None)
    }

    fn agent(own: Environment, given: Environment, folder: Option<PathBuf>) -> Self {
        let ignored = own
            .variables()
            .filter(|&(name, value)| {
                name.to_str().is_some_and(chooses_a_place) && given.raw(name) != Some(value)
            })
            .map(|(name, _)| name.to_string_lossy().into_owned())
            .collect();
        let mut environment = given.at(own.working_dir());
        if let Some(limit) = own.text(BASH_DEFAULT_TIMEOUT_MS) {
            environment = environment.with(BASH_DEFAULT_TIMEOUT_MS, limit);
        }
        Self::Agent { environment, folder, ignored }
    }

    /// Whether neither this process nor an ancestor is an agent's.
    #[must_use]
    pub fn is_person(&self) -> bool {
        let mut parent = std::os::unix::process::parent_id();
        for _ in 0..ANCESTORS_MAX {
            let Some(process) = Process::of(parent) else { break };
            if process.environment.as_ref().is_some_and(is_marked) {
                return false;
            }
            parent = process.parent;
        }
        matches!(self, Self::Person(_))
    }

    /// The environment to use.
    #[must_use]
    pub fn environment(&self) -> &Environment {
        match self {
            Self::Person(environment) | Self::Agent { environment, .. } => environment,
        }
    }

    /// The folder of the project that is meant.
    #[must_use]
    pub fn folder(&self) -> &Path {
        match self {
            Self::Agent { folder: Some(folder), .. } => folder,
            Self::Person(environment) | Self::Agent { environment, .. } => {
                environment.working_dir()
            }
        }
    }
}

fn is_marked(environment: &Environment) -> bool {
    MARKS.iter().any(|mark| environment.is_set(mark))
}

/// Whether a variable decides where the daemon, its token or its state folder is.
#[must_use]
pub fn chooses_a_place(name: &str) -> bool {
    let places = [environment::HOME, environment::XDG_STATE_HOME, environment::STATE_DIRECTORY];
    name.starts_with(environment::PREFIX) || places.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const AGENT: &[(&str, &str)] = &[("CLAUDECODE", "1"), ("HOME", "/evil")];

    fn environment(pairs: &[(&str, &str)]) -> Environment {
        pairs.iter().copied().collect()
    }

    fn process(pairs: &[(&str, &str)], parent: u32) -> Process {
        Process {
            environment: Some(environment(pairs)),
            folder: Some("/home/me/proj".into()),
            parent,
        }
    }

    #[test]
    fn what_counts_is_what_the_user_gave_the_agent() {
        let own = [
            ("CLAUDECODE", "1"),
            ("HOME", "/evil"),
            ("CODEX_BRIDGE_URL", "http://127.0.0.1:9"),
            ("CODEX_BRIDGE_STATE_DIR", "/mine"),
            ("BASH_DEFAULT_TIMEOUT_MS", "600000"),
            ("LANG", "C"),
        ];
        let above = |pid| match pid {
            4 => Some(process(AGENT, 3)),
            3 => Some(Process { environment: None, ..process(&[], 2) }),
            2 => Some(process(&[("HOME", "/home/me"), ("CODEX_BRIDGE_STATE_DIR", "/mine")], 1)),
            _ => panic!("{pid} is above the agent"),
        };
        let caller = Caller::below(environment(&own), 4, above);
        assert_eq!(caller.folder(), Path::new("/home/me/proj"));
        let known = caller.environment();
        assert_eq!(known.text("HOME"), Some("/home/me"));
        assert_eq!(known.text("CODEX_BRIDGE_STATE_DIR"), Some("/mine"));
        assert_eq!(known.text("CODEX_BRIDGE_URL"), None);
        assert_eq!(known.text("BASH_DEFAULT_TIMEOUT_MS"), Some("600000"));
        let Caller::Agent { ignored, .. } = caller else { panic!("an agent") };
        assert_eq!(ignored, ["CODEX_BRIDGE_URL", "HOME"]);
    }

    #[test]
    fn where_the_agent_cannot_be_seen_no_variable_counts() {
        let caller = Caller::below(environment(AGENT), 4, |pid| match pid {
            4 => Some(process(AGENT, 3)),
            _ => None,
        });
        assert_eq!(caller.environment().variables().count(), 0);
        assert_eq!(caller.folder(), environment(AGENT).working_dir());
    }

    #[test]
    fn a_chain_without_an_end_is_given_up() {
        let caller = Caller::below(environment(AGENT), 4, |_| Some(process(AGENT, 4)));
        assert_eq!(caller.environment().variables().count(), 0);
    }
}
