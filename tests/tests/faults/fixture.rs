//! The fixture of the fault tests: a daemon with the stand-in for Codex, a question, and the
//! requirements for every response.

use std::path::Path;
use std::time::{Duration, Instant};

use contract::advice::{Asked as Question, parse_advice};
use contract::failure::Failure;
use contract::input::Phase;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
pub(crate) use tests::harness::of_run;
use tests::harness::{Answer, Daemon, DaemonBuilder, Survivor, wait_until};

/// The promise: an answer is at most this much later than the deadline.
const LATE_BY_MAX: Duration = Duration::from_secs(2);

/// The promise: nothing of a run is alive this long after its end.
pub(crate) const GONE_WITHIN: Duration = Duration::from_secs(2);

/// Longest wait for something that must happen.
pub(crate) const LIMIT: Duration = Duration::from_secs(20);

/// The key that Codex signs requests with; nobody may ever see it.
pub(crate) const KEY: &str = "sk-proj-faults0123456789abcdefghij";

/// The one plan of every question.
const PLAN: &str = "Outbox";

/// A daemon with the stand-in for Codex.
pub(crate) fn fake() -> DaemonBuilder {
    signed_in(DaemonBuilder::new().unwrap()).codex(fake_codex())
}

/// The stand-in for Codex.
pub(crate) fn fake_codex() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_fake-codex"))
}

/// The daemon has a key for Codex.
pub(crate) fn signed_in(builder: DaemonBuilder) -> DaemonBuilder {
    builder.env("CODEX_BRIDGE_CODEX_API_KEY_ENV", "FAULTS_KEY").env("FAULTS_KEY", KEY)
}

/// A question that the stand-in answers as told, with its deadline.
pub(crate) fn question(mode: &str, deadline: Duration) -> Value {
    json!({
        "problem": format!("fake-codex: {mode}"),
        "context": "An order service.",
        "candidate_plans": [{ "name": PLAN, "description": "Write, then publish." }],
        "phase": "initial",
        "options": { "timeout_ms": u64::try_from(deadline.as_millis()).unwrap() },
    })
}

/// A question without a mode: what is played is up to the file in Codex's home.
pub(crate) fn plain_question(deadline: Duration) -> Value {
    let mut question = question("", deadline);
    question["problem"] = json!("Which of the two?");
    question
}

/// The same question as round 2 of a session.
pub(crate) fn second_round(mut question: Value, session_id: &Value) -> Value {
    question["phase"] = json!("final");
    question["session_id"] = session_id.clone();
    question
}

/// An answer that keeps every promise.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) answer: Answer,
    /// From the request to the whole answer.
    pub(crate) took: Duration,
}

impl Asked {
    /// Status, outcome and number of attempts: `502 crashed, 2 attempts`.
    pub(crate) fn verdict(&self) -> String {
        let body = &self.answer.body;
        let outcome = body["error"]["code"].as_str().unwrap_or("advice");
        format!("{} {outcome}, {} attempts", self.answer.status, body["meta"]["attempts"])
    }

    pub(crate) fn summary(&self) -> &str {
        self.answer.body["error"]["summary"].as_str().unwrap_or_default()
    }

    /// What is weaker than asked, line by line.
    pub(crate) fn limits(&self) -> String {
        let lines = self.answer.body["meta"]["limits"].as_array();
        lines.into_iter().flatten().filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
    }
}

/// Asks and waits, and checks what is promised of every answer.
pub(crate) async fn ask(daemon: &Daemon, input: &Value) -> Asked {
    let asked = ask_unstored(daemon, input).await;
    let record = record(daemon, asked.answer.body["meta"]["run_id"].as_str().unwrap()).await;
    assert_eq!(record["outcome"], asked.answer.body, "the record is what the caller got");
    let is_advice = asked.answer.status == 200;
    assert_eq!(record["run"]["state"] == "succeeded", is_advice, "{record:#}");
    asked
}

/// The same where the answer need not be on disk yet.
pub(crate) async fn ask_unstored(daemon: &Daemon, input: &Value) -> Asked {
    let deadline = Duration::from_millis(input["options"]["timeout_ms"].as_u64().unwrap());
    let started = Instant::now();
    let answer = daemon.client().analyze(input).await.unwrap();
    let took = started.elapsed();
    assert!(took < deadline + LATE_BY_MAX, "{took:?}: {answer:?}");
    check_outcome(answer.status, &answer.body);
    let run_id = answer.body["meta"]["run_id"].as_str().unwrap();
    gone(run_id).await;
    healthy(daemon).await;
    assert!(!answer.body.to_string().contains(KEY), "{answer:?}");
    assert!(!daemon.log().contains(KEY), "the log has the key");
    Asked { answer, took }
}

/// Advice by every rule of the contract, or a failure without any advice in it.
fn check_outcome(status: u16, body: &Value) {
    if status == 200 {
        let mut advice = body.clone();
        advice.as_object_mut().unwrap().shift_remove("meta");
        let parsed =
            parse_advice(&advice.to_string(), Question::new(Phase::Initial, &[PLAN.to_owned()]));
        assert!(parsed.is_ok(), "{parsed:?}: {body:#}");
    } else {
        let failure: Failure = serde_json::from_value(body.clone()).unwrap();
        assert!(!failure.error.message.is_empty());
        assert_eq!(body["recommendation"], Value::Null, "a failure shows no advice: {body:#}");
    }
}

/// Starts a run that outlives its connection; its id.
pub(crate) async fn start(daemon: &Daemon, input: &Value) -> String {
    let accepted = daemon.client().analyze_async(input).await.unwrap();
    assert_eq!(accepted.status, 202, "{accepted:?}");
    accepted.body["run_id"].as_str().unwrap().to_owned()
}

/// Waits for the run's end: its state, its code and the number of attempts.
pub(crate) async fn end_of(daemon: &Daemon, run_id: &str) -> String {
    let path = format!("/runs/{run_id}?wait=30");
    let record = daemon.client().get(&path).await.unwrap().body;
    gone(run_id).await;
    healthy(daemon).await;
    let (state, outcome) = (&record["run"]["state"], &record["outcome"]);
    let code = outcome["error"]["code"].as_str().unwrap_or("advice");
    format!("{} {code}, {} attempts", state.as_str().unwrap(), outcome["meta"]["attempts"])
}

/// The run as the history has it.
pub(crate) async fn record(daemon: &Daemon, run_id: &str) -> Value {
    let answer = daemon.client().get(&format!("/runs/{run_id}")).await.unwrap();
    assert_eq!(answer.status, 200, "{run_id}: {answer:?}");
    answer.body
}

/// Nothing of the run is alive, or soon will be.
pub(crate) async fn gone(run_id: &str) {
    tests::harness::gone(run_id, GONE_WITHIN).await;
}

/// The part a process plays in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Between the daemon and everything else.
    Guard,
    /// Process 1 of the run's namespace.
    Init,
    /// Codex itself, told to work.
    Codex,
}

impl Role {
    fn of(process: &Survivor) -> Option<Self> {
        let mut words = process.command.split(' ').skip(1);
        match words.next()? {
            "__guard" => Some(Self::Guard),
            "__init" => Some(Self::Init),
            "exec" | "app-server" => Some(Self::Codex),
            _ => None,
        }
    }
}

/// Waits for a process of the run and gives its id.
pub(crate) async fn process(run_id: &str, role: Role) -> u32 {
    let mut found = None;
    wait_until(LIMIT, || {
        found = of_run(run_id).into_iter().find(|each| Role::of(each) == Some(role));
        found.is_some()
    })
    .await;
    found.unwrap_or_else(|| panic!("run {run_id} has no {role:?}: {:?}", of_run(run_id))).pid
}

/// Waits until the run's event log tells of a turn that has begun.
pub(crate) async fn in_turn(daemon: &Daemon, run_id: &str) {
    let path = format!("/runs/{run_id}");
    let found = tests::harness::wait_until_some(LIMIT, async || {
        let record = daemon.client().get(&path).await.ok()?.body;
        let is_running = record["run"]["state"] == "running";
        let works = of_run(run_id).iter().any(|each| Role::of(each) == Some(Role::Codex));
        (is_running && works).then_some(())
    })
    .await;
    assert!(found.is_some(), "run {run_id} never got to Codex");
}

/// SIGKILL.
pub(crate) fn kill(pid: u32) {
    let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    // It may have ended by itself.
    let _ = kill_process(pid, Signal::KILL);
}

pub(crate) async fn healthy(daemon: &Daemon) {
    let health = daemon.client().get("/healthz").await.unwrap();
    assert_eq!(health.status, 200);
}

/// A field of `/proc/PID/status` in KiB.
pub(crate) fn memory_kib(pid: u32, field: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap();
    line.trim_matches([':', ' ', '\t', 'k', 'B']).parse().unwrap()
}

/// Whether a command ends well: what a launcher needs is tried before.
#[expect(clippy::disallowed_methods, reason = "a test tries what the system can do")]
pub(crate) fn works(command: &[&str]) -> bool {
    let (program, arguments) = command.split_first().unwrap();
    let status = std::process::Command::new(program)
        .args(arguments)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}
