//! The session of a conversation: opens, records, lists and abandons sessions. Not here: their turns.

use std::sync::Arc;

use agent::sessions;
use contract::id::SessionId;
use host::ErrorChain;
use tokio::sync::Mutex;

use super::{Driver, Work};
use crate::chat::event::{Event, Opened};
use crate::chat::{opening, tasks};
use crate::compose::{self, Answers, Composed};
use crate::ledger;
use crate::refused::Refused;

impl Driver<'_> {
    /// Opens a session: a new one, or the one that the command line or the user named. On failure, the
    /// previous session stays.
    pub(super) fn open(&mut self) {
        let previous = self.previous.as_ref();
        let (config, args) = (&self.config, &self.args);
        let composed = compose::session(self.environment, config, args, Answers::User, previous);
        // No other operation starts before there is a session; keys typed meanwhile are queued.
        let composed =
            tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(composed));
        match composed {
            Ok(composed) => self.opened(composed),
            Err(Refused { lines, exit, .. }) => {
                self.send(Event::Failed(lines));
                if self.work.is_none() {
                    self.send(Event::Signal(exit));
                }
            }
        }
    }

    fn opened(&mut self, composed: Composed) {
        let Composed { mut session, start, window, mut notes, hints, .. } = composed;
        let Composed { redactor, shell, before, known, keeping, .. } = composed;
        notes.splice(0..0, std::mem::take(&mut self.config.notes));
        notes.extend(self.tasks_left());
        let (usage, cost_usd) = session.spent();
        let opened = Opened {
            id: session.id(),
            model: session.model(),
            cwd: opening::shown(self.environment.working_dir(), &self.config.home),
            sandbox: opening::sandboxed(&start),
            mode: session.mode(),
            usage,
            cost_usd,
            notes,
            taken_over: self.previous.as_ref().map(|last| (last.id, last.title.clone())),
            before: before.iter().flat_map(opening::said).collect(),
            hints,
            redactor: redactor.clone(),
        };
        // Sent after the opening event, so that the state has its session by then.
        if self.args.plan && !self.state.was_asked {
            session.enter_plan(&*self.host);
        }
        tasks::follow(&shell.tasks, self.sender.clone(), self.state.words);
        let session = Arc::new(Mutex::new(session));
        let shell = Arc::new(shell);
        self.work = Some(Work { session, shell, window, redactor, known, keeping });
        // Handled at once, so that later events in the queue find the session.
        let _ = self.take(Event::Opened(Box::new(opened)));
    }

    /// The message about background commands that end with their session.
    pub(super) fn tasks_left(&self) -> Option<String> {
        self.work.as_ref().and_then(|work| tasks::left(&work.shell.tasks, self.state.words))
    }

    /// Writes the session's outcome into the project's ledger, if there is one.
    pub(super) fn settle(&mut self) {
        let ledger = self.work.as_ref().and_then(|work| work.keeping.ledger.as_ref());
        let session = self.state.session.as_ref().and_then(|session| session.id.parse().ok());
        let Some(session) = session else { return };
        let over = self.previous.as_ref().map(|summary| summary.id);
        let told = ledger::settle(ledger, &self.places(), session, over, self.state.words);
        told.iter().for_each(|text| self.state.note(text));
    }

    pub(super) fn list_sessions(&self) {
        let own = self.state.session.as_ref().map(|session| session.id.clone()).unwrap_or_default();
        match sessions::list(&self.places()) {
            Ok(all) => {
                let others = all.into_iter().filter(|one| one.is_own && !one.is_live);
                let others = others.map(|one| one.summary).filter(|one| one.id.to_string() != own);
                self.send(Event::Sessions(others.take(9).collect()));
            }
            Err(error) => self.send(Event::Noted(vec![ErrorChain(&error).to_string()])),
        }
    }

    /// Records that the user does not continue a session.
    pub(super) fn abandon(&self, id: SessionId) {
        let ledger = self.work.as_ref().and_then(|work| work.keeping.ledger.as_ref());
        let told = ledger::abandon(ledger, &self.places(), id, self.state.words);
        told.into_iter().for_each(|text| self.send(Event::Noted(vec![text])));
    }
}
