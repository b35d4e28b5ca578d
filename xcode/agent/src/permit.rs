//! Decides which calls run, which need a question, and which are denied. It combines, in one order: the gate's level of the
//! call's effect, the user's and the project's rules, the grants of this session, and the mode. Not here: the question
//! itself, and running the call.

mod dialect;
mod grants;
mod hard;
mod judge;
mod judged;
mod phase;
pub(crate) mod repository;
mod rules;
mod verdict;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use contract::xc::{PermitMode, Verdict};
use gate::Target;
use gate_disk::{OnDisk, Session};
use ledger::store::Files;

use self::dialect::Dialect;
use self::grants::Grants;
use self::judge::{Ground, Origin};
use self::phase::Phase;
use self::verdict::{Decision, Terms};
use crate::action::Action;
use crate::known_hosts::KnownHosts;

pub use judged::Judged;
pub use phase::Binding;
pub use rules::{RuleFault, RuleList, Rules, SandboxedCommands};

/// The permission policy of a session.
#[derive(Debug, Clone)]
pub struct Policy {
    /// The permission mode.
    pub mode: PermitMode,
    /// Whether there is no user: calls that need a question are denied.
    pub is_headless: bool,
    /// The rules of the configuration, with the project's stricter ones.
    pub rules: Rules,
    /// The user's home folder.
    pub home: PathBuf,
    /// The folders in which a shell looks up programs (`PATH`), in order.
    pub search: Vec<String>,
    /// Files and folders that no call may change without a question, in addition to those that the gate knows: those that grant
    /// permissions, the stored sessions, the program itself.
    pub protected: Vec<PathBuf>,
    /// Hosts that may be fetched from without a question.
    pub known: KnownHosts,
    /// Whether ordinary commands in a sandbox need a question.
    pub sandboxed: SandboxedCommands,
    /// When the session first began, also if it was resumed: a file that changed later counts as written by the session.
    pub began: SystemTime,
}

/// The time limit of all disk accesses for one call. A slower file system cannot be checked.
const LOOK_UPS_MAX: Duration = Duration::from_millis(500);

/// How far a file system's clock may be behind ours: Linux uses the time of the last tick for timestamps.
const CLOCK_LAG: Duration = Duration::from_millis(20);

/// Decides on the calls of one session.
pub struct Permit {
    /// Only the mode may change during the session.
    policy: Policy,
    ground: Ground,
    /// The grants of the user for this session.
    grants: Grants,
    /// The file of the current plan; in plan mode no other file may be written. None: any plan may be.
    plan: Option<PathBuf>,
    /// The files of the court, including its manifest.
    court: Files,
    /// `PATH`, in the gate's format.
    search: String,
    began_ns: Option<i64>,
    /// The targets that calls which may have run have written, the oldest first.
    writes: Mutex<Vec<Target>>,
}

impl Permit {
    /// For a session in a workspace: its root, and the folders that were added to it.
    #[must_use]
    pub fn new(policy: Policy, root: &Path, added: &[PathBuf]) -> Self {
        let mut folders = vec![root.to_owned()];
        folders.extend(added.iter().filter(|folder| *folder != root).cloned());
        let ground = Ground {
            folders,
            home: policy.home.clone(),
            protected: policy.protected.clone(),
            dialect: Dialect::Bash,
            origin: Origin::Known,
        };
        let since = policy.began.checked_sub(CLOCK_LAG).unwrap_or(UNIX_EPOCH);
        let began_ns = since.duration_since(UNIX_EPOCH).ok();
        Self {
            began_ns: began_ns.and_then(|since| i64::try_from(since.as_nanos()).ok()),
            search: policy.search.join(":"),
            policy,
            ground,
            grants: Grants::default(),
            plan: None,
            court: phase::court(root),
            writes: Mutex::default(),
        }
    }

    /// Sets the shell that runs commands, by the type that [`crate::choose_shell`] returns. Syntax that a shell other than
    /// bash may interpret differently is dangerous.
    #[must_use]
    pub(crate) fn for_shell(mut self, kind: &str) -> Self {
        self.ground.dialect = Dialect::named(kind);
        self
    }

    /// For a folder whose content the user has not agreed to ([`crate::trust`]): git commands that may start programs
    /// named by the repository are dangerous there, and saving a fact for all projects needs a question.
    #[must_use]
    pub fn in_foreign_folder(mut self) -> Self {
        self.ground.origin = Origin::Foreign;
        self
    }

    /// The present restrictions of the court's manifest; none without one.
    #[must_use]
    pub fn binding(&self) -> Option<Binding> {
        Phase::look(&self.court).told()
    }

    /// The present permission mode.
    #[must_use]
    pub fn mode(&self) -> PermitMode {
        self.policy.mode
    }

    /// Sets the permission mode.
    pub fn set_mode(&mut self, mode: PermitMode) {
        self.policy.mode = mode;
    }

    /// Restricts writes to this plan; its folder has no links.
    pub(crate) fn plan(&mut self, file: PathBuf) {
        self.policy.mode = PermitMode::Plan;
        self.plan = Some(file);
    }

    /// Whether there is no user to ask.
    pub(crate) fn is_headless(&self) -> bool {
        self.policy.is_headless
    }

    /// Decides on a call, and records the targets that a call which may run writes: what a session wrote is judged by its
    /// content when it is executed.
    pub fn judge(&self, tool: &str, action: &Action) -> Judged {
        let Decision { judged, writes, .. } = self.decide(tool, action);
        if judged.verdict != Verdict::Deny {
            self.writes.lock().unwrap_or_else(PoisonError::into_inner).extend(writes);
        }
        judged
    }

    /// Grants a call for the rest of the session. Does nothing if such a grant is not possible.
    pub fn grant(&mut self, tool: &str, action: &Action) {
        let Decision { judged, asked, .. } = self.decide(tool, action);
        if let Some(asked) = asked.filter(|_| judged.is_grantable) {
            self.grants.add(asked);
        }
    }

    fn decide(&self, tool: &str, action: &Action) -> Decision {
        let session = || Session {
            began_ns: self.began_ns,
            targets: self.writes.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        };
        let folders = [self.ground.folders[0].as_path(), self.ground.home.as_path()];
        let disk = OnDisk::new(&self.search, folders, LOOK_UPS_MAX, session);
        let terms = Terms {
            mode: self.policy.mode,
            is_headless: self.policy.is_headless,
            sandboxed: self.policy.sandboxed,
            known: &self.policy.known,
            rules: &self.policy.rules,
            grants: &self.grants,
            plan: self.plan.as_deref(),
            ground: &self.ground,
            phase: &Phase::look(&self.court),
            disk: &disk,
        };
        terms.decide(tool, action)
    }
}

#[cfg(test)]
mod tests;
