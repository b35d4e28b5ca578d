//! Values that a sentence gives: "the password is x", "the API key for staging: x", "use x as the token".

use std::ops::ControlFlow::{self, Break, Continue};

use super::judge::Join;
use super::name::{Class, Name};
use super::place::{begins_line, follows, is_netrc};
use super::text::{byte, goes_on, line_end, skip_blanks};
use super::value::{self, Reach, Value};
use super::wrapper::direct;
use crate::shape::{self, Mix};

/// What stands between a name and its value in a sentence. Of two that begin alike, the longer is first.
const SAID: &[&str] = &[
    "is now ",
    "has been changed to ",
    "has been set to ",
    "has been reset to ",
    "is set to ",
    "is: ",
    "is ",
    "was changed to ",
    "was: ",
    "was ",
    "will be ",
    "set to ",
    "changed to ",
    "reset to ",
    "changed from ",
    "ist ",
    "lautet ",
    "lautet: ",
    "c'est ",
    "est ",
    "es ",
    "é ",
    "è ",
    "jest ",
    "er ",
    "är ",
    "on ",
    "는 ",
    "은 ",
    "は",
    "— ",
    "– ",
    "- ",
    "-> ",
    "→ ",
    "已重置为",
    "重置为",
    "改成了",
    "改成",
    "改为",
    "是：",
    "是:",
    "是",
    "为：",
    "为:",
    "为",
    "為",
];

/// Words that go on with a name: "the password for staging", "the token of the bot".
const QUALIFIERS: &[&str] = &[
    "for", "of", "to", "on", "from", "in", "at", "we", "you", "i", "that", "which", "di", "de",
    "del", "du", "des", "vom", "zum", "am", "do", "da", "pour", "para", "von", "für", "der", "des",
    "от", "для", "к",
];

/// What stands between these words and the value. Of two that begin alike, the longer is first.
const JOINTS: &[&str] = &[
    ": ",
    "= ",
    "is now ",
    "is set to ",
    "is ",
    "has been changed to ",
    "has been set to ",
    "has been reset to ",
    "was changed from ",
    "was changed to ",
    "was reset to ",
    "was ",
    "to ",
    "— ",
    "– ",
    "- ",
    "-> ",
    "est ",
    "es ",
    "ist ",
    "lautet ",
    "è ",
    "é ",
];

/// What asks for a value behind a comma: "it wants a password, enter x".
const ASKED: &[&str] =
    &[", type ", ", enter ", ", use ", ", try ", ", it is ", " type ", " enter ", " use "];

/// Signs that join a value as words do, where it is plain enough.
const SIGNS: &[&str] = &["~", ">>>", ">>", "•", "\\=", "/ ", "::"];

/// What stands before the answer to a question.
const ANSWERS: &[&str] = &["a: ", "it's ", "it is ", "> ", "- "];

/// What stands between a value and the name behind it.
const AS: &[&str] = &[
    "as the ", "as my ", "as your ", "as our ", "as a ", "as an ", "as ", "is the ", "is my ",
    "is your ", "is our ",
];

/// The most words between a name and what joins it to its value.
const WORDS_MAX: usize = 6;

/// How far behind a prompt its answer may be sent, in bytes.
const ANSWER_GAP: usize = 24;

/// The shortest drawn word that is taken for a value behind other words, in bytes.
const LATER_MIN: usize = 28;

/// How far a value may stand from its name, in bytes.
const GAP_MAX: usize = 120;

/// The value behind a name that words or a blank alone join to it.
pub(super) fn value(text: &str, name: &Name, at: usize) -> Option<(Join, Value)> {
    if let Break(found) = announced(text, name, at) {
        return found;
    }
    let start = skip_blanks(text, at);
    if start == at && !name.wide {
        return None;
    }
    match enclosed(text, name, start) {
        Break(found) => found,
        Continue(()) => beside(text, name, start),
    }
}

/// The value where a word, a sign or an answer says that one comes; what breaks off is the last word.
fn announced(text: &str, name: &Name, at: usize) -> ControlFlow<Option<(Join, Value)>> {
    let start = skip_blanks(text, at);
    if let Some(word) = SAID.iter().find(|word| goes_on(text, start, word)) {
        let at = skip_blanks(text, start + word.len());
        let value =
            value::quoted(text, at).unwrap_or_else(|| value::bare(text, at, Reach::Delimiter));
        let told = name.is_spaceless(text);
        return Break(Some((if told { Join::Told } else { Join::Prose }, value)));
    }
    let plain = |at: usize| {
        let at = skip_blanks(text, at);
        let value =
            value::quoted(text, at).unwrap_or_else(|| value::bare(text, at, Reach::Delimiter));
        is_plain(text, &value).then_some((Join::Prose, value))
    };
    if let Some(value) = sent(text, at) {
        return Break(Some((Join::Prose, value)));
    }
    if goes_on(text, start, "from ")
        && let Some(found) = plain(start + "from ".len())
        && goes_on(text, found.1.after(text), " to ")
    {
        return Break(Some(found));
    }
    if goes_on(text, start, "to ")
        && let Some(found) = plain(start + "to ".len())
    {
        return Break(Some(found));
    }
    let sign =
        SIGNS.iter().find(|sign| text[start..].starts_with(**sign)).map(|sign| start + sign.len());
    let asked = ASKED.iter().find(|word| goes_on(text, at, word)).map(|word| at + word.len());
    if let Some(next) = sign.or(asked).or_else(|| answer(text, at)) {
        return Break(plain(next));
    }
    if name.class == Class::Password && start == at {
        let closing = [(b'[', b']'), (b'{', b'}')].iter().find(|(open, _)| *open == byte(text, at));
        if let Some((_, closing)) = closing {
            let found = plain(at + 1);
            return Break(found.filter(|(_, value)| byte(text, value.range.end) == *closing));
        }
    }
    if name.class == Class::Password
        && (goes_on(text, start, "for '") || goes_on(text, start, "for \""))
    {
        return Break(password_for(text, start));
    }
    Continue(())
}

/// The value behind dots, in brackets or in quotes.
fn enclosed(text: &str, name: &Name, start: usize) -> ControlFlow<Option<(Join, Value)>> {
    if text[start..].starts_with("...") {
        let dots = text[start..].bytes().take(GAP_MAX).take_while(|it| *it == b'.').count();
        let value = value::bare(text, skip_blanks(text, start + dots), Reach::Delimiter);
        return Break(is_plain(text, &value).then_some((Join::Prose, value)));
    }
    if byte(text, start) == b'(' {
        let value = value::bare(text, start + 1, Reach::Delimiter);
        let closed = byte(text, value.range.end) == b')';
        return Break((closed && is_plain(text, &value)).then_some((Join::Prose, value)));
    }
    if let Some(value) = value::quoted(text, start) {
        let statement = matches!(byte(text, start), b'\'' | b'"') || name.wide;
        return Break(statement.then_some((Join::Code, value)));
    }
    Continue(())
}

/// The value that stands beside its name and nothing else.
fn beside(text: &str, name: &Name, start: usize) -> Option<(Join, Value)> {
    let mut bare = value::bare(text, start, Reach::Delimiter);
    // How a router's secret is written down: `secret 0 x`, `password 7 x`.
    if bare.range.len() == 1 && matches!(byte(text, start), b'0' | b'5' | b'7') {
        bare = value::bare(text, skip_blanks(text, start + 1), Reach::Delimiter);
        return is_plain(text, &bare).then_some((Join::Prose, bare));
    }
    let content = &text[bare.range.clone()];
    let directive = name.is_directive(text) && begins_line(text, name);
    if name.option || directive || follows(text, name, &["env ", "arg "]) || is_netrc(text, name) {
        return Some((Join::Setting, bare));
    }
    if follows_user(text, name) && (is_plain(text, &bare) || shape::is_numbered_phrase(content)) {
        return Some((Join::Prose, bare));
    }
    if let Some(value) = qualified(text, start) {
        return Some((Join::Prose, value));
    }
    if name.class == Class::Secret
        && let Some(value) = drawn_later(text, start)
    {
        return Some((Join::Prose, value));
    }
    let digits = content.bytes().any(|byte| byte.is_ascii_digit());
    let plausible = name.class == Class::Password && content.len() >= 6 && digits
        || name.class == Class::Secret && content.len() >= 20;
    let worded = shape::is_wordy(content) && !(name.wide && shape::is_numbered_phrase(content));
    (plausible && !worded).then_some((Join::Prose, bare))
}

/// `expect "password:"; send "x\\r"`: the answer to a prompt that ends at `at`.
fn sent(text: &str, at: usize) -> Option<Value> {
    let end = text.floor_char_boundary(at + ANSWER_GAP);
    let word = at + text[at..end].find("send ")?;
    let between =
        |char: char| matches!(char, ':' | '"' | '\'' | '\\' | ';' | ' ' | '\n' | '{' | '}');
    if !text[at..word].chars().all(between) {
        return None;
    }
    let mut value = value::quoted(text, skip_blanks(text, word + "send ".len()))?;
    let content = text[value.range.clone()].trim_end_matches(['\\', 'r', 'n']);
    if text[value.range.clone()].contains('\\') {
        value.range.end = value.range.start + content.len();
    }
    is_plain(text, &value).then_some(value)
}

/// `apikey save prod x`: a long drawn word behind one or two plain ones.
fn drawn_later(text: &str, at: usize) -> Option<Value> {
    let end = line_end(text, at, GAP_MAX);
    let mut from = at;
    for word in text[at..end].split(' ').take(3) {
        let mix = Mix::of(word);
        let drawn = word.len() >= LATER_MIN && mix.digits > 3 && mix.upper > 3 && mix.lower > 3;
        if from > at && drawn && mix.symbols == 0 {
            return Some(Value { range: from..from + word.len(), quoted: false });
        }
        if !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return None;
        }
        from += word.len() + 1;
    }
    None
}

/// `user bob pass x`, `login bob password x`
fn follows_user(text: &str, name: &Name) -> bool {
    let from = text.ceil_char_boundary(name.range.start.saturating_sub(GAP_MAX));
    let mut words = text[from..name.range.start].rsplit(' ');
    let user = (words.next(), words.next(), words.next());
    matches!(user, (Some(""), Some(user), Some(word)) if !user.is_empty()
        && ["user", "login", "username"].iter().any(|it| word.ends_with(it)))
        && name.class == Class::Password
}

/// Where the answer begins on the line below a question that ends the name's line: "password?".
fn answer(text: &str, at: usize) -> Option<usize> {
    let end = line_end(text, at, GAP_MAX);
    let asked = text[at..end].trim_end().ends_with('?');
    if !asked || byte(text, end) != b'\n' {
        return None;
    }
    let start = skip_blanks(text, end + 1);
    if byte(text, start) == b'['
        && let Some(length) = text[start..line_end(text, start, GAP_MAX)].find("] ")
    {
        return Some(start + length + 2);
    }
    Some(ANSWERS.iter().find(|it| goes_on(text, start, it)).map_or(start, |it| start + it.len()))
}

/// `abcd 2efg h1jk lm3n`: a secret in groups, as it is printed to be typed.
pub(super) fn groups(text: &str, at: usize) -> Option<Value> {
    let mut end = at;
    let (mut count, mut size) = (0, 0);
    while count < 16 {
        let from = end + usize::from(count > 0);
        let part = text.as_bytes().get(from..)?.iter().take(8);
        let length = part.take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let is_group = (4..=6).contains(&length) && (count == 0 || length == size);
        if !is_group || count > 0 && byte(text, end) != b' ' {
            break;
        }
        (size, count, end) = (length, count + 1, from + length);
    }
    let ends = matches!(byte(text, end), 0 | b'\n' | b'"' | b'\'' | b'`' | b'.' | b',');
    let mix = Mix::of(&text[at..end]);
    (count >= 4 && ends && mix.digits > 1 && mix.letters() > 4)
        .then_some(Value { range: at..end, quoted: true })
}

/// "the password of the staging server is x", "token for the bot: x": the words begin at `at`.
fn qualified(text: &str, at: usize) -> Option<Value> {
    let end = line_end(text, at, GAP_MAX);
    let mut from = at;
    for count in 0..WORDS_MAX {
        let rest = &text[from..end];
        let part =
            |char: char| char.is_alphanumeric() || matches!(char, '_' | '.' | '-' | '\'' | '@');
        let length = rest.find(|char| !part(char)).unwrap_or(rest.len());
        let word = &rest[..length];
        if word.is_empty()
            || count == 0 && !QUALIFIERS.iter().any(|it| it.eq_ignore_ascii_case(word))
        {
            return None;
        }
        from += length;
        let next = skip_blanks(text, from);
        let joint = JOINTS.iter().find(|joint| goes_on(text, next, joint));
        if let Some(joint) = joint
            && count > 0
        {
            let at = skip_blanks(text, next + joint.len());
            let value =
                value::quoted(text, at).unwrap_or_else(|| value::bare(text, at, Reach::Delimiter));
            return is_plain(text, &value).then_some(value);
        }
        if next == from {
            return None;
        }
        from = next;
    }
    None
}

/// "use x as the root password": the word before what joins it to the name.
pub(super) fn before(text: &str, name: &Name) -> Option<(Join, Value)> {
    let from = text.ceil_char_boundary(name.range.start.saturating_sub(GAP_MAX));
    let mut lead = &text[from..name.range.start];
    if name.wide {
        let rest = lead
            .trim_end()
            .strip_suffix("这个")
            .or_else(|| lead.trim_end().strip_suffix("作为"))?;
        let rest = rest.trim_end();
        let word = rest.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        let value = value::bare(text, from + word, Reach::Delimiter);
        return is_plain(text, &value).then_some((Join::Prose, value));
    }
    let joint = |lead: &str| {
        AS.iter().find(|joint| {
            let at = lead.len().checked_sub(joint.len());
            at.is_some_and(|at| goes_on(lead, at, joint) && lead[..at].ends_with(' '))
        })
    };
    if joint(lead).is_none() {
        // One word more: "as the root password".
        lead = &lead[..lead.strip_suffix(' ')?.rfind(' ')? + 1];
    }
    let rest = lead[..lead.len() - joint(lead)?.len()].trim_end();
    let word = rest
        .rfind(char::is_whitespace)
        .map_or(0, |blank| blank + rest[blank..].chars().next().map_or(0, char::len_utf8));
    let start = from + word;
    let value =
        value::quoted(text, start).unwrap_or_else(|| value::bare(text, start, Reach::Delimiter));
    let whole = value.after(text) >= from + rest.len();
    (whole && is_plain(text, &value)).then_some((Join::Prose, value))
}

/// Plain enough to be taken for a secret where only words lead to it: letters and digits, and no words.
pub(super) fn is_plain(text: &str, value: &Value) -> bool {
    let content = &text[value.range.clone()];
    let mix = Mix::of(content);
    let wordy = shape::is_wordy(content) && !shape::is_numbered_phrase(content);
    let dashed =
        content.contains(['-', '_', '.', '/']) && content.split(['-', '_', '.', '/']).count() > 3;
    content.len() >= 8 && mix.digits > 0 && mix.letters() > 0 && !wordy && !dashed
}

/// `SET PASSWORD FOR 'root'@'localhost' = '...'`
fn password_for(text: &str, at: usize) -> Option<(Join, Value)> {
    let end = line_end(text, at, GAP_MAX);
    let equals = at + text[at..end].find('=')?;
    direct(text, equals + 1)
}
