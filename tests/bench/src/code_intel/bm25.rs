//! The usual baseline of retrieval papers: BM25 over whole source files, with identifiers
//! split into words.

use std::collections::HashMap;

use super::tree::Source;
use super::words::words;

/// BM25's saturation of repeated words: the usual value.
const K1: f64 = 1.2;
/// BM25's length normalization: the usual value.
const B: f64 = 0.75;

/// Word counts of a tree.
pub(super) struct Bm25 {
    files: Vec<String>,
    lengths: Vec<f64>,
    /// By word: the file's number and the word's count in it.
    postings: HashMap<String, Vec<(usize, f64)>>,
}

impl Bm25 {
    pub(super) fn index(sources: &[Source]) -> Self {
        let mut index = Self { files: Vec::new(), lengths: Vec::new(), postings: HashMap::new() };
        for (number, source) in sources.iter().enumerate() {
            let mut counts: HashMap<String, f64> = HashMap::new();
            let mut count = |word| *counts.entry(word).or_default() += 1.0;
            words(&source.path, &mut count);
            words(&source.text, &mut count);
            index.files.push(source.path.clone());
            index.lengths.push(counts.values().sum());
            for (word, count) in counts {
                index.postings.entry(word).or_default().push((number, count));
            }
        }
        index
    }

    /// Files that contain a word of the query, best first.
    pub(super) fn rank(&self, query: &str) -> Vec<String> {
        let count = self.files.len() as f64;
        let average = self.lengths.iter().sum::<f64>() / count.max(1.0);
        let mut scores = vec![0.0; self.files.len()];
        words(query, |word| {
            let Some(postings) = self.postings.get(&word) else { return };
            let with = postings.len() as f64;
            let idf = (1.0 + (count - with + 0.5) / (with + 0.5)).ln();
            for (number, times) in postings {
                let length = self.lengths[*number] / average;
                scores[*number] += idf * times * (K1 + 1.0) / (times + K1 * (1.0 - B + B * length));
            }
        });
        best_first(&self.files, &scores)
    }
}

/// The files with a score, best first; equal ones by path.
pub(super) fn best_first(files: &[String], scores: &[f64]) -> Vec<String> {
    let mut order: Vec<usize> = (0..files.len()).filter(|number| scores[*number] > 0.0).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then_with(|| files[*a].cmp(&files[*b])));
    order.into_iter().map(|number| files[number].clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_in_short_files_count_most() {
        let source = |path: &str, text: &str| Source { path: path.into(), text: text.into() };
        let index = Bm25::index(&[
            source("a.py", "parse header parse body"),
            source("b.py", "parse the quoted header"),
            source("c.py", &"parse ".repeat(100)),
            source("d.py", "nothing of it"),
        ]);
        assert_eq!(index.rank("quotedHeader")[0], "b.py");
        assert_eq!(index.rank("unheard elsewhere"), [""; 0]);
    }
}
