//! Faults in a question or a command line are reported without a daemon.

use serde_json::Value;
use tests::harness::StateDir;

use crate::fixture::{Advisor, daemon};

/// The code of the failure and the paths of its details.
fn verdict(json: &Value) -> String {
    let details = json["error"]["details"].as_array().into_iter().flatten();
    let paths: Vec<_> = details.map(|each| each["path"].as_str().unwrap()).collect();
    format!("{} {}", json["error"]["code"].as_str().unwrap(), paths.join(" "))
}

#[tokio::test]
async fn every_fault_of_a_question_is_told_without_a_daemon() {
    let folder = StateDir::new().unwrap();
    // Nobody can be there.
    let advisor = Advisor::of(&folder).env("CODEX_BRIDGE_URL", "http://127.0.0.1:1");
    let check = async |text: &str, expected: &str| {
        let json = advisor.json(&["ask"], text, 2).await;
        assert_eq!(verdict(&json), expected, "{json:#}");
        json
    };
    check(
        "problem: 42\nphase: third\nproblems: x\n",
        "contract_violation /candidate_plans /context /phase /problem /problems",
    )
    .await;
    check(
        "{\"problem\": \"x\", \"problem\": \"y\"}",
        "contract_violation /candidate_plans /context /phase /problem",
    )
    .await;
    let json = check("{\"problem\": \"x\",\n  \"context\" 1}", "invalid_json ").await;
    assert!(json["error"]["message"].as_str().unwrap().contains("line 2 column"), "{json:#}");
    let json = check("problem: [x\nphase: initial\n", "invalid_json ").await;
    assert!(json["error"]["message"].as_str().unwrap().contains(" at line "), "{json:#}");
    check("", "invalid_json ").await;
    // Of the right type, and wrong all the same.
    let blank = "problem: ' '\ncontext: x\ncandidate_plans: []\nphase: initial\n";
    check(blank, "contract_violation /candidate_plans /problem").await;
    let json = advisor.json(&["ask", "--start"], blank, 2).await;
    assert_eq!(verdict(&json), "contract_violation /candidate_plans /problem");
    check("just words", "contract_violation ").await;
    let long = format!("problem: {}\n", "x".repeat(3 << 20));
    check(&long, "body_too_large ").await;
}

#[tokio::test]
async fn a_daemon_finds_the_same_faults() {
    let daemon = daemon().await;
    let advisor = Advisor::of(daemon.folder());
    let blank = "problem: ' '\ncontext: x\ncandidate_plans: []\nphase: initial\n";
    let json = advisor.json(&["ask"], blank, 2).await;
    assert_eq!(verdict(&json), "contract_violation /candidate_plans /problem");
    let page = advisor.json(&["runs"], "", 0).await;
    assert_eq!(page["runs"].as_array().unwrap().len(), 0);
}

#[tokio::test]
async fn a_file_that_cannot_be_read_is_named() {
    let folder = StateDir::new().unwrap();
    let advisor = Advisor::of(&folder);
    let json = advisor.json(&["ask", "/nowhere/question.yaml"], "", 2).await;
    let message = json["error"]["message"].as_str().unwrap();
    assert!(message.contains("/nowhere/question.yaml"), "{message}");
}

#[tokio::test]
async fn a_wrong_command_line_is_told_twice() {
    let folder = StateDir::new().unwrap();
    let advisor = Advisor::of(&folder);
    let wrong: [&[&str]; 7] = [
        &["ask", "--nonsense"],
        &["ask", "--timeout", "soon"],
        &["ask", "--session", "latest"],
        &["ask", "--json", "--markdown"],
        &["wait"],
        &["advise"],
        &[],
    ];
    for args in wrong {
        let told = advisor.tell(args, "").await;
        let said = ["Usage: codex-advisor", "For more information, try '--help'"];
        assert!(said.iter().any(|words| told.stderr.contains(words)), "{args:?}: {told:#?}");
        let failure = told.failure(2);
        assert_eq!(failure.error.code.as_str(), "contract_violation", "{args:?}");
    }
    for args in [&["--help"][..], &["ask", "--help"], &["--version"], &["completions", "bash"]] {
        let told = advisor.tell(args, "").await;
        assert_eq!((told.code, told.stderr.as_str()), (Some(0), ""), "{args:?}");
        assert!(told.stdout.contains("codex-advisor"), "{args:?}");
    }
}

#[tokio::test]
async fn input_that_never_ends_is_given_up_at_the_timeout() {
    let folder = StateDir::new().unwrap();
    let mut child = Advisor::of(&folder).command(&["ask", "--timeout", "1"]).spawn().unwrap();
    // The pipe stays open until the command has ended.
    let pipe = child.stdin.take();
    let output = child.wait_with_output().await.unwrap();
    drop(pipe);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), verdict(&json).as_str()), (Some(2), "contract_violation "));
}
