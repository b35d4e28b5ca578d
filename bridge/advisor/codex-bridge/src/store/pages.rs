//! Queries of the web pages: lists of runs by filters and text, single runs in full, and costs.

use std::collections::BTreeMap;

use contract::advice::Usage;
use contract::failure::FailureCode;
use contract::id::RunId;
use contract::run::{RunKind, RunState};
use rusqlite::types::Value as SqlValue;
use rusqlite::{Connection, OptionalExtension as _, Row, params, params_from_iter};

use super::codes;
use super::error::StoreError;
use super::history::{SUMMARY, read_summary};
use super::record::{RunFacts, RunFound, RunRow, RunSearch, RunText, UsageRow};
use super::text_search::TextSearch;

/// Maximum number of runs in flight shown; the queue alone may be longer.
const LIVE_MAX: u32 = 100;

/// Maximum number of models offered as a filter.
const MODELS_MAX: u32 = 50;

/// The columns after those of a summary.
const FACTS: &str = "input_tokens, cached_input_tokens, output_tokens, reasoning_output_tokens, \
                     model, driver, attempts, queue_ms, first_event_ms, created_at";

/// Index of the first of these columns.
const FACTS_AT: usize = 12;

/// Index of the first column after them.
const TEXT_AT: usize = FACTS_AT + 10;

fn run_row(row: &Row<'_>) -> rusqlite::Result<RunRow> {
    let at = |offset: usize| FACTS_AT + offset;
    let facts = RunFacts {
        usage: usage(row, FACTS_AT)?,
        model: row.get(at(4))?,
        driver: row.get(at(5))?,
        attempts: row.get(at(6))?,
        queue_ms: row.get(at(7))?,
        first_event_ms: row.get(at(8))?,
    };
    Ok(RunRow { run: read_summary(row)?, created_ms: row.get(at(9))?, facts })
}

/// Reads four columns starting at `at`; `None` if the first is NULL.
fn usage(row: &Row<'_>, at: usize) -> rusqlite::Result<Option<Usage>> {
    let Some(input_tokens) = row.get(at)? else { return Ok(None) };
    let rest = |offset: usize| -> rusqlite::Result<u64> {
        Ok(row.get::<_, Option<u64>>(at + offset)?.unwrap_or(0))
    };
    Ok(Some(Usage {
        input_tokens,
        cached_input_tokens: rest(1)?,
        output_tokens: rest(2)?,
        reasoning_output_tokens: rest(3)?,
    }))
}

/// Runs that have not ended, oldest first, running ones before queued ones.
pub(super) fn live(
    connection: &Connection,
    kind: Option<RunKind>,
) -> Result<Vec<RunRow>, StoreError> {
    let condition = "state IN ('queued', 'running')";
    let order = "ORDER BY state = 'queued', run_id";
    let (clause, kind) = of_kind(kind);
    let mut statement = connection.prepare_cached(&format!(
        "{SUMMARY}, {FACTS} FROM runs WHERE {condition} {clause} {order} LIMIT {LIVE_MAX}"
    ))?;
    let rows = statement.query_map(params_from_iter(kind), run_row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The runs that ended last, newest first.
pub(super) fn ended(
    connection: &Connection,
    kind: Option<RunKind>,
    limit: u32,
) -> Result<Vec<RunRow>, StoreError> {
    let (clause, kind) = of_kind(kind);
    let mut statement = connection.prepare_cached(&format!(
        "{SUMMARY}, {FACTS} FROM runs WHERE finished_at IS NOT NULL {clause} \
         ORDER BY finished_at DESC, run_id DESC LIMIT {limit}"
    ))?;
    let rows = statement.query_map(params_from_iter(kind), run_row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn of_kind(kind: Option<RunKind>) -> (&'static str, Option<&'static str>) {
    match kind {
        Some(kind) => ("AND kind = ?", Some(kind.as_str())),
        None => ("", None),
    }
}

/// One run with its texts.
pub(super) fn text(connection: &Connection, run_id: RunId) -> Result<Option<RunText>, StoreError> {
    let found = connection
        .prepare_cached(&format!(
            "{SUMMARY}, {FACTS}, question, outcome FROM runs WHERE run_id = ?1"
        ))?
        .query_row([run_id.to_string()], |row| {
            Ok(RunText {
                row: run_row(row)?,
                question: row.get(TEXT_AT)?,
                outcome: codes::optional_column(row, TEXT_AT + 1, |text| {
                    serde_json::from_str(text).ok()
                })?,
            })
        })
        .optional()?;
    Ok(found)
}

/// A page of the runs that match the search, newest first.
pub(super) fn search(connection: &Connection, search: &RunSearch) -> Result<RunFound, StoreError> {
    let (filter, values) = conditions(search);
    let (ids, total) = match search.text.is_empty() {
        true => listed(connection, search, &filter, values)?,
        false => (matching(connection, search, &filter, values)?, None),
    };
    let limit = usize::try_from(search.limit).unwrap_or(usize::MAX);
    let has_next = ids.len() > limit;
    let mut statement =
        connection.prepare_cached(&format!("{SUMMARY}, {FACTS} FROM runs WHERE run_id = ?1"))?;
    let rows = ids.iter().take(limit).map(|id| statement.query_row([id], run_row));
    Ok(RunFound { rows: rows.collect::<rusqlite::Result<_>>()?, total, has_next })
}

/// The ids of a page and one more, and the total; answered from an index alone.
fn listed(
    connection: &Connection,
    search: &RunSearch,
    filter: &str,
    values: Vec<SqlValue>,
) -> Result<(Vec<String>, Option<u64>), StoreError> {
    let total = connection
        .prepare_cached(&format!("SELECT count(*) FROM runs {filter}"))?
        .query_row(params_from_iter(&values), |row| row.get(0))?;
    let mut statement = connection.prepare_cached(&format!(
        "SELECT run_id FROM runs {filter} ORDER BY created_at DESC, run_id DESC \
         LIMIT {} OFFSET {}",
        search.limit.saturating_add(1),
        search.skip,
    ))?;
    let ids = statement.query_map(params_from_iter(values), |row| row.get(0))?;
    Ok((ids.collect::<rusqlite::Result<_>>()?, Some(total)))
}

/// The same for runs that contain the text in a value of their question or outcome.
fn matching(
    connection: &Connection,
    search: &RunSearch,
    filter: &str,
    values: Vec<SqlValue>,
) -> Result<Vec<String>, StoreError> {
    // A text that is too long to search for is in no run.
    let Ok(sought) = TextSearch::new(&search.text) else { return Ok(Vec::new()) };
    // Texts are read one run at a time: a sort by SQLite would keep them all in memory.
    let mut order = connection.prepare_cached(&format!(
        "SELECT rowid FROM runs {filter} ORDER BY created_at DESC, run_id DESC"
    ))?;
    let mut texts =
        connection.prepare_cached("SELECT run_id, question, outcome FROM runs WHERE rowid = ?1")?;
    let mut order = order.query(params_from_iter(values))?;
    let (mut ids, mut skip) = (Vec::new(), search.skip);
    while let Some(next) = order.next()? {
        let mut rows = texts.query([next.get::<_, i64>(0)?])?;
        let Some(row) = rows.next()? else { continue };
        let holds = |index: usize| -> rusqlite::Result<bool> {
            Ok(row.get_ref(index)?.as_str_or_null()?.is_some_and(|text| sought.is_in(text)))
        };
        if !holds(1)? && !holds(2)? {
            continue;
        }
        if skip > 0 {
            skip -= 1;
            continue;
        }
        ids.push(row.get(0)?);
        if ids.len() > usize::try_from(search.limit).unwrap_or(usize::MAX) {
            break;
        }
    }
    Ok(ids)
}

fn conditions(search: &RunSearch) -> (String, Vec<SqlValue>) {
    let word = |word: &'static str| SqlValue::Text(word.to_owned());
    let conditions = [
        ("kind = ?", search.kind.map(|kind| word(kind.as_str()))),
        ("state = ?", search.state.map(|state| word(state.as_str()))),
        ("code = ?", search.code.map(|code| word(code.as_str()))),
        ("model = ?", search.model.clone().map(SqlValue::Text)),
        ("created_at >= ?", search.from_ms.map(SqlValue::Integer)),
        ("created_at < ?", search.before_ms.map(SqlValue::Integer)),
    ];
    let given = conditions.into_iter().filter_map(|(clause, value)| Some((clause, value?)));
    let (clauses, values): (Vec<&str>, Vec<SqlValue>) = given.unzip();
    let filter = match clauses.is_empty() {
        true => String::new(),
        false => format!("WHERE {}", clauses.join(" AND ")),
    };
    (filter, values)
}

/// When each event of a run was stored, by its position: that of the last event of an ended run is the run's end.
/// Events stored by an older version have no time.
pub(super) fn event_times(
    connection: &Connection,
    run_id: RunId,
) -> Result<BTreeMap<u64, i64>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT seq, at FROM events WHERE run_id = ?1 AND at IS NOT NULL
         UNION ALL SELECT end_seq, finished_at FROM runs
         WHERE run_id = ?1 AND end_seq IS NOT NULL AND finished_at IS NOT NULL",
    )?;
    let times = statement.query_map([run_id.to_string()], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(times.collect::<rusqlite::Result<_>>()?)
}

/// The models of the stored runs, by name.
pub(super) fn models(connection: &Connection) -> Result<Vec<String>, StoreError> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT DISTINCT model FROM runs WHERE model IS NOT NULL ORDER BY model LIMIT {MODELS_MAX}"
    ))?;
    let models = statement.query_map([], |row| row.get(0))?;
    Ok(models.collect::<rusqlite::Result<_>>()?)
}

/// The cost of each ended run since `from_ms`; answered from an index alone.
pub(super) fn costs(
    connection: &Connection,
    kind: Option<RunKind>,
    from_ms: i64,
) -> Result<Vec<UsageRow>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT created_at, state, code, model, duration_ms, queue_ms, first_event_ms, \
         input_tokens, cached_input_tokens, output_tokens, reasoning_output_tokens \
         FROM runs WHERE created_at >= ?1 AND (?2 IS NULL OR kind = ?2) \
         AND state NOT IN ('queued', 'running')",
    )?;
    let rows = statement.query_map(params![from_ms, kind.map(|kind| kind.as_str())], |row| {
        Ok(UsageRow {
            created_ms: row.get(0)?,
            state: codes::column(row, 1, codes::word::<RunState>)?,
            code: codes::optional_column(row, 2, codes::word::<FailureCode>)?,
            model: row.get(3)?,
            duration_ms: row.get(4)?,
            queue_ms: row.get(5)?,
            first_event_ms: row.get(6)?,
            usage: usage(row, 7)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
