//! Parses `servers` of `config/auto-tools.yaml`: tool servers used instead of the embedded engine, or
//! in addition to it. Whether a server may be started is decided elsewhere.

use std::collections::BTreeMap;
use std::path::Path;

use orchestration::limits;
use orchestration::settings::FILE;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::own_tools::{self, OwnTool};
use super::read::fault;

use super::Fault;
use crate::clamp;
use crate::limits::Limits;

/// The most servers of one file.
const SERVERS_MAX: usize = 8;
/// The keys of a server.
const KEYS: &[&str] = &["command", "env", "use", "tools"];

/// A server that speaks the Model Context Protocol on its standard input and output.
#[derive(Clone, Debug, PartialEq)]
pub struct Server {
    /// Its name in the file.
    pub name: String,
    /// The program, absolute or searched on the `PATH`, and its arguments.
    pub command: Vec<String>,
    /// Its environment variables besides the default ones.
    pub env: BTreeMap<String, String>,
    /// Whether the embedded engine is used too.
    pub place: Precedence,
    /// Its tools by our names; `None` if its names are the same.
    pub tools: Option<BTreeMap<String, Mapped>>,
    /// Its tools that are not on the built-in list.
    pub own: BTreeMap<String, OwnTool>,
    /// Digest of the repository and the whole entry, which the user trusts.
    pub fingerprint: String,
}

/// Precedence of a server over the embedded engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precedence {
    /// Before the embedded engine, which is used for tools that the server lacks.
    Beside,
    /// Instead of the embedded engine.
    Instead,
}

/// A server's tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Mapped {
    /// The server's name for it.
    pub tool: String,
    /// Its arguments, with `{query}` and the like for ours and `{root}` for the root; `None` passes ours
    /// unchanged.
    pub arguments: Option<Map<String, Value>>,
}

/// Reads the servers of the file of the repository at `base`.
pub(super) fn read(
    base: &Path,
    value: &Value,
    limits: &mut Limits,
    faults: &mut Vec<Fault>,
) -> Vec<Server> {
    let Value::Object(entries) = value else {
        let message = "expected names with a command each, such as `graph: { command: [PROGRAM] }`";
        faults.push(fault(&format!("{FILE}: servers"), message.to_owned()));
        return Vec::new();
    };
    if entries.len() > SERVERS_MAX {
        let message = format!("expected at most {SERVERS_MAX} servers, found {}", entries.len());
        faults.push(fault(&format!("{FILE}: servers"), message));
    }
    let server = |(name, value): (&String, &Value)| {
        let place = format!("{FILE}: servers.{name:.40}");
        Entry { place, base, limits, faults }.read(name, value)
    };
    // Parse every entry before one is left out, so that all faults are found.
    let servers: Vec<Option<Server>> = entries.iter().map(server).collect();
    servers.into_iter().flatten().collect()
}

/// An entry being parsed.
struct Entry<'e> {
    place: String,
    base: &'e Path,
    limits: &'e mut Limits,
    faults: &'e mut Vec<Fault>,
}

impl Entry<'_> {
    fn wrong(&mut self, key: &str, message: &str) {
        let place =
            if key.is_empty() { self.place.clone() } else { format!("{}.{key:.60}", self.place) };
        self.faults.push(fault(&place, message.to_owned()));
    }

    fn read(&mut self, name: &str, value: &Value) -> Option<Server> {
        let Value::Object(entry) = value else {
            self.wrong("", "expected a command, such as `{ command: [PROGRAM, ARGUMENT] }`");
            return None;
        };
        for key in entry.keys().filter(|key| !KEYS.contains(&key.as_str())) {
            self.wrong(key, "is unknown; known are command, env, use and tools");
        }
        let command = self.command(entry.get("command"));
        let env = self.env(entry.get("env"));
        let place = match entry.get("use").map(Value::as_str) {
            None | Some(Some("beside")) => Precedence::Beside,
            Some(Some("instead")) => Precedence::Instead,
            Some(_) => {
                self.wrong("use", "expected beside or instead");
                Precedence::Beside
            }
        };
        let mut own = BTreeMap::new();
        let tools = entry.get("tools").map(|tools| self.tools(tools, &mut own));
        let mut hash = Sha256::new();
        hash.update(self.base.as_os_str().as_encoded_bytes());
        hash.update([0]);
        hash.update(name);
        hash.update([0]);
        hash.update(value.to_string());
        let fingerprint = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        let name = name.to_owned();
        Some(Server { name, command: command?, env, place, tools, own, fingerprint })
    }

    fn command(&mut self, value: Option<&Value>) -> Option<Vec<String>> {
        let words: Option<Vec<String>> = match value {
            Some(Value::Array(words)) => {
                words.iter().map(|word| word.as_str().map(str::to_owned)).collect()
            }
            _ => None,
        };
        let Some(words) = words.filter(|words| words.first().is_some_and(|it| !it.is_empty()))
        else {
            self.wrong("command", "expected a list of texts, the program first");
            return None;
        };
        if words[0].contains('/') && !words[0].starts_with('/') {
            self.wrong(
                "command",
                "expected an absolute path, or the name of a program on the PATH",
            );
            return None;
        }
        Some(words)
    }

    fn env(&mut self, value: Option<&Value>) -> BTreeMap<String, String> {
        let Some(value) = value else { return BTreeMap::new() };
        let variables = value.as_object().and_then(|variables| {
            let text =
                |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
            variables.iter().map(text).collect::<Option<BTreeMap<_, _>>>()
        });
        variables.unwrap_or_else(|| {
            self.wrong("env", "expected names and texts; quote numbers");
            BTreeMap::new()
        })
    }

    /// Its tools by our names; those with other names are added to `own`.
    fn tools(
        &mut self,
        value: &Value,
        own: &mut BTreeMap<String, OwnTool>,
    ) -> BTreeMap<String, Mapped> {
        let mut tools = BTreeMap::new();
        let Value::Object(entries) = value else {
            self.wrong("tools", "expected our names and the server's: `ci_search: its_search`");
            return tools;
        };
        for (ours, theirs) in entries {
            if clamp::allowed(ours).is_none() {
                match own_tools::read(ours, theirs) {
                    Ok(tool) => drop(own.insert(ours.clone(), tool)),
                    Err(why) => self.limits.say(format!(
                        "{}: {ours:.80} ({}.tools: {why})",
                        limits::TOOL_UNAVAILABLE,
                        self.place
                    )),
                }
                continue;
            }
            let key = format!("tools.{ours}");
            let name = theirs.get("tool").unwrap_or(theirs).as_str();
            let arguments = theirs.get("arguments");
            match (name, arguments) {
                (Some(name), None) => {
                    tools.insert(ours.clone(), Mapped { tool: name.to_owned(), arguments: None });
                }
                (Some(name), Some(Value::Object(arguments))) => {
                    let arguments = Some(arguments.clone());
                    tools.insert(ours.clone(), Mapped { tool: name.to_owned(), arguments });
                }
                _ => self.wrong(
                    &key,
                    "expected the server's name for it, or `{ tool: NAME, arguments: { theirs: \"{query}\" } }`",
                ),
            }
        }
        tools
    }
}

impl Server {
    /// The server's tool for a planned one; `None` if it has none.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<Mapped> {
        let own = || self.own.get(name).map(|own| own.mapped.clone());
        match &self.tools {
            Some(tools) => tools.get(name).cloned().or_else(own),
            None if clamp::allowed(name).is_some() => {
                Some(Mapped { tool: name.to_owned(), arguments: None })
            }
            None => None,
        }
    }
}
