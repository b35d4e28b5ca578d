//! The order of precedence in a decision on a call: the court's manifest, plan mode, the configured denials, the gate
//! rules that are always denied, the configured questions, grants, the configured allowances, the mode. One pure
//! function.

use std::path::Path;

use contract::xc::{CallLevel, DecidedBy, PermitMode, Verdict};
use gate::{Disk, Level};

use super::grants::{self, Grant, Grants};
use super::judge::{Found, Ground};
use super::judged::Judged;
use super::phase::Phase;
use super::rules::{Rule, Rules, SandboxedCommands};
use crate::action::{Action, Bounds};
use crate::address;
use crate::known_hosts::KnownHosts;

/// The inputs of a decision besides the call.
#[derive(Clone, Copy)]
pub(super) struct Terms<'a> {
    pub mode: PermitMode,
    pub is_headless: bool,
    pub sandboxed: SandboxedCommands,
    pub rules: &'a Rules,
    pub known: &'a KnownHosts,
    pub grants: &'a Grants,
    /// The current plan, if known.
    pub plan: Option<&'a Path>,
    pub ground: &'a Ground,
    /// The court's manifest at present.
    pub phase: &'a Phase,
    pub disk: &'a dyn Disk,
}

/// A decision, and its consequences if the call runs.
pub(super) struct Decision {
    pub judged: Judged,
    /// The grants that a yes for the session would give.
    pub asked: Option<Vec<Grant>>,
    /// The call's write targets.
    pub writes: Vec<gate::Target>,
}

impl Terms<'_> {
    /// Decides on a call.
    pub(super) fn decide(&self, tool: &str, action: &Action) -> Decision {
        let found = self.ground.judge(action, self.rules, self.disk);
        if let Some(rule) = self.phase.refuses(tool, action, &found) {
            return refused_by_manifest(found, rule);
        }
        let is_change = found.level == Level::L1 && found.hard.is_none();
        // Computed only if needed, since each command of a line is judged separately.
        let changes = if is_change { self.ground.changes(action, self.disk) } else { None };
        let asked = if is_change {
            grants::asked(tool, action, changes.as_deref(), &found.judgement)
        } else {
            None
        };
        let (verdict, by, rule) =
            self.verdict(action, &found, changes.as_deref(), asked.as_deref());
        let is_by_mode = matches!(by, DecidedBy::Rule) && verdict == Verdict::Ask;
        let is_named = rule.as_ref().is_some_and(|rule| Some(rule.as_str()) != found.rule);
        let judged = Judged {
            verdict,
            level: level(found.level),
            rule,
            by,
            reasons: found.reasons,
            is_grantable: is_by_mode && !is_named && asked.is_some(),
        };
        Decision { judged, asked, writes: found.judgement.writes }
    }

    fn verdict(
        &self,
        action: &Action,
        found: &Found,
        changes: Option<&[Vec<String>]>,
        asked: Option<&[Grant]>,
    ) -> (Verdict, DecidedBy, Option<String>) {
        let of_gate = || found.rule.map(str::to_owned);
        let plans = self.mode == PermitMode::Plan;
        if plans && !self.is_for_planning(action, found) {
            return (Verdict::Deny, DecidedBy::Plan, of_gate());
        }
        if let Some(rule) = self.touched(&self.rules.deny, action, found) {
            return (Verdict::Deny, DecidedBy::Rule, Some(format!("permissions.deny: {rule}")));
        }
        if let Some(rule) = found.hard {
            return (Verdict::Deny, DecidedBy::Rule, Some(rule.to_owned()));
        }
        if let Some(rule) = self.touched(&self.rules.ask, action, found) {
            return self.question(Some(format!("permissions.ask: {rule}")));
        }
        if found.level == Level::L1 && asked.is_some_and(|asked| self.grants.cover(asked)) {
            return (Verdict::Allow, DecidedBy::Grant, of_gate());
        }
        if found.level == Level::L1
            && let Some(rule) = self.allowing(action, found, changes)
        {
            return (Verdict::Allow, DecidedBy::Rule, Some(format!("permissions.allow: {rule}")));
        }
        match found.level {
            Level::L0 => (Verdict::Allow, DecidedBy::Rule, None),
            Level::L1 if plans && found.is_plan => (Verdict::Allow, DecidedBy::Plan, of_gate()),
            Level::L1 if self.is_named(action) => {
                (Verdict::Allow, DecidedBy::Rule, Some("fetch.named".to_owned()))
            }
            Level::L1 if self.is_sandboxed(action) => {
                let rule = "permissions.sandboxed: allow".to_owned();
                (Verdict::Allow, DecidedBy::Rule, Some(rule))
            }
            Level::L1 if self.mode == PermitMode::Trust => {
                (Verdict::Allow, DecidedBy::Trust, of_gate())
            }
            Level::L1 | Level::L2 => self.question(of_gate()),
            Level::L3 => (Verdict::Deny, DecidedBy::Rule, of_gate()),
        }
    }

    /// Whether a call may be judged further in plan mode: it is read-only, looks something up, concerns
    /// only the conversation, or writes the plan.
    fn is_for_planning(&self, action: &Action, found: &Found) -> bool {
        match action {
            Action::Nothing | Action::Fetch { .. } | Action::Read { .. } => true,
            Action::Write { .. } => {
                found.is_plan && self.plan.is_none_or(|plan| found.file.as_deref() == Some(plan))
            }
            Action::Mcp { .. } | Action::Remember { .. } => false,
            Action::Shell { .. } => found.level == Level::L0,
        }
    }

    /// Whether it is a fetch from a known host.
    fn is_named(&self, action: &Action) -> bool {
        matches!(action, Action::Fetch { url } if self.known.has(url))
    }

    /// Whether it is a command that may run because it is sandboxed.
    fn is_sandboxed(&self, action: &Action) -> bool {
        let is_confined = matches!(action, Action::Shell { bounds: Bounds::Usual, .. });
        is_confined && self.sandboxed == SandboxedCommands::Allow
    }

    /// A question, or a denial if there is no user.
    fn question(&self, rule: Option<String>) -> (Verdict, DecidedBy, Option<String>) {
        match self.is_headless {
            true => (Verdict::Deny, DecidedBy::Headless, rule),
            false => (Verdict::Ask, DecidedBy::Rule, rule),
        }
    }

    /// The first rule that applies, or may apply, to a part of the call.
    fn touched<'r>(&self, rules: &'r [Rule], action: &Action, found: &Found) -> Option<&'r Rule> {
        let is_shell = matches!(action, Action::Shell { .. });
        let Ground { folders, home, .. } = self.ground;
        let touches = |rule: &&Rule| {
            let commands = &found.judgement.commands;
            let writes = found.judgement.writes.iter().map(|target| target.path.as_ref());
            let named = match action {
                Action::Write { path } => Some(path.as_path()),
                _ => None,
            };
            is_shell && rule.is_about_every_command()
                || commands.iter().any(|seen| rule.touches_command(&seen.words))
                || writes.chain(named).any(|path| rule.covers_file(path, folders, home))
                || found.rules.iter().any(|id| rule.covers_finding(id))
                || is_of_network(rule, action)
        };
        rules.iter().find(touches)
    }

    /// The rule that allows a change: it covers every part of it.
    fn allowing(
        &self,
        action: &Action,
        found: &Found,
        changes: Option<&[Vec<String>]>,
    ) -> Option<&Rule> {
        let Ground { folders, home, .. } = self.ground;
        let by_any = |is_covered: &dyn Fn(&Rule) -> bool| {
            self.rules.allow.iter().find(|rule| is_covered(rule))
        };
        match action {
            Action::Shell { .. } => {
                let every = by_any(&Rule::is_about_every_command);
                let changes = changes.filter(|changes| !changes.is_empty());
                let each = changes.and_then(|changes| {
                    let rules: Option<Vec<&Rule>> = changes
                        .iter()
                        .map(|words| by_any(&|rule| rule.covers_command(words)))
                        .collect();
                    rules?.first().copied()
                });
                every.or(each)
            }
            Action::Write { path } => {
                let real = found.file.as_deref().unwrap_or(path);
                by_any(&|rule| {
                    rule.covers_file(path, folders, home) && rule.covers_file(real, folders, home)
                })
            }
            Action::Mcp { .. } | Action::Fetch { .. } => {
                by_any(&|rule| is_of_network(rule, action))
            }
            Action::Read { .. } | Action::Remember { .. } | Action::Nothing => None,
        }
    }
}

/// The decision on a call that the manifest does not allow, which takes precedence over everything.
fn refused_by_manifest(found: Found, rule: &str) -> Decision {
    let judged = Judged {
        verdict: Verdict::Deny,
        level: level(found.level),
        rule: Some(rule.to_owned()),
        by: DecidedBy::Manifest,
        reasons: found.reasons,
        is_grantable: false,
    };
    Decision { judged, asked: None, writes: found.judgement.writes }
}

fn is_of_network(rule: &Rule, action: &Action) -> bool {
    match action {
        Action::Mcp { server, tool, .. } => rule.covers_mcp(server, tool),
        Action::Fetch { url } => address::host(url).is_some_and(|host| rule.covers_host(&host)),
        _ => false,
    }
}

fn level(level: Level) -> CallLevel {
    match level {
        Level::L0 => CallLevel::L0,
        Level::L1 => CallLevel::L1,
        Level::L2 => CallLevel::L2,
        Level::L3 => CallLevel::L3,
    }
}
