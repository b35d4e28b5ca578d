//! Scores files and units (definitions) for a question: field-weighted BM25 over whole files, the best units of each
//! file as evidence that the words belong together, and what the question mentions explicitly.

use rustc_hash::FxHashMap;

use super::prior;
use super::query::Query;
use crate::deadline::Deadline;
use crate::graph::DefId;
use crate::view::{FileId, View};

/// Weights of the fields of a file, per occurrence.
const BODY: f32 = 1.0;
const NAMED: f32 = 3.5;
const PATH: f32 = 6.0;
/// BM25's length normalization, for files and for units.
const FILE_LENGTH: f32 = 0.5;
const UNIT_LENGTH: f32 = 0.6;
/// BM25's saturation of repeated words.
const FILE_SATURATION: f32 = 1.6;
const UNIT_SATURATION: f32 = 2.0;
/// Weight of a word in a unit's name.
const UNIT_NAMED: f32 = 3.6;
/// The shortest length that a unit is scored with, in words: so a constant ranks no higher than a function.
const MIN_UNIT_WORDS: f32 = 45.0;
/// Weight of the best units, compared with the file's own score.
const BEST_UNIT: f32 = 0.9;
const SECOND_UNIT: f32 = 0.6;
/// Weight of a mentioned path, as a part of the highest score.
const MENTIONED_PATH: f32 = 0.3;
/// Weight of a definition of a mentioned name, times how rare the name is.
const MENTIONED_SYMBOL: f32 = 8.0;
/// How many definitions of a file are kept: as many as a text names.
const UNITS_KEPT: usize = 210;

/// A ranked file.
#[derive(Clone, Debug)]
pub(crate) struct Ranked {
    pub(crate) file: FileId,
    pub(crate) score: f32,
    /// The best definitions in it, best first, with their scores.
    pub(crate) best: Vec<(DefId, f32)>,
    pub(crate) why: Vec<String>,
}

/// The ranking of all matching files, best first.
pub(crate) struct Ranking {
    pub(crate) files: Vec<Ranked>,
    /// Whether the deadline passed before every word was looked up.
    pub(crate) truncated: bool,
    /// By file number, the values that [`super::native`] needs.
    pub(super) found: Vec<Found>,
}

/// What a file has of a question, apart from word frequencies.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Found {
    /// How many of the question's concepts it has.
    pub(super) concepts: u16,
    /// The score of its own name.
    pub(super) name: f32,
    /// How well the messages of its commits match, 1 the best, times the weight of history for the question.
    pub(super) said: f32,
}

/// The state of each file while words are looked up.
struct Files {
    score: Vec<f32>,
    length: Vec<f32>,
    found: Vec<Found>,
    /// The concepts that contribute most, each with its contribution.
    why: Vec<Vec<(u16, f32)>>,
}

struct Units {
    /// The first unit's number of each segment, in one numbering for all segments.
    bases: Vec<u32>,
    score: Vec<f32>,
    file: Vec<u32>,
    words: Vec<f32>,
}

/// Ranks the files of a view.
pub(crate) fn rank(view: &View, query: &Query, deadline: &Deadline) -> Ranking {
    let (mut files, mut units) = tables(view);
    let live = view.files().filter(|file| file.is_text).count().max(1) as f32;
    let total: f32 = files.length.iter().sum();
    let mean_file = (total / live).max(1.0);
    let code_units = units.words.iter().filter(|words| **words > 0.0).count().max(1) as f32;
    let mean_unit = (total / code_units).max(MIN_UNIT_WORDS);
    let mut truncated = false;
    // The weight of each word of the question, rarity included.
    let mut worths: FxHashMap<&str, f32> = FxHashMap::default();
    let mut scratch = Scratch::new(files.score.len(), units.score.len());
    for (number, concept) in query.concepts.iter().enumerate() {
        if deadline.passed() {
            truncated = true;
            break;
        }
        scratch.collect(view, &units, &concept.words);
        let matching = scratch.files.len() as f32;
        if matching == 0.0 {
            continue;
        }
        let rarity = (1.0 + (live - matching + 0.5).max(0.0) / (matching + 0.5)).ln();
        let worth = concept.weight * rarity;
        for (word, part) in &concept.words {
            let known = worths.entry(word.as_str()).or_insert(0.0);
            *known = f32::max(*known, worth * part);
        }
        for file in &scratch.files {
            let [body, named, path] = std::mem::take(&mut scratch.file[*file as usize]);
            let length = 1.0 - FILE_LENGTH + FILE_LENGTH * files.length[*file as usize] / mean_file;
            // The number of names and paths does not grow with the file as its text does.
            let count =
                BODY * body / length + (NAMED * named) / length.max(1.0).sqrt() + PATH * path;
            let score = worth * count / (FILE_SATURATION + count);
            files.score[*file as usize] += score;
            files.found[*file as usize].concepts += 1;
            files.why[*file as usize].push((number as u16, score));
        }
        for unit in &scratch.units {
            let [body, named] = std::mem::take(&mut scratch.unit[*unit as usize]);
            let words = units.words[*unit as usize].max(MIN_UNIT_WORDS);
            let length = 1.0 - UNIT_LENGTH + UNIT_LENGTH * words / mean_unit;
            let count = body / length + UNIT_NAMED * named;
            units.score[*unit as usize] += worth * count / (UNIT_SATURATION + count);
        }
        scratch.files.clear();
        scratch.units.clear();
    }
    let mut found = std::mem::take(&mut files.found);
    let apart = |file: FileId, score: f32| {
        let length = prior::length(files.length[file.0 as usize] / mean_file);
        let file = view.file(file);
        let name = prior::name(file.path, &worths);
        found[file.id.0 as usize].name = name;
        (score + name) * length * prior::kind(&file)
    };
    let files = order(view, query, &files, &units, apart);
    Ranking { files, truncated, found }
}

fn tables(view: &View) -> (Files, Units) {
    let count = view.file_bound();
    let mut files = Files {
        score: vec![0.0; count],
        length: vec![0.0; count],
        found: vec![Found::default(); count],
        why: vec![Vec::new(); count],
    };
    let unit_count: usize = view.segments().iter().map(|s| s.unit_count() as usize).sum();
    let mut units = Units {
        bases: Vec::new(),
        score: vec![0.0; unit_count],
        file: vec![u32::MAX; unit_count],
        words: vec![0.0; unit_count],
    };
    let mut base = 0;
    for (number, segment) in view.segments().iter().enumerate() {
        units.bases.push(base);
        for file in 0..segment.file_count() {
            let id = view.id(number, file);
            if !view.is_live(id) {
                continue;
            }
            let record = segment.file(file);
            for unit in record.first_unit..record.first_unit + record.unit_count {
                let words = segment.unit(unit).words as f32;
                let slot = (base + unit) as usize;
                units.file[slot] = id.0;
                units.words[slot] = words;
                files.length[id.0 as usize] += words;
            }
        }
        base += segment.unit_count();
    }
    (files, units)
}

/// Word counts of one concept, reused from concept to concept to avoid allocations.
struct Scratch {
    /// Body, name, path.
    file: Vec<[f32; 3]>,
    /// Body, name.
    unit: Vec<[f32; 2]>,
    files: Vec<u32>,
    units: Vec<u32>,
}

impl Scratch {
    fn new(files: usize, units: usize) -> Self {
        Self {
            file: vec![[0.0; 3]; files],
            unit: vec![[0.0; 2]; units],
            files: Vec::new(),
            units: Vec::new(),
        }
    }

    fn collect(&mut self, view: &View, units: &Units, words: &[(String, f32)]) {
        for (number, segment) in view.segments().iter().enumerate() {
            for (word, part) in words {
                let Some(place) = segment.find_term(word.as_bytes()) else { continue };
                for posting in segment.postings(place) {
                    let unit = units.bases[number] + posting.unit;
                    let Some(file) =
                        units.file.get(unit as usize).filter(|file| **file != u32::MAX)
                    else {
                        continue;
                    };
                    let first = view_first_unit(units, unit);
                    self.add(*file, unit, first, &posting, *part);
                }
            }
        }
    }

    fn add(
        &mut self,
        file: u32,
        unit: u32,
        first: bool,
        posting: &crate::index::draft::Posting,
        part: f32,
    ) {
        let counts = &mut self.file[file as usize];
        if counts.iter().all(|count| *count == 0.0) {
            self.files.push(file);
        }
        let body = f32::from(posting.count) * part;
        let named = f32::from(posting.named) * part;
        counts[0] += body;
        counts[if first { 2 } else { 1 }] += named;
        let counts = &mut self.unit[unit as usize];
        if counts.iter().all(|count| *count == 0.0) {
            self.units.push(unit);
        }
        counts[0] += body;
        counts[1] += if first { 0.0 } else { named };
    }
}

/// Whether a unit is the first of its file: the code outside of every definition.
fn view_first_unit(units: &Units, unit: u32) -> bool {
    let before = unit.checked_sub(1).map(|before| units.file[before as usize]);
    before != Some(units.file[unit as usize])
}

/// The files in order of their score; `apart` adds to a score what does not come from words.
fn order(
    view: &View,
    query: &Query,
    files: &Files,
    units: &Units,
    mut apart: impl FnMut(FileId, f32) -> f32,
) -> Vec<Ranked> {
    let mut best: FxHashMap<u32, Vec<(DefId, f32)>> = FxHashMap::default();
    let mut first = u32::MAX;
    let mut current = u32::MAX;
    for (unit, score) in units.score.iter().enumerate() {
        let file = units.file[unit];
        if file != current {
            (current, first) = (file, unit as u32);
        }
        if *score > 0.0 && file != u32::MAX {
            let id = DefId { file: FileId(file), unit: unit as u32 - first };
            best.entry(file).or_default().push((id, *score));
        }
    }
    let mut ranked: Vec<Ranked> = Vec::new();
    for (number, score) in files.score.iter().enumerate().filter(|(_, score)| **score > 0.0) {
        let mut units = best.remove(&(number as u32)).unwrap_or_default();
        units.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        let evidence = units.first().map_or(0.0, |(_, score)| *score) * BEST_UNIT
            + units.get(1).map_or(0.0, |(_, score)| *score) * SECOND_UNIT;
        units.truncate(UNITS_KEPT);
        let file = FileId(number as u32);
        let why = reasons(query, &files.why[number]);
        ranked.push(Ranked { file, score: score + evidence, best: units, why });
    }
    mention_symbols(view, query, &mut ranked);
    for entry in &mut ranked {
        entry.score = apart(entry.file, entry.score);
    }
    mention_paths(view, query, &mut ranked);
    ranked.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.file.cmp(&other.file)));
    ranked
}

/// The words that contribute most, as text.
fn reasons(query: &Query, why: &[(u16, f32)]) -> Vec<String> {
    let mut why = why.to_vec();
    why.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    let words: Vec<&str> = why
        .iter()
        .take(4)
        .filter_map(|(number, _)| query.concepts.get(*number as usize)?.words.first())
        .map(|(word, _)| word.as_str())
        .collect();
    if words.is_empty() { Vec::new() } else { vec![format!("words: {}", words.join(", "))] }
}

/// Raises the files that define what the question names.
fn mention_symbols(view: &View, query: &Query, ranked: &mut [Ranked]) {
    let graph = crate::graph::Graph::new(view);
    let mut lifts: FxHashMap<FileId, (f32, Vec<String>)> = FxHashMap::default();
    for symbol in query.symbols.iter().take(60) {
        let found = graph.named(symbol);
        let sources: Vec<&DefId> = found.iter().filter(|id| !view.file(id.file).is_test).collect();
        if sources.is_empty() || sources.len() > 12 {
            continue;
        }
        let lift = MENTIONED_SYMBOL / (sources.len() as f32).sqrt();
        let mut seen = Vec::new();
        for id in sources {
            if !seen.contains(&id.file) {
                seen.push(id.file);
                let (total, names) = lifts.entry(id.file).or_default();
                *total += lift;
                names.push(symbol.clone());
            }
        }
    }
    for entry in ranked {
        if let Some((lift, names)) = lifts.get(&entry.file) {
            entry.score += lift;
            entry.why.push(format!("defines {}", names[..names.len().min(3)].join(", ")));
        }
    }
}

/// Raises the files whose path the question names.
fn mention_paths(view: &View, query: &Query, ranked: &mut [Ranked]) {
    let top = ranked.iter().map(|entry| entry.score).fold(0.0, f32::max);
    let mentioned: Vec<Vec<String>> = query.paths.iter().map(|path| parts(path)).collect();
    for entry in ranked {
        let file = view.file(entry.file);
        let own = parts(file.path);
        let fits = |mentioned: &&Vec<String>| is_meant(mentioned, &own);
        if let Some(path) = mentioned.iter().find(fits) {
            let tested = if file.is_test { prior::TEST } else { 1.0 };
            entry.score += top * MENTIONED_PATH * tested;
            entry.why.push(format!("path {} is mentioned", path.join("/")));
        }
    }
}

/// The parts of a path or dotted name, without the ending of a source file.
fn parts(path: &str) -> Vec<String> {
    let path = path.replace('\\', "/");
    let path = path.split(':').next().unwrap_or_default();
    let (stem, ending) = path.rsplit_once('.').unwrap_or((path, ""));
    let is_file = path.contains('/') || ending.len() <= 3;
    let whole = if is_file && !ending.contains('/') { stem } else { path };
    let split = if path.contains('/') { ['/', '/'] } else { ['/', '.'] };
    whole.split(split).filter(|part| !part.is_empty() && *part != ".").map(str::to_owned).collect()
}

/// Whether a mentioned path refers to a file: one is the end of the other, or the mentioned
/// path names something inside of the file.
fn is_meant(mentioned: &[String], own: &[String]) -> bool {
    let ends = |long: &[String], short: &[String]| long.ends_with(short) && !short.is_empty();
    let inside = |cut: usize| {
        let Some(length) = mentioned.len().checked_sub(cut) else { return false };
        length > 1 && ends(own, &mentioned[..length])
    };
    let common = own.iter().rev().zip(mentioned.iter().rev()).take_while(|(a, b)| a == b).count();
    ends(own, mentioned) || inside(1) || common >= 2 || (own.len() > 1 && ends(mentioned, own))
}
