//! One caller with one fault: sends a request, misbehaves as the fault says, and checks the outcome.

use std::time::Duration;

use contract::advice::{Asked, parse_advice};
use contract::input::Phase;
use reqwest::Method;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tokio::time::{Instant, timeout, timeout_at};
use uuid::Uuid;

use crate::harness::{Answer, send, survivors, wait_until};

use super::chance::Chance;
use super::fault::{Conduct, Fault, Wanted};
use super::ledger::{Finding, Ledger};
use super::target::{Current, EMPTY_WITHIN, Target};

/// The guaranteed limit: no request waits longer than its deadline plus this.
const LATE_BY_MAX: Duration = Duration::from_secs(2);

/// How long a guard may take to appear after its run was accepted.
const GUARD_LIMIT: Duration = Duration::from_secs(1);

/// How much shorter than a deadline an ordinary run is.
const GUARD_LIVES: u32 = 8;

/// The failures of a run whose deadline passes, while running or queued.
const LACK_OF_TIME: [&str; 2] = ["timeout", "overloaded"];

/// How much of a finding is recorded, in characters.
const FACTS_MAX_CHARS: usize = 400;

/// The name of the caller's only plan.
const PLAN: &str = "outbox";

/// Why an outcome cannot be checked.
enum Unjudged {
    /// The daemon was killed meanwhile.
    Interrupted,
    /// The response is late or missing; this has been recorded.
    Noted,
}

/// Causes the next fault and records its outcome.
pub(super) async fn provoke(target: &Target, chance: &mut Chance, ledger: &Ledger) {
    let fault = Fault::pick(chance);
    let current = loop {
        let current = target.current();
        if current.generation.is_multiple_of(2) {
            break current;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    let call = Call { fault: &fault, current: &current, target, ledger };
    let outcome = match fault.conduct {
        Conduct::Wait => call.wait().await,
        Conduct::Disconnect => Ok(call.disconnect().await),
        Conduct::StartTwice => call.start_twice().await,
        Conduct::Cancel => call.cancel().await,
        Conduct::KillGuard => call.kill_guard().await,
    };
    let name = match &outcome {
        Ok(outcome) => outcome.as_str(),
        Err(Unjudged::Interrupted) => "the daemon was killed meanwhile",
        Err(Unjudged::Noted) => "noted below",
    };
    ledger.outcome(name);
}

struct Call<'c> {
    fault: &'c Fault,
    current: &'c Current,
    target: &'c Target,
    ledger: &'c Ledger,
}

impl Call<'_> {
    fn input(&self) -> Value {
        json!({
            "problem": format!("fake-codex: {}", self.fault.mode),
            "context": "soak",
            "candidate_plans": [{ "name": PLAN, "description": "Write, then publish." }],
            "phase": "initial",
            "options": { "timeout_ms": u64::try_from(self.fault.deadline.as_millis()).ok() },
        })
    }

    async fn wait(&self) -> Result<String, Unjudged> {
        let answer = self.in_time(self.current.client.analyze(&self.input())).await?;
        self.judge(&answer.body, answer.status == 200);
        let run_id = answer.body["meta"]["run_id"].as_str().unwrap_or_default().to_owned();
        if !run_id.is_empty() {
            self.ledger.acknowledged(&run_id);
            self.check_empty(&run_id).await;
        }
        Ok(name_of(&answer.body))
    }

    async fn disconnect(&self) -> String {
        // The future is dropped, so the connection is closed without a word.
        let input = self.input();
        let _ = timeout(self.fault.moment, self.current.client.analyze(&input)).await;
        "disconnected".to_owned()
    }

    async fn start_twice(&self) -> Result<String, Unjudged> {
        let key = Uuid::now_v7().to_string();
        let first = self.start(&key).await?;
        let second = self.start(&key).await?;
        if first != second {
            let facts = format!("one key started {first} and {second}");
            self.ledger.found(Finding::WrongOutcome, facts);
        }
        self.poll(&first).await
    }

    async fn cancel(&self) -> Result<String, Unjudged> {
        let run_id = self.start(&Uuid::now_v7().to_string()).await?;
        tokio::time::sleep(self.fault.moment).await;
        let path = format!("/runs/{run_id}");
        self.in_time(self.current.client.delete(&path)).await?;
        self.poll(&run_id).await
    }

    async fn kill_guard(&self) -> Result<String, Unjudged> {
        let run_id = self.start(&Uuid::now_v7().to_string()).await?;
        let mark = mark(&run_id);
        let guard = || survivors(&mark).into_iter().find(|each| each.command.contains("__guard"));
        wait_until(GUARD_LIMIT, || guard().is_some()).await;
        // Between the guard's first steps and the middle of its run.
        tokio::time::sleep(self.fault.moment / GUARD_LIVES).await;
        if let Some(guard) = guard() {
            let pid = i32::try_from(guard.pid).ok().and_then(Pid::from_raw);
            let _ = pid.map(|pid| kill_process(pid, Signal::KILL));
        }
        self.poll(&run_id).await
    }

    /// Starts a run that outlives the connection; returns its id.
    async fn start(&self, key: &str) -> Result<String, Unjudged> {
        let request = self
            .current
            .client
            .request(Method::POST, "/analyze")
            .header("prefer", "respond-async")
            .header("idempotency-key", key)
            .json(&self.input());
        let answer = self.in_time(send(request)).await?;
        match answer.body["run_id"].as_str() {
            Some(run_id) if answer.status == 202 => {
                self.ledger.acknowledged(run_id);
                Ok(run_id.to_owned())
            }
            // Killed together with the daemon, which is permitted.
            _ if self.is_interrupted() => Err(Unjudged::Interrupted),
            _ => Err(self.noted(Finding::WrongOutcome, &answer.body.to_string())),
        }
    }

    /// Waits for the run's end and checks it.
    async fn poll(&self, run_id: &str) -> Result<String, Unjudged> {
        let path = format!("/runs/{run_id}?wait=30");
        let record = self.in_time(self.current.client.get(&path)).await?.body;
        let state = record["run"]["state"].as_str().unwrap_or("unknown");
        if state == "interrupted" && self.is_interrupted() {
            return Err(Unjudged::Interrupted);
        }
        if state != "cancelled" {
            self.judge(&record["outcome"], state == "succeeded");
        }
        self.check_empty(run_id).await;
        Ok(name_of(&record["outcome"]))
    }

    /// The response, if it arrives before the deadline plus 2 s.
    async fn in_time(
        &self,
        answer: impl Future<Output = reqwest::Result<Answer>>,
    ) -> Result<Answer, Unjudged> {
        let end = Instant::now() + self.fault.deadline + LATE_BY_MAX;
        match timeout_at(end, answer).await {
            Ok(Ok(answer)) => Ok(answer),
            _ if self.is_interrupted() => Err(Unjudged::Interrupted),
            Ok(Err(error)) => Err(self.noted(Finding::WrongOutcome, &format!("{error:?}"))),
            Err(_) => Err(self.noted(Finding::Hang, "no answer in time")),
        }
    }

    fn judge(&self, outcome: &Value, is_advice: bool) {
        let code = outcome["error"]["code"].as_str();
        let sound = match (is_advice, self.fault.wanted) {
            (true, Wanted::Advice | Wanted::Mended) => is_sound_advice(outcome),
            (true, Wanted::Failure) => false,
            (false, Wanted::Failure) => code.is_some(),
            // The guard was killed, or a slow machine used up the deadline.
            (false, wanted) => {
                let struck = self.fault.conduct != Conduct::Wait;
                let unmended = wanted == Wanted::Mended;
                code.is_some_and(|code| {
                    struck || LACK_OF_TIME.contains(&code) || (unmended && code == "bad_output")
                })
            }
        };
        if !sound {
            self.noted(Finding::WrongOutcome, &outcome.to_string());
        }
    }

    async fn check_empty(&self, run_id: &str) {
        let mark = mark(run_id);
        if !wait_until(EMPTY_WITHIN, || survivors(&mark).is_empty()).await {
            self.noted(Finding::Survivor, &format!("{:?}", survivors(&mark)));
        }
    }

    fn is_interrupted(&self) -> bool {
        self.target.current().generation != self.current.generation
    }

    fn noted(&self, finding: Finding, facts: &str) -> Unjudged {
        let Fault { mode, conduct, deadline, .. } = self.fault;
        let facts: String = facts.chars().take(FACTS_MAX_CHARS).collect();
        let facts = format!("`{mode}`, {conduct:?}, deadline {deadline:?}: {facts}");
        self.ledger.found(finding, facts);
        Unjudged::Noted
    }
}

/// The mark in the environment of the run's processes.
fn mark(run_id: &str) -> String {
    format!("CODEX_BRIDGE_RUN={run_id}")
}

/// The report without the bridge's additions must be advice that fulfils the contract.
fn is_sound_advice(report: &Value) -> bool {
    let mut advice = report.clone();
    let meta = advice.as_object_mut().and_then(|fields| fields.shift_remove("meta"));
    meta.is_some() && {
        let plans = [PLAN.to_owned()];
        parse_advice(&advice.to_string(), Asked::new(Phase::Initial, &plans)).is_ok()
    }
}

fn name_of(outcome: &Value) -> String {
    let advice = outcome["recommendation"].is_object().then_some("advice");
    outcome["error"]["code"].as_str().or(advice).unwrap_or("neither advice nor failure").to_owned()
}
