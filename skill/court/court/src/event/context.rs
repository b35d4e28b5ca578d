//! The input of a hook call. It is passed to every module of the court.

use std::cell::{OnceCell, RefCell};
use std::path::{Path, PathBuf};
use std::time::Instant;

use claude_hooks::Call;
use claude_hooks::event::ToolUse;

use super::response::ResponseBuilder;
use crate::config::{Config, Fault};
use crate::environment::Environment;
use crate::historian::stand_in;
use crate::places::Places;
use crate::records::{Capability, Ledger, Standing};
use crate::store::{Change, Origin, Store, StoreError};
use crate::{agents, fence};

/// A call and its surroundings.
pub struct HookContext<'a> {
    /// The client's input to the hook.
    pub call: &'a Call,
    /// The folders.
    pub places: &'a Places,
    /// The settings.
    pub config: &'a Config,
    /// Faults in the settings.
    pub faults: &'a [Fault],
    /// The files.
    pub store: &'a Store,
    /// The environment.
    pub environment: &'a Environment,
    /// Now, in milliseconds since 1970.
    pub now_ms: u64,
    /// When the watchdog answers instead.
    pub deadline: Instant,
    /// A file of the project that may define an agent under the reviewer's name, once searched.
    pub impostor: OnceCell<Option<PathBuf>>,
    /// Failures observed in this call; recorded together with its response.
    pub noted: RefCell<Vec<Change>>,
}

impl HookContext<'_> {
    /// Records changes; if that fails, the user is told once and the call continues.
    pub fn record(&self, changes: &[Change], reply: &mut ResponseBuilder) {
        if let Err(error) = self.store.record(changes) {
            self.unrecorded(&error, reply);
        }
    }

    /// Tells the user that something could not be recorded.
    pub fn unrecorded(&self, error: &StoreError, reply: &mut ResponseBuilder) {
        let form = Capability::Store.form();
        reply.message(format!("degraded (STORE): {error}; {form}"));
        self.degraded(Capability::Store, &error.to_string());
    }

    /// Records that a capability fails.
    pub fn degraded(&self, capability: Capability, why: &str) {
        // Once per call.
        if self.fails_now(capability) {
            return;
        }
        let (standing, why) = (Standing::Degraded, fence::sanitize_line(why, 300));
        self.noted.borrow_mut().push(Change::CapabilitySeen { capability, standing, why });
    }

    /// Whether a capability failed in this call.
    pub fn fails_now(&self, wanted: Capability) -> bool {
        let is_it = |change: &Change| matches!(change, Change::CapabilitySeen { capability, .. } if *capability == wanted);
        self.noted.borrow().iter().any(is_it)
    }

    /// The ledger on disk; empty, with a message to the user, if it cannot be read.
    pub fn ledger(&self, reply: &mut ResponseBuilder) -> Ledger {
        // Include pending changes. If they cannot be folded in, the ledger is slightly out of date.
        let _ = self.store.fold();
        let mut ledger = self.store.ledger().unwrap_or_else(|error| {
            self.unrecorded(&error, reply);
            Ledger::default()
        });
        for change in self.noted.borrow().iter() {
            if let Change::CapabilitySeen { capability, standing, why } = change {
                ledger.observe(*capability, *standing, why, self.now_ms);
            }
        }
        ledger
    }

    /// The change that records a capability, unless the ledger already has it.
    pub fn seen(
        &self,
        ledger: &Ledger,
        capability: Capability,
        standing: Standing,
        why: &str,
    ) -> Option<Change> {
        let known = ledger.metadata.capabilities.get(&capability);
        let same = known.is_some_and(|seen| seen.standing == standing);
        (!same).then(|| Change::CapabilitySeen { capability, standing, why: why.to_owned() })
    }

    /// The origin of entries for this tool call.
    pub fn origin(&self, tool: &ToolUse) -> Option<Origin> {
        let id = tool.id.as_deref()?;
        Some(Origin::call(&self.call.session_id, id))
    }

    /// Whether the calling sub-agent is the historian.
    pub fn is_historian(&self) -> bool {
        let agent = self.call.agent.as_ref();
        agent.is_some_and(|agent| self.is_historians(&agent.kind))
    }

    /// Whether a sub-agent type is the historian's, and no file of the project can define it.
    pub fn is_historians(&self, kind: &str) -> bool {
        self.config.is_historian(kind) && self.impostor().is_none()
    }

    /// A file of the project that may define an agent under the reviewer's name.
    pub fn impostor(&self) -> Option<&Path> {
        let look = || {
            let mut names: Vec<&str> =
                self.config.historian_agents.iter().map(String::as_str).collect();
            names.push(stand_in::STAND_IN);
            agents::impostor(self.places, &self.call.cwd, &names)
        };
        self.impostor.get_or_init(look).as_deref()
    }
}
