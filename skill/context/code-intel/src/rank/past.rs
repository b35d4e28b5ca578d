//! Scores files by their history: whether the messages of the commits that changed a
//! file contain the question's words (BM25 over files), and whether it was changed together with the best files.

use rustc_hash::FxHashMap;

use super::query::Query;
use super::score::Ranked;
use crate::past::file::Past;
use crate::view::View;

/// BM25's saturation of repeated words, and its length normalization.
const SATURATION: f32 = 1.2;
const LENGTH: f32 = 0.6;
/// The count of one mention in the sums of a history.
const ONCE: f32 = 32.0;
/// For how many of the best files the files changed with them are looked up.
const BEST: usize = 8;
/// Added to the number of changes of a file, so that few changes prove little.
const CHANGES: f32 = 3.0;
/// From this part of the best score on, the words are given as a reason.
const NAMED: f32 = 0.5;

/// The history scores of a ranking's files, by position in the ranking.
#[derive(Debug, Default)]
pub(super) struct History {
    messages: Vec<f32>,
    together: Vec<f32>,
    words: Vec<Option<String>>,
}

impl History {
    /// For the file at a position, 1 the best: how well the messages of its commits match, and how often it
    /// was changed together with the best files.
    pub(super) fn of(&self, position: usize) -> (f32, f32) {
        let at = |values: &[f32]| values.get(position).copied().unwrap_or(0.0);
        (at(&self.messages), at(&self.together))
    }

    /// The reason, as shown to a user.
    pub(super) fn why(&self, position: usize) -> Option<String> {
        let word = self.words.get(position)?.as_ref()?;
        Some(format!("its commits say {word}"))
    }
}

/// Scores the files found by what `past` holds about them.
pub(super) fn of(past: &Past, view: &View, query: &Query, found: &[Ranked]) -> History {
    let positions: FxHashMap<&str, usize> = found
        .iter()
        .enumerate()
        .map(|(position, entry)| (view.file(entry.file).path, position))
        .collect();
    // By the file's number in the history, its position in the ranking.
    let places: Vec<Option<usize>> =
        past.files().map(|path| positions.get(path).copied()).collect();
    let (scores, best) = messages(past, query);
    let mut history = History {
        messages: vec![0.0; found.len()],
        together: vec![0.0; found.len()],
        words: vec![None; found.len()],
    };
    for (file, place) in places.iter().enumerate() {
        let Some(place) = *place else { continue };
        history.messages[place] = scores[file];
        if scores[file] >= NAMED {
            let word = best[file].and_then(|concept| query.concepts.get(concept)?.words.first());
            history.words[place] = word.map(|(word, _)| word.clone());
        }
    }
    let together = together(past, &places, found);
    for (file, place) in places.iter().enumerate() {
        if let Some(place) = place {
            history.together[*place] = together[file];
        }
    }
    history
}

/// By file, how well its commits' messages match, 1 the best; and which concept contributes most.
fn messages(past: &Past, query: &Query) -> (Vec<f32>, Vec<Option<usize>>) {
    let count = past.file_count();
    let lengths: Vec<f32> = (0..count).map(|file| past.length(file as u32) as f32 / ONCE).collect();
    let mean = (lengths.iter().sum::<f32>() / count.max(1) as f32).max(f32::MIN_POSITIVE);
    let mut scores = vec![0.0_f32; count];
    let mut best = vec![(0.0_f32, None); count];
    let mut times = vec![0.0_f32; count];
    let mut touched: Vec<usize> = Vec::new();
    for (number, concept) in query.concepts.iter().enumerate() {
        for (word, part) in &concept.words {
            for (file, sum) in past.entries(word) {
                let Some(time) = times.get_mut(file as usize) else { continue };
                if *time == 0.0 {
                    touched.push(file as usize);
                }
                *time += part * sum as f32 / ONCE;
            }
        }
        let matching = touched.len() as f32;
        let rarity = (1.0 + (count as f32 - matching + 0.5) / (matching + 0.5)).ln();
        for file in touched.drain(..) {
            let times = std::mem::take(&mut times[file]);
            let length = 1.0 - LENGTH + LENGTH * lengths[file] / mean;
            let score = concept.weight * rarity * times / (times + SATURATION * length);
            scores[file] += score;
            if score > best[file].0 {
                best[file] = (score, Some(number));
            }
        }
    }
    normalize(&mut scores);
    (scores, best.into_iter().map(|(_, concept)| concept).collect())
}

/// By file, how often it was changed together with the best files, 1 the most.
fn together(past: &Past, places: &[Option<usize>], found: &[Ranked]) -> Vec<f32> {
    let count = past.file_count();
    let mut known: Vec<(usize, u32)> = places
        .iter()
        .enumerate()
        .filter_map(|(file, place)| Some(((*place)?, file as u32)))
        .collect();
    known.sort_unstable();
    known.truncate(BEST);
    let top = found.first().map_or(1.0, |entry| entry.score);
    // By file, its index among the best files.
    let mut best: Vec<Option<usize>> = vec![None; count];
    for (number, (_, file)) in known.iter().enumerate() {
        best[*file as usize] = Some(number);
    }
    let best = |file: &u32| best.get(*file as usize).copied().flatten();
    let mut with = vec![vec![0.0_f32; count]; known.len()];
    let mut changes = vec![CHANGES; known.len()];
    past.each_commit(|files| {
        let share = 1.0 / files.len().max(1) as f32;
        for (file, number) in files.iter().filter_map(|file| Some((file, best(file)?))) {
            changes[number] += share;
            for other in files.iter().filter(|other| *other != file) {
                if let Some(sum) = with[number].get_mut(*other as usize) {
                    *sum += share;
                }
            }
        }
    });
    let mut scores = vec![0.0_f32; count];
    for (number, (place, _)) in known.iter().enumerate() {
        let weight = found[*place].score / top / changes[number];
        scores.iter_mut().zip(&with[number]).for_each(|(score, sum)| *score += weight * sum);
    }
    normalize(&mut scores);
    scores
}

fn normalize(scores: &mut [f32]) {
    let top = scores.iter().copied().fold(0.0, f32::max);
    if top > 0.0 {
        scores.iter_mut().for_each(|score| *score /= top);
    }
}
