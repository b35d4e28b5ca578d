//! Encodings that hide a command: decoded where the input is known, opaque where it is not.

use super::acts::{Act, Also, Pick};
use super::entry::When::{All, Always, Any, Not, Test, Verbs, Word};
use super::entry::{Case, Command, Given, Gives, READS, Said};
use super::options::{has, operands, value};
use super::words::words;
use crate::rules::{execution, network, secrets};
use crate::shell::{Field, Flow, Io, Step, UNKNOWN, Walker};

pub(super) const COMMANDS: &[Command] = &[
    Command::code(words!("base64 gbase64"), base64, [&["-d file.b64"], &[], &[], &[]]),
    Command::code(
        words!(
            "base32 basenc uudecode gunzip zcat bunzip2 bzcat unxz xzcat unzstd zstdcat uncompress \
             iconv ascii2uni"
        ),
        unreadable,
        [&["file.gz"], &[], &[], &[]],
    ),
    Command::code(words!("xxd"), xxd, [&["file"], &[], &[], &[]]),
    Command::said(
        words!("openssl"),
        Said::cases(
            &[],
            &[&[
                // A look at a certificate.
                Case(All(&[Verbs("s_client"), Test(sends_nothing)]), &network::FETCH),
                Case(Verbs("s_client|s_server"), &network::LISTEN),
                Case(Verbs("version|dgst|rand|x509|base64|enc|sha256|md5|verify"), READS),
                Case(Always, &execution::COMMAND),
            ]],
        )
        .also(&[
            Also(
                All(&[Verbs("pkcs12"), Word("-nodes -noenc"), Not(&Word("-export"))]),
                Act::Finds(&secrets::SHOW),
            ),
            Also(Always, Act::Writes(Pick::Values(&["-out"]))),
            Also(Always, Act::Calls(opened)),
        ])
        .gives(Gives::Inner),
        [
            &["version", "enc -d -base64 -in a.txt"],
            &["s_client -connect a:443", "genrsa 2048", "rand -out key.bin 16"],
            &["s_server -port 4", "s_client -connect a:443 <<< GET", "pkcs12 -in a.p12 -nodes"],
            &[],
        ],
    ),
];

/// The input: the first file, or standard input.
fn input(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Flow {
    let file = operands(words, &["-w", "-i", "-l", "-c", "-s", "-in", "-f", "-t"])
        .first()
        .map(|file| (*file).clone());
    match file.filter(|file| file.text != "-") {
        Some(file) => walker.read_file(&file),
        None => io.stdin.clone(),
    }
}

fn unreadable(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    let flow = input(walker, words, io);
    Ok(Flow { text: UNKNOWN.to_string(), taint: flow.taint })
}

fn base64(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    let flow = input(walker, words, io);
    walker.budget.steps(flow.text.len())?;
    if !(has(words, 'd', "decode") || has(words, 'D', "")) {
        return Ok(Flow { text: UNKNOWN.to_string(), taint: flow.taint });
    }
    Ok(Flow {
        text: from_base64(&flow.text).unwrap_or_else(|| UNKNOWN.to_string()),
        taint: flow.taint,
    })
}

/// Nothing is sent but the word that ends the connection.
fn sends_nothing(_: &Walker<'_>, given: &Given<'_>) -> bool {
    given.input.text.trim().trim_end_matches('Q').is_empty()
}

/// What `openssl` writes to its output: the text behind base64, where that is its input.
fn opened(walker: &mut Walker<'_>, given: &Given<'_>, io: &Io<'_>) -> Step<Flow> {
    let flow = match value(given.words, &["-in"]).map(str::to_owned) {
        Some(file) => walker.read_file(&Field::new(&file)),
        None => io.stdin.clone(),
    };
    walker.budget.steps(flow.text.len())?;
    let is_base64 = Any(&[Verbs("base64"), Word("-base64 -a")]);
    let decodes = Word("-d").holds(walker, given) && is_base64.holds(walker, given);
    let text = if decodes { from_base64(&flow.text) } else { None };
    Ok(Flow { text: text.unwrap_or_else(|| UNKNOWN.to_string()), taint: flow.taint })
}

fn xxd(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    let flow = input(walker, words, io);
    walker.budget.steps(flow.text.len())?;
    let reverts = words.iter().any(|word| word.text.starts_with("-r") || word.text == "--revert");
    let text = if reverts { from_hex(&flow.text) } else { None };
    Ok(Flow { text: text.unwrap_or_else(|| UNKNOWN.to_string()), taint: flow.taint })
}

/// The text behind base64; `None` if it is not base64.
pub(super) fn from_base64(text: &str) -> Option<String> {
    let (mut bits, mut count) = (0_u32, 0);
    let mut bytes = Vec::new();
    for byte in text.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => break,
            _ if byte.is_ascii_whitespace() => continue,
            _ => return None,
        };
        bits = (bits << 6 | u32::from(value)) & 0xff_ffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xff) as u8);
        }
    }
    printable(&bytes)
}

/// The text behind hexadecimal digits; `None` if there are others.
pub(super) fn from_hex(text: &str) -> Option<String> {
    let mut digits = Vec::new();
    for character in text.chars().filter(|character| !character.is_whitespace()) {
        digits.push(character.to_digit(16)?);
    }
    let bytes: Vec<u8> =
        digits.chunks_exact(2).map(|pair| (pair[0] * 16 + pair[1]) as u8).collect();
    printable(&bytes)
}

fn printable(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?;
    let plain =
        text.chars().all(|character| !character.is_control() || character.is_ascii_whitespace());
    (plain && !text.is_empty()).then(|| text.to_owned())
}
