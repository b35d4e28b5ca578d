//! The ranking that questions get: what the text of the files says, and beside it what a reader knows
//! without it: what the title asks, what history says of the files, that the repository's own name
//! says nothing, and what else is different in C and C++.
//!
//! The weights were found on questions of repositories that no benchmark has (docs/BENCHMARKS.md).

use intent::words::is_cjk;
use rustc_hash::FxHashMap;

use super::past::of;
use super::query::Query;
use super::score::{Ranked, Ranking, rank};
use super::{native, own_name};
use crate::deadline::Deadline;
use crate::past::follow::read;
use crate::view::{FileId, View};

/// What the title alone counts, compared with the whole question: of a long one, as history counts of a
/// short one.
const TITLE: f32 = 0.2;
/// What the messages of the commits that touched a file count.
const MESSAGES: f32 = 0.25;
/// What counts that a file was changed together with the best ones.
const TOGETHER: f32 = 0.1;
/// From so many characters on, a question says itself where to look: history counts nothing.
const LONG: f32 = 700.0;
/// Over so many characters, down from that, history comes to count in full.
const SLOPE: f32 = 400.0;

/// Ranks the files of a view for a text as it was written.
pub(crate) fn ranked(view: &View, text: &str, deadline: &Deadline) -> Ranking {
    let mut query = Query::new(text);
    if text.chars().any(is_cjk) {
        query.forget(&own_name::of(view));
    }
    let mut ranking = rank(view, &query, deadline);
    let top = ranking.files.first().map_or(0.0, |entry| entry.score);
    if top <= 0.0 {
        return ranking;
    }
    let trust = trust_in_history(text);
    let title = if trust < 1.0 {
        by_title(view, text, deadline, &mut ranking.truncated)
    } else {
        FxHashMap::default()
    };
    let history = if trust > 0.0 && !deadline.passed() {
        read(view.folder(), view.root().path()).map(|past| of(&past, view, &query, &ranking.files))
    } else {
        None
    };
    let history = history.unwrap_or_default();
    for (position, entry) in ranking.files.iter_mut().enumerate() {
        let (messages, together) = history.of(position);
        let more = (1.0 - trust) * TITLE * title.get(&entry.file).copied().unwrap_or(0.0)
            + trust * (MESSAGES * messages + TOGETHER * together);
        if let Some(found) = ranking.found.get_mut(entry.file.0 as usize) {
            found.said = trust * messages;
        }
        entry.score += top * more;
        if let Some(why) = history.why(position) {
            entry.why.push(why);
        }
    }
    native::weigh(view, &mut ranking);
    ranking.files.sort_by(best_first);
    ranking
}

fn best_first(one: &Ranked, other: &Ranked) -> std::cmp::Ordering {
    other.score.total_cmp(&one.score).then(one.file.cmp(&other.file))
}

/// How much history counts for a question: a short one leaves room for what is usual.
fn trust_in_history(text: &str) -> f32 {
    ((LONG - text.trim().chars().count() as f32) / SLOPE).clamp(0.0, 1.0)
}

/// What each file counts when only the first line is asked, 1 the best; empty where there is no more
/// than that line.
fn by_title(
    view: &View,
    text: &str,
    deadline: &Deadline,
    truncated: &mut bool,
) -> FxHashMap<FileId, f32> {
    let Some((title, _)) = text.trim().split_once('\n') else { return FxHashMap::default() };
    if deadline.passed() {
        *truncated = true;
        return FxHashMap::default();
    }
    let ranking = rank(view, &Query::new(title), deadline);
    *truncated |= ranking.truncated;
    let top = ranking.files.first().map_or(1.0, |entry| entry.score).max(f32::MIN_POSITIVE);
    ranking.files.iter().map(|entry| (entry.file, entry.score / top)).collect()
}
