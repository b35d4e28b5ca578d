//! Shares the ranking of one question between tools that need it at the same time. Ranking is most of the work of
//! each, and a tool that waits for it leaves a processor to the one that computes it. Not here: how files are ranked.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::deadline::Deadline;
use crate::rank::blend::ranked;
use crate::rank::score::Ranking;
use crate::view::View;

/// A question, and the cell for its ranking.
type Asked = (String, Arc<OnceLock<Arc<Ranking>>>);

/// The ranking shared by the tools of one prompt, for one view. Another view needs another instance.
#[derive(Default)]
pub struct Rankings {
    /// The first question, set by the first caller.
    asked: Mutex<Option<Asked>>,
}

impl Rankings {
    /// The files of the view ranked for a text. A ranking that another tool had no time to complete is computed again.
    pub(crate) fn of(&self, view: &View, text: &str, deadline: &Deadline) -> Arc<Ranking> {
        let own = || Arc::new(ranked(view, text, deadline));
        let place = {
            let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
            let (known, place) = asked.get_or_insert_with(|| (text.to_owned(), Arc::default()));
            (*known == text).then(|| Arc::clone(place))
        };
        let Some(place) = place else { return own() };
        let ranking = place.get_or_init(own);
        if ranking.truncated && !deadline.passed() { own() } else { Arc::clone(ranking) }
    }
}
