//! Splits a text into tokens: runs of characters of identifiers, paths and flags, and runs of Chinese.
//! Positions are kept.

/// One run of characters of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'t> {
    /// The run itself.
    pub(crate) text: &'t str,
    /// The next character: a parenthesis indicates a call.
    pub(crate) next: Option<char>,
    pub(crate) kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Letters, digits and the separators in names and paths.
    Word,
    /// A run of Chinese characters.
    Chinese,
    /// A character that ends a phrase.
    Stop,
}

/// The tokens of a text, in order.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (kind, length) = match first {
            _ if is_word(first) => (Some(Kind::Word), run(rest, is_word)),
            _ if is_chinese(first) => (Some(Kind::Chinese), run(rest, is_chinese)),
            ' ' | '\t' => (None, first.len_utf8()),
            _ => (Some(Kind::Stop), first.len_utf8()),
        };
        let (token, after) = rest.split_at(length);
        if let Some(kind) = kind {
            let next = after.chars().next();
            match kind {
                Kind::Word => push_word(&mut tokens, token, next),
                _ => tokens.push(Token { text: token, next, kind }),
            }
        }
        rest = after;
    }
    tokens
}

/// Adds a word without the punctuation of the sentence around it.
fn push_word<'t>(tokens: &mut Vec<Token<'t>>, run: &'t str, next: Option<char>) {
    let text = run.trim_end_matches(['.', ':', '/', '-', '@', '#']).trim_start_matches(['.', ':']);
    // A path below a hidden folder keeps its dot.
    let text = if run.starts_with('.') && text.contains(['/', '.']) {
        &run[..run.len() - (run.len() - run.trim_end_matches(['.', ':', '/', '-']).len())]
    } else {
        text
    };
    let cut = run.len() != text.len() && run.ends_with(['.', ':']);
    if !text.is_empty() {
        let next = if cut { run.chars().last() } else { next };
        tokens.push(Token { text, next, kind: Kind::Word });
    }
    if cut {
        tokens.push(Token { text: ".", next, kind: Kind::Stop });
    }
}

fn run(text: &str, is: impl Fn(char) -> bool) -> usize {
    text.find(|char| !is(char)).unwrap_or(text.len())
}

fn is_word(char: char) -> bool {
    char.is_ascii_alphanumeric()
        || matches!(char, '_' | '.' | '/' | ':' | '-' | '@' | '#' | '$')
        || (char.is_alphabetic() && !is_chinese(char))
}

pub(crate) fn is_chinese(char: char) -> bool {
    matches!(char, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2ffff}')
}
