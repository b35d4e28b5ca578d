//! The texts that stand in code, and what they look like. Not here: the calls that they are given to (see `calls`).

use crate::shell::UNKNOWN;

/// Whether a word reveals the environment as a whole, not one variable of it.
pub(super) fn reveals_all(code: &str, word: &str) -> bool {
    code.match_indices(word).any(|(at, _)| {
        let rest = &code[at + word.len()..];
        let head = &code[..at];
        let names = ["Object.keys(", "sorted(", "list(", "len(", "set(", "keys "]
            .iter()
            .any(|call| head.ends_with(call))
            && (rest.starts_with(')') || head.ends_with(' '));
        let one = names
            || rest.starts_with(['[', '{'])
            || rest.starts_with(".keys()")
            || rest.starts_with('.')
                && !rest.starts_with(".items")
                && !rest.starts_with(".values")
                && !rest.starts_with(".copy");
        let name: String = rest
            .chars()
            .take(40)
            .filter(|each| each.is_ascii_alphanumeric() || *each == '_')
            .collect();
        !one || crate::path::is_secret_word(name.split("get").last().unwrap_or_default())
    })
}

/// Whether a variable is asked for by this call whose name says that it is a secret.
pub(super) fn reveals_secret(code: &str, call: &str) -> bool {
    code.match_indices(call).any(|(at, _)| {
        let rest = code[at + call.len()..].trim_start_matches(['"', '\'', '(', 'q', 'w', ' ']);
        let name = rest.split(|each: char| !each.is_ascii_alphanumeric() && each != '_').next();
        name.is_some_and(crate::path::is_secret_word)
    })
}

pub(super) fn is_path(text: &str) -> bool {
    let plain = !text.contains(['\n', ' ', '(', '<']) && text.len() < 512;
    plain
        && !text.contains("://")
        && (text.starts_with(['/', '~', '.']) || text.contains('/'))
        && !text.chars().all(|each| "/.".contains(each) && each == '.')
}

/// A pattern for names of files.
pub(super) fn is_pattern(text: &str) -> bool {
    text.len() < 64
        && text.contains('*')
        && text.chars().all(|each| each.is_ascii_alphanumeric() || "*?._-[]".contains(each))
}

/// The quoted texts of code, in order; in languages with backticks those too.
pub(super) fn literals(code: &str, language: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let mut text = String::new();
    let mut open: Option<char> = None;
    let mut characters = code.chars();
    while let Some(character) = characters.next() {
        match open {
            Some(quote) if character == quote => {
                open = None;
                if !text.is_empty() {
                    texts.push(std::mem::take(&mut text));
                }
            }
            Some(_) if character == '\\' => text.extend(escaped(&mut characters, language)),
            Some(_) => text.push(character),
            None => open = Some(character).filter(|each| is_quote(*each, language)),
        }
        if texts.len() > 256 {
            break;
        }
    }
    if open.is_some() && !text.is_empty() {
        texts.push(text);
    }
    texts.extend(listed_words(code, language));
    texts
}

/// Whether a text begins with this character. In Rust a quote is a lifetime or a character; in Lisp it quotes a form.
fn is_quote(character: char, language: &str) -> bool {
    match character {
        '"' => true,
        '`' => language != "text",
        '\'' => !matches!(language, "rust" | "lisp" | "c" | "go" | "awk"),
        _ => false,
    }
}

/// What stands for the characters behind a backslash.
fn escaped(characters: &mut std::str::Chars<'_>, language: &str) -> Option<char> {
    let number = |digits: String, base: u32| {
        u32::from_str_radix(&digits, base).ok().and_then(char::from_u32).unwrap_or(UNKNOWN)
    };
    Some(match characters.next()? {
        'u' if language != "php" => {
            let digits: String = characters.by_ref().take(4).collect();
            number(digits, 16)
        }
        // Of base ten in Lua, else of base eight.
        first @ '0'..='9' => {
            let base = if language == "lua" { 10 } else { 8 };
            let mut digits = String::from(first);
            while digits.len() < 3
                && let Some(next) = characters.clone().next().filter(|each| each.is_digit(base))
            {
                digits.push(next);
                characters.next();
            }
            number(digits, base)
        }
        'n' => '\n',
        't' => '\t',
        'x' => {
            let digits: String = characters.by_ref().take(2).collect();
            u8::from_str_radix(&digits, 16).map_or(UNKNOWN, char::from)
        }
        other => other,
    })
}

/// How languages fill a text in, with the bracket that ends it; the languages, where others mean something else by it.
const FILLS: &[(&str, char, char, &[&str])] = &[
    ("#{", '{', '}', &["ruby", "any", "script", "julia"]),
    ("${", '{', '}', &["any", "js", "script", "php", "perl", "c"]),
    ("$(", '(', ')', &["julia", "any"]),
    ("\\(", '(', ')', &["c", "any"]),
    ("{", '{', '}', &["python"]),
];

/// What stands for the home folder in what a text is filled in with.
const HOMES_FILLED: &[&str] = &[
    "HOME",
    "homedir",
    "Dir.home",
    "home_dir",
    "user_home",
    "expanduser",
    "Path.home",
    "user.home",
];

/// Code whose texts are filled in: with the home folder where it is that, and, if `guesses`, with what is only known
/// when it runs. None where nothing is.
pub(super) fn filled_in(code: &str, language: &str, home: &str, guesses: bool) -> Option<String> {
    let (mark, open, close, _) = FILLS
        .iter()
        .find(|(mark, .., languages)| languages.contains(&language) && code.contains(mark))?;
    if language == "python" && !["f\"", "f'", "F\"", "F'"].iter().any(|text| code.contains(text)) {
        return None;
    }
    let mut text = String::with_capacity(code.len());
    let mut rest = code;
    let mut filled = false;
    while let Some(at) = rest.find(mark) {
        let inner = &rest[at + mark.len()..];
        let mut depth = 1;
        let end = inner.char_indices().take(120).find(|(_, each)| {
            depth += i32::from(each == open) - i32::from(each == close);
            depth == 0
        });
        let Some((end, _)) = end else { break };
        let is_home = HOMES_FILLED.iter().any(|word| inner[..end].contains(word));
        text.push_str(&rest[..at]);
        match (is_home, guesses) {
            (true, _) => text.push_str(home),
            (false, true) => text.push(UNKNOWN),
            (false, false) => text.push_str(&rest[at..at + mark.len() + end + 1]),
        }
        filled |= is_home || guesses;
        rest = &inner[end + 1..];
    }
    text.push_str(rest);
    filled.then_some(text)
}

/// The words of `%w(...)` in Ruby and of `qw(...)` in Perl.
fn listed_words(code: &str, language: &str) -> Vec<String> {
    let lists: &[&str] = match language {
        "ruby" => &["%w", "%W", "%i"],
        "perl" => &["qw"],
        _ => &[],
    };
    let mut texts = Vec::new();
    for (_, rest) in lists.iter().filter_map(|list| code.split_once(list)) {
        let close = match rest.chars().next() {
            Some('(') => ')',
            Some('[') => ']',
            Some('{') => '}',
            Some('/') => '/',
            _ => continue,
        };
        let words = rest[1..].split(close).next().unwrap_or_default().split_whitespace();
        texts.extend(words.take(16).map(str::to_owned));
    }
    texts
}

/// Texts that code puts together out of literals: `'sys'+'tem'`.
pub(super) fn joined(code: &str) -> Vec<String> {
    let mut texts = Vec::new();
    for quote in ['\'', '"'] {
        for joiner in ["+", ".", "..", " ", "<>"] {
            let seam = format!("{quote}{joiner}{quote}");
            let spaced = format!("{quote} {joiner} {quote}");
            if !code.contains(&seam) && !code.contains(&spaced) {
                continue;
            }
            let plain = code.replace(&seam, "").replace(&spaced, "");
            let parts = plain.split(quote).skip(1).step_by(2).take(64);
            texts.extend(parts.map(str::to_owned));
        }
    }
    texts
}
