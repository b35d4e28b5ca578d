//! Runs a turn: one prompt, step by step until it ends.

use std::sync::Arc;

use contract::xc::{End, EndReason, Entry, What};
use llm::{Answer, Cancel, Catalogue, Failure, Model, Reason};
use orchestrator::hosted::ForPrompt;
use redact::Cut;

use crate::budget::{Spent, least_cost, share};
use crate::checkpoint::Checkpoints;
use crate::compact::{Compaction, Kept, compact};
use crate::evidence::Evidence;
use crate::guard::RepetitionGuard;
use crate::host::Host;
use crate::state::State;
use crate::step::reply::{self, Audience};
use crate::step::{Ending, KeepsFiles, Turn, calls, failure};

/// Works on `prompt` until the turn ends.
pub(crate) async fn run(
    session: &mut State,
    prompt: &str,
    host: &dyn Host,
    cancel: &Cancel,
) -> End {
    let mut turn = Turn {
        session,
        host,
        cancel,
        evidence: Evidence::default(),
        guard: RepetitionGuard::default(),
        keeps_files: KeepsFiles::NotYet,
        compaction_failed: false,
        line: 0,
    };
    turn.begin(prompt).await;
    let ending = turn.steps().await;
    turn.compare_files().await;
    turn.end(ending)
}

impl Turn<'_> {
    /// Sends a note to the host.
    pub(crate) fn note(&mut self, text: impl Into<String>) {
        let text = self.session.masked(&text.into());
        self.session.record.append(self.host, Entry::Note { text: text.clone(), pid: None });
        self.host.tell(What::Note { text });
    }

    async fn begin(&mut self, prompt: &str) {
        self.session.turn_spent = Spent::NOTHING;
        let code = self.code_for(prompt).await;
        self.say(prompt, &code);
        let model = self.session.model.id().to_string();
        self.note_missing_price();
        let limits = self.session.model.limits();
        if limits.is_assumed && self.session.conversation.messages().len() == 1 {
            let window = limits.window;
            self.note(format!("The window of {model} is not known; {window} tokens are assumed."));
        }
    }

    /// The code context for a prompt, to be added behind it; empty if there is none.
    async fn code_for(&mut self, prompt: &str) -> String {
        let Some(code) = self.session.code.clone() else { return String::new() };
        // Secrets must not be part of the search either.
        let prompt = self.session.masked(prompt);
        let ForPrompt { text, items, limits } = code.for_prompt(&prompt, self.cancel).await;
        if text.is_empty() && limits.is_empty() {
            return String::new();
        }
        let items = u64::try_from(items).unwrap_or(u64::MAX);
        let limits = limits.iter().map(|limit| self.session.masked(limit)).collect();
        self.host.tell(What::Context { items, limits });
        let text = self.session.masked(&text);
        if text.is_empty() { text } else { format!("\n\n{text}") }
    }

    /// Adds a prompt of the user to the conversation, followed by its code context.
    fn say(&mut self, prompt: &str, found: &str) {
        let prompt = self.session.redactor.sanitize(prompt, Cut::NONE);
        let masked: u32 = prompt.counts.values().sum();
        let prompt = prompt.text.into_owned();
        self.host.tell(What::Prompt { text: prompt.clone() });
        let rules = self.session.rules.named_in(&prompt);
        let mut told = std::mem::take(&mut self.session.told_next);
        told.push_str(&self.hear_of_tasks());
        let told = format!("{found}{told}{rules}{}", self.session.plan.behind_prompt());
        let text = format!("{prompt}{told}");
        let entry = Entry::User { text: prompt.clone(), told };
        let line = self.session.record.append(self.host, entry);
        self.session.conversation.push_prompt(text, prompt, line);
        self.line = line;
        if masked > 0 {
            let secrets = if masked == 1 { "1 secret" } else { &format!("{masked} secrets") };
            self.note(format!("{secrets} in the prompt masked; the model does not see them."));
        }
    }

    async fn steps(&mut self) -> Ending {
        for step in 0..self.session.limits.max_steps {
            if step > 0 {
                self.steer();
            }
            let answer = match self.answer().await {
                Ok(answer) => answer,
                Err(ending) => return ending,
            };
            if answer.reason == Reason::Length {
                self.note("The answer reached the model's limit and is cut off there.");
            }
            if let Some(ending) = calls::carry_out(self, answer).await {
                return ending;
            }
        }
        Ending::TurnLimit
    }

    /// Adds the messages that the user sent meanwhile.
    fn steer(&mut self) {
        for text in self.host.steered() {
            self.say(&text, "");
        }
    }

    /// The next answer of the model, recorded and counted: from the model or from a fallback,
    /// with the conversation compacted if needed.
    async fn answer(&mut self) -> Result<Answer, Ending> {
        let (mut has_moved, mut has_compacted, mut has_overflowed) = (false, false, false);
        loop {
            self.check()?;
            self.make_room(&mut has_compacted).await;
            self.check()?;
            let request = self.session.request();
            let asked = reply::ask(self.session, &request, Audience::User, self.host, self.cancel);
            let failure = match asked.await {
                Ok(answer) => return Ok(answer),
                Err(Failure::Cancelled) => return Err(Ending::Interrupted),
                Err(failure) => failure,
            };
            match failure {
                Failure::ContextLength { .. } if !has_overflowed => {
                    (has_overflowed, has_compacted) = (true, true);
                    if !self.compact(Kept::NewestStep).await {
                        self.check()?;
                        return Err(Ending::Failed(failure));
                    }
                }
                Failure::RateLimited { .. }
                | Failure::Overloaded { .. }
                | Failure::Server { .. }
                    if !has_moved =>
                {
                    has_moved = true;
                    let Some(next) = self.session.fallback.pop_front() else {
                        return Err(Ending::Failed(failure));
                    };
                    self.move_to(next, &failure);
                }
                _ => return Err(Ending::Failed(failure)),
            }
        }
    }

    /// Compacts the conversation if it exceeds its share of the window.
    async fn make_room(&mut self, has_compacted: &mut bool) {
        let threshold = self.session.limits.compaction_threshold;
        let most = share(self.session.model.limits().window, threshold);
        let is_full = threshold > 0.0 && self.session.tokens() > most;
        if is_full && !*has_compacted && !self.compaction_failed {
            *has_compacted = self.compact(Kept::Share).await;
        }
    }

    async fn compact(&mut self, kept: Kept) -> bool {
        let done = compact(self.session, kept, None, self.host, self.cancel).await;
        self.compaction_failed = done == Compaction::Failed;
        done == Compaction::Done
    }

    fn move_to(&mut self, next: Arc<dyn Model>, failure: &Failure) {
        let from = self.session.model.id().to_string();
        let to = next.id().to_string();
        let why = self.session.masked(&failure.to_string());
        self.session.model = next;
        let (from_, to_, why_) = (from.clone(), to.clone(), why.clone());
        self.session.record.append(self.host, Entry::Model { from: from_, to: to_, why: why_ });
        self.host.tell(What::Model { from, to, why });
        self.note_missing_price();
    }

    /// Checks whether a request may be sent.
    ///
    /// # Errors
    /// The user ended the turn; the session has reached its cost limit as far as prices are known; or the
    /// next request would certainly exceed it.
    fn check(&self) -> Result<(), Ending> {
        if self.cancel.is_cancelled() {
            return Err(Ending::Interrupted);
        }
        let Some(most) = self.session.limits.max_cost_usd else { return Ok(()) };
        let next = least_cost(self.session.model.id(), self.session.tokens());
        if self.session.spent.known_usd + next >= most { Err(Ending::CostLimit) } else { Ok(()) }
    }

    /// Adds a note that the cost limit cannot be enforced because the model's price is not known.
    fn note_missing_price(&mut self) {
        let id = self.session.model.id();
        let has_price = Catalogue::built_in().price(id).is_some();
        if self.session.limits.max_cost_usd.is_some() && !has_price {
            self.note(format!("The price of {id} is not known: its cost has no limit."));
        }
    }

    /// Compares the files with the checkpoint, and adds a note if the turn cannot be undone.
    async fn compare_files(&mut self) {
        if let Some(Err(error)) = self.session.on_disk(Checkpoints::end).await {
            self.note(format!("What this turn changed cannot be taken back: {error}."));
        }
    }

    fn end(mut self, ending: Ending) -> End {
        let (reason, exit) = match &ending {
            Ending::Answered(_) => (EndReason::Answered, 0),
            Ending::TurnLimit | Ending::Repetition => (EndReason::TurnLimit, 5),
            Ending::CostLimit => (EndReason::CostLimit, 5),
            Ending::Failed(failure) => (EndReason::Failed, failure::exit(failure)),
            Ending::Interrupted => (EndReason::Interrupted, 130),
        };
        match &ending {
            Ending::TurnLimit => {
                let steps = self.session.limits.max_steps;
                self.note(format!(
                    "Stopped after {steps} model calls, the limit of a prompt. What is done stays."
                ));
            }
            Ending::Repetition => {
                self.note(
                    "Stopped: the same call had the same result five times. What is done stays.",
                );
            }
            Ending::CostLimit => {
                let most = self.session.limits.max_cost_usd.unwrap_or_default();
                self.note(format!(
                    "Stopped at the limit of {most} US dollars. What is done stays."
                ));
            }
            Ending::Failed(failure) => {
                if let Some(class) = failure::class(failure) {
                    let message = failure::message(failure, self.session.model.id());
                    let message = self.session.masked(&message);
                    let entry = Entry::Note { text: message.clone(), pid: None };
                    self.session.record.append(self.host, entry);
                    self.host.tell(What::Failure { class, message });
                }
            }
            Ending::Answered(_) | Ending::Interrupted => {}
        }
        let told_next = self.hear_of_tasks();
        self.session.told_next.push_str(&told_next);
        self.session.record.append(self.host, Entry::End { reason });
        self.host.tell(self.evidence.told());
        let commands = self.evidence.commands();
        let Evidence { changed, denied, .. } = self.evidence;
        let answer = match ending {
            Ending::Answered(answer) => answer,
            _ => String::new(),
        };
        let Spent { usage, cost_usd, .. } = self.session.turn_spent;
        End { reason, exit, answer, usage, cost_usd, changed, commands, denied }
    }
}
