//! Finds the language that a fence names, with its grammar and highlighting queries. A query is compiled at its first
//! use. Not here: parsing.

use std::sync::OnceLock;

use ratatui_core::style::Style;
use tree_sitter::{Language, Query};
use tree_sitter_language::LanguageFn;

/// The highlighting of one language.
pub(super) struct Grammar {
    /// In lower case.
    names: &'static [&'static str],
    language: LanguageFn,
    /// The grammars' queries, the more general one first: of two patterns for one node, the later one counts.
    queries: &'static [&'static str],
    /// Text that the grammar requires before a piece of code that does not begin with it.
    pub(super) opening: &'static str,
    colours: OnceLock<Option<Colours>>,
}

/// The compiled query and its styles.
pub(super) struct Colours {
    pub(super) query: Query,
    /// By the number of a capture; none for a node that is not highlighted.
    pub(super) styles: Vec<Option<Style>>,
}

impl std::fmt::Debug for Grammar {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Grammar").field(&self.names).finish()
    }
}

impl Grammar {
    const fn new(
        names: &'static [&'static str],
        language: LanguageFn,
        queries: &'static [&'static str],
    ) -> Self {
        Self { names, language, queries, opening: "", colours: OnceLock::new() }
    }

    /// The grammar of the language that a fence names, as in `rust,ignore` or `C++ title="a"`.
    pub(super) fn named(info: &str) -> Option<&'static Self> {
        let is_end = |char: char| char.is_whitespace() || matches!(char, ',' | '{' | ':');
        let name = info.split(is_end).next()?.to_ascii_lowercase();
        GRAMMARS.iter().find(|grammar| grammar.names.contains(&name.as_str()))
    }

    pub(super) fn language(&self) -> Language {
        self.language.into()
    }

    /// None if a query does not match its grammar, which a test excludes: it compiles all of them.
    pub(super) fn colours(&self) -> Option<&Colours> {
        let make = || {
            let mut query = Query::new(&self.language(), &self.queries.join("\n")).ok()?;
            for pattern in 0..query.pattern_count() {
                // Patterns that need to know whether a name is a local variable are disabled.
                let needed = query.property_predicates(pattern);
                if needed.iter().any(|(property, _)| &*property.key == "local") {
                    query.disable_pattern(pattern);
                }
            }
            let styles = query.capture_names().iter().map(|name| style(name)).collect();
            Some(Colours { query, styles })
        };
        self.colours.get_or_init(make).as_ref()
    }
}

/// The style of a capture, by its name (<https://tree-sitter.github.io/tree-sitter/3-syntax-highlighting.html>).
fn style(capture: &str) -> Option<Style> {
    let plain = Style::new();
    match capture.split('.').next().unwrap_or_default() {
        "attribute" | "boolean" | "constant" | "escape" | "number" => Some(plain.cyan()),
        "character" | "string" => Some(plain.green()),
        "comment" => Some(plain.dim()),
        "constructor" | "type" => Some(plain.yellow()),
        // Code inside of a text.
        "embedded" => Some(plain),
        "function" | "tag" => Some(plain.blue()),
        "keyword" => Some(plain.magenta()),
        _ => None,
    }
}

static GRAMMARS: [Grammar; 15] = [
    Grammar::new(
        &["bash", "ksh", "sh", "shell", "zsh"],
        tree_sitter_bash::LANGUAGE,
        &[tree_sitter_bash::HIGHLIGHT_QUERY],
    ),
    Grammar::new(&["c", "h"], tree_sitter_c::LANGUAGE, &[tree_sitter_c::HIGHLIGHT_QUERY]),
    Grammar::new(
        &["c++", "cc", "cpp", "cxx", "h++", "hh", "hpp", "hxx"],
        tree_sitter_cpp::LANGUAGE,
        &[tree_sitter_c::HIGHLIGHT_QUERY, tree_sitter_cpp::HIGHLIGHT_QUERY],
    ),
    Grammar::new(
        &["c#", "cs", "csharp", "csx"],
        grammars::C_SHARP,
        &[grammars::C_SHARP_HIGHLIGHTS],
    ),
    Grammar::new(&["go", "golang"], tree_sitter_go::LANGUAGE, &[tree_sitter_go::HIGHLIGHTS_QUERY]),
    Grammar::new(&["java"], tree_sitter_java::LANGUAGE, &[tree_sitter_java::HIGHLIGHTS_QUERY]),
    Grammar::new(
        &["cjs", "javascript", "js", "jsx", "mjs", "node"],
        tree_sitter_javascript::LANGUAGE,
        &[tree_sitter_javascript::HIGHLIGHT_QUERY, tree_sitter_javascript::JSX_HIGHLIGHT_QUERY],
    ),
    Grammar::new(&["kotlin", "kt", "kts"], grammars::KOTLIN, &[include_str!("kotlin.scm")]),
    Grammar {
        names: &["php", "phtml"],
        language: tree_sitter_php::LANGUAGE_PHP,
        queries: &[tree_sitter_php::HIGHLIGHTS_QUERY],
        opening: "<?php\n",
        colours: OnceLock::new(),
    },
    Grammar::new(
        &["py", "py3", "pyi", "python", "python3"],
        tree_sitter_python::LANGUAGE,
        &[tree_sitter_python::HIGHLIGHTS_QUERY],
    ),
    Grammar::new(
        &["rake", "rb", "ruby"],
        tree_sitter_ruby::LANGUAGE,
        &[tree_sitter_ruby::HIGHLIGHTS_QUERY],
    ),
    Grammar::new(
        &["rs", "rust"],
        tree_sitter_rust::LANGUAGE,
        &[tree_sitter_rust::HIGHLIGHTS_QUERY],
    ),
    Grammar::new(&["swift"], grammars::SWIFT, &[grammars::SWIFT_HIGHLIGHTS]),
    Grammar::new(
        &["tsx"],
        tree_sitter_typescript::LANGUAGE_TSX,
        &[
            tree_sitter_javascript::HIGHLIGHT_QUERY,
            tree_sitter_javascript::JSX_HIGHLIGHT_QUERY,
            tree_sitter_typescript::HIGHLIGHTS_QUERY,
        ],
    ),
    Grammar::new(
        &["cts", "mts", "ts", "typescript"],
        tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
        &[tree_sitter_javascript::HIGHLIGHT_QUERY, tree_sitter_typescript::HIGHLIGHTS_QUERY],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_its_query() {
        for grammar in &GRAMMARS {
            assert!(grammar.colours().is_some(), "{grammar:?}");
        }
    }

    #[test]
    fn the_first_word_behind_a_fence_is_the_language() {
        let is = |info: &str, name: &str| {
            Grammar::named(info).is_some_and(|grammar| grammar.names.contains(&name))
        };
        assert!(is("rust", "rs") && is("Rust,ignore", "rs") && is("ts:src/a.ts", "ts"));
        assert!(is("c++ title=\"a\"", "cpp") && is("python{1,3}", "py") && is("C#", "cs"));
        for info in ["", " rust", "text", "console", "diff", "rustic"] {
            assert!(Grammar::named(info).is_none(), "{info}");
        }
    }
}
