//! Which calls run, which are asked about, and which never run: the gate's level of what a call would do, the user's
//! and the project's rules, what was granted in this session, and the mode, in one order. Absent: the question
//! itself, and what becomes of a call that runs.

mod dialect;
mod grants;
mod hard;
mod judge;
mod judged;
mod phase;
mod repository;
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

/// What a session goes by.
#[derive(Debug, Clone)]
pub struct Policy {
    /// How calls are judged.
    pub mode: PermitMode,
    /// There is no user to ask: what would be asked is denied.
    pub is_headless: bool,
    /// Those of the configuration, the project's stricter ones among them.
    pub rules: Rules,
    /// The user's home folder.
    pub home: PathBuf,
    /// The folders in which a shell looks for programs (`PATH`), in its order.
    pub search: Vec<String>,
    /// Files and folders that no call may change without a question, beside those that the gate knows: what grants
    /// something, what is remembered of sessions, the program itself.
    pub protected: Vec<PathBuf>,
    /// Hosts that may be fetched from without a question.
    pub known: KnownHosts,
    /// What becomes of ordinary commands that a sandbox confines.
    pub sandboxed: SandboxedCommands,
    /// When the session began, for the first time where it was resumed: a file that changed later counts as its own.
    pub began: SystemTime,
}

/// How long all look-ups on the disk for one call may take together. A file system that is slower cannot be judged by.
const LOOK_UPS_MAX: Duration = Duration::from_millis(500);

/// How far a file system's clock may be behind ours: Linux stamps files with the time of its last tick.
const CLOCK_LAG: Duration = Duration::from_millis(20);

/// Decides about the calls of one session.
pub struct Permit {
    /// The mode may be changed while the session goes on, the rest stays.
    policy: Policy,
    ground: Ground,
    /// What the user granted for this session.
    grants: Grants,
    /// The file of the plan that is made; in plan mode no other is written. None: any plan may be.
    plan: Option<PathBuf>,
    /// Where the court's manifest lies.
    court: Files,
    /// `PATH`, as the gate's view of the disk wants it.
    search: String,
    began_ns: Option<i64>,
    /// Where calls that may have run have written, the oldest first.
    writes: Mutex<Vec<Target>>,
}

impl Permit {
    /// Of a session in a workspace: its root, and the folders that were added to it.
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

    /// Where another shell than bash runs the commands: its type, as [`crate::choose_shell`] tells it. What it may read
    /// otherwise than bash does is then dangerous.
    #[must_use]
    pub(crate) fn for_shell(mut self, kind: &str) -> Self {
        self.ground.dialect = Dialect::named(kind);
        self
    }

    /// Where the user has not agreed to what the folder brings ([`crate::trust`]): git that may start what the
    /// repository names is dangerous there, and a fact for all projects is asked about.
    #[must_use]
    pub fn in_foreign_folder(mut self) -> Self {
        self.ground.origin = Origin::Foreign;
        self
    }

    /// What the court's manifest binds calls to now; none without one.
    #[must_use]
    pub fn binding(&self) -> Option<Binding> {
        Phase::look(&self.court).told()
    }

    /// How calls are judged now.
    #[must_use]
    pub fn mode(&self) -> PermitMode {
        self.policy.mode
    }

    /// From now on calls are judged so.
    pub fn set_mode(&mut self, mode: PermitMode) {
        self.policy.mode = mode;
    }

    /// From now on nothing but this plan is written; its folder has no links.
    pub(crate) fn plan(&mut self, file: PathBuf) {
        self.policy.mode = PermitMode::Plan;
        self.plan = Some(file);
    }

    /// Whether there is no user to ask.
    pub(crate) fn is_headless(&self) -> bool {
        self.policy.is_headless
    }

    /// Decides about a call, and remembers where one that may run writes: what a session wrote counts as its content
    /// when it is executed.
    pub fn judge(&self, tool: &str, action: &Action) -> Judged {
        let Decision { judged, writes, .. } = self.decide(tool, action);
        if judged.verdict != Verdict::Deny {
            self.writes.lock().unwrap_or_else(PoisonError::into_inner).extend(writes);
        }
        judged
    }

    /// The user said yes to a call for the rest of the session. Nothing happens where that cannot be said.
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
