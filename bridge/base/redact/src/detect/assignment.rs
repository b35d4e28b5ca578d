//! `password = "..."`, `API_KEY=...`, `"token": "..."`, `密码：...`: a name, a joint, a value.

use std::ops::Range;

use super::judge::{self, Join};
use super::name::{Class, Name};
use super::place::{begins_line, follows, lead};
use super::text::{Span, byte, goes_on, skip_blanks};
use super::value::{self, Reach, Value};
use super::wrapper::{direct, skip_scheme, skip_wrapper};
use super::{block, bytes, grid, list, markup, pair, printed, said, table};

/// Parts of names that name secrets.
pub(super) const KEYWORDS: &[&str] = &[
    "access_code",
    "accesscode",
    "auth",
    "contrasena",
    "door_code",
    "doorcode",
    "pin_code",
    "unlock_code",
    "unlockcode",
    "contraseña",
    "cred",
    "kennwort",
    "key",
    "mnemonic",
    "mot de passe",
    "p4ss",
    "pa55",
    "pass",
    "phrase",
    "psk",
    "psw",
    "pw",
    "secret",
    "token",
    "_sk",
    "_pat",
    "wif",
    "密码",
    "密碼",
    "口令",
    "密钥",
    "密鑰",
    "秘钥",
    "密匙",
    "私钥",
    "令牌",
    "授权码",
    "訪問碼",
    "パスワード",
    "비밀번호",
    "비번",
    "пароль",
    "Пароль",
    "senha",
    "heslo",
    "salasana",
    "wachtwoord",
    "adgangskode",
    "parola",
    "mdp",
    "clave",
    "zugangscode",
    "lozinka",
    "kodeord",
    "haslo",
    "sifre",
    "jelszo",
    "hasło",
    "lösenord",
    "jelszó",
    "şifre",
    "Şifre",
    "parolă",
    "mật khẩu",
    "รหัสผ่าน",
    "كلمة المرور",
    "كلمة السر",
    "סיסמה",
    "κωδικός",
    "पासवर्ड",
    "暗証番号",
    "凭证",
    "トークン",
    "토큰",
    "токен",
];

/// How far a value may stand from its name, in bytes.
const GAP_MAX: usize = 120;

/// Reads an assignment around a keyword.
pub(super) fn read(text: &str, at: Range<usize>, found: &mut Vec<Span>) {
    let Some(name) = Name::around(text, &at) else { return };
    if is_resource(text, &name) {
        return;
    }
    let before = found.len();
    read_values(text, &name, found);
    if found.len() > before && name.class == Class::Secret {
        found.extend(key_beside(text, &name));
    }
}

/// The value is a secret, as its name and its form tell.
fn is_secret(text: &str, name: &Name, join: Join, value: &Value) -> bool {
    let content = &text[value.range.clone()];
    // A block of several lines is one value.
    let joined: String = content.split_ascii_whitespace().collect();
    let content = if content.contains('\n') { &joined } else { content };
    let is_secret = judge::is_secret(name.class, join, content, value.quoted)
        || name.upper && judge::is_setting_of_uuid(name.class, join, content)
        || goes_on(text, name.range.start, "x-") && judge::is_key_of_uuid(name.class, content);
    let is_plain = !name.spoken || judge::is_plainly_drawn(content);
    is_secret && is_plain && !is_called(text, value)
}

/// `key='x', secret='y'`: the bare key on the line of a secret.
fn key_beside(text: &str, name: &Name) -> Option<Span> {
    let from = text.ceil_char_boundary(name.range.start.saturating_sub(GAP_MAX));
    let start = text[from..name.range.start].rfind('\n').map_or(from, |index| from + index + 1);
    let end = super::text::line_end(text, name.range.end, GAP_MAX * 2);
    let is_field = |(index, _): &(usize, &str)| {
        let before = byte(text, (start + index).wrapping_sub(1));
        !before.is_ascii_alphanumeric() && !matches!(before, b'_' | b'-' | b'.')
    };
    let (index, _) = text[start..end].match_indices("key").find(is_field)?;
    let sign = skip_blanks(text, value::skip_quote(text, start + index + "key".len()));
    if !matches!(byte(text, sign), b'=' | b':') {
        return None;
    }
    let at = skip_blanks(text, sign + 1);
    let value = value::quoted(text, at).unwrap_or_else(|| value::bare(text, at, Reach::Delimiter));
    let content = &text[value.range.clone()];
    judge::is_secret(Class::WeakKey, Join::Setting, content, value.quoted).then_some(Span {
        range: value.range,
        kind: "api-key",
        named: false,
    })
}

fn read_values(text: &str, name: &Name, found: &mut Vec<Span>) {
    let before = found.len();
    let mut push = |join, value: Value| {
        if is_secret(text, name, join, &value) {
            // `from OLD to NEW`
            let next = value.after(text);
            if text[..value.range.start].ends_with("from ") && goes_on(text, next, " to ") {
                let new = value::bare(text, next + " to ".len(), Reach::Delimiter);
                if said::is_plain(text, &new) {
                    found.push(Span { range: new.range, kind: name.kind, named: false });
                }
            }
            found.push(Span { range: value.range, kind: name.kind, named: false });
        }
        found.len() > before
    };
    if !name.plural
        && let Some((join, value)) = value_of(text, name)
    {
        let upper_map = join == Join::Map && name.upper && value.range.len() >= 6;
        if push(if upper_map { Join::Code } else { join }, value) {
            return;
        }
    }
    if matches!(name.class, Class::BasicAuth | Class::Mnemonic) {
        return;
    }
    let behind = skip_blanks(text, value::skip_quote(text, name.range.end));
    if let Some((_, end)) = symbol(text, skip_blanks(text, skip_size(text, behind))) {
        if let Some(range) = bytes::list(text, end).filter(|_| !name.plural) {
            found.push(Span { range, kind: name.kind, named: false });
            return;
        }
        // `"node_modules/pass": {...}` is a path.
        let is_path = byte(text, name.range.start.wrapping_sub(1)) == b'/';
        for value in list::values(text, end, name.plural).into_iter().filter(|_| !is_path) {
            push(if value.quoted { Join::Map } else { Join::Code }, value);
        }
        return;
    }
    let before = pair::before(text, &name.range).map(|value| (Join::Setting, value));
    if let Some((join, value)) = before.or_else(|| said::before(text, name)) {
        push(join, value);
    }
    for (join, value) in table::values(text, &table::cell_of(text, &name.range)) {
        push(join, value);
    }
    for (join, value) in grid::values(text, &name.range) {
        push(join, value);
    }
    if !name.spoken {
        printed::read_name(text, name, found);
    }
}

/// `arn:aws:secretsmanager:...:secret:name`: a resource's name and not a secret.
fn is_resource(text: &str, name: &Name) -> bool {
    let (lead, _) = lead(text, name);
    let word = lead.rsplit(char::is_whitespace).next().unwrap_or(lead);
    word.ends_with(':') && word.contains("arn:")
}

/// The value that belongs to `name`, and how it is joined.
fn value_of(text: &str, name: &Name) -> Option<(Join, Value)> {
    let quoted_name = value::opens_quote(text, name.range.end);
    let mut at = value::skip_quote(text, name.range.end);
    let bracketed = byte(text, name.range.start.wrapping_sub(1)) == b'[';
    while matches!(byte(text, at), b']' | b')') && (quoted_name || bracketed || name.wide) {
        at += 1;
    }
    at = skip_emphasis(text, skip_size(text, at));
    if name.wide {
        at = skip_note(text, at);
    } else if let Some(rest) = text[at..].strip_prefix(" [")
        && let Some((default, _)) = rest.split_once("]:").filter(|(it, _)| it.len() <= 24)
    {
        at += default.len() + 3;
    } else if text[at..].starts_with(" (") || byte(text, at) == b'(' {
        let noted = skip_note(text, skip_blanks(text, at));
        at = if matches!(byte(text, noted), b':' | b'=') { noted } else { at };
    }
    if goes_on(text, at, " <const>") {
        at += " <const>".len();
    }
    let after = skip_blanks(text, at);
    if let Some((named, value)) = markup::value(text, name.range.start, at) {
        let join = if named == markup::Named::Element { Join::Setting } else { Join::Map };
        return Some((join, value));
    }
    if let Some(value) = pair::behind(text, at) {
        return Some((Join::Setting, value));
    }
    let entry = pair::nested(text, name.range.end);
    if let Some(value) = entry.or_else(|| pair::of_entry(text, &name.range)) {
        return Some((Join::Code, value));
    }
    let below = block::below(text, name.range.start, after);
    if let Some(value) = below.or_else(|| block::here_document(text, at)) {
        return Some((Join::Prose, value));
    }
    let after = skip_dots(text, after);
    if let Some((symbol, end)) = symbol(text, after) {
        return joined(text, name, symbol, after, end);
    }
    if goes_on(text, after, "as string = ") {
        return direct(text, after + "as string = ".len());
    }
    match byte(text, after) {
        // Setenv("DB_PASSWORD", "value"), setPassword("value")
        b',' if quoted_name || is_atom(text, name) => {
            direct(text, after + 1).filter(|(_, value)| byte(text, value.after(text)) != b':')
        }
        b'(' if after == name.range.end => direct(text, after + 1),
        _ => said::value(text, name, at),
    }
}

/// A joint made of signs: `=`, `:`, `:=`, `=>`, `==`, `||`, and their full-width forms.
fn symbol(text: &str, at: usize) -> Option<(&str, usize)> {
    for wide in ["：", "＝", "→", "⇒", "➜", "<-"] {
        if text[at..].starts_with(wide) {
            return Some((wide, at + wide.len()));
        }
    }
    let signs = text.as_bytes()[at..].iter().take(4);
    let length = signs.take_while(|sign| b"=:>|?!~+".contains(sign)).count();
    let symbol = &text[at..at + length];
    let joins =
        symbol.contains(['=', ':']) && !symbol.starts_with('>') || matches!(symbol, "||" | "??");
    (joins && !symbol.contains("::")).then_some((symbol, at + length))
}

/// The dots of a form before its sign: `Password.....: x`.
fn skip_dots(text: &str, at: usize) -> usize {
    let dots = text.as_bytes()[at..].iter().take(GAP_MAX).take_while(|it| **it == b'.').count();
    let sign = skip_blanks(text, at + dots);
    if dots > 2 && matches!(byte(text, sign), b':' | b'=') { sign } else { at }
}

/// How a bare value is joined that is no setting.
fn unset(text: &str, name: &Name, symbol: &str, whole_line: bool) -> Join {
    if name.is_spaceless(text) {
        Join::Told
    } else if name.wide || symbol == "：" || is_sentence(text, name) || whole_line {
        Join::Prose
    } else {
        Join::Code
    }
}

fn joined(
    text: &str,
    name: &Name,
    symbol: &str,
    start: usize,
    end: usize,
) -> Option<(Join, Value)> {
    let mut at = skip_blanks(text, end);
    if matches!(byte(text, at), b'=' | b':') && byte(text, at + 1) == b' ' && at > end {
        at = skip_blanks(text, at + 1);
    }
    if let Some(value) = said::groups(text, at) {
        return Some((Join::Setting, value));
    }
    if symbol == ":"
        && let Some(typed) = skip_type(text, at)
    {
        return Some((Join::Code, value::quoted(text, typed)?));
    }
    if let Some((announced, value)) = block::value(text, name.range.start, end) {
        let block = announced == block::Announced::Block;
        return Some((if block { Join::Setting } else { Join::Code }, value));
    }
    at = skip_blanks(text, skip_emphasis(text, at));
    at = skip_scheme(text, skip_wrapper(text, skip_tag(text, at)));
    if value::opens_quote(text, at) {
        let join = if symbol == ":" || symbol == "：" { Join::Map } else { Join::Code };
        return Some((join, value::quoted(text, at)?));
    }
    if matches!(symbol, "||" | "??" | "==" | "===" | "!=" | "!==") {
        let value = value::bare(text, at, Reach::Delimiter);
        let told = symbol.starts_with("==") && said::is_plain(text, &value);
        return told.then_some((Join::Prose, value));
    }
    let tight = symbol == "=" && start == end - 1 && at == end;
    Some(unquoted(text, name, symbol, at, tight))
}

/// A value without quotes, and how it is joined; `tight` where nothing stands around the `=`.
fn unquoted(text: &str, name: &Name, symbol: &str, at: usize, tight: bool) -> (Join, Value) {
    let line = begins_line(text, name);
    let whole_line = line && ends_line(text, at);
    let is_setting = name.option
        || symbol == "=" && name.upper && tight
        || tight && (is_field(text, name) || line);
    let join = if is_setting { Join::Setting } else { unset(text, name, symbol, whole_line) };
    let reach = if line && tight || whole_line { Reach::Blank } else { Reach::Delimiter };
    (join, bare(text, name, at, reach))
}

/// A bare value; one in a URL ends before the fragment.
fn bare(text: &str, name: &Name, at: usize, reach: Reach) -> Value {
    let mut value = value::bare(text, at, reach);
    if matches!(byte(text, name.range.start.wrapping_sub(1)), b'?' | b'&')
        && let Some(length) = text[value.range.clone()].find('#')
    {
        value.range.end = at + length;
    }
    value
}

/// `password: str = "..."`, `let password: &str = "..."`: where the quote opens.
fn skip_type(text: &str, at: usize) -> Option<usize> {
    let is_type = |byte: &u8| byte.is_ascii_alphanumeric() || b"_&<>[]'|?. :".contains(byte);
    let length = text.as_bytes()[at..].iter().take(48).take_while(|byte| is_type(byte)).count();
    if length == 0 || byte(text, at + length) != b'=' || byte(text, at + length + 1) == b'=' {
        return None;
    }
    let quote = skip_blanks(text, at + length + 1);
    value::opens_quote(text, quote).then_some(quote)
}

/// `!!str `, `&anchor ` before a value in YAML.
fn skip_tag(text: &str, at: usize) -> usize {
    let length = text.as_bytes()[at..].iter().take(40);
    let length = length
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'!' | b'&' | b'_'))
        .count();
    let tag = text[at..].starts_with("!!") || byte(text, at) == b'&';
    if tag && byte(text, at + length) == b' ' { skip_blanks(text, at + length) } else { at }
}

/// `[]`, `[64]` behind the name of a text in C.
fn skip_size(text: &str, at: usize) -> usize {
    let size = text[at..].strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let size =
        size.filter(|(size, _)| size.len() <= 6 && size.bytes().all(|it| it.is_ascii_digit()));
    size.map_or(at, |(size, _)| at + size.len() + 2)
}

/// `{password, "..."}`, `:password, "..."`
fn is_atom(text: &str, name: &Name) -> bool {
    matches!(byte(text, name.range.start.wrapping_sub(1)), b'{' | b':')
}

/// The stars that close a bold name: `**Password**: x`, `**Password:** x`.
fn skip_emphasis(text: &str, at: usize) -> usize {
    if text[at..].starts_with("**") { at + 2 } else { at }
}

/// `（root）` between a Chinese word and its value.
fn skip_note(text: &str, at: usize) -> usize {
    let rest = &text[at..text.floor_char_boundary(at + GAP_MAX)];
    let note = rest
        .strip_prefix(['（', '('])
        .and_then(|note| note.find(['）', ')']).map(|end| &note[end..]));
    note.map_or(at, |note| {
        at + rest.len() - note.len() + note.chars().next().map_or(0, char::len_utf8)
    })
}

/// The value at `at` is the last thing on its line, apart from a comment.
fn ends_line(text: &str, at: usize) -> bool {
    let end = super::text::line_end(text, at, 256);
    let line = text[at..end].trim_end();
    let rest = line.find([' ', '\t']).map_or("", |blank| line[blank..].trim_start());
    rest.is_empty() || rest.starts_with('#') || rest.starts_with("//")
}

/// A field of a connection string, a query or a list of options: `;Password=`, `&token=`.
fn is_field(text: &str, name: &Name) -> bool {
    let (lead, _) = lead(text, name);
    let before = lead.trim_end_matches(' ');
    before.ends_with([';', '?', '&']) || before.len() < lead.len() && follows_field(before)
}

/// `user=app password=...`: another field stands just before.
fn follows_field(before: &str) -> bool {
    before
        .rsplit([' ', '\n', '"', '\''])
        .next()
        .is_some_and(|word| word.contains('=') && !word.ends_with('='))
}

/// The name begins a sentence or follows ordinary words: `Password: x`, `my password: x`.
fn is_sentence(text: &str, name: &Name) -> bool {
    let (lead, cut) = lead(text, name);
    let before = lead.trim_end_matches([' ', '*', '_', '"']);
    before.is_empty() && !cut
        || before.ends_with(['\n', '.', ',', '，', '。', '：', '；', '、', '/'])
        || follows(
            text,
            name,
            &[
                "my ", "the ", "with ", "root ", "admin ", "your ", "and ", "user ", "initial ",
                "default ",
            ],
        )
}

/// A bare value that goes on as a call or an index, or is the type before a value:
/// `password = read2(`, `PrivateKey: Options2 = 3`.
fn is_called(text: &str, value: &Value) -> bool {
    let end = value.range.end;
    let next = skip_blanks(text, end);
    let typed = next > end && byte(text, next) == b'=' && byte(text, next + 1) == b' ';
    !value.quoted && (typed || matches!(byte(text, end), b'(' | b'['))
}
