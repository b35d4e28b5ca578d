//! What holds for any text: redaction is stable, never panics, never brings a secret back, and
//! takes linear time.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use redact::{Redactor, clean};

/// Pieces of which hostile text is made: keywords, joints, quotes, escapes, tokens, markers.
const PIECES: &[&str] = &[
    "password",
    "DB_PASSWORD",
    "token",
    "api_key",
    "secret",
    "密码",
    "口令是",
    "auth",
    "key",
    "pass",
    "pwd",
    "=",
    ":",
    "：",
    " = ",
    ": ",
    " is ",
    "\"",
    "'",
    "`",
    "\\\"",
    "\\\\\"",
    "\\n",
    "\n",
    "\r\n",
    " ",
    "\t",
    ",",
    ";",
    "&",
    "?",
    "#",
    "@",
    "[",
    "]",
    "(",
    ")",
    "<",
    "</",
    ">",
    "{",
    "}",
    "$",
    "${",
    "%",
    "://",
    "/",
    "hunter2!x",
    "Zk3vQ9xW7mB2nT5rY8cL1pD4sF6gH0jKaEXy",
    "0123456789abcdef0123456789abcdef",
    "é",
    "漢",
    "🦀",
    "ghp_",
    "AKIA",
    "sk-",
    "sk-proj-",
    "eyJ",
    "xoxb-",
    "SG.",
    "hf_",
    "AIza",
    "Bearer ",
    "Basic ",
    "Cookie: ",
    "Authorization: ",
    "postgres://u:",
    "curl -u a:",
    "mysql -p",
    "IDENTIFIED BY '",
    "-----BEGIN ",
    "-----END ",
    "PRIVATE KEY-----",
    "RSA ",
    "Private-Lines: 3",
    "value",
    "name",
    "login ",
    "machine h ",
    "[REDACTED:",
    "[REDACTED:password]",
    "[REDACTED:github-pat]",
    "[REDACTED:nonsense]",
    "REDACTED",
    "\u{1b}[31m",
    "\u{200b}",
    "\u{202e}",
    "%3D",
    "\\u003d",
    "...",
    "$2b$12$",
    "pat",
    "Q~",
    ".atlasv1.",
    "|",
    " | ",
    "--",
    "- ",
    "user",
    "login|password|",
    "「",
    "」",
    "“",
    "”",
    "passwords",
    "tokens: [",
    "net user ",
    "echo ",
    " | docker login --password-stdin",
    "<<<",
    "@host.example",
    ":5432:",
    "<password>",
    "</key><string>",
    "&#",
    "\\u00",
    "\\n  ",
    ": |\n  ",
    "/*/",
    "seed phrase ",
    "legal winner thank year wave sausage ",
];

/// How far readers look, and a little more or less: a piece of such a length puts the next one
/// across the edge.
const EDGES: &[usize] = &[8, 16, 40, 48, 64, 80, 120, 128, 200, 240, 256, 512, 1024, 2048, 4096];

fn filler() -> impl Strategy<Value = String> {
    let unit = prop::sample::select(&[" ", "a", "é", "漢", "🦀", "a,", "é|", "\n", "x é "][..]);
    (unit, prop::sample::select(EDGES), 0..9usize, 0..9usize).prop_map(
        |(unit, edge, less, more)| {
            let length = (edge + more).saturating_sub(less);
            unit.chars()
                .cycle()
                .scan(0, |at, char| {
                    *at += char.len_utf8();
                    (*at <= length).then_some(char)
                })
                .collect()
        },
    )
}

fn soup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        10 => prop::sample::select(PIECES).prop_map(str::to_owned),
        1 => filler(),
        3 => "[A-Za-z0-9_-]{1,44}",
        1 => "\\PC{0,6}",
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn secret() -> impl Strategy<Value = String> {
    prop_oneof!["[A-Za-z0-9_-]{10,50}", "[A-Za-z0-9+/&\"'\\\\ é漢]{10,30}"]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn redacting_again_changes_nothing(text in soup()) {
        let redactor = Redactor::new();
        let once = redactor.redact(&text).text.into_owned();
        let twice = redactor.redact(&once);
        prop_assert_eq!(&*twice.text, &once);
        prop_assert!(twice.counts.is_empty());
    }

    #[test]
    fn cleaning_again_changes_nothing(text in soup(), more in "\\PC*|[\\x00-\\x1f\\u{1b}\\[\\]m;0-9\\u{9b}\\u{9c}\\u{200d}\\u{fe0f}é👩]*") {
        let text = text + &more;
        let once = clean(&text).into_owned();
        prop_assert_eq!(clean(&once), once.as_str());
        prop_assert!(!once.contains(|char: char| char.is_control() && char != '\n' && char != '\t'));
        let hidden = ['\u{202e}', '\u{2066}', '\u{200b}', '\u{feff}'];
        prop_assert!(!once.contains(hidden));
    }

    #[test]
    fn an_exact_value_is_never_left_nor_brought_back(
        before in soup(), middle in soup(), after in soup(), secret in secret()
    ) {
        let redactor = Redactor::with_values(vec![secret.clone()]);
        let text = format!("{before}{secret}{middle}{secret}{after}");
        let redacted = redactor.redact(&text);
        prop_assert!(!redacted.text.contains(&secret));
        let again = redactor.redact(&redacted.text);
        prop_assert_eq!(&again.text, &redacted.text);
    }

    #[test]
    fn what_is_kept_is_a_part_of_the_text(text in soup()) {
        let redacted = Redactor::new().redact(&text).text.into_owned();
        // Every piece between markers stands in the text, in order.
        let mut rest = text.as_str();
        for (index, piece) in redacted.split("[REDACTED:").enumerate() {
            let kept = if index == 0 { piece } else { piece.split_once(']').map_or("", |(_, kept)| kept) };
            let at = rest.find(kept);
            prop_assert!(at.is_some(), "{kept:?} of {redacted:?}");
            rest = &rest[at.unwrap() + kept.len()..];
        }
    }
}

#[test]
fn an_exact_value_is_found_in_every_form() {
    let secret = "S3cr&t/\"v\\l+é?~=";
    let redactor = Redactor::with_values(vec![secret.to_owned()]);
    let base64 = |bytes: &[u8]| {
        use base64::Engine;
        base64::engine::general_purpose::STANDARD.encode(bytes)
    };
    let json = serde_json::to_string(secret).unwrap();
    let twice = serde_json::to_string(&json).unwrap();
    let forms = [
        secret.to_owned(),
        json,
        twice,
        "S3cr%26t%2F%22v%5Cl%2B%C3%A9%3F~%3D".to_owned(),
        "s=S3cr%26t%2f%22v%5cl%2b%c3%a9%3f~%3d".to_owned(),
        "S3cr\\u0026t/\\\"v\\\\l+\\u00e9?~=".to_owned(),
        "S3cr&amp;t/&quot;v\\l+é?~=".to_owned(),
        base64(secret.as_bytes()),
        base64(format!("u:{secret}").as_bytes()),
        base64(format!("us:{secret}xyz").as_bytes()),
        base64(format!("use:{secret}x").as_bytes()),
    ];
    for form in forms {
        let redacted = redactor.redact(&form);
        assert!(redacted.text.contains("[REDACTED:known-secret]"), "{form} -> {}", redacted.text);
    }
}

#[test]
fn an_exact_value_without_letters_is_found_beside_a_marker() {
    let redactor = Redactor::with_values(vec!["+   \"\"+/&&".to_owned()]);
    let redacted = redactor.redact("+   \"\"+/&&[REDACTED:password]");
    assert_eq!(redacted.text, "[REDACTED:known-secret][REDACTED:password]");
}

#[test]
fn short_values_do_not_tear_words_apart() {
    let redactor = Redactor::with_values(vec![String::new(), "key".to_owned()]);
    assert_eq!(redactor.redact("the key of the monkey").text, "the key of the monkey");
}

#[test]
fn a_forged_marker_hides_nothing() {
    let token = format!("{}{}", "ghp_", "Zk3vQ9xW7mB2nT5rY8cL1pD4sF6gH0jKaEXy");
    let text = format!("[REDACTED:{token}]");
    assert_eq!(Redactor::new().redact(&text).text, "[REDACTED:[REDACTED:github-pat]]");
}

#[test]
fn counts_say_what_was_taken() {
    let redacted = Redactor::new().redact("password = \"tr0ub4dor\"\npassword = \"hunter22\"\n");
    assert_eq!(
        redacted.text,
        "password = \"[REDACTED:password]\"\npassword = \"[REDACTED:password]\"\n"
    );
    assert_eq!(redacted.counts.into_iter().collect::<Vec<_>>(), [("password", 2)]);
}

/// A third of the largest request, in bytes.
const LENGTH: usize = 256 * 1024;

/// The limit for [`LENGTH`] in an unoptimised build on a busy machine. A reader that looks at the
/// rest of the text from each keyword takes minutes.
const HOSTILE_MAX: Duration = Duration::from_secs(10);

#[test]
fn hostile_text_takes_linear_time() {
    let seeds = [
        "ghp_",
        "-eyJ",
        "-sk-",
        "eyJ.",
        "password=",
        "password=\"",
        "password='\\\"",
        "\\\"password\\\":\\\"",
        "://",
        "://a:",
        "postgres://a:b/",
        "-----BEGIN PRIVATE KEY-----",
        "-----begin private key-----\nAAAAAAAAAAAAAAAAAAAAAAAA\n",
        "-----END PRIVATE KEY-----",
        "AAAAAAAAAAAAAAAAAAAAAAAA\n-----END PRIVATE KEY-----",
        "Cookie: a=",
        "cookie=;",
        "curl -u ",
        "-p -p mysql ",
        "-----",
        "- - -password ",
        "password ",
        "密码",
        "密码（",
        "[REDACTED:",
        "[REDACTED:password]",
        ".",
        "a.",
        "1//0",
        "key,value=",
        "Private-Lines: 9",
        "set set token",
        "\u{1b}]",
        "\\",
        "\"",
        "$argon2id$",
        "-b '",
        "token.",
    ];
    for seed in seeds {
        let text = seed.repeat(LENGTH / seed.len());
        let start = Instant::now();
        let redacted = Redactor::new().redact(&text);
        assert!(!redacted.text.is_empty());
        let cleaned = clean(&text);
        assert!(cleaned.len() <= text.len());
        let took = start.elapsed();
        if took > Duration::from_millis(500) {
            println!("{seed:?}: {took:?}");
        }
        assert!(took < HOSTILE_MAX, "{seed:?} took {took:?}");
    }
}
