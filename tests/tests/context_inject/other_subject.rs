//! What the entry decides without the orchestrator is what the orchestrator decides: asked both ways, for every prompt of
//! the corpora, with and without words of a repository.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use codex_auto::other_subject::is_other;
use codex_auto::question::Question;
use host::Environment;
use intent::Vocabulary;
use intent::index_folder::{IndexFolder, cache_folder};
use orchestration::PROGRAM;
use orchestration::report::Client;
use orchestrator::orchestrate::orchestrate;
use serde_json::Value;

const CORPORA: [&str; 3] = [
    include_str!("../../../skill/context/intent/corpus/intent.jsonl"),
    include_str!("../../../skill/context/intent/corpus/prompts.jsonl"),
    include_str!("../../../skill/context/intent/corpus/fresh.jsonl"),
];
const WORDS: &str = include_str!("../../../skill/context/intent/corpus/repositories.tsv");

/// Whether the orchestrator itself would look nothing up, say nothing and end well.
fn says_nothing(question: &Question, environment: &Environment) -> bool {
    let now = "2026-11-25T12:00:00Z".parse().unwrap();
    let request = question.to_request();
    let (report, exit) =
        orchestrate(&request, environment, Path::new("/"), now, &|_, _| Vec::new());
    let for_user = &report.fused_context.for_user;
    report.tool_plan.tools.is_empty()
        && for_user.limits_text.is_empty()
        && report.fused_context.for_model.additional_context.is_empty()
        && exit.code() == 0
}

#[test]
fn the_entry_decides_as_the_orchestrator_does() {
    let (home, tree) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let program = home.path().join(PROGRAM);
    fs::write(&program, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let environment: Environment =
        [("HOME", home.path()), ("PATH", home.path())].into_iter().collect();
    let cwd = tree.path().canonicalize().unwrap();
    let mut counts: BTreeMap<(bool, bool), usize> = BTreeMap::new();
    for with_words in [false, true] {
        if with_words {
            let cache = cache_folder(&environment).unwrap();
            let words = WORDS.lines().filter_map(|line| {
                let (word, count) = line.strip_prefix("sympy/sympy\t")?.split_once('\t')?;
                Some((word, count.parse().ok()?))
            });
            let words = Vocabulary::new(857, words);
            IndexFolder::new(&cache, &cwd).write_words(words.as_bytes()).unwrap();
        }
        for line in CORPORA.iter().flat_map(|corpus| corpus.lines()) {
            let row: Value = serde_json::from_str(line).unwrap();
            let prompt = row["prompt"].as_str().unwrap().to_owned();
            let client = Client::claude_code(None);
            let question = Question { prompt, client, cwd: cwd.clone(), context_max: Some(8_900) };
            let is_other = is_other(&question, &environment);
            assert_eq!(is_other, says_nothing(&question, &environment), "{}", question.prompt);
            *counts.entry((with_words, is_other)).or_default() += 1;
        }
    }
    // Both decisions are made, and the words make more prompts ones about code.
    assert!(counts.len() == 4 && counts[&(false, true)] > counts[&(true, true)], "{counts:?}");
}
