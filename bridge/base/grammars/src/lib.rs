//! The grammars of C#, Kotlin and Swift with their parse tables compressed in the program.
//!
//! A table of states and symbols is mostly empty: these three take 9.4 MB, and 0.8 MB compressed. The build script rewrites
//! each `parser.c` of the original crates with its table compressed; the function that returns the language decompresses it
//! once, when it is first called (some 2 ms), and everything else is unchanged. The linker uses the
//! functions of this crate, and therefore not those of the same names in the original crates.

// Decompresses a table: `LZ4_decompress_safe`.
use lz4_sys as _;
use tree_sitter_language::LanguageFn;

/// C#.
pub const C_SHARP: LanguageFn = tree_sitter_c_sharp::LANGUAGE;
/// The original query for highlighting C#.
pub const C_SHARP_HIGHLIGHTS: &str = tree_sitter_c_sharp::HIGHLIGHTS_QUERY;
/// The original query for the definitions of C#.
pub const C_SHARP_TAGS: &str = tree_sitter_c_sharp::TAGS_QUERY;
/// Kotlin, whose crate has no queries.
pub const KOTLIN: LanguageFn = tree_sitter_kotlin_ng::LANGUAGE;
/// Swift.
pub const SWIFT: LanguageFn = tree_sitter_swift::LANGUAGE;
/// The original query for highlighting Swift.
pub const SWIFT_HIGHLIGHTS: &str = tree_sitter_swift::HIGHLIGHTS_QUERY;
/// The original query for the definitions of Swift.
pub const SWIFT_TAGS: &str = tree_sitter_swift::TAGS_QUERY;
