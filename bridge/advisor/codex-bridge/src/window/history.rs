//! The history page and its filters.

use contract::failure::Failure;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use window::view::{Filter, Runs};

use super::row::{row, shown_kind};
use crate::service::Service;
use crate::store::record::{RunFound, RunSearch};
use crate::token::Rights;

/// Collects a page of the history.
///
/// # Errors
/// `store_failed`, `overloaded`.
pub async fn gather(service: &Service, filter: Filter, rights: Rights) -> Result<Runs, Failure> {
    let only = shown_kind(rights);
    let may_match = only.is_none() || filter.kind.is_none() || filter.kind == only;
    let RunFound { rows, total, has_next } = match may_match {
        true => service.search(search(&filter, rights)).await?,
        false => RunFound { rows: Vec::new(), total: Some(0), has_next: false },
    };
    let rows = rows.into_iter().map(row).collect();
    Ok(Runs { filter, rows, total, has_next, models: service.models().await? })
}

fn search(filter: &Filter, rights: Rights) -> RunSearch {
    let next_day = |date: Date| date.tomorrow().unwrap_or(Date::MAX);
    RunSearch {
        text: filter.q.clone(),
        kind: filter.kind.or_else(|| shown_kind(rights)),
        state: filter.state,
        code: filter.code,
        model: Some(filter.model.clone()).filter(|model| !model.is_empty()),
        from_ms: filter.from.and_then(begin),
        before_ms: filter.to.map(next_day).and_then(begin),
        skip: filter.skipped(),
        limit: Filter::PAGE,
    }
}

/// When a day begins in UTC, in milliseconds since 1970.
fn begin(date: Date) -> Option<i64> {
    date.to_zoned(TimeZone::UTC).ok().map(|begin| begin.timestamp().as_millisecond())
}
