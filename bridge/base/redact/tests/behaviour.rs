//! What a reader of the output sees: markers in place, the text around them whole.

use std::path::Path;

use redact::{Redactor, clean, is_sensitive_path};

/// Stands where a vendor's random characters stand; joined to prefixes here, so that no file holds
/// a whole token.
const BODY: &str = "Zk3vQ9xW7mB2nT5rY8cL1pD4sF6gH0jKaEXy";

fn check(text: &str, expected: &str) {
    assert_eq!(Redactor::new().redact(text).text, expected);
}

#[test]
fn a_token_after_an_escape_in_json_text_is_found() {
    let token = format!("{}{BODY}", "ghp_");
    check(
        &format!("{{\"log\":\"line one\\n{token}\\nline two\"}}"),
        "{\"log\":\"line one\\n[REDACTED:github-pat]\\nline two\"}",
    );
    check(&format!("\u{1b}[32m{token}"), "\u{1b}[32m[REDACTED:github-pat]");
    check(&format!("?a=1%26t%3D{token}"), "?a=1%26t%3D[REDACTED:github-pat]");
}

#[test]
fn a_private_key_is_found_whole_cut_off_and_inside_json() {
    let line = format!("{BODY}{}", &BODY[..28]);
    let (first, last) = ("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----");
    for gap in ["\n", "\r\n", "\\n", "\\r\\n", "\\\\n", "\n    ", "\n> "] {
        let body = [line.as_str(), &line, "abcd=="].join(gap);
        check(&format!("a {first}{gap}{body}{gap}{last} z"), "a [REDACTED:private-key] z");
        check(&format!("a {first}{gap}{body}"), "a [REDACTED:private-key]");
        let tail = Redactor::new().redact(&format!("{body}{gap}{last} z")).text.into_owned();
        assert_eq!(tail, "[REDACTED:private-key] z", "{gap:?}");
    }
    check(
        &format!("it begins with `{first}`, it ends with `{last}`"),
        &format!("it begins with `{first}`, it ends with `{last}`"),
    );
}

#[test]
fn a_password_goes_and_its_name_stays() {
    check("{\"password\": \"tr0ub4dor\"}", "{\"password\": \"[REDACTED:password]\"}");
    check("{\\\"password\\\":\\\"tr0ub4dor\\\"}", "{\\\"password\\\":\\\"[REDACTED:password]\\\"}");
    check("数据库密码：tr0ub4dor，不要外传", "数据库密码：[REDACTED:password]，不要外传");
    check("postgres://app:tr0ub4dor@db/main", "postgres://app:[REDACTED:url-password]@db/main");
    check("DB_PASSWORD=tr0ub4dor npm start", "DB_PASSWORD=[REDACTED:password] npm start");
}

#[test]
fn overlapping_secrets_leave_no_end_behind() {
    let token = format!("{}{BODY}", "ghp_");
    check(&format!("password = \"{token}\""), "password = \"[REDACTED:github-pat]\"");
    check(&format!("password = \"{token}!and-more1\""), "password = \"[REDACTED:password]\"");
    check(&format!("https://user:{token}@host/x"), "https://user:[REDACTED:github-pat]@host/x");
}

#[test]
fn a_text_without_secrets_is_borrowed() {
    let text =
        "The token bucket has a key per tenant; see commit 4f1c2d9e8b7a6f5e4d3c2b1a0f9e8d7c.";
    assert!(matches!(Redactor::new().redact(text).text, std::borrow::Cow::Borrowed(_)));
}

#[test]
fn the_redactor_shows_no_value() {
    let redactor = Redactor::with_values(vec!["an-exact-value".to_owned()]);
    assert!(!format!("{redactor:?}").contains("exact-value"));
}

#[test]
fn what_cannot_be_seen_is_cleaned() {
    let cases = [
        ("plain\ttext\n", "plain\ttext\n"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("\u{1b}[1;31mred\u{1b}[0m", "red"),
        ("\u{1b}]0;title\u{7}x\u{1b}]8;;http://h\u{1b}\\y", "xy"),
        ("\u{1b}]0;no end\nkept", "]0;no end\nkept"),
        ("\u{9b}31mred nul\0bell\u{7}del\u{7f}", "red nulbelldel"),
        ("user\u{202e}txt.exe\u{2066}", "usertxt.exe"),
        ("pass\u{200b}wo\u{200d}rd\u{feff}\u{ad}", "password"),
        ("tag\u{e0041}\u{e0042}s", "tags"),
        ("👩\u{200d}👧 می\u{200c}خواهم ❤\u{fe0f}", "👩\u{200d}👧 می\u{200c}خواهم ❤\u{fe0f}"),
        ("x\u{fe0f}\u{fe0f}1\u{fe0f}\u{20e3}☂\u{fe0f}\u{fe0f}", "x1\u{fe0f}\u{20e3}☂\u{fe0f}"),
        ("one\u{2028}two", "one\ntwo"),
    ];
    for (text, expected) in cases {
        assert_eq!(clean(text), expected, "{text:?}");
    }
}

#[test]
fn sensitive_paths_are_told_by_name_and_place() {
    let sensitive = [
        ".env",
        "app/.env.production",
        "prod.env",
        "/home/u/.ssh/id_rsa",
        "/home/u/.ssh/work_key",
        "C:\\Users\\u\\.aws\\credentials",
        "~/.AWS/Credentials",
        ".npmrc",
        ".netrc",
        "server.key",
        "tls/server.PEM",
        "kube/.kube/config",
        "/home/u/.docker/config.json",
        "/etc/shadow",
        "/proc/self/environ",
        "terraform.tfstate",
        "prod.tfvars",
        "/root/.codex/auth.json",
        "client_secret_123.json",
        "my-firebase-adminsdk-x.json",
        ".gnupg/pubring.kbx",
    ];
    for path in sensitive {
        assert!(is_sensitive_path(Path::new(path)), "{path}");
    }
    let open = [
        ".env.example",
        ".env.sample",
        "/home/u/.ssh/id_rsa.pub",
        "/home/u/.ssh/known_hosts",
        "src/main.rs",
        "docs/credentials.md",
        "environment.ts",
        "config.json",
        "key.rs",
        "",
        "/",
        "tests/secrets.rs",
        "package-lock.json",
    ];
    for path in open {
        assert!(!is_sensitive_path(Path::new(path)), "{path}");
    }
}

#[test]
fn one_redactor_serves_many_threads() {
    let redactor = Redactor::with_values(vec!["an-exact-value".to_owned()]);
    let handles: Vec<_> = (0..4)
        .map(|_| {
            let redactor = redactor.clone();
            std::thread::spawn(move || redactor.redact("see an-exact-value here").text.into_owned())
        })
        .collect();
    for handle in handles {
        assert_eq!(handle.join().unwrap(), "see [REDACTED:known-secret] here");
    }
}

#[test]
fn a_value_at_an_edge_is_read_and_no_more() {
    let redact = |text: &str| Redactor::new().redact(text).text.into_owned();
    // A list that opens at the end of the text.
    for opening in ["secret=['", "tokens: [\"", "passwords = (`", "密码:{'"] {
        assert_eq!(redact(opening), opening);
    }
    // A closing quote of several bytes, below a name and in a list.
    assert_eq!(redact("password: |\n  「tr0ub4dor」"), "password: |\n  「[REDACTED:password]」");
    assert_eq!(redact("passwords: [「tr0ub4dor」]"), "passwords: [「[REDACTED:password]」]");
    // A table's line, a command's line and a value that end inside a character.
    for length in 240..520 {
        for filler in ["é", "a", " "] {
            let wide = filler.repeat(length);
            redact(&format!("user,password,{wide}🦀🦀🦀\n{wide},🦀,🦀"));
            redact(&format!("net user {wide}{}é 1", " ".repeat(64)));
        }
    }
    // A path that begins with a wide character.
    assert_eq!(redact("password: \"é/*/tr0ub4dor\""), "password: \"é/*/tr0ub4dor\"");
}
