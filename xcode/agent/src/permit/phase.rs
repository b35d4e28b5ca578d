//! The restrictions of the court's manifest of phases: a tool that the phase does not list is denied, whatever else
//! would allow it. The manifest can only restrict, so it applies before the user agreed to the folder. It is read at each call,
//! because a person may change the phase during a session. Not here: writing it.

use std::path::Path;

use gate::Level;
use ledger::manifest::{self, Doing};
use ledger::places::{COURT, upwards};
use ledger::records::{Manifest, PhaseRules};
use ledger::sanitize::sanitize_line;
use ledger::store::Files;

use super::judge::Found;
use crate::action::Action;

/// The manifest's names of our tools: those of the client that it was written for.
const NAMES: [(&str, &str); 10] = [
    ("readFile", "Read"),
    ("listDir", "Glob"),
    ("glob", "Glob"),
    ("grep", "Grep"),
    ("writeFile", "Write"),
    ("edit", "Edit"),
    ("shell", "Bash"),
    ("webFetch", "WebFetch"),
    ("webSearch", "WebSearch"),
    ("saveKnowledge", "Write"),
];

/// The tool that asks the user: it is allowed in every phase.
const ASKS_THE_USER: &str = "askUser";

/// The prefix of the tools that search the code; they count as `Grep`.
const SEARCHES: &str = "ci_";

/// The longest word of a manifest that is shown, in characters, and the longest list.
const NAME_MAX: usize = 60;
const LIST_MAX: usize = 400;

/// The manifest's restrictions of a session's calls.
#[derive(Debug)]
pub(super) enum Phase {
    /// There is no manifest.
    Free,
    /// A phase is active.
    On(Manifest),
    /// It cannot be read, and must not be treated as absent: only read-only calls run.
    Unusable(String),
}

/// What the user is told about a manifest when a session begins. Its texts come from the project: cleaned, on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Binding {
    /// This phase is active, and allows these tools.
    Phase {
        /// Its name.
        name: String,
        /// The tools, as the manifest names them.
        tools: String,
    },
    /// Why it cannot be read.
    Unusable(String),
}

/// The folder of the court in the project around a workspace.
pub(super) fn court(root: &Path) -> Files {
    Files::new(host::Beneath::of(upwards(root)), COURT)
}

impl Phase {
    /// The present phase.
    pub(super) fn look(court: &Files) -> Self {
        match manifest::load(court) {
            Ok(None) => Self::Free,
            Ok(Some(manifest)) => Self::On(manifest),
            Err(why) => Self::Unusable(sanitize_line(&why.to_string(), LIST_MAX)),
        }
    }

    /// The message for the user.
    pub(super) fn told(self) -> Option<Binding> {
        match self {
            Self::Free => None,
            Self::On(manifest) => {
                let tools = manifest.rules().map(|rules| rules.allowed_tools.join(", "));
                let tools = sanitize_line(&tools.unwrap_or_default(), LIST_MAX);
                Some(Binding::Phase {
                    name: sanitize_line(&manifest.phases.current, NAME_MAX),
                    tools,
                })
            }
            Self::Unusable(why) => Some(Binding::Unusable(why)),
        }
    }

    /// The rule that denies a call; none if it may be judged further.
    pub(super) fn refuses(
        &self,
        tool: &str,
        action: &Action,
        found: &Found,
    ) -> Option<&'static str> {
        let doing = doing(action, found);
        match self {
            Self::Free => None,
            _ if tool == ASKS_THE_USER => None,
            Self::On(manifest) => {
                let is_allowed = |rules| is_allowed(rules, tool, doing);
                (!manifest.rules().is_some_and(is_allowed)).then_some("manifest.phase")
            }
            Self::Unusable(_) => {
                let is_reading = matches!(action, Action::Read { .. } | Action::Nothing)
                    || doing == Doing::Looks;
                (!is_reading || found.level > Level::L0).then_some("manifest.unusable")
            }
        }
    }
}

/// Whether a phase lists a tool, by our name or by the client's.
fn is_allowed(rules: &PhaseRules, tool: &str, doing: Doing) -> bool {
    let name = NAMES.iter().find_map(|(ours, theirs)| (*ours == tool).then_some(*theirs));
    let name = name.or_else(|| tool.starts_with(SEARCHES).then_some("Grep"));
    [Some(tool), name].into_iter().flatten().any(|name| manifest::allows(rules, name, doing))
}

fn doing(action: &Action, found: &Found) -> Doing {
    match action {
        Action::Shell { .. } if found.level == Level::L0 => {
            manifest::of_reading(found.judgement.commands.iter().map(|seen| seen.words.as_slice()))
        }
        _ => Doing::Acts,
    }
}
