//! A newcomer's questions about this repository, and the file that answers each: our own search must
//! find it by its name and its comments. Not here: the history of the files.

use std::time::Duration;

use code_intel::tools::search::{Mode, SearchRequest, Snippets, search};
use code_intel::{Deadline, Engine, RepoRoot};
use serde::Deserialize;
use tempfile::TempDir;

use crate::tree::top;

/// How many answers a newcomer looks at.
const LOOKED_AT: usize = 3;

/// How many questions find their file at least: one below what was found when it was set, because a sentence in
/// any file moves the ranks of others. It only rises.
const FOUND_MIN: usize = 36;

#[derive(Deserialize)]
struct Question {
    /// As a newcomer would ask it.
    question: String,
    /// The file that answers it, from the top of the repository.
    file: String,
}

fn questions() -> Vec<Question> {
    let lines = include_str!("../../fixtures/newcomer.jsonl").lines();
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_newcomers_question_finds_the_file() {
    let questions = questions();
    assert_eq!(questions.len(), 40);
    let cache = TempDir::new().unwrap();
    let engine = Engine::new(RepoRoot::at(&top()).unwrap(), cache.path().to_owned());
    let deadline = Deadline::after(Duration::from_secs(150));
    let mut missed = Vec::new();
    for Question { question, file } in &questions {
        assert!(top().join(file).exists(), "{file} is not there any more: where is {question:?}?");
        let request = SearchRequest {
            query: question.clone(),
            mode: Some(Mode::Words),
            limit: LOOKED_AT,
            snippets: Snippets::Left,
        };
        let answer = search(&engine, &request, &deadline).unwrap();
        assert!(!answer.truncated || answer.items.len() == LOOKED_AT, "{:?}", answer.limits);
        if !answer.items.iter().any(|item| item.path == *file) {
            let instead: Vec<_> = answer.items.into_iter().map(|item| item.path).collect();
            missed.push(format!("{question}: {file}, not {instead:?}"));
        }
    }
    let found = questions.len() - missed.len();
    assert!(found >= FOUND_MIN, "{found} of {}: {missed:#?}", questions.len());
}
