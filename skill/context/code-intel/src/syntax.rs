//! Parses source files within limits of size, nesting and work. Broken source has a tree too, with error nodes in
//! it. A file beyond a limit has no tree, and is searched as words.

use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, Parser, Tree};

use crate::language::Language;

/// The largest file that is parsed, in bytes. Larger ones are generated, and slow to parse.
pub const MAX_BYTES: usize = 2 * 1024 * 1024;

/// The deepest nesting of brackets that is parsed. Grammars recurse for it; hand-written code
/// nests less than a hundred deep.
pub const MAX_NESTING: usize = 1_000;

/// How much work one file may take, in calls of the parser's progress callback, which comes every hundred parser
/// steps; larger files get one more call per so many bytes. Ordinary source takes one call per 200 bytes or so. Work
/// is counted rather than time, so that a busy machine produces the same trees.
const MIN_LOOKS: usize = 5_000;
const BYTES_PER_LOOK: usize = 8;

thread_local! {
    /// One parser per thread: creating one costs more than parsing a small file.
    static PARSER: std::cell::RefCell<Parser> = std::cell::RefCell::new(Parser::new());
}

/// The syntax tree of a source text, or `None` when it exceeds a limit.
#[must_use]
pub fn parse(language: Language, source: &[u8]) -> Option<Tree> {
    if source.len() > MAX_BYTES || nesting(source) > MAX_NESTING {
        return None;
    }
    let mut looks = MIN_LOOKS + source.len() / BYTES_PER_LOOK;
    let mut bounded = |_: &tree_sitter::ParseState| {
        looks = looks.saturating_sub(1);
        if looks > 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    PARSER.with_borrow_mut(|parser| {
        parser.set_language(&language.grammar()).ok()?;
        let options = ParseOptions::new().progress_callback(&mut bounded);
        let mut read = |offset: usize, _| source.get(offset..).unwrap_or_default();
        let tree = parser.parse_with_options(&mut read, None, Some(options));
        // Otherwise the next parse would resume the one that was cancelled.
        parser.reset();
        tree
    })
}

/// The deepest nesting of brackets, including those in strings: an upper estimate.
fn nesting(source: &[u8]) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for byte in source {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => continue,
        }
        deepest = deepest.max(depth);
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_source_has_a_tree_with_errors() {
        let tree = parse(Language::Rust, b"fn a( { let x = ; }").unwrap();
        assert!(tree.root_node().has_error());
    }

    #[test]
    fn what_exceeds_a_bound_has_no_tree() {
        assert!(parse(Language::Rust, &vec![b' '; MAX_BYTES + 1]).is_none());
        assert!(parse(Language::C, "(".repeat(MAX_NESTING + 1).as_bytes()).is_none());
        assert!(parse(Language::C, "(".repeat(MAX_NESTING).as_bytes()).is_some());
    }

    #[test]
    fn invalid_text_is_parsed_as_far_as_it_goes() {
        let tree = parse(Language::Python, b"def a():\n    return '\xff\xfe'\n").unwrap();
        assert_eq!(tree.root_node().named_child_count(), 1);
    }
}
