//! Which calls run, which are asked about, and which never run: the gate's level of what a call would do, the user's
//! and the project's rules, what was granted in this session, and the mode, in one order. Absent: the question
//! itself, and what becomes of a call that runs.

mod dialect;
mod grants;
mod hard;
mod judge;
mod rules;
mod verdict;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use contract::xc::{CallLevel, DecidedBy, PermitMode, Verdict};
use gate::Target;
use gate_disk::{OnDisk, Session};

use self::dialect::Dialect;
use self::grants::Grants;
use self::judge::Place;
use self::verdict::{Decision, Terms};
use crate::action::Action;

pub use rules::{RuleFault, RuleList, Rules};

/// What a session goes by.
#[derive(Debug, Clone)]
pub struct Policy {
    /// How calls are judged.
    pub mode: PermitMode,
    /// There is nobody to ask: what would be asked is denied.
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
    /// When the session began, for the first time where it was resumed: a file that changed later counts as its own.
    pub began: SystemTime,
}

/// What was decided about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// Whether it runs.
    pub verdict: Verdict,
    /// How dangerous it is, as the gate sees it.
    pub level: CallLevel,
    /// The rule that decided: the gate's by its name, one of the configuration as it is written there.
    pub rule: Option<String>,
    /// Who decided; for a question, who asks.
    pub by: DecidedBy,
    /// Why it has its level, a line each, the gravest first. Cleaned and without what looks like a secret.
    pub reasons: Vec<String>,
    /// A question may be answered for the rest of the session.
    pub is_grantable: bool,
}

impl Judged {
    /// What the model is told of a call that was denied: by whom, and why. Where the user was asked and said no, that
    /// is all.
    #[must_use]
    pub fn denial(&self) -> String {
        let mut text = "Permission denied by user.".to_owned();
        if self.verdict != Verdict::Deny {
            return text;
        }
        let why = match self.by {
            DecidedBy::Plan => "Plan mode is active.",
            DecidedBy::Headless => "No user is present to be asked.",
            DecidedBy::Manifest => "The manifest of the court does not allow it.",
            DecidedBy::Rule | DecidedBy::User | DecidedBy::Grant | DecidedBy::Trust => "",
        };
        if !why.is_empty() {
            text.push(' ');
            text.push_str(why);
        }
        if self.by == DecidedBy::Rule
            && let Some(rule) = &self.rule
        {
            text.push_str(&format!(" Rule: {rule}."));
        }
        for reason in &self.reasons {
            text.push('\n');
            text.push_str(reason);
        }
        text
    }
}

/// How long all look-ups on the disk for one call may take together. A file system that is slower cannot be judged by.
const LOOK_UPS_MAX: Duration = Duration::from_millis(500);

/// How far a file system's clock may be behind ours: Linux stamps files with the time of its last tick.
const CLOCK_LAG: Duration = Duration::from_millis(20);

/// Decides about the calls of one session.
pub struct Permit {
    /// The mode may be changed while the session goes on, the rest stays.
    policy: Policy,
    place: Place,
    /// What the user granted for this session.
    grants: Grants,
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
        let place = Place {
            folders,
            home: policy.home.clone(),
            protected: policy.protected.clone(),
            dialect: Dialect::Bash,
        };
        let since = policy.began.checked_sub(CLOCK_LAG).unwrap_or(UNIX_EPOCH);
        let began_ns = since.duration_since(UNIX_EPOCH).ok();
        Self {
            began_ns: began_ns.and_then(|since| i64::try_from(since.as_nanos()).ok()),
            search: policy.search.join(":"),
            policy,
            place,
            grants: Grants::default(),
            writes: Mutex::default(),
        }
    }

    /// Where another shell than bash runs the commands: its type, as [`crate::choose_shell`] tells it. What it may read
    /// otherwise than bash does is then dangerous.
    #[must_use]
    pub fn for_shell(mut self, kind: &str) -> Self {
        self.place.dialect = Dialect::named(kind);
        self
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
        let folders = [self.place.folders[0].as_path(), self.place.home.as_path()];
        let disk = OnDisk::new(&self.search, folders, LOOK_UPS_MAX, session);
        let terms = Terms {
            mode: self.policy.mode,
            is_headless: self.policy.is_headless,
            rules: &self.policy.rules,
            grants: &self.grants,
            place: &self.place,
            disk: &disk,
        };
        terms.decide(tool, action)
    }
}

#[cfg(test)]
mod tests;
