//! `/window/runs`: the history and its filters.

use contract::failure::FailureCode;
use contract::id::{RunId, SessionId};
use contract::run::{RunKind, RunState};
use jiff::civil::Date;
use url::form_urlencoded::{Serializer, parse};

/// `/window/runs`.
#[derive(Debug, Clone)]
pub struct Runs {
    /// The filters.
    pub filter: Filter,
    /// The page of the history, newest first; at most [`Filter::PAGE`].
    pub rows: Vec<Row>,
    /// How many runs match; `None` if that was not counted.
    pub total: Option<u64>,
    /// Whether there is a next page.
    pub has_next: bool,
    /// Models of past runs, for completion.
    pub models: Vec<String>,
}

/// One run in a list.
#[derive(Debug, Clone)]
pub struct Row {
    /// The run's id.
    pub run_id: RunId,
    /// Its session.
    pub session_id: SessionId,
    /// The kind of request.
    pub kind: RunKind,
    /// 1 or 2.
    pub round: u8,
    /// Its state.
    pub state: RunState,
    /// Why it failed.
    pub code: Option<FailureCode>,
    /// The first line of the question; `None` if texts are not stored.
    pub problem: Option<String>,
    /// The project of the caller.
    pub workspace: Option<String>,
    /// The model, if known.
    pub model: Option<String>,
    /// When it was accepted.
    pub created_ms: i64,
    /// From acceptance to the end.
    pub duration_ms: Option<u64>,
    /// Its tokens.
    pub tokens: Option<contract::advice::Usage>,
}

/// The filters of the history. All of them are in the URL.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// A text to find in questions and answers; empty for all.
    pub q: String,
    /// Only this failure.
    pub code: Option<FailureCode>,
    /// Only this state.
    pub state: Option<RunState>,
    /// Only this kind.
    pub kind: Option<RunKind>,
    /// Only this model; empty for all.
    pub model: String,
    /// Only runs from this day on, UTC.
    pub from: Option<Date>,
    /// Only runs up to the end of this day, UTC.
    pub to: Option<Date>,
    /// The page, from 1.
    pub page: u32,
    /// The names of filters that could not be parsed, and are ignored.
    pub unread: Vec<&'static str>,
}

impl Filter {
    /// Runs on a page.
    pub const PAGE: u32 = 50;
    /// The last page that is served, to limit the rows that a query skips.
    const PAGES_MAX: u32 = 10_000;

    /// Parses the filters in a query string. Unknown parameters are ignored; a value that cannot be
    /// parsed is named in `unread`.
    #[must_use]
    pub fn read(query: &str) -> Self {
        let mut filter = Self { page: 1, ..Self::default() };
        for (key, value) in parse(query.as_bytes()) {
            let value = value.trim();
            let read = match &*key {
                "q" => put(&mut filter.q, value),
                "model" => put(&mut filter.model, value),
                "code" => choose(&mut filter.code, value),
                "state" => choose(&mut filter.state, value),
                "kind" => choose(&mut filter.kind, value),
                "from" => choose(&mut filter.from, value),
                "to" => choose(&mut filter.to, value),
                "page" => match value.parse::<u32>() {
                    Ok(page) => put(&mut filter.page, page),
                    Err(_) => Err(()),
                },
                _ => Ok(()),
            };
            if read.is_err() {
                let names = ["code", "state", "kind", "from", "to", "page"];
                filter.unread.extend(names.into_iter().find(|name| *name == key));
            }
        }
        filter.page = filter.page.clamp(1, Self::PAGES_MAX);
        filter
    }

    /// The number of runs before the first one of the page.
    #[must_use]
    pub fn skipped(&self) -> u32 {
        (self.page - 1) * Self::PAGE
    }

    /// Path and query of another page with the same filters.
    pub(super) fn link(&self, page: u32) -> String {
        let mut query = Serializer::new(String::new());
        let mut add = |name, value: &str| {
            if !value.is_empty() {
                query.append_pair(name, value);
            }
        };
        add("q", &self.q);
        add("code", self.code.map_or("", FailureCode::as_str));
        add("state", self.state.map_or("", RunState::as_str));
        add("kind", self.kind.map_or("", RunKind::as_str));
        add("model", &self.model);
        add("from", &self.from.map(|date| date.to_string()).unwrap_or_default());
        add("to", &self.to.map(|date| date.to_string()).unwrap_or_default());
        if page > 1 {
            add("page", &page.to_string());
        }
        format!("/window/runs?{}", query.finish())
    }
}

fn put<T>(place: &mut T, value: impl Into<T>) -> Result<(), ()> {
    *place = value.into();
    Ok(())
}

/// Parses a value from a list or a form's field; an empty one selects all.
fn choose<T: std::str::FromStr>(place: &mut Option<T>, value: &str) -> Result<(), ()> {
    *place = match value {
        "" => None,
        value => Some(value.parse().map_err(|_| ())?),
    };
    Ok(())
}
