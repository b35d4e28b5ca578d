//! The ranking that questions get: the words in the files' text, combined with further signals: the question's title,
//! the files' history, the repository's own name (which is ignored), and the rules
//! for C and C++.
//!
//! The weights were tuned on questions about repositories that no benchmark uses (docs/BENCHMARKS.md).

use intent::words::is_cjk;
use rustc_hash::FxHashMap;

use super::past::of;
use super::query::Query;
use super::score::{Ranked, Ranking, rank};
use super::{native, own_name};
use crate::deadline::Deadline;
use crate::past::follow::read;
use crate::view::{FileId, View};

/// Weight of the ranking by the title alone, compared with that by the whole question: it grows with the question's
/// length, as the weight of history falls.
const TITLE: f32 = 0.2;
/// Weight of the messages of the commits that changed a file.
const MESSAGES: f32 = 0.25;
/// Weight of having been changed together with the best files.
const TOGETHER: f32 = 0.1;
/// From this many characters on, a question is specific enough, and history counts nothing.
const LONG: f32 = 700.0;
/// Over this many characters below `LONG`, the weight of history rises to its full value.
const SLOPE: f32 = 400.0;

/// Ranks the files of a view for a question's text.
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

/// How much history counts for a question, from 0 to 1: most for a short one, which says little itself.
fn trust_in_history(text: &str) -> f32 {
    ((LONG - text.trim().chars().count() as f32) / SLOPE).clamp(0.0, 1.0)
}

/// The score of each file when only the first line is ranked, 1 the best; empty when the text has only that
/// line.
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
