//! Small programs in three languages whose calls were listed by hand, compared with what the tool finds.
//! They contain cases that names alone do not resolve: methods of the same name, dynamic dispatch,
//! functions in variables, names of the standard library. Each program has its limits of precision and recall.

mod go;
mod python;
mod rust;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;

use super::*;
use crate::root::RepoRoot;

/// Long enough for any answer here, on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// The certainty that `ci call-chain` asks for when nobody says.
const CERTAINTY: f32 = 0.2;

/// A program of some files.
struct Program {
    engine: Engine,
    _folder: TempDir,
}

impl Program {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let tree = folder.path().join("tree");
        for (path, text) in files {
            let path = tree.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let engine = Engine::new(RepoRoot::at(&tree).unwrap(), folder.path().join("cache"));
        Self { engine, _folder: folder }
    }

    fn ask(&self, symbol: &str, directions: &[Direction], depth: u8) -> Answer<Chain> {
        let request = CallChainRequest {
            symbol: symbol.into(),
            file: None,
            directions: directions.into(),
            depth,
            certainty: CERTAINTY,
            limit: MAX_ITEMS,
        };
        let answer = call_chain(&self.engine, &request, &Deadline::after(PATIENCE)).unwrap();
        assert_eq!(answer.limits, [""; 0]);
        answer
    }

    /// The chains of one direction, as one reads them.
    fn ways(&self, symbol: &str, direction: Direction, depth: u8) -> Vec<String> {
        let answer = self.ask(symbol, &[direction], depth);
        answer.items.into_iter().flat_map(|item| item.why).collect()
    }

    /// Every call that is found between definitions: `caller -> callee`, asked for in a direction.
    fn edges(&self, direction: Direction) -> BTreeSet<String> {
        let view = self.engine.view(&Deadline::after(PATIENCE)).unwrap();
        let graph = Graph::new(&view);
        let names: BTreeSet<String> = view
            .files()
            .flat_map(|file| graph.definitions_in(file.id))
            .map(|id| graph.qualified(id))
            .collect();
        let mut edges = BTreeSet::new();
        for name in &names {
            let answer = self.ask(name, &[direction], 1);
            for link in answer.items.iter().flat_map(|item| &item.links) {
                // Names with the same end are asked for together: the own ones count.
                let own = if direction == Direction::Callees { &link.caller } else { &link.callee };
                if own == name {
                    edges.insert(format!("{} -> {}", link.caller, link.callee));
                }
            }
        }
        edges
    }
}

/// How much of what is found is right, and how much of what is right is found, in percent; and what
/// differs.
struct Quality {
    precision: usize,
    recall: usize,
    missed: BTreeSet<String>,
    wrong: BTreeSet<String>,
}

/// Holds what is found in one direction against what was written down.
fn quality(program: &Program, direction: Direction, expected: &[&str]) -> Quality {
    let found = program.edges(direction);
    let expected: BTreeSet<String> = expected.iter().map(ToString::to_string).collect();
    assert!(!found.is_empty() && !expected.is_empty());
    let right = found.intersection(&expected).count();
    Quality {
        precision: 100 * right / found.len(),
        recall: 100 * right / expected.len(),
        missed: expected.difference(&found).cloned().collect(),
        wrong: found.difference(&expected).cloned().collect(),
    }
}

/// Both directions reach these percentages; a direction that does not says what differs.
fn check(files: &[(&str, &str)], expected: &[&str], precision: usize, recall: usize) {
    let program = Program::new(files);
    for direction in [Direction::Callees, Direction::Callers] {
        let quality = quality(&program, direction, expected);
        let reached = quality.precision >= precision && quality.recall >= recall;
        let Quality { precision, recall, missed, wrong } = quality;
        assert!(
            reached,
            "{direction:?}: precision {precision}, recall {recall}, missed {missed:?}, wrong {wrong:?}"
        );
    }
}

/// A call through two functions, and around in a circle.
fn circle() -> Program {
    let text = "def main():\n    first()\n\ndef first():\n    second()\n\ndef second():\n    third()\n\n\
                def third():\n    fourth()\n    first()\n\ndef fourth():\n    pass\n\nmain()\n";
    Program::new(&[("a.py", text)])
}

#[test]
fn chains_are_followed_to_their_depth_and_around_circles() {
    let program = circle();
    assert_eq!(
        program.ways("second", Direction::Callees, 3),
        ["second -> third", "second -> third -> first", "second -> third -> fourth"]
    );
    assert_eq!(
        program.ways("second", Direction::Callers, 3),
        [
            "first -> second",
            "main -> first -> second",
            "third -> first -> second",
            "a.py -> main -> first -> second"
        ]
    );
    assert_eq!(program.ways("second", Direction::Callees, 1), ["second -> third"]);
}

#[test]
fn an_item_says_where_it_is_and_how_it_is_reached() {
    let answer = circle().ask("first", &[Direction::Callees], 2);
    let third = answer.items.iter().find(|item| item.symbol.as_deref() == Some("third")).unwrap();
    assert_eq!((third.path.as_str(), third.start_line, third.end_line), ("a.py", 10, 12));
    assert_eq!((third.depth, third.score), (2, 1.0));
    let lines: Vec<u32> = third.links.iter().map(|link| link.line).collect();
    assert_eq!(lines, [5, 8]);
}

#[test]
fn what_is_not_there_is_said_with_what_is_like_it() {
    let program = circle();
    let request = CallChainRequest {
        symbol: "fourt".into(),
        file: None,
        directions: vec![Direction::Callers],
        depth: 3,
        certainty: CERTAINTY,
        limit: 10,
    };
    let deadline = Deadline::after(PATIENCE);
    let error = call_chain(&program.engine, &request, &deadline).unwrap_err();
    assert_eq!(error.to_string(), "there is no symbol `fourt`: did you mean fourth?");
    let elsewhere = CallChainRequest { file: Some("b.py".into()), ..request };
    let error = call_chain(&program.engine, &elsewhere, &deadline).unwrap_err();
    assert!(error.to_string().starts_with("there is no file `b.py`"), "{error}");
}

#[test]
fn what_is_left_out_is_said() {
    let program = circle();
    let request = CallChainRequest {
        symbol: "first".into(),
        file: None,
        directions: vec![Direction::Callers, Direction::Callees],
        depth: 3,
        certainty: CERTAINTY,
        limit: 2,
    };
    let answer = call_chain(&program.engine, &request, &Deadline::after(PATIENCE)).unwrap();
    assert_eq!(answer.items.len(), 2);
    assert!(answer.truncated);
    let view = program.engine.view(&Deadline::after(PATIENCE)).unwrap();
    let late = call_chain_in(&view, &request, &Deadline::after(Duration::ZERO)).unwrap();
    assert!(late.truncated && late.items.is_empty());
    assert!(Path::new(&late.root).is_absolute());
}
