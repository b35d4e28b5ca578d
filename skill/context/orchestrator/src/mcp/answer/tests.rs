//! Answers as servers really give them.

use std::fs;

use serde_json::{Value, json};

use super::*;
use crate::environment::Environment;

struct Repository {
    root: Root,
    _folder: tempfile::TempDir,
}

fn repository() -> Repository {
    let folder = tempfile::tempdir().unwrap();
    for path in ["src/a.rs", "src/b.rs", "README.md"] {
        fs::create_dir_all(folder.path().join(path).parent().unwrap()).unwrap();
        fs::write(folder.path().join(path), "x\n").unwrap();
    }
    let root = Root::find(&Environment::default(), folder.path()).unwrap();
    Repository { root, _folder: folder }
}

impl Repository {
    fn read(&self, result: Value) -> Result<Found, ToolFault> {
        let result: CallToolResult = serde_json::from_value(result).unwrap();
        found(&result, &self.root, "server 1".to_owned())
    }

    fn text(&self, text: &str) -> Found {
        self.read(json!({ "content": [{ "type": "text", "text": text }] })).unwrap()
    }
}

fn places(found: &Found) -> Vec<(&str, (u32, u32))> {
    let place =
        |finding: &'_ Finding| (finding.path.as_deref().unwrap_or("-").to_owned(), finding.lines);
    let places: Vec<(String, (u32, u32))> = found.findings.iter().map(place).collect();
    places.into_iter().map(|(path, lines)| (&*path.leak(), lines)).collect()
}

#[test]
fn json_is_read_by_the_usual_names() {
    let repository = repository();
    let absolute = repository.root.path.join("src/b.rs").display().to_string();
    let items = json!([
        { "file": "src/a.rs", "startLine": 3, "endLine": 9, "name": "run", "score": 4.0, "code": "fn run() {}" },
        { "location": { "uri": format!("file://{absolute}"), "range": { "start": { "line": 7 } } }, "score": 2.0 },
        { "path": "../outside.rs", "line": 1 },
        { "path": "src/gone.rs", "line": 1 },
        { "symbol": "lonely", "reason": "no place" },
        5,
    ]);
    let answers = [
        json!({ "content": [], "structuredContent": { "results": items } }),
        json!({ "content": [], "structuredContent": { "data": { "matches": items } } }),
        json!({ "content": [{ "type": "text", "text": items.to_string() }] }),
    ];
    for answer in answers {
        let found = repository.read(answer).unwrap();
        assert_eq!(places(&found), [("src/a.rs", (3, 9)), ("src/b.rs", (0, 0)), ("-", (0, 0))]);
        let first = &found.findings[0];
        assert_eq!((first.symbol.as_deref(), first.confidence), (Some("run"), 1.0));
        assert_eq!(first.snippet.as_deref(), Some("fn run() {}"));
        assert_eq!(found.findings[1].confidence, 0.5);
        assert_eq!(found.limits, ["2 places that are not in the repository left out"]);
    }
}

#[test]
fn prose_is_searched_for_files_that_are_there() {
    let repository = repository();
    let found = repository.text(
        "## Found\n- **`run`** (src/a.rs:3-9) calls `stop`\n./src/b.rs:12:4: error\nsrc/a.rs:3-9 again\n\
         see README.md, and src/none.rs:1 or e.g. nothing. https://src/a.rs",
    );
    assert_eq!(
        places(&found),
        [("src/a.rs", (3, 9)), ("src/b.rs", (12, 12)), ("README.md", (0, 0))]
    );
    assert!(found.findings[0].confidence > found.findings[1].confidence);
    assert_eq!(found.findings[0].summary, "- **`run`** (src/a.rs:3-9) calls `stop`");
}

#[test]
fn structured_content_may_be_prose() {
    let repository = repository();
    let wrapped = |text: &str| {
        let answer = json!({ "content": [], "structuredContent": { "content": text } });
        repository.read(answer).unwrap()
    };
    assert_eq!(
        places(&wrapped("src/a.rs\n./src/b.rs")),
        [("src/a.rs", (0, 0)), ("src/b.rs", (0, 0))]
    );
    assert_eq!(wrapped("No matches found").findings[0].title.as_deref(), Some("No matches found"));
}

#[test]
fn a_text_without_places_is_one_statement_and_nothing_is_nothing() {
    let repository = repository();
    let found = repository.text("Nobody knows.\nReally.");
    assert_eq!(found.findings.len(), 1);
    assert_eq!(found.findings[0].title.as_deref(), Some("Nobody knows."));
    for empty in ["", "  \n", "[]", "{\"results\": []}", "null", "7"] {
        assert_eq!(repository.text(empty).findings, [], "{empty:?}");
    }
}

#[test]
fn a_judgement_is_a_claim() {
    let item = |verdict: &str| json!({ "path": "src/a.rs", "symbol": "run", "verdict": verdict });
    let items = json!({ "findings": [item("safe"), item("unsafe"), { "path": "src/b.rs" }] });
    let found = repository().read(json!({ "content": [], "structuredContent": items })).unwrap();
    let claims: Vec<Option<&str>> = found.findings.iter().map(|it| it.claim.as_deref()).collect();
    assert_eq!(claims, [Some("safe"), Some("unsafe"), None]);
}

#[test]
fn a_failure_is_no_answer() {
    let failed = json!({
        "isError": true, "content": [{ "type": "text", "text": "\nno index: run init\nsrc/a.rs:1" }],
    });
    let fault = repository().read(failed).unwrap_err();
    assert_eq!(fault, ToolFault::Unavailable("no index: run init".to_owned()));
}

#[test]
fn a_flood_is_bounded() {
    let repository = repository();
    let line = "src/a.rs:1\n";
    let lines: String = (0..100_000).map(|number| format!("src/a.rs:{number}\n")).collect();
    assert_eq!(repository.text(&line.repeat(1_000)).findings.len(), 1);
    assert_eq!(repository.text(&lines).findings.len(), FINDINGS_MAX);
    let mut deep = json!("src/a.rs");
    for _ in 0..100 {
        deep = json!({ "data": [deep] });
    }
    let _ = repository.read(json!({ "content": [], "structuredContent": deep })).unwrap();
}
