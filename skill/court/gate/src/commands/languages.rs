//! The language of a source, by the ending of its name. Not here: what stands in it (see `code`), and scripts for a shell.

use crate::path::extension;

/// Languages as the scan of code tells them apart, with the endings of their sources. `c` stands for every language in
/// which `'` is no quote, `script` for those in which it is one.
const LANGUAGES: &[(&str, &str)] = &[
    ("python", "py pyw pyx"),
    ("js", "js mjs cjs ts tsx jsx mts cts"),
    ("perl", "pl pm"),
    ("ruby", "rb rake gemspec cr"),
    ("php", "php phtml"),
    ("lua", "lua"),
    ("rust", "rs"),
    ("go", "go"),
    ("tcl", "tcl exp"),
    ("r", "r R"),
    ("julia", "jl"),
    ("awk", "awk"),
    ("lisp", "lisp lsp cl el scm ss rkt clj cljs cljc"),
    (
        "c",
        "c cc cpp cxx h hpp mm s S asm java kt kts cs csx fs fsx swift scala sc zig hs lhs ml nim d odin ha vala vb \
         adb ads wat",
    ),
    ("script", "dart m pas pp f f77 f90 f95 f03 for cob cbl v groovy exs ex erl bas coffee"),
];

/// The language of a source; none where the ending is not one of a source.
pub(super) fn of_source(path: &str) -> Option<&'static str> {
    let ending = extension(path);
    let has = |endings: &str| endings.split_ascii_whitespace().any(|each| each == ending);
    LANGUAGES.iter().find(|(_, endings)| has(endings)).map(|(language, _)| *language)
}

#[cfg(test)]
mod tests {
    use super::of_source;

    #[test]
    fn endings_say_the_language() {
        assert_eq!(of_source("src/m.f90"), Some("script"));
        assert_eq!(of_source("/a/M.java"), Some("c"));
        assert_eq!(of_source("c"), None);
    }
}
