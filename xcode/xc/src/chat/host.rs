//! The agent's host in the interactive program: forwards events to the program's queue, and holds each question until
//! it is answered by its number. Not here: how things are shown.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use agent::{Answer, Ask, Choice, Host, Plan, Question, Review};
use contract::xc::What;
use futures_util::future::BoxFuture;
use tokio::sync::{mpsc, oneshot};

use super::event::{Event, Token};

/// Forwards events, and holds open questions.
#[derive(Debug)]
pub(crate) struct ChannelHost {
    /// Unbounded: [`Host::tell`] must not block, and the events of a turn are bounded by its tools.
    events: mpsc::UnboundedSender<Event>,
    next: AtomicU64,
    permits: Mutex<HashMap<Token, oneshot::Sender<Answer>>>,
    choices: Mutex<HashMap<Token, oneshot::Sender<Choice>>>,
    reviews: Mutex<HashMap<Token, oneshot::Sender<Review>>>,
    /// What the user sent while the model works, in order, each with its number.
    steers: Mutex<Vec<(u64, String)>>,
}

impl ChannelHost {
    pub(crate) fn new(events: mpsc::UnboundedSender<Event>) -> Self {
        Self {
            events,
            next: AtomicU64::new(0),
            permits: Mutex::default(),
            choices: Mutex::default(),
            reviews: Mutex::default(),
            steers: Mutex::default(),
        }
    }

    /// Answers the question about a call. The answer to a question that is not open any more is ignored.
    pub(crate) fn permitted(&self, token: Token, answer: Answer) {
        if let Some(waiting) = held(&self.permits).remove(&token) {
            let _ = waiting.send(answer);
        }
    }

    /// Answers the model's question.
    pub(crate) fn chose(&self, token: Token, choice: Choice) {
        if let Some(waiting) = held(&self.choices).remove(&token) {
            let _ = waiting.send(choice);
        }
    }

    /// Passes on the decision about a plan.
    pub(crate) fn reviewed(&self, token: Token, review: Review) {
        if let Some(waiting) = held(&self.reviews).remove(&token) {
            let _ = waiting.send(review);
        }
    }

    /// Queues a message for the next model call.
    pub(crate) fn steer(&self, number: u64, text: String) {
        held(&self.steers).push((number, text));
    }

    /// Removes a queued message, if it was not sent yet.
    pub(crate) fn take_back(&self, number: u64) {
        held(&self.steers).retain(|(known, _)| *known != number);
    }

    fn token(&self) -> Token {
        self.next.fetch_add(1, Ordering::Relaxed)
    }
}

impl Host for ChannelHost {
    fn tell(&self, what: What) {
        // The program ends only after its session.
        let _ = self.events.send(Event::Told(what));
    }

    fn permit(&self, ask: Ask) -> BoxFuture<'_, Answer> {
        let (sender, receiver) = oneshot::channel();
        let token = self.token();
        held(&self.permits).insert(token, sender);
        let _ = self.events.send(Event::Asked(token, Box::new(ask)));
        Box::pin(async move { receiver.await.unwrap_or(Answer::No(None)) })
    }

    fn choose(&self, question: Question) -> BoxFuture<'_, Choice> {
        let (sender, receiver) = oneshot::channel();
        let token = self.token();
        held(&self.choices).insert(token, sender);
        let _ = self.events.send(Event::Question(token, question));
        Box::pin(async move { receiver.await.unwrap_or(Choice::Nobody) })
    }

    fn review(&self, plan: Plan) -> BoxFuture<'_, Review> {
        let (sender, receiver) = oneshot::channel();
        let token = self.token();
        held(&self.reviews).insert(token, sender);
        let _ = self.events.send(Event::Review(token, plan));
        Box::pin(async move { receiver.await.unwrap_or(Review::Unanswered) })
    }

    fn steered(&self) -> Vec<String> {
        held(&self.steers).drain(..).map(|(_, text)| text).collect()
    }
}

/// Locks the mutex. No code panics while it is locked.
fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
