//! What a command of the model cannot do in the user's name: approve a request of the court. The command does not see
//! the program that runs it where it has a process namespace of its own, so its mark has to be enough.

use std::fs;

use serde_json::{Value, json};
use supervise::Isolation;
use tests::harness::built;

use super::{Bench, ISOLATIONS};

/// Opens a terminal of its own, and approves on it.
const ON_A_TERMINAL: &str =
    "python3 -c 'import pty, sys; pty.spawn([sys.argv[1], \"approve\", \"R1\"])' $COURT";

#[tokio::test]
async fn no_command_of_a_model_approves() {
    for isolation in ISOLATIONS {
        let mut ways = vec![
            ON_A_TERMINAL.to_owned(),
            format!("env -u XC_AGENT {ON_A_TERMINAL}"),
            format!("env -i HOME=$HOME PATH=$PATH {ON_A_TERMINAL}"),
            format!("env -i HOME=$HOME PATH=$PATH setsid -w {ON_A_TERMINAL}"),
        ];
        // Without a namespace the program itself is seen, by its name, which it does not have in this test.
        if isolation == Isolation::PidNamespace {
            ways.push(format!(
                "export AWAY=\"{}\"; mkfifo left; env -i HOME=$HOME PATH=$PATH COURT=$COURT setsid -f \
                 sh -c \"$AWAY; echo > left\"; cat left",
                ON_A_TERMINAL.replace('"', "\\\"")
            ));
        }
        for way in ways {
            let bench = Bench::new(isolation);
            let root = bench.root.path().canonicalize().unwrap();
            let call = json!({
                "session_id": "00000000-0000-4000-8000-000000000001",
                "transcript_path": "/nonexistent/transcript.jsonl",
                "cwd": root,
                "permission_mode": "default",
                "hook_event_name": "PreToolUse",
                "tool_name": "Bash",
                "tool_input": { "command": "git push --force origin main" },
            });
            fs::write(root.join("call.json"), call.to_string()).unwrap();
            let court = built("court-under-test").unwrap();
            let command = format!(
                "export HOME=$PWD/home COURT={}; mkdir home; CLAUDE_PROJECT_DIR=$PWD $COURT hook < \
                 call.json > answer; {way} > said 2>&1; $COURT approve --json > listed",
                court.display()
            );
            let (outcome, _) = bench.run(&command).await;
            let read = |name: &str| fs::read_to_string(root.join(name)).unwrap();
            let listed: Value = serde_json::from_str(&read("listed")).unwrap();
            let said = format!("{isolation:?} {way}\n{outcome:?}\n{}", read("said"));
            assert_eq!(listed["requests"].as_array().unwrap().len(), 1, "{said}");
            assert_eq!(listed["approvals"], json!([]), "{said}");
        }
    }
}
