//! The findings of each check, from the observations of two rounds of a Codex, and what is stored.

use bytes::Bytes;
use codex_driver::{Answer, Reach};
use contract::advice::DriverKind;
use contract::id::ThreadId;
use mock_model::Recorded;
use serde_json::{Value, json};

use super::checks::judge;
use super::*;

fn thread(last: char) -> ThreadId {
    format!("01a1fcca-0698-7310-ba47-d388ee82ebc{last}").parse().unwrap()
}

fn end(last: char) -> AttemptEnd {
    AttemptEnd {
        outcome: Ok(Answer { text: "{}".into() }),
        driver: DriverKind::Exec,
        turn_id: None,
        refused_requests: 0,
        thread_id: Some(thread(last)),
        usage_total: None,
        transcript_saved: true,
        warnings: Vec::new(),
        reach: Reach::Asked,
        first_event: None,
        log_records: 9,
        duration: Duration::ZERO,
        exit: None,
        signal: None,
        stdout_bytes: 0,
        skipped_lines: 0,
    }
}

fn request(prompts: &[&str], change: &Value) -> Recorded {
    let said = prompts.iter().map(|text| json!({ "role": "user", "content": [{ "text": text }] }));
    let mut body = json!({
        "input": said.collect::<Vec<_>>(),
        "tools": [],
        "text": { "format": { "type": "json_schema", "strict": true, "schema": ADVICE_WIRE.document() } },
    });
    body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
    Recorded {
        method: "POST".into(),
        path: "/v1/responses".into(),
        headers: vec![("user-agent".into(), "codex_exec/0.169.0 (Debian 12.0.0; x86_64)".into())],
        body: Bytes::from(body.to_string()),
    }
}

/// Two rounds as they should be, with this in each request.
fn seen(change: &Value) -> Seen {
    let context = r#"{"type":"turn_context","payload":{"sandbox_policy":{"type":"read-only"},"approval_policy":"never"}}"#;
    Seen {
        version: "0.169.0".into(),
        models: Models::Trimmed { count: 5 },
        ends: vec![end('1'), end('1')],
        requests: vec![request(&PROMPTS[..1], change), request(&PROMPTS, change)],
        record: format!("{{\"type\":\"session_meta\"}}\n{context}\n{context}\n"),
    }
}

/// The names of the checks that fail.
fn failed(seen: &Seen) -> Vec<String> {
    judge(seen).into_iter().map(|failed| failed.check).collect()
}

#[test]
fn a_codex_that_does_as_it_should_passes() {
    assert_eq!(judge(&seen(&json!({}))), []);
}

#[test]
fn each_fault_is_found_by_its_check() {
    let plain = || seen(&json!({}));
    let untrimmed = Models::Untrimmed { reason: "codex did not print its model catalogue".into() };
    let warned = AttemptEnd {
        warnings: vec!["Codex is ignoring 1 unrecognized configuration settings.\n x".into()],
        ..end('1')
    };
    let unpinned = plain().record.replace("read-only", "workspace-write");
    for (expected, seen) in [
        ("tools", seen(&json!({ "tools": [{ "name": "apply_patch" }] }))),
        ("schema", seen(&json!({ "text": { "verbosity": "low" } }))),
        ("catalogue", Seen { models: untrimmed, ..plain() }),
        ("version", Seen { version: "0.170.0".into(), ..plain() }),
        ("sandbox", Seen { record: unpinned, ..plain() }),
        ("sandbox", Seen { record: String::new(), ..plain() }),
        ("thread", Seen { ends: vec![end('1'), end('2')], ..plain() }),
        ("configuration", Seen { ends: vec![warned, end('1')], ..plain() }),
    ] {
        assert_eq!(failed(&seen), [expected]);
    }
    let silent = Seen { ends: vec![end('1')], requests: Vec::new(), ..plain() };
    assert_eq!(failed(&silent), ["turns", "thread"]);
}

fn proof(ledger: &Ledger, path: &Path, version: &str) -> (Executable, Proof) {
    let executable = ledger.executable(path).unwrap();
    let failed = vec![Failed { check: "tools".into(), reason: "exec".into() }];
    let digest = executable.digest.clone();
    (executable, Proof { digest, version: version.into(), failed, has_log: false })
}

#[test]
fn a_proof_is_kept_for_the_executable_its_version_and_what_it_was_made_with() {
    let folder = tempfile::tempdir().unwrap();
    let codex = folder.path().join("codex");
    fs::write(&codex, "\u{7f}ELF").unwrap();
    let open = |model| Ledger::open(folder.path(), model);
    let mut ledger = open(None);
    let (executable, kept) = proof(&ledger, &codex, "0.169.0");
    ledger.keep(&executable, &kept).unwrap();
    let again = open(None);
    let known = again.executable(&codex).unwrap();
    assert_eq!(again.proof(&known, "0.169.0"), Some(kept));
    assert_eq!(again.proof(&known, "0.170.0"), None, "it says it is another");
    assert_eq!(open(Some("m")).proof(&known, "0.169.0"), None, "another model");
    fs::write(&codex, "\u{7f}ELF2").unwrap();
    assert_eq!(again.proof(&again.executable(&codex).unwrap(), "0.169.0"), None, "another file");
}

#[test]
fn a_script_is_never_kept_because_what_it_starts_may_change() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("codex");
    fs::write(&script, "#!/bin/sh\nexec real-codex \"$@\"\n").unwrap();
    let mut ledger = Ledger::open(folder.path(), None);
    let (executable, kept) = proof(&ledger, &script, "0.169.0");
    ledger.keep(&executable, &kept).unwrap();
    let again = Ledger::open(folder.path(), None);
    assert_eq!(again.proof(&again.executable(&script).unwrap(), "0.169.0"), None);
}

#[test]
fn a_standing_is_told_in_one_word() {
    let proof = |version: &str, failed| Proof {
        digest: "0123456789abcdef".into(),
        version: version.into(),
        failed,
        has_log: true,
    };
    let tools = vec![Failed { check: "tools".into(), reason: "the model is offered exec".into() }];
    assert_eq!(proof("0.169.0", Vec::new()).to_string(), "0.169.0, tested, sha256 0123456789ab");
    assert_eq!(proof("0.170.0", Vec::new()).standing(), Standing::Proven);
    let refused = proof("0.169.0", tools);
    assert_eq!(refused.standing(), Standing::Refused);
    assert_eq!(refused.reasons(), "tools: the model is offered exec");
}

/// The least version and the pinned one are told in several places; all of them say the same.
#[test]
fn the_documents_and_the_installer_name_the_tested_versions() {
    let [least, pinned] = TESTED;
    assert_eq!(least, codex_driver::version::Version::LEAST_PROVEN.to_string());
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../");
    let short = least.strip_suffix(".0").unwrap();
    let install = format!("npm install -g @openai/codex@{pinned}");
    for (file, sentences) in [
        ("README.md", [format!("Codex {short} or newer"), format!("{least} and {pinned}")]),
        ("docs/OPERATIONS.md", [format!("{short} is the least"), install.clone()]),
        ("bridge/advisor/codex-bridge/src/checks.rs", [install, "codex.allow_unproven".to_owned()]),
        ("deploy/package.json", [format!("\"{pinned}\""), "@openai/codex".to_owned()]),
    ] {
        let text = std::fs::read_to_string(format!("{root}{file}")).unwrap();
        for sentence in sentences {
            assert!(text.contains(&sentence), "{file} does not say {sentence:?}");
        }
    }
}
