//! Detects the language of a file, and provides its grammar. Nothing is parsed here, and a grammar is
//! loaded on first use.

use std::path::Path;

use serde::Serialize;

/// A language with definitions and references. Other texts are only searched as words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum Language {
    /// `.rs`.
    Rust = 1,
    /// Python, including stubs.
    Python = 2,
    /// JavaScript, including JSX.
    JavaScript = 3,
    /// TypeScript without JSX.
    TypeScript = 4,
    /// TypeScript with JSX.
    Tsx = 5,
    /// `.go`.
    Go = 6,
    /// `.java`.
    Java = 7,
    /// `.c`, `.h`.
    C = 8,
    /// C++, including headers that look like it.
    Cpp = 9,
    /// Bash and POSIX shell.
    Bash = 10,
    /// `.rb`.
    Ruby = 11,
    /// C#.
    CSharp = 12,
    /// `.php`.
    Php = 13,
    /// Kotlin, including scripts.
    Kotlin = 14,
    /// `.swift`.
    Swift = 15,
}

/// All languages, in the order of their numbers.
pub const LANGUAGES: [Language; 15] = [
    Language::Rust,
    Language::Python,
    Language::JavaScript,
    Language::TypeScript,
    Language::Tsx,
    Language::Go,
    Language::Java,
    Language::C,
    Language::Cpp,
    Language::Bash,
    Language::Ruby,
    Language::CSharp,
    Language::Php,
    Language::Kotlin,
    Language::Swift,
];

/// File extensions, in lower case. For `h` the content decides between C and C++.
const EXTENSIONS: &[(&str, Language)] = &[
    ("bash", Language::Bash),
    ("c", Language::C),
    ("cc", Language::Cpp),
    ("cjs", Language::JavaScript),
    ("cpp", Language::Cpp),
    ("cs", Language::CSharp),
    ("csx", Language::CSharp),
    ("cts", Language::TypeScript),
    ("cxx", Language::Cpp),
    ("gemspec", Language::Ruby),
    ("go", Language::Go),
    ("h", Language::C),
    ("h++", Language::Cpp),
    ("hh", Language::Cpp),
    ("hpp", Language::Cpp),
    ("hxx", Language::Cpp),
    ("inl", Language::Cpp),
    ("ipp", Language::Cpp),
    ("java", Language::Java),
    ("js", Language::JavaScript),
    ("jsx", Language::JavaScript),
    ("kt", Language::Kotlin),
    ("kts", Language::Kotlin),
    ("mjs", Language::JavaScript),
    ("mts", Language::TypeScript),
    ("php", Language::Php),
    ("phtml", Language::Php),
    ("py", Language::Python),
    ("pyi", Language::Python),
    ("pyw", Language::Python),
    ("rake", Language::Ruby),
    ("rb", Language::Ruby),
    ("rs", Language::Rust),
    ("sh", Language::Bash),
    ("swift", Language::Swift),
    ("ts", Language::TypeScript),
    ("tsx", Language::Tsx),
    ("zsh", Language::Bash),
];

/// File names without a telling extension.
const NAMES: &[(&str, Language)] = &[
    ("Gemfile", Language::Ruby),
    ("Rakefile", Language::Ruby),
    (".bashrc", Language::Bash),
    (".profile", Language::Bash),
    ("SConstruct", Language::Python),
];

/// Interpreters in a first line that begins with `#!`.
const INTERPRETERS: &[(&str, Language)] = &[
    ("bash", Language::Bash),
    ("dash", Language::Bash),
    ("ksh", Language::Bash),
    ("node", Language::JavaScript),
    ("php", Language::Php),
    ("python", Language::Python),
    ("ruby", Language::Ruby),
    ("sh", Language::Bash),
    ("zsh", Language::Bash),
];

/// Words that do not occur in C: a header with one of them at the beginning of a line is C++.
const CPP_WORDS: [&[u8]; 5] = [b"class ", b"namespace ", b"template", b"public:", b"private:"];

/// Size of a header's beginning that is checked, in bytes.
const HEADER_BYTES: usize = 64 * 1024;

impl Language {
    /// The language of a file by its name and, if that is not enough, its content.
    #[must_use]
    pub fn detect(path: &Path, content: &[u8]) -> Option<Self> {
        match Self::by_name(path) {
            Some(Self::C) if is_header(path) && looks_like_cpp(content) => Some(Self::Cpp),
            Some(language) => Some(language),
            None if path.extension().is_none() => Self::by_first_line(content),
            None => None,
        }
    }

    /// The language by the name alone.
    #[must_use]
    pub fn by_name(path: &Path) -> Option<Self> {
        let extension = path.extension().and_then(|extension| extension.to_str());
        let by_extension = extension.and_then(|extension| {
            let extension = extension.to_ascii_lowercase();
            EXTENSIONS.iter().find(|(ending, _)| *ending == extension)
        });
        let name = || path.file_name().and_then(|name| name.to_str());
        let found = by_extension.or_else(|| {
            let name = name()?;
            NAMES.iter().find(|(whole, _)| *whole == name)
        });
        found.map(|(_, language)| *language)
    }

    fn by_first_line(content: &[u8]) -> Option<Self> {
        let line = content.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
        let line = std::str::from_utf8(line.get(..line.len().min(200))?).ok()?;
        let mut words = line.split_ascii_whitespace();
        let program = words.next()?.rsplit('/').next()?;
        let program = match program {
            "env" => words.find(|word| !word.starts_with('-') && !word.contains('='))?,
            other => other,
        };
        let program =
            program.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
        INTERPRETERS.iter().find(|(name, _)| *name == program).map(|(_, language)| *language)
    }

    /// The tree-sitter grammar.
    #[must_use]
    pub fn grammar(self) -> tree_sitter::Language {
        match self {
            Self::Rust => tree_sitter_rust::LANGUAGE,
            Self::Python => tree_sitter_python::LANGUAGE,
            Self::JavaScript => tree_sitter_javascript::LANGUAGE,
            Self::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
            Self::Tsx => tree_sitter_typescript::LANGUAGE_TSX,
            Self::Go => tree_sitter_go::LANGUAGE,
            Self::Java => tree_sitter_java::LANGUAGE,
            Self::C => tree_sitter_c::LANGUAGE,
            Self::Cpp => tree_sitter_cpp::LANGUAGE,
            Self::Bash => tree_sitter_bash::LANGUAGE,
            Self::Ruby => tree_sitter_ruby::LANGUAGE,
            Self::CSharp => grammars::C_SHARP,
            Self::Php => tree_sitter_php::LANGUAGE_PHP,
            Self::Kotlin => grammars::KOTLIN,
            Self::Swift => grammars::SWIFT,
        }
        .into()
    }

    /// The displayed name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::Python => "python",
            Self::JavaScript => "javascript",
            Self::TypeScript => "typescript",
            Self::Tsx => "tsx",
            Self::Go => "go",
            Self::Java => "java",
            Self::C => "c",
            Self::Cpp => "cpp",
            Self::Bash => "bash",
            Self::Ruby => "ruby",
            Self::CSharp => "csharp",
            Self::Php => "php",
            Self::Kotlin => "kotlin",
            Self::Swift => "swift",
        }
    }

    /// The number that the index stores.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The language with this number.
    #[must_use]
    pub fn from_number(number: u8) -> Option<Self> {
        LANGUAGES.into_iter().find(|language| language.number() == number)
    }
}

fn is_header(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("h"))
}

fn looks_like_cpp(content: &[u8]) -> bool {
    let head = &content[..content.len().min(HEADER_BYTES)];
    head.split(|byte| *byte == b'\n').any(|line| {
        let line = line.trim_ascii_start();
        CPP_WORDS.iter().any(|word| line.starts_with(word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, content: &str, expected: Option<Language>) {
        assert_eq!(Language::detect(Path::new(path), content.as_bytes()), expected, "{path}");
    }

    #[test]
    fn a_file_is_known_by_its_name_or_its_first_line() {
        check("src/a.rs", "", Some(Language::Rust));
        check("a.PY", "", Some(Language::Python));
        check("a.tsx", "", Some(Language::Tsx));
        check("a.mjs", "", Some(Language::JavaScript));
        check("Rakefile", "", Some(Language::Ruby));
        check("A.cs", "", Some(Language::CSharp));
        check("build.gradle.kts", "", Some(Language::Kotlin));
        check("console", "#!/usr/bin/env php\n", Some(Language::Php));
        check("run", "#!/bin/sh\n", Some(Language::Bash));
        check("run", "#!/usr/bin/env -S python3.12 -u\n", Some(Language::Python));
        check("run", "#!/usr/bin/env FOO=1 node\n", Some(Language::JavaScript));
        check("run", "#!/opt/strange\n", None);
        check("run.txt", "#!/bin/sh\n", None);
        check("README.md", "# a", None);
        check("empty", "", None);
    }

    #[test]
    fn a_header_is_c_until_it_says_otherwise() {
        check("a.h", "struct a { int b; };\n", Some(Language::C));
        check("a.h", "  namespace a {\n", Some(Language::Cpp));
        check("a.c", "class a;\n", Some(Language::C));
    }

    #[test]
    fn every_language_has_its_number_and_a_grammar_that_loads() {
        for language in LANGUAGES {
            assert_eq!(Language::from_number(language.number()), Some(language));
            let mut parser = tree_sitter::Parser::new();
            parser.set_language(&language.grammar()).unwrap();
            assert!(parser.parse("", None).is_some(), "{language:?}");
        }
        assert_eq!(Language::from_number(0), None);
    }
}
