//! What these tests share: secrets made at run time, and a look into every byte that was left.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tests::harness::{Client, DaemonBuilder};

/// Above everything that may take its time on a busy machine.
pub(crate) const LIMIT: Duration = Duration::from_secs(30);

/// A daemon with the stand-in for Codex.
pub(crate) fn builder() -> DaemonBuilder {
    DaemonBuilder::with_fake_codex().unwrap()
}

/// A first round.
pub(crate) fn question(problem: &str) -> Value {
    json!({
        "problem": problem,
        "context": "three services, one database",
        "candidate_plans": [{ "name": "outbox", "description": "Write, then publish." }],
        "phase": "initial",
    })
}

/// Secrets of many vendors, each as it is written in a text, and the part of it that must vanish.
/// Put together here, so that no file holds a whole one.
pub(crate) fn secrets() -> Vec<(String, String)> {
    let body = "Zk3vQ9xW7mB2nT5rY8cL1pD4sF6gH0jKaEXy";
    let digits = "482910573648";
    let bare = [
        format!("{}{body}", "ghp_"),
        format!("{}{}", "AKIA", "ZQ3R7WT5XY2LMN4P"),
        format!("{}{digits}-{digits}-{}", "xoxb-", &body[..24]),
        format!("{}{}", "sk_live_", &body[..24]),
        format!("{}{}", "AIza", &body[..35]),
        format!("{}{}", "glpat-", &body[..20]),
        format!("{}{body}", "npm_"),
        format!("{}{}", "hf_", &body[..34]),
    ];
    let mut secrets: Vec<_> = bare.into_iter().map(|secret| (secret.clone(), secret)).collect();
    let password = format!("tr0ub4dor{}", &body[..12]);
    secrets.push((format!("postgres://app:{password}@db/main"), password.clone()));
    secrets.push((format!("DB_PASSWORD={}!x", &password[3..]), password[3..].to_owned()));
    let line = format!("{body}{}", &body[..28]);
    let (first, last) = ("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----");
    secrets.push((format!("{first}\n{line}\n{line}\n{last}"), line));
    secrets
}

/// Files below the folder whose bytes contain the text, each with what surrounds it.
pub(crate) fn holding(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        if kind.is_dir() {
            found.extend(holding(&path, text));
        } else if kind.is_file()
            && let Ok(bytes) = fs::read(&path)
            && let Some(at) = bytes.windows(text.len()).position(|part| part == text.as_bytes())
        {
            let around = &bytes[at.saturating_sub(120)..(at + text.len() + 40).min(bytes.len())];
            found.push(format!("{}: ..{}..", path.display(), String::from_utf8_lossy(around)));
        }
    }
    found
}

/// Everything that the daemon shows over HTTP of its runs.
pub(crate) async fn shown(client: &Client) -> String {
    let page = client.get("/runs").await.unwrap().body;
    let mut shown = page.to_string();
    for run in page["runs"].as_array().unwrap() {
        let (run_id, session_id) =
            (run["run_id"].as_str().unwrap(), run["session_id"].as_str().unwrap());
        for path in [
            format!("/runs/{run_id}"),
            format!("/runs/{run_id}/events"),
            format!("/sessions/{session_id}"),
        ] {
            shown.push_str(&client.get(&path).await.unwrap().body.to_string());
        }
    }
    for path in ["/metrics", "/readyz", "/healthz"] {
        shown.push_str(&client.get(path).await.unwrap().body.to_string());
    }
    shown
}
