//! The ranking of one question, made once for the tools that ask it at the same time: it is most of the work of each, and
//! who waits for another's leaves that one a processor. Absent: how files are ranked.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::deadline::Deadline;
use crate::rank::blend::ranked;
use crate::rank::score::Ranking;
use crate::view::View;

/// A question, and where its ranking is put.
type Asked = (String, Arc<OnceLock<Arc<Ranking>>>);

/// What the tools of one prompt share, for one view. Another view needs another.
#[derive(Default)]
pub struct Rankings {
    /// The first question, set by who asks first.
    asked: Mutex<Option<Asked>>,
}

impl Rankings {
    /// The files of the view in their order for a text. One that another tool had no time to make whole is made anew.
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
