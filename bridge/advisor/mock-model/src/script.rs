//! Selects the reply to each request: a fixed one, a sequence of replies, or a choice by request.

use std::collections::VecDeque;
use std::fmt;

use crate::record::Recorded;
use crate::reply::Reply;

type Choose = Box<dyn FnMut(&Recorded) -> Reply + Send>;

/// Selects the reply to each request.
pub struct Script(Choose);

impl Script {
    /// The same reply each time.
    #[must_use]
    pub fn always(reply: Reply) -> Self {
        Self(Box::new(move |_| reply.clone()))
    }

    /// These replies in order, one per request, and `then` for every later request.
    #[must_use]
    pub fn sequence(replies: impl IntoIterator<Item = Reply>, then: Reply) -> Self {
        let mut queue: VecDeque<Reply> = replies.into_iter().collect();
        Self(Box::new(move |_| queue.pop_front().unwrap_or_else(|| then.clone())))
    }

    /// The reply that the function chooses for the request.
    #[must_use]
    pub fn choose(choose: impl FnMut(&Recorded) -> Reply + Send + 'static) -> Self {
        Self(Box::new(choose))
    }

    pub(crate) fn reply(&mut self, request: &Recorded) -> Reply {
        (self.0)(request)
    }
}

impl From<Reply> for Script {
    fn from(reply: Reply) -> Self {
        Self::always(reply)
    }
}

impl fmt::Debug for Script {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Script(..)")
    }
}
