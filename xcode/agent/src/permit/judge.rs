//! Judges the effect of a call with the gate, in this context: the workspace's folders, the protected paths, and what is
//! known about this program's own tools. Not here: the decision (see `verdict`).

use std::path::{Path, PathBuf};

use gate::{Context, Disk, Judgement, Level, Outcome};
use redact::Cut;

use super::dialect::Dialect;
use super::hard;
use super::repository;
use super::rules::Rules;
use crate::action::{Action, Bounds, Reach};
use crate::address;
use crate::places::Places;

/// The folder of plans, below [`Places::PROJECT`].
const PLANS: &str = "plans";
/// How much of the text that a rule found is shown, in characters.
const SHOWN_MAX: usize = 160;
/// How many commands of a line are judged separately.
const COMMANDS_MAX: usize = 50;
/// How many reasons are given.
const REASONS_MAX: usize = 5;

/// The context in which calls are judged.
#[derive(Debug, Clone)]
pub(super) struct Ground {
    /// The folders of the workspace, its root first, links resolved.
    pub folders: Vec<PathBuf>,
    /// The user's home folder.
    pub home: PathBuf,
    /// The paths that no call may change without a question.
    pub protected: Vec<PathBuf>,
    /// The shell that runs the commands.
    pub dialect: Dialect,
    /// Whether the folder's content is agreed to.
    pub origin: Origin,
}

/// Whether the user has agreed to the content of the workspace's folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// Agreed to.
    Known,
    /// Not agreed to: its files must not affect anything outside of it.
    Foreign,
}

/// The findings about a call.
pub(super) struct Found {
    /// Its level of danger.
    pub level: Level,
    /// The most severe finding that is always denied.
    pub hard: Option<&'static str>,
    /// The most severe rule.
    pub rule: Option<&'static str>,
    /// All rules.
    pub rules: Vec<&'static str>,
    /// The reasons, one per line.
    pub reasons: Vec<String>,
    /// The gate's own judgement: commands and write targets.
    pub judgement: Judgement,
    /// The file concerned, with links resolved.
    pub file: Option<PathBuf>,
    /// Whether that is a plan of the workspace.
    pub is_plan: bool,
}

/// A reason of this program's own.
struct Own {
    rule: &'static str,
    level: Level,
    why: &'static str,
}

const READ_OUTSIDE: Own = Own {
    rule: "workspace.read-outside",
    level: Level::L1,
    why: "A file outside the workspace is read.",
};
const WRITE_OUTSIDE: Own = Own {
    rule: "workspace.write-outside",
    level: Level::L2,
    why: "A file outside the workspace is written.",
};
const READ_SECRET: Own =
    Own { rule: "tool.read-secret", level: Level::L2, why: "A file that holds secrets is read." };
const OTHER_SHELL: Own = Own {
    rule: "shell.dialect",
    level: Level::L2,
    why: "It was judged as bash reads it, and this shell may read it otherwise; `bash -c` would not.",
};
const UNSANDBOXED: Own = Own {
    rule: "shell.unsandboxed",
    level: Level::L2,
    why: "It is to run outside of the sandbox, with all your rights.",
};
const FETCH_LOOPBACK: Own =
    Own { rule: "fetch.loopback", level: Level::L2, why: "A server on this machine is asked." };
const FETCH_PRIVATE: Own = Own {
    rule: "fetch.private",
    level: Level::L3,
    why: "It is an address of a private network or of a cloud's metadata, or none of the web.",
};
const FOREIGN_GIT: Own = Own {
    rule: "git.foreign-repository",
    level: Level::L2,
    why: "Git may start a program that the repository names, and this folder was not agreed to.",
};
const FOREIGN_FACT: Own = Own {
    rule: "memory.foreign-folder",
    level: Level::L1,
    why: "A fact is kept for all projects, from a folder that was not agreed to.",
};
const MCP_SECRET: Own = Own {
    rule: "tool.mcp-secret",
    level: Level::L2,
    why: "What looks like a secret is sent to the server.",
};

impl Ground {
    /// Judges a call's effect.
    pub(super) fn judge(&self, action: &Action, rules: &Rules, disk: &dyn Disk) -> Found {
        let file = match action {
            Action::Read { path } | Action::Write { path } => Some(real(path, disk)),
            _ => None,
        };
        let is_plan = matches!(action, Action::Write { .. })
            && file.as_deref().is_some_and(|file| self.is_plan(file));
        let judgement = self.gate(action, is_plan, disk);
        let own = match (action, &file) {
            (Action::Read { path }, Some(real)) => self.of_read(path, real),
            (Action::Write { .. }, Some(real)) if !self.is_inside(real) => Some(WRITE_OUTSIDE),
            (Action::Mcp { arguments, .. }, _) => of_arguments(arguments),
            (Action::Fetch { url }, _) => of_address(url),
            (Action::Shell { bounds: Bounds::Lifted, .. }, _) => Some(UNSANDBOXED),
            (Action::Shell { command, .. }, _) if self.dialect.reads_otherwise(command) => {
                Some(OTHER_SHELL)
            }
            (Action::Shell { command, cwd, .. }, _) => self.of_git(command, cwd, &judgement),
            (Action::Remember { reach: Reach::Everywhere }, _) => {
                (self.origin == Origin::Foreign).then_some(FOREIGN_FACT)
            }
            _ => None,
        };
        let mut found = Found {
            level: Level::L0,
            hard: None,
            rule: None,
            rules: Vec::new(),
            reasons: Vec::new(),
            judgement,
            file,
            is_plan,
        };
        found.read(own, rules);
        found
    }

    /// The gate's judgement.
    fn gate(&self, action: &Action, is_plan: bool, disk: &dyn Disk) -> Judgement {
        let home = text(&real(&self.home, disk));
        let root = &self.folders[0];
        let (project, cwd) = match action {
            Action::Shell { cwd, .. } => (root, text(&real(cwd, disk))),
            Action::Read { path } | Action::Write { path } => {
                let real = real(path, disk);
                let folder = self.folders.iter().find(|folder| real.starts_with(folder));
                (folder.unwrap_or(root), text(root))
            }
            _ => (root, text(root)),
        };
        let given = self.protected.iter();
        let mut protected: Vec<String> =
            given.flat_map(|path| [text(path), text(&real(path, disk))]).collect();
        protected.push(format!("{}/{}", home.trim_end_matches('/'), Places::GLOBAL));
        if !is_plan {
            for folder in self.folders.iter().map(|folder| folder.join(Places::PROJECT)) {
                protected.extend([text(&real(&folder, disk)), text(&folder)]);
            }
        }
        let project = text(project);
        let context = Context {
            cwd: &cwd,
            project: &project,
            home: &home,
            scratch: &[],
            protected: &protected,
            disk,
        };
        let path;
        let name;
        let action = match action {
            Action::Shell { command, .. } => gate::Action::Shell { command: command.clone() },
            Action::Read { path: file } => {
                path = text(file);
                gate::Action::Read { path: &path }
            }
            Action::Write { path: file } => {
                path = text(file);
                gate::Action::Write { path: &path }
            }
            Action::Mcp { server, tool, .. } => {
                name = format!("mcp__{server}__{tool}");
                gate::Action::Mcp { name: &name }
            }
            Action::Fetch { url } => gate::Action::Fetch { url },
            Action::Remember { .. } | Action::Nothing => {
                gate::Action::Other { name: "", effect: gate::Effect::Nothing, command: None }
            }
        };
        gate::judge_action(&action, &context)
    }

    /// The commands of a plain line that are not known to be read-only; none if the line is not plain.
    pub(super) fn changes(&self, action: &Action, disk: &dyn Disk) -> Option<Vec<Vec<String>>> {
        let Action::Shell { command, cwd, bounds } = action else { return None };
        let commands = gate::plain_line(command)?;
        if commands.len() > COMMANDS_MAX {
            return None;
        }
        let changes = |words: &Vec<String>| {
            let leaves = matches!(words[0].as_str(), "cd" | "pushd" | "popd");
            let quoted = |word: &String| format!("'{}'", word.replace('\'', r"'\''"));
            let command = words.iter().map(quoted).collect::<Vec<_>>().join(" ");
            let alone = Action::Shell { command, cwd: cwd.clone(), bounds: *bounds };
            leaves || self.gate(&alone, false, disk).level > Level::L0
        };
        Some(commands.into_iter().filter(changes).collect())
    }

    fn is_inside(&self, real: &Path) -> bool {
        self.folders.iter().any(|folder| real.starts_with(folder))
    }

    /// Whether a file, with links resolved, is a plan: directly in the folder of plans.
    fn is_plan(&self, real: &Path) -> bool {
        let folder = self.folders[0].join(Places::PROJECT).join(PLANS);
        real.parent() == Some(&folder) && real.extension().is_some_and(|ending| ending == "md")
    }

    /// Finds git commands in a folder that is not agreed to, if the repository's settings may name programs, or if the
    /// command may use another repository than the one that was examined.
    fn of_git(&self, command: &str, cwd: &Path, judgement: &Judgement) -> Option<Own> {
        if self.origin == Origin::Known {
            return None;
        }
        let mut words = judgement.commands.iter().flat_map(|seen| &seen.words);
        let is_git = |word: &String| word == "git" || word.ends_with("/git");
        if !command.contains("git") && !words.any(is_git) {
            return None;
        }
        // Regardless of quoting: mistaking another word for one of these only leads to a question.
        let moves = ["-C", "--git-dir", "--work-tree", "GIT_", "cd", "pushd"];
        let is_moved = moves.iter().any(|word| command.contains(word));
        (is_moved || repository::may_start_programs(cwd)).then_some(FOREIGN_GIT)
    }

    fn of_read(&self, path: &Path, real: &Path) -> Option<Own> {
        if redact::is_sensitive_path(path) || redact::is_sensitive_path(real) {
            return Some(READ_SECRET);
        }
        (!self.is_inside(real)).then_some(READ_OUTSIDE)
    }
}

impl Found {
    /// Applies this program's treatment of the findings.
    fn read(&mut self, own: Option<Own>, rules: &Rules) {
        if let Outcome::CouldNotJudge { reason } = &self.judgement.outcome {
            self.level = Level::L2;
            self.reasons.push(format!("It could not be judged: {}.", shown(reason)));
        }
        let mut findings: Vec<(Level, &'static str, String)> = Vec::new();
        for finding in &self.judgement.findings {
            let level = hard::level(finding);
            if hard::is_hard(finding, &rules.lowered) && self.hard.is_none() {
                self.hard = Some(finding.rule.id);
            }
            let why = format!(
                "{} (rule {}: `{}`)",
                finding.rule.why,
                finding.rule.id,
                shown(&finding.what)
            );
            findings.push((level, finding.rule.id, why));
        }
        if let Some(Own { rule, level, why }) = own {
            if level == Level::L3 {
                self.hard = Some(rule);
            }
            findings.push((level, rule, format!("{why} (rule {rule})")));
        }
        findings
            .sort_by_key(|(level, rule, _)| (self.hard != Some(rule), std::cmp::Reverse(*level)));
        self.rule = findings.first().map(|(_, rule, _)| *rule);
        for (level, rule, why) in findings {
            self.level = self.level.max(level);
            self.rules.push(rule);
            if !self.reasons.contains(&why) && self.reasons.len() < REASONS_MAX {
                self.reasons.push(why);
            }
        }
    }
}

fn of_address(url: &str) -> Option<Own> {
    match address::kind(url) {
        address::AddressKind::Public => None,
        address::AddressKind::Loopback => Some(FETCH_LOOPBACK),
        address::AddressKind::Private => Some(FETCH_PRIVATE),
    }
}

fn of_arguments(arguments: &str) -> Option<Own> {
    let found = redact::Redactor::new().sanitize(arguments, Cut::NONE);
    (!found.counts.is_empty()).then_some(MCP_SECRET)
}

/// A path with links resolved, as far as it exists.
fn real(path: &Path, disk: &dyn Disk) -> PathBuf {
    let plain = text(path);
    disk.resolve(&plain).map_or_else(|| path.to_owned(), PathBuf::from)
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The text on one line, with secrets masked.
fn shown(what: &str) -> String {
    let line = what.split(['\n', '\r', '`']).collect::<Vec<_>>().join(" ");
    redact::sanitize(&line, Cut::chars(SHOWN_MAX).marked())
}
