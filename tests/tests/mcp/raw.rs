//! The protocol by hand: rubbish on the input, and every way in which a session can end.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use mock_model::{MockModel, Reply};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tests::harness::{DaemonBuilder, StateDir, built, codex_bin, survivors};
use tests::planted::{HOSTILE, HOSTILE_NAME, hidden, hidden_within};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use crate::fixture::{LIMIT, daemon, environment, question, the_run};

/// A server, and both ends of its pipes.
struct Session {
    child: Child,
    input: Option<ChildStdin>,
    output: Lines<BufReader<ChildStdout>>,
}

impl Session {
    /// A session that is open.
    async fn open(folder: &StateDir) -> Self {
        Self::open_in(folder, Path::new(".")).await
    }

    /// The same, with a server that stands in a project.
    async fn open_in(folder: &StateDir, project: &Path) -> Self {
        let mut session = Self::start(folder, project);
        session
            .send(&json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "hand", "version": "0"}}}))
            .await;
        let opened = session.next().await;
        assert_eq!(opened["result"]["serverInfo"]["name"], "codex-bridge", "{opened}");
        session.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        session
    }

    #[expect(clippy::disallowed_methods, reason = "the test plays the client, which starts it")]
    fn start(folder: &StateDir, project: &Path) -> Self {
        let mut child = Command::new(built("bridge-under-test").unwrap())
            .arg("mcp")
            .current_dir(project)
            .env_clear()
            .envs(environment(folder))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { input: child.stdin.take(), output, child }
    }

    async fn send(&mut self, message: &Value) {
        self.send_line(&message.to_string()).await;
    }

    async fn send_line(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(format!("{line}\n").as_bytes()).await.unwrap();
        input.flush().await.unwrap();
    }

    /// The next line, which must be a message of the protocol.
    async fn next(&mut self) -> Value {
        let line = timeout(LIMIT, self.output.next_line()).await.expect("no answer came");
        let message: Value =
            serde_json::from_str(&line.unwrap().expect("the output has ended")).unwrap();
        assert_eq!(message["jsonrpc"], "2.0");
        message
    }

    /// Asks, and waits for the daemon to say that Codex works for it.
    async fn ask(&mut self) {
        let arguments = question("fake-codex: hang-after-thread");
        self.send(&json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {
            "name": "consult_advisor", "arguments": arguments, "_meta": {"progressToken": "p"}}}))
            .await;
        loop {
            let told = self.next().await;
            assert_eq!(told["method"], "notifications/progress", "{told}");
            assert_eq!(told["params"]["progressToken"], "p");
            if told["params"]["message"].as_str().unwrap().starts_with("Codex is ready") {
                return;
            }
        }
    }

    /// Its exit code; the rest of its output is messages of the protocol.
    async fn end(mut self) -> Option<i32> {
        let status = timeout(LIMIT, self.child.wait()).await.expect("it does not end").unwrap();
        while let Some(line) = self.output.next_line().await.unwrap() {
            let _: Value = serde_json::from_str(&line).unwrap();
        }
        status.code()
    }
}

/// A client gives the servers that it starts the `env` of a project's settings, which come with a clone.
#[tokio::test]
async fn a_projects_settings_do_not_choose_the_daemon() {
    let daemon = daemon().await;
    let project = tempfile::tempdir().unwrap();
    for folder in [".git", ".claude"] {
        std::fs::create_dir(project.path().join(folder)).unwrap();
    }
    let settings = project.path().join(".claude/settings.json");
    let theirs = json!({"env": {"CODEX_BRIDGE_STATE_DIR": daemon.folder().state()}});
    for (text, is_reached) in [("{}".to_owned(), true), (theirs.to_string(), false)] {
        std::fs::write(&settings, text).unwrap();
        let mut session = Session::open_in(daemon.folder(), project.path()).await;
        let arguments = question("fake-codex: ok");
        let call = json!({"name": "consult_advisor", "arguments": arguments});
        session
            .send(&json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call}))
            .await;
        let answer = session.next().await;
        assert_eq!(answer["result"]["isError"] != true, is_reached, "{answer}");
        session.input = None;
        session.end().await;
    }
}

#[tokio::test]
async fn rubbish_is_passed_over_and_the_session_goes_on() {
    let folder = StateDir::new().unwrap();
    let mut session = Session::open(&folder).await;
    for rubbish in ["", "rubbish", "{\"jsonrpc\": \"2.0\"", "\u{1b}[31m", "[1, 2]", "\"text\""] {
        session.send_line(rubbish).await;
    }
    session.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})).await;
    let answer = loop {
        let answer = session.next().await;
        // JSON that is no message is answered with an error that belongs to no request.
        if answer["id"] == 2 {
            break answer;
        }
        assert_eq!(answer["error"]["code"], -32600, "{answer}");
    };
    assert_eq!(answer["result"]["tools"].as_array().unwrap().len(), 2);
    session.send(&json!({"jsonrpc": "2.0", "id": 3, "method": "no/such"})).await;
    assert_eq!(session.next().await["error"]["code"], -32601);
    session.input = None;
    assert_eq!(session.end().await, Some(0));
}

/// Advice in which each word is made to act on a terminal, as the stand-in is to give it.
fn hostile_advice() -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../schemas/examples/valid");
    let text = std::fs::read_to_string(folder.join("advice-initial.json")).unwrap();
    let mut advice: Value = serde_json::from_str(&text).unwrap();
    advice["recommendation"]["preferred_plan"] = json!("outbox");
    advice["recommendation"]["reason"] = json!(format!("because {HOSTILE}"));
    advice["alternatives"][0]["name"] = json!(format!("other {HOSTILE_NAME}"));
    advice["raw_text"] = json!(format!("told {HOSTILE}"));
    advice
}

#[tokio::test]
async fn no_answer_acts_on_a_terminal() {
    let daemon = daemon().await;
    let mut session = Session::open(daemon.folder()).await;
    let advice = question(&format!("fake-codex: text {}", hostile_advice()));
    let mut unknown = question("q");
    unknown[HOSTILE] = json!(HOSTILE);
    unknown["phase"] = json!(HOSTILE);
    let call = |name: &str, arguments: &Value| {
        json!({"method": "tools/call", "params": {"name": name, "arguments": arguments,
            "_meta": {"progressToken": "p"}}})
    };
    for (mut asked, said) in [
        (call("consult_advisor", &advice), "because"),
        (
            call("consult_advisor", &question(&format!("fake-codex: turnfailed {HOSTILE}"))),
            "codex_failure",
        ),
        (call("consult_advisor", &unknown), "contract_violation"),
        (
            call("get_run", &json!({"run_id": HOSTILE, HOSTILE_NAME: HOSTILE, "wait_s": HOSTILE})),
            "/run_id",
        ),
        (call(HOSTILE, &json!({})), "there is no tool"),
    ] {
        asked["jsonrpc"] = json!("2.0");
        asked["id"] = json!(9);
        session.send(&asked).await;
        loop {
            let line = timeout(LIMIT, session.output.next_line()).await.expect("no answer came");
            let line = line.unwrap().expect("the output has ended");
            let message: Value = serde_json::from_str(&line).unwrap();
            let found = hidden(&line).or_else(|| hidden_within(&message));
            assert_eq!(found, None, "{line}");
            if message["id"] == 9 {
                assert!(line.contains(said), "{said}: {line}");
                break;
            }
        }
    }
}

#[tokio::test]
async fn no_progress_comes_after_the_result() {
    let daemon = daemon().await;
    let mut session = Session::open(daemon.folder()).await;
    session
        .send(&json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {
        "name": "consult_advisor", "arguments": question("q"), "_meta": {"progressToken": "p"}}}))
        .await;
    let mut told = 0;
    let result = loop {
        let message = session.next().await;
        if message["method"] != "notifications/progress" {
            break message;
        }
        told += 1;
    };
    assert!(told > 0);
    assert_eq!(result["result"]["isError"], false, "{result:#}");
    // Whatever was still on its way comes before the answer to this.
    session.send(&json!({"jsonrpc": "2.0", "id": 8, "method": "ping"})).await;
    let answer = session.next().await;
    assert_eq!((&answer["id"], &answer["result"]), (&json!(8), &json!({})), "{answer:#}");
    session.input = None;
    assert_eq!(session.end().await, Some(0));
}

#[tokio::test]
async fn the_end_of_the_input_in_the_middle_of_a_call_leaves_nothing_running() {
    let daemon = daemon().await;
    let mut session = Session::open(daemon.folder()).await;
    session.ask().await;
    the_run(&daemon, "running").await;
    session.input = None;
    assert_eq!(session.end().await, Some(0));
    // It has ended, so the daemon has confirmed already.
    let page = daemon.client().get("/runs").await.unwrap();
    assert_eq!(page.body["runs"][0]["state"], "cancelled", "{:#}", page.body);
    assert!(daemon.is_idle_within(LIMIT).await, "{:?}", daemon.children());
}

#[tokio::test]
async fn a_signal_in_the_middle_of_a_call_leaves_nothing_running() {
    let daemon = daemon().await;
    let mut session = Session::open(daemon.folder()).await;
    session.ask().await;
    let pid = Pid::from_raw(session.child.id().unwrap().try_into().unwrap()).unwrap();
    kill_process(pid, Signal::TERM).unwrap();
    assert_eq!(session.end().await, Some(0));
    the_run(&daemon, "cancelled").await;
    assert!(daemon.is_idle_within(LIMIT).await, "{:?}", daemon.children());
}

#[tokio::test]
async fn an_input_that_ends_at_once_is_no_failure() {
    let folder = StateDir::new().unwrap();
    let mut session = Session::start(&folder, Path::new("."));
    session.input = None;
    assert_eq!(session.end().await, Some(0));
    assert_eq!(survivors(&folder.root().display().to_string()), []);
}

#[tokio::test]
async fn real_codex_tells_in_notifications_how_its_model_goes_on() {
    let Some(codex) = codex_bin() else { return };
    let reply = Reply::Advice.thought_and_written(Duration::from_millis(80));
    let mock = MockModel::local(reply).await.unwrap();
    let builder = DaemonBuilder::new().unwrap().codex(&codex).mock_model(&mock);
    let daemon = builder.start().await.unwrap();
    let mut session = Session::open(daemon.folder()).await;
    session
        .send(&json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {
            "name": "consult_advisor", "arguments": question("Which queue?"),
            "_meta": {"progressToken": "p"}}}))
        .await;
    let mut messages = Vec::new();
    loop {
        let message = session.next().await;
        if message["id"] == 7 {
            assert_eq!(message["result"]["isError"], false, "{message}");
            break;
        }
        messages.push(message["params"]["message"].as_str().unwrap().to_owned());
    }
    for words in ["waiting for the model (", "Codex thinks, ", "Codex writes its answer, "] {
        assert!(messages.iter().any(|told| told.starts_with(words)), "{words}: {messages:?}");
    }
    let counted = |told: &String| told.contains(" events, last ") && told.contains(" s ago (");
    assert!(messages.iter().any(counted), "{messages:?}");
}
