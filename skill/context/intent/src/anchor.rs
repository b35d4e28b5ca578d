//! Finds what a prompt refers to: files, symbols, error texts, code fences. Uses the form of words only;
//! nothing is looked up on disk.

mod brand;

use crate::token::{Kind, Token, tokens};

/// Maximum number of anchors of a kind; a stack trace contains more than is needed.
const ANCHORS_MAX: usize = 8;
/// Maximum length of an anchor, in bytes; a longer word is not a name.
const ANCHOR_BYTES_MAX: usize = 160;

/// What a prompt refers to, in the order of its text, without repeats.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Anchors {
    /// Files, as written, without line numbers.
    pub paths: Vec<String>,
    /// Names of functions, types and the like.
    pub symbols: Vec<String>,
    /// Names of errors and lines of stack traces.
    pub errors: Vec<String>,
    /// Names with two or more capitalised parts; they may be symbols or brand names.
    pub names: Vec<String>,
    /// Command line flags.
    pub flags: Vec<String>,
    /// Names in backticks without other signs of code: `login`. Prose has them too (a command, a
    /// value), so they are used only if a symbol is needed.
    pub quoted: Vec<String>,
    /// Fenced code and code in backticks.
    pub quotes: usize,
}

/// Extensions of source and configuration files.
const EXTENSIONS: &str = " rs py pyi js jsx mjs cjs ts tsx mts go java kt kts scala groovy c h cc cpp cxx hpp hh cs fs vb rb php pl pm swift m mm lua r jl dart ex exs erl hrl hs ml mli clj cljs zig nim v vue svelte astro css scss sass less html htm xml xsl json jsonc json5 yaml yml toml ini cfg conf env properties lock md mdx rst adoc txt csv tsv sql graphql gql proto thrift sh bash zsh fish ps1 bat cmd mk cmake gradle bazel bzl tf tfvars hcl nix dockerfile service ipynb tex log diff patch wasm sol jinja j2 tmpl tpl hbs ejs erb plist csproj sln pem key crt ";
/// Build files without an extension.
const FILES: &str = " makefile dockerfile cmakelists.txt gemfile rakefile procfile vagrantfile jenkinsfile justfile .gitignore .dockerignore .editorconfig .env .npmrc .bashrc .eslintrc package.json cargo.toml go.mod go.sum pom.xml requirements.txt pyproject.toml tsconfig.json ";
/// Names that look like `word.ext` and are products, not files.
const NOT_FILES: &str = " node.js next.js vue.js react.js nuxt.js express.js three.js d3.js discord.js ember.js backbone.js chart.js p5.js asp.net ";
/// Beginnings of lines and words that occur only in error output.
const ERRORS: &[&str] = &[
    "traceback (most recent call last)",
    "panicked at",
    "exception in thread",
    "npm err!",
    "segmentation fault",
    "undefined reference",
    "cannot read propert",
    "is not a function",
    "is not defined",
    "stack trace:",
    "stack overflow",
    "core dumped",
    "fatal error",
    "syntax error",
    "null pointer",
    "out of memory",
    "index out of bounds",
    "no such file or directory",
    "connection refused",
    "permission denied (",
    "cannot borrow",
    "unresolved import",
    "cannot find module",
    "module not found",
    "panic:",
    "error:",
    "exit code",
    "exit status",
    "caused by:",
    "unhandled promise",
    "assertion failed",
    "段错误",
    "undefined symbol",
];

/// Finds the anchors of a text.
pub(crate) fn find(text: &str) -> Anchors {
    let mut anchors = Anchors { quotes: quotes(text), ..Anchors::default() };
    for name in quoted(text) {
        keep(&mut anchors.quoted, name);
    }
    let lower = text.to_lowercase();
    for line in lower.lines() {
        let known = ERRORS.iter().find(|error| line.contains(**error));
        let frame = is_frame(line.trim()).then_some(line.trim());
        if let Some(error) = frame.or(known.copied()) {
            keep(&mut anchors.errors, error);
        }
    }
    let tokens = tokens(text);
    for (index, token) in tokens.iter().enumerate() {
        if token.kind == Kind::Word && token.text.len() <= ANCHOR_BYTES_MAX {
            let before = index.checked_sub(1).and_then(|before| tokens.get(before));
            sort(token, before, &mut anchors);
        }
    }
    anchors
}

/// Adds a word to the anchors of its kind, if it is one.
fn sort(token: &Token<'_>, before: Option<&Token<'_>>, anchors: &mut Anchors) {
    let word = token.text;
    let plain = word.split_once("::").map_or(word, |_| word);
    if is_error(word) || is_status(word, before) {
        keep(&mut anchors.errors, word);
    } else if let Some(path) = path(word) {
        keep(&mut anchors.paths, path);
    } else if is_flag(word) {
        keep(&mut anchors.flags, word);
    } else if is_symbol(plain, token.next) {
        keep(&mut anchors.symbols, plain.trim_start_matches('$'));
    } else if is_name(word) {
        keep(&mut anchors.names, word);
    }
}

fn keep(list: &mut Vec<String>, text: &str) {
    let known = list.iter().any(|known| known == text);
    if list.len() < ANCHORS_MAX && !known && !text.is_empty() {
        list.push(text.chars().take(ANCHOR_BYTES_MAX).collect());
    }
}

/// Counts code fences and backticks around text.
fn quotes(text: &str) -> usize {
    let fences = text.matches("```").count();
    let ticks = text.replace("```", "").matches('`').count();
    fences + ticks / 2
}

/// Single names between single backticks, without the parentheses of a call.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    let outside_fences = text.split("```").step_by(2);
    let spans = outside_fences
        .flat_map(|part| part.lines().flat_map(|line| line.split('`').skip(1).step_by(2)));
    spans.map(|span| span.strip_suffix("()").unwrap_or(span)).filter(|name| {
        let usual = |char: char| char.is_alphanumeric() || matches!(char, '_' | ':' | '.');
        let named = name.starts_with(|char: char| char.is_alphabetic() || char == '_');
        named && name.len() <= ANCHOR_BYTES_MAX && name.chars().all(usual) && path(name).is_none()
    })
}

/// The path that a word is: with a known extension, or below folders. The position in `src/a.rs:41:17` is dropped.
fn path(word: &str) -> Option<&str> {
    // Most words: files without an extension are named `…file`.
    if !word.contains(['.', '/']) && !word.to_ascii_lowercase().ends_with("file") {
        return None;
    }
    let place = word.find(':').unwrap_or(word.len());
    let bare = &word[..place];
    let lower = format!(" {} ", bare.to_ascii_lowercase());
    if bare.is_empty() || word.contains("://") || NOT_FILES.contains(&lower) {
        return None;
    }
    let name = bare.rsplit('/').next().unwrap_or(bare);
    let listed = FILES.contains(&format!(" {} ", name.to_ascii_lowercase()));
    let ending = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty());
    let known = ending.is_some_and(|(stem, ending)| {
        let ending = ending.to_ascii_lowercase();
        // `a.h` in prose is rare; `e.g.` and `i.e` are not files, `Foo.r` neither.
        let sure = ending.len() > 1 || bare.contains('/') || matches!(ending.as_str(), "c" | "h");
        sure && stem.len() > 1 && EXTENSIONS.contains(&format!(" {ending} "))
    });
    // Two folders deep, or with a trailing slash, it is a path; `and/or` and `24/7` are not.
    let parts = bare.split('/').filter(|part| !part.is_empty()).count();
    let ascii = bare.is_ascii() && bare.contains(|char: char| char.is_ascii_lowercase());
    let folders = ascii && (parts > 2 || (parts == 2 && bare.starts_with(['/', '.'])));
    (listed || known || folders).then_some(bare)
}

/// `--json`, `-Wall`; not a dash in prose.
fn is_flag(word: &str) -> bool {
    word.strip_prefix("--")
        .is_some_and(|name| name.starts_with(|char: char| char.is_ascii_lowercase()))
}

/// `KeyError`, `NullPointerException`, `E0502`, `TS2345`, `ECONNREFUSED`.
fn is_error(word: &str) -> bool {
    let last = word.rsplit(['.', ':']).next().unwrap_or(word);
    let named = ["Error", "Exception", "Err", "Fault", "Panic"];
    let typed = named.iter().any(|end| last.len() > end.len() && last.ends_with(end))
        && last.starts_with(|char: char| char.is_ascii_uppercase());
    let digits = last.trim_start_matches(|char: char| char.is_ascii_uppercase());
    let letters = last.len() - digits.len();
    let coded = (1..=3).contains(&letters)
        && (4..=5).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit());
    let signal =
        matches!(last, "SIGSEGV" | "SIGABRT" | "SIGKILL" | "SIGTERM" | "SIGBUS" | "OOM" | "NPE");
    let errno = last.len() > 5 && last.starts_with('E') && last.ends_with("REFUSED")
        || matches!(
            last,
            "ENOENT" | "EACCES" | "EPIPE" | "ETIMEDOUT" | "ECONNRESET" | "EADDRINUSE" | "EMFILE"
        );
    typed || coded || signal || errno
}

/// `500` after `HTTP`, `status`, `返回` and the like.
fn is_status(word: &str, before: Option<&Token<'_>>) -> bool {
    let status = word.len() == 3
        && word.starts_with(['4', '5'])
        && word.bytes().all(|byte| byte.is_ascii_digit());
    let said = before.is_some_and(|before| {
        let before = before.text.to_ascii_lowercase();
        let words = ["http", "status", "nginx", "code", "returns", "error"];
        words.contains(&before.as_str())
            || ["返回", "报", "状态码"].iter().any(|end| before.ends_with(end))
    });
    status && said
}

/// A line of a stack trace.
fn is_frame(line: &str) -> bool {
    let python = line.starts_with("file \"") && line.contains("\", line ");
    let script = line.starts_with("at ") && line.contains(':') && line.ends_with(')');
    let rust = line.starts_with("--> ") && line.contains(':');
    python || script || rust
}

/// A name that does not occur in prose.
fn is_symbol(word: &str, next: Option<char>) -> bool {
    let body = word.trim_start_matches('$');
    let usual = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | ':' | '.');
    let named = body.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_');
    if !named || !body.chars().all(usual) || body.len() < 3 {
        return false;
    }
    let letters = |part: &str| part.bytes().any(|byte| byte.is_ascii_alphabetic());
    let snake = body.split('_').filter(|part| letters(part)).count() > 1;
    let scoped = body.split("::").filter(|part| letters(part)).count() > 1;
    let parts: Vec<&str> = body.split('.').collect();
    let dotted = parts.len() > 1
        && parts
            .iter()
            .all(|part| part.len() > 1 && part.bytes().all(|byte| byte.is_ascii_alphanumeric()))
        && parts.iter().any(|part| part.bytes().any(|byte| byte.is_ascii_uppercase()))
        && parts[parts.len() - 1].starts_with(|char: char| char.is_ascii_lowercase());
    let looks_so = snake || scoped || dotted || is_camel(body) || next == Some('(');
    looks_so && !brand::is_brand(body)
}

/// `getCwd`: lower case, then a capital.
fn is_camel(word: &str) -> bool {
    let small = word.starts_with(|char: char| char.is_ascii_lowercase());
    small
        && word
            .as_bytes()
            .windows(2)
            .any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
}

/// `TokenBucket`, `HTTPServer`: two or more capitalised parts.
fn is_name(word: &str) -> bool {
    let upper = |byte: &u8| byte.is_ascii_uppercase();
    let humps =
        word.as_bytes().windows(2).filter(|pair| upper(&pair[1]) != upper(&pair[0])).count();
    word.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && word.starts_with(|char: char| char.is_ascii_uppercase())
        && word.bytes().any(|byte| byte.is_ascii_lowercase())
        && humps > 2 - usize::from(word.len() > 30)
        && !brand::is_brand(word)
}
