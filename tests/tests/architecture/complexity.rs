//! Limits the complexity of functions, as `ci complexity` counts it. Tests are exempt.

use code_intel::Language;
use code_intel::complexity::{Measure, measure};
use code_intel::syntax::parse;

use crate::tree::sources;

/// Most lines of a function.
const LINES_MAX: u32 = 100;

/// Most ways through a function (McCabe); a `match` of n arms has n - 1.
const WAYS_MAX: u32 = 25;

#[test]
fn no_function_is_too_complicated() {
    let mut over = Vec::new();
    for source in sources().iter().filter(|source| !source.is_test()) {
        let text = source.without_tests().as_bytes();
        let tree = parse(Language::Rust, text).unwrap();
        for Measure { name, start_line, end_line, cyclomatic, .. } in
            measure(Language::Rust, text, &tree)
        {
            let lines = end_line - start_line + 1;
            if lines > LINES_MAX || cyclomatic > WAYS_MAX {
                let place = format!("{}:{start_line}", source.path);
                over.push(format!("{place} {name}: {lines} lines, {cyclomatic} ways"));
            }
        }
    }
    assert!(over.is_empty(), "split these: {over:#?}");
}
