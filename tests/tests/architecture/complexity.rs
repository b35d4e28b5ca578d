//! How complicated a function may be, as `ci complexity` counts it. Tests are free.

use std::collections::BTreeMap;

use code_intel::Language;
use code_intel::complexity::{Measure, measure};
use code_intel::syntax::parse;

use crate::tree::sources;

/// Most lines of a function.
const LINES_MAX: u32 = 100;

/// Most ways through a function (McCabe); a `match` of n arms has n - 1.
const WAYS_MAX: u32 = 25;

/// How many functions of a crate are over a bound. The numbers may only shrink.
const OVER: &[(&str, usize)] = &[("gate", 0)];

#[test]
fn no_function_is_too_complicated_but_the_counted_ones() {
    let mut over: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for source in sources().iter().filter(|source| !source.is_test()) {
        let Some((folder, _)) = source.path.split_once("/src/") else { continue };
        let name = folder.rsplit('/').next().unwrap_or_default();
        let text = source.without_tests().as_bytes();
        let tree = parse(Language::Rust, text).unwrap();
        for Measure { name: function, start_line, end_line, cyclomatic, .. } in
            measure(Language::Rust, text, &tree)
        {
            let lines = end_line - start_line + 1;
            if lines > LINES_MAX || cyclomatic > WAYS_MAX {
                let place = format!("{}:{start_line}", source.path);
                let what = format!("{place} {function}: {lines} lines, {cyclomatic} ways");
                over.entry(name.to_owned()).or_default().push(what);
            }
        }
    }
    let found: Vec<(&str, usize)> =
        over.iter().map(|(name, functions)| (name.as_str(), functions.len())).collect();
    assert_eq!(found, OVER, "split what is new, or shrink the number: {over:#?}");
}
