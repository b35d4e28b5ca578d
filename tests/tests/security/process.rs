//! The rights of a Codex process: its arguments, its environment, its descriptors.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tests::harness::{Daemon, wait_until_some};

use crate::fixture::{builder, question};

const LIMIT: Duration = Duration::from_secs(30);

/// Asks what never ends, reads the arguments of the Codex that works on it, and cancels.
async fn arguments(daemon: &Daemon, asked: &Value) -> Vec<String> {
    let accepted = daemon.client().analyze_async(asked).await.unwrap();
    assert_eq!(accepted.status, 202, "{:#}", accepted.body);
    let found = wait_until_some(LIMIT, async || {
        let children = daemon.children();
        let codex = children.iter().find(|child| child.command.contains("/fake-codex exec "))?;
        // The guard's own words come before those of what it runs.
        let bytes =
            std::fs::read(Path::new("/proc").join(codex.pid.to_string()).join("cmdline")).ok()?;
        let words = String::from_utf8(bytes).unwrap();
        let words: Vec<String> =
            words.trim_end_matches('\0').split('\0').map(str::to_owned).collect();
        let start = words.iter().position(|word| word == "exec")?;
        Some(words[start..].to_vec())
    });
    let found = found.await.expect("no codex at work");
    let path = format!("/runs/{}", accepted.body["run_id"].as_str().unwrap());
    daemon.client().delete(&path).await.unwrap();
    assert!(daemon.is_idle_within(LIMIT).await, "{:?}", daemon.children());
    found
}

#[tokio::test]
async fn the_sandbox_is_pinned_on_every_exec_resume_and_fork() {
    let daemon = builder().start().await.unwrap();
    let first = daemon.client().analyze(&question("fake-codex: ok")).await.unwrap();
    assert_eq!(first.status, 200);
    let fresh = question("A_WORD_OF_THE_PROMPT fake-codex: hang-after-thread");
    let mut last = fresh.clone();
    last["phase"] = json!("final");
    last["session_id"] = first.body["meta"]["session_id"].clone();
    // The second try of a round finds a touched thread, and forks it.
    for (asked, verb) in [(&fresh, None), (&last, Some("resume")), (&last, Some("fork"))] {
        let words = arguments(&daemon, asked).await;
        let sandboxes: Vec<_> = words
            .iter()
            .enumerate()
            .filter(|(_, word)| *word == "-s" || word.starts_with("--sandbox"))
            .map(|(at, _)| at)
            .collect();
        let [at] = sandboxes.as_slice() else { panic!("{words:?}") };
        assert_eq!(words[at + 1], "read-only", "{words:?}");
        let found = words.iter().position(|word| word == "resume" || word == "fork");
        assert_eq!(found.map(|verb| words[verb].as_str()), verb, "{words:?}");
        assert!(found.is_none_or(|verb| *at < verb), "{words:?}");
        let line = words.join(" ");
        assert!(!line.contains("bypass") && !line.contains("A_WORD_OF_THE_PROMPT"), "{line}");
    }
}

#[tokio::test]
async fn nothing_of_the_daemons_environment_reaches_codex() {
    let secret = format!("daemon-{}", "s3cr3t");
    let daemon = builder()
        .env("AWS_SECRET_ACCESS_KEY", &secret)
        .env("GITHUB_TOKEN", &secret)
        .env("OPENAI_API_KEY", &secret)
        .env("SSH_AUTH_SOCK", &secret)
        .start()
        .await
        .unwrap();
    let answer = daemon.client().analyze(&question("fake-codex: echo-env")).await.unwrap();
    assert_eq!(answer.status, 200, "{:#}", answer.body);
    let told = answer.body["raw_text"].as_str().unwrap();
    assert!(!told.contains(&secret), "{told}");
    let variables = told.lines().filter(|line| !line.starts_with("fd "));
    let names: BTreeSet<_> = variables.filter_map(|line| line.split('=').next()).collect();
    let expected = ["CODEX_BRIDGE_RUN", "CODEX_HOME", "HOME", "LANG", "PATH", "RUST_LOG", "TMPDIR"];
    assert_eq!(names, BTreeSet::from(expected));
    // Three pipes, what Codex opened in its own home, and the folder that is being listed.
    let home = daemon.folder().state().join("codex-home").display().to_string();
    for open in told.lines().filter_map(|line| line.strip_prefix("fd ")) {
        let (number, target) = open.split_once(" -> ").unwrap();
        let is_stdio = ["0", "1", "2"].contains(&number) && target.starts_with("pipe:");
        let is_its_own = target.starts_with(&home) || target.starts_with("/proc/");
        assert!(is_stdio || is_its_own, "{open}");
    }
}

#[tokio::test]
async fn codex_stands_in_an_empty_folder_of_its_own_that_goes_with_the_run() {
    let daemon = builder().start().await.unwrap();
    let words = arguments(&daemon, &question("fake-codex: hang-after-thread")).await;
    let at = words.iter().position(|word| word == "-C").unwrap();
    let (folder, runs) = (Path::new(&words[at + 1]), daemon.folder().state().join("runs"));
    assert!(folder.starts_with(&runs), "{}", folder.display());
    // The processes are gone before the folder is.
    let is_empty = async || {
        let is_empty = std::fs::read_dir(&runs).unwrap().count() == 0;
        is_empty.then_some(())
    };
    wait_until_some(LIMIT, is_empty).await.expect("a folder is left");
    assert!(!folder.exists());
}
