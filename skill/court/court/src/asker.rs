//! Detects whether a command of the court is run by a person, or by a process below a client. Uses what
//! processes tell: their parents, their environment, and the process that holds the other end of the
//! terminal. SECURITY.md lists what this cannot detect; with an approver it is not needed.

mod process;

use std::fmt;
use std::path::Path;

use process::{Process, Processes};

use crate::environment::{Environment, marks};

/// Names of clients, as process names or first words of a command line.
const CLIENTS: &[&str] = &["claude", "codex", "xc"];
/// Parts of script paths by which an interpreter is recognised as a client.
const CLIENT_SCRIPTS: &[&str] = &["/@anthropic-ai/claude-code", "/@openai/codex"];
/// Programs that start others while the user is absent.
const SCHEDULERS: &[&str] = &["cron", "crond", "anacron", "fcron", "atd"];
/// Processes that adopt orphans.
const ADOPTERS: &[&str] = &["systemd", "init", "tini", "dumb-init", "catatonit", "docker-init"];
/// The major number of pseudo-terminals (Linux, `Documentation/admin-guide/devices.txt`).
const PSEUDO: u32 = 136;

/// Whether the command needs a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Terminal {
    /// Yes.
    Needed,
    /// No; if there is one, it is checked.
    Any,
}

/// Why it may not be a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Doubt {
    /// A client's mark is in this process's environment.
    Marked(&'static str),
    /// A client is among the ancestor processes.
    Below {
        /// Whose ancestors: this program's, or those of the terminal's holder.
        of: Of,
        /// The client.
        client: String,
    },
    /// A scheduler is among the ancestor processes.
    Scheduled(String),
    /// An ancestor process was orphaned after a client started.
    Adopted {
        /// Whose ancestors.
        of: Of,
        /// The orphaned process.
        process: String,
    },
    /// The SSH connection comes from this machine itself.
    OwnMachine,
    /// A library was preloaded into this program.
    Preloaded(&'static str),
    /// There is no terminal.
    NoTerminal,
    /// Processes are not visible.
    Unseen,
}

/// Whose ancestor processes were checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Of {
    /// This program's.
    Program,
    /// Those of the process that holds the other end of the terminal.
    Holder,
}

impl fmt::Display for Doubt {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |of: &Of| match of {
            Of::Program => "this command was started",
            Of::Holder => "this terminal was opened",
        };
        match self {
            Self::Marked(name) => write!(formatter, "the variable {name} is a client's"),
            Self::Below { of: whose, client } => write!(formatter, "{} below {client}", of(whose)),
            Self::Scheduled(name) => write!(formatter, "it was started by {name}"),
            Self::Adopted { of: whose, process } => write!(
                formatter,
                "{} by {process}, which began after a client and has lost its parent",
                of(whose)
            ),
            Self::OwnMachine => write!(formatter, "the connection comes from this machine itself"),
            Self::Preloaded(name) => write!(formatter, "{name} puts a library into this program"),
            Self::NoTerminal => write!(formatter, "there is no terminal"),
            Self::Unseen => write!(formatter, "the processes of this machine cannot be seen"),
        }
    }
}

/// Checks whether a person runs the command; `None` if there is no doubt.
pub fn doubt(environment: &Environment, terminal: Terminal) -> Option<Doubt> {
    Look { processes: Processes::under(Path::new("/proc")) }.doubt(
        std::process::id(),
        environment,
        terminal,
    )
}

struct Look {
    processes: Processes,
}

impl Look {
    fn doubt(&self, own: u32, environment: &Environment, terminal: Terminal) -> Option<Doubt> {
        if let Some(name) = marks().find(|name| environment.text(name).is_some()) {
            return Some(Doubt::Marked(name));
        }
        let preloads = ["LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH"];
        if terminal == Terminal::Needed
            && let Some(name) = preloads.into_iter().find(|name| environment.text(name).is_some())
        {
            return Some(Doubt::Preloaded(name));
        }
        let chain = self.processes.chain(own);
        let Some(process) = chain.first() else { return Some(Doubt::Unseen) };
        let clients = self.clients();
        if let Some(doubt) = self.of_chain(&chain, Of::Program, &clients) {
            return Some(doubt);
        }
        if process.terminal == 0 {
            return (terminal == Terminal::Needed).then_some(Doubt::NoTerminal);
        }
        self.of_terminal(process, &clients)
    }

    /// Checks the process that holds the other end of the terminal, and its session's leader.
    fn of_terminal(&self, process: &Process, clients: &[Process]) -> Option<Doubt> {
        if (process.terminal >> 8) & 0xfff == PSEUDO {
            let number = (process.terminal & 0xff) | ((process.terminal >> 12) & 0xfff00);
            let all = self.processes.all();
            let holders = all.into_iter().filter(|pid| self.processes.holds_terminal(*pid, number));
            for holder in holders {
                let chain = self.processes.chain(holder);
                if let Some(doubt) = self.of_chain(&chain, Of::Holder, clients) {
                    return Some(doubt);
                }
            }
        }
        let leader = self.processes.chain(process.session);
        self.of_chain(&leader, Of::Program, clients)
    }

    fn of_chain(&self, chain: &[Process], of: Of, clients: &[Process]) -> Option<Doubt> {
        for process in chain {
            let variables = self.processes.variables(process.pid).unwrap_or_default();
            let value = |wanted: &str| {
                let found = variables.iter().find(|(name, _)| name == wanted);
                found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
            };
            let marked = marks().any(|name| value(name).is_some());
            if marked || self.is_client(process) {
                return Some(Doubt::Below { of, client: named(process) });
            }
            if SCHEDULERS.contains(&process.name.as_str()) {
                return Some(Doubt::Scheduled(named(process)));
            }
            if value("SSH_CONNECTION").is_some_and(is_own_machine) {
                return Some(Doubt::OwnMachine);
            }
        }
        self.adopted(chain, of, clients)
    }

    /// Finds a process that was orphaned after a client started, in the same control group as that
    /// client: a process left behind by a client's tool looks like that, a terminal of the user rarely does.
    fn adopted(&self, chain: &[Process], of: Of, clients: &[Process]) -> Option<Doubt> {
        let is_adopter =
            |process: &Process| process.pid == 1 || ADOPTERS.contains(&process.name.as_str());
        let pair = chain.windows(2).find(|pair| is_adopter(&pair[1]) && !is_adopter(&pair[0]))?;
        let top = &pair[0];
        let groups = self.processes.groups(top.pid);
        let is_suspect = |client: &&Process| {
            client.began <= top.began && self.processes.groups(client.pid) == groups
        };
        clients.iter().find(is_suspect)?;
        Some(Doubt::Adopted { of, process: named(top) })
    }

    /// The running clients.
    fn clients(&self) -> Vec<Process> {
        let all = self.processes.all().into_iter();
        all.filter_map(|pid| self.processes.get(pid))
            .filter(|found| self.is_client(found))
            .collect()
    }

    fn is_client(&self, process: &Process) -> bool {
        if CLIENTS.contains(&process.name.as_str()) {
            return true;
        }
        let words = self.processes.words(process.pid);
        let name = |word: &str| word.rsplit('/').next().unwrap_or_default().to_owned();
        let is_named = words.first().is_some_and(|word| CLIENTS.contains(&name(word).as_str()));
        is_named
            || words
                .iter()
                .take(2)
                .any(|word| CLIENT_SCRIPTS.iter().any(|part| word.contains(part)))
    }
}

/// Whether both ends of `SSH_CONNECTION` (client's address, its port, server's address, its port) are the same
/// machine.
fn is_own_machine(connection: &str) -> bool {
    let words: Vec<&str> = connection.split_ascii_whitespace().collect();
    let (Some(client), Some(server)) = (words.first(), words.get(2)) else { return false };
    let is_loopback = |text: &str| {
        let plain = text.split('%').next().unwrap_or_default();
        plain.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
    };
    client == server || is_loopback(client)
}

fn named(process: &Process) -> String {
    let name = crate::fence::sanitize_line(&process.name, 40);
    format!("`{name}` (process {})", process.pid)
}

#[cfg(test)]
mod tests;
