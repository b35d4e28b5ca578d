//! `password = "..."`, `API_KEY=...`, `"token": "..."`, `密码：...`: a name, a joint, a value.

use std::ops::Range;

use super::judge::{self, Join};
use super::name::{Class, Name};
use super::text::{Span, byte, goes_on, skip_blanks};
use super::value::{self, Reach, Value};
use super::{block, list, markup, pair, said, table};

/// Parts of names that name secrets.
pub(super) const KEYWORDS: &[&str] = &[
    "auth",
    "contrasena",
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
    let before = found.len();
    let mut push = |join, value: Value| {
        let content = &text[value.range.clone()];
        if judge::is_secret(name.class, join, content, value.quoted) && !is_called(text, &value) {
            found.push(Span { range: value.range, kind: name.kind, named: false });
        }
        found.len() > before
    };
    if !name.plural
        && let Some((join, value)) = value_of(text, &name)
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
    if let Some((_, end)) = symbol(text, behind) {
        for value in list::values(text, end, name.plural) {
            push(if value.quoted { Join::Map } else { Join::Code }, value);
        }
        return;
    }
    let before = pair::before(text, &name.range).map(|value| (Join::Setting, value));
    if let Some((join, value)) = before.or_else(|| said::before(text, &name)) {
        push(join, value);
    }
    for (join, value) in table::values(text, &name.range) {
        push(join, value);
    }
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
    } else if text[at..].starts_with(" (") || byte(text, at) == b'(' {
        let noted = skip_note(text, skip_blanks(text, at));
        at = if matches!(byte(text, noted), b':' | b'=') { noted } else { at };
    }
    let after = skip_blanks(text, at);
    if let Some((named, value)) = markup::value(text, name.range.start, at) {
        let join = if named == markup::Named::Element { Join::Setting } else { Join::Map };
        return Some((join, value));
    }
    if let Some(value) = pair::behind(text, at) {
        return Some((Join::Setting, value));
    }
    let below = block::below(text, name.range.start, after);
    if let Some(value) = below.or_else(|| block::here_document(text, at)) {
        return Some((Join::Prose, value));
    }
    if let Some((symbol, end)) = symbol(text, after) {
        return joined(text, name, symbol, after, end);
    }
    if goes_on(text, after, "as string = ") {
        return direct(text, after + "as string = ".len());
    }
    match byte(text, after) {
        // Setenv("DB_PASSWORD", "value"), setPassword("value")
        b',' if quoted_name || is_atom(text, name) => direct(text, after + 1),
        b'(' if after == name.range.end => direct(text, after + 1),
        _ => said::value(text, name, at),
    }
}

/// A joint made of signs: `=`, `:`, `:=`, `=>`, `==`, `||`, and their full-width forms.
fn symbol(text: &str, at: usize) -> Option<(&str, usize)> {
    for wide in ["：", "＝"] {
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
        return None;
    }
    let tight = symbol == "=" && start == end - 1 && at == end;
    let line = begins_line(text, name);
    let whole_line = line && ends_line(text, at);
    let is_setting = name.option
        || symbol == "=" && name.upper && tight
        || tight && (is_field(text, name) || line);
    let join = if is_setting { Join::Setting } else { unset(text, name, symbol, whole_line) };
    let reach = if line && tight || whole_line { Reach::Blank } else { Reach::Delimiter };
    Some((join, bare(text, name, at, reach)))
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

/// Wrappers that hand a text through, and one-letter text prefixes.
fn skip_wrapper(text: &str, at: usize) -> usize {
    const WRAPPERS: &[&str] = &[
        "String::from(",
        "Some(",
        "SecretString::from(",
        "SecretString::new(",
        "Secret::new(",
        "SecretStr(",
        "str(",
        "new SecureString(",
        "PASSWORD(",
        "q(",
        "qq(",
    ];
    if let Some(wrapper) = WRAPPERS.iter().find(|wrapper| text[at..].starts_with(**wrapper)) {
        return at + wrapper.len();
    }
    if let Some(inside) = skip_dump(text, at).or_else(|| skip_raw(text, at)) {
        return inside;
    }
    let prefix = matches!(
        byte(text, at),
        b'@' | b'b' | b'B' | b'r' | b'R' | b'u' | b'U' | b'f' | b'L' | b'$'
    );
    if prefix && matches!(byte(text, at + 1), b'"' | b'\'') { at + 1 } else { at }
}

/// `string(20) "..."` on the next line, as PHP dumps a text: where the quote opens.
fn skip_dump(text: &str, at: usize) -> Option<usize> {
    let blank = text.as_bytes()[at..].iter().take(40).take_while(|it| it.is_ascii_whitespace());
    let word = at + blank.count();
    let length = text[word..].strip_prefix("string(")?;
    let (digits, _) = length.split_once(") \"")?;
    let counted = digits.len() <= 6 && digits.bytes().all(|byte| byte.is_ascii_digit());
    counted.then_some(word + "string() ".len() + digits.len())
}

/// `r#"..."#`: where the quote opens.
fn skip_raw(text: &str, at: usize) -> Option<usize> {
    let hashes = text[at..].strip_prefix('r')?.bytes().take(4).take_while(|it| *it == b'#').count();
    (hashes > 0 && byte(text, at + 1 + hashes) == b'"').then_some(at + 1 + hashes)
}

/// `Bearer `, `token ` before the value of a header.
fn skip_scheme(text: &str, at: usize) -> usize {
    let schemes = ["bearer ", "token ", "apikey ", "basic "];
    schemes
        .iter()
        .find(|scheme| goes_on(text, at, scheme))
        .map_or(at, |scheme| skip_blanks(text, at + scheme.len()))
}

/// A quoted value as an argument.
pub(super) fn direct(text: &str, at: usize) -> Option<(Join, Value)> {
    Some((Join::Code, value::quoted(text, skip_wrapper(text, skip_blanks(text, at)))?))
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

/// The name stands first on its line, behind nothing but blanks, list marks and shell words.
pub(super) fn begins_line(text: &str, name: &Name) -> bool {
    let (mut before, cut) = lead(text, name);
    loop {
        let trimmed = before.trim_end_matches([' ', '\t', '-', '+', '#', '*', '>', '$', '"', '\'']);
        let stripped = ["export", "set", "ENV", "ARG", "env", "-e", "-x"]
            .iter()
            .find_map(|word| trimmed.strip_suffix(word).filter(|rest| !ends_in_word(rest)));
        match stripped {
            Some(rest) => before = rest,
            None => {
                return trimmed.is_empty() && !cut
                    || trimmed.ends_with('\n')
                    || trimmed.ends_with("\\n");
            }
        }
    }
}

/// How far in the line of `at` begins, where nothing but blanks, a list mark or a quote stands
/// before it.
pub(super) fn begins_line_at(text: &str, at: usize) -> Option<usize> {
    let from = text.ceil_char_boundary(at.saturating_sub(GAP_MAX));
    let line = text[from..at].rfind('\n').map_or(from, |index| from + index + 1);
    let lead = text[line..at].trim_end_matches(['"', '\'']);
    lead.chars().all(|char| matches!(char, ' ' | '\t' | '-')).then_some(lead.len())
}

/// What stands before the name, and whether more stands before that.
fn lead<'t>(text: &'t str, name: &Name) -> (&'t str, bool) {
    let from = text.ceil_char_boundary(name.range.start.saturating_sub(GAP_MAX));
    (&text[from..name.range.start], from > 0)
}

fn ends_in_word(text: &str) -> bool {
    text.bytes().next_back().is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
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

pub(super) fn follows(text: &str, name: &Name, words: &[&str]) -> bool {
    words.iter().any(|word| {
        name.range.start >= word.len() && {
            let start = name.range.start - word.len();
            goes_on(text, start, word)
        }
    })
}

/// `machine HOST login USER password VALUE`
pub(super) fn is_netrc(text: &str, name: &Name) -> bool {
    let from = text.ceil_char_boundary(name.range.start.saturating_sub(240));
    let before = &text[from..name.range.start];
    name.class == Class::Password
        && before.contains("login ")
        && (before.contains("machine ") || before.contains("default "))
}

/// A bare value that goes on as a call or an index, or is the type before a value:
/// `password = read2(`, `PrivateKey: Options2 = 3`.
fn is_called(text: &str, value: &Value) -> bool {
    let end = value.range.end;
    let next = skip_blanks(text, end);
    let typed = next > end && byte(text, next) == b'=' && byte(text, next + 1) == b' ';
    !value.quoted && (typed || matches!(byte(text, end), b'(' | b'['))
}
