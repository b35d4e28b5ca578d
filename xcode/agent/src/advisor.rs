//! `consultAdvisor`: a second opinion on a design, from the daemon that runs Codex. Not here: the limit of two rounds
//! per session, which the daemon enforces.

use std::time::Duration;

use client::{Client, ConnectOptions, Discovery, Follow, Followed, Presence};
use contract::failure::Failure;
use contract::id::RunId;
use contract::input::{InputFault, parse_input};
use contract::key::IdempotencyKey;
use contract::outcome::Outcome as Ended;
use contract::schema;
use contract::xc::CallStatus;
use futures_util::future::BoxFuture;
use host::Environment;
use llm::Cancel;
use redact::{Cut, Redactor};
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use crate::action::Action;
use crate::host::PlanCheck;
use crate::mask::masked_object;
use crate::tool::{Outcome, Running, Tool};

/// The timeout for checking that the daemon responds.
const PRESENCE: Duration = Duration::from_millis(300);

/// The timeout for cancelling a run.
const END: Duration = Duration::from_millis(500);

/// How long to wait for a daemon that has stopped to come back.
const PATIENCE: Duration = Duration::from_secs(5);

/// The longest line about an assumption, in characters.
const CHECK_MAX: usize = 1_000;

/// Why there is no answer.
enum Silence {
    /// The user ended the wait.
    Interrupted,
    /// The reason in words.
    Because(String),
}

/// The client of the advisor's daemon.
#[derive(Debug, Clone)]
pub struct Advisor {
    client: Client,
    /// The timeout of an answer.
    deadline: Duration,
    redactor: Redactor,
}

impl Advisor {
    /// The advisor of the daemon that the environment names. No request is sent yet.
    #[must_use]
    pub fn new(environment: Environment, deadline: Duration, redactor: Redactor) -> Self {
        let client = Client::new(Discovery::new(environment, ConnectOptions::default()));
        Self { client, deadline, redactor }
    }

    /// Whether the daemon responds now. Takes 300 ms at most.
    ///
    /// # Errors
    /// The reason why not, in words.
    ///
    /// # Cancel safety
    /// Cancel safe: nothing is lost.
    pub async fn answers(&self) -> Result<(), String> {
        let presence = self.client.presence(Instant::now() + PRESENCE);
        match tokio::time::timeout(PRESENCE, presence).await {
            Ok(Presence::Serving(_)) => Ok(()),
            Ok(Presence::Nobody(failure) | Presence::Unusable(failure)) => Err(words(&failure)),
            Err(_) => Err(format!("nothing within {} ms", PRESENCE.as_millis())),
        }
    }

    async fn ask(&self, arguments: &Map<String, Value>) -> Result<(RunId, Instant), String> {
        self.answers().await.map_err(absent)?;
        let question = Value::Object(masked_object(&self.redactor, arguments.clone()));
        let input = parse_input(question.to_string().as_bytes()).map_err(fault)?;
        let due = Instant::now() + self.deadline;
        // The same question is not sent twice: the daemon has its answer, or a call from another project is running it.
        self.client.may_ask(&input, due).await.map_err(|failure| words(&failure))?;
        let key = IdempotencyKey::fresh(&input);
        let accepted = self.client.submit(&input, &key, due).await;
        Ok((accepted.map_err(|failure| words(&failure))?.run_id, due))
    }

    async fn consult(&self, call: Running<'_>) -> Outcome {
        match self.answer(call.arguments, call.cancel).await {
            Ok(ended) => Outcome::ok(format!(
                "The advisor's answer. It is advice and not instructions: you decide.\n{:#}",
                ended.body()
            )),
            Err(Silence::Interrupted) => interrupted(),
            Err(Silence::Because(why)) => Outcome::error(why),
        }
    }

    /// The advisor's opinion on the assumptions of a plan; one call. None if `cancel` ended it.
    ///
    /// # Cancel safety
    /// If the future is dropped, a run may have started; the daemon ends it at its own deadline.
    pub(crate) async fn check_plan(
        &self,
        task: &str,
        plan: &str,
        cancel: &Cancel,
    ) -> Option<PlanCheck> {
        let question = json!({
            "problem": "Which assumptions does this plan make, and which of them do not hold? It is carried out next.",
            "context": format!("The task, in the words of the user: {task}"),
            "candidate_plans": [{ "name": "plan", "description": plan }],
            "questions_for_codex": ["Check the assumptions first: plausible, risky or invalid, and why."],
            "phase": "initial",
        });
        let Value::Object(question) = question else { return None };
        let line = |text: &str| {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            self.redactor.sanitize(&text, Cut::chars(CHECK_MAX).marked()).text.into_owned()
        };
        Some(match self.answer(&question, cancel).await {
            Ok(Ended::Advice(report)) => {
                let assumptions = client::markdown::assumptions(&report.advice);
                PlanCheck::Assumptions(assumptions.map(|text| line(&text)).collect())
            }
            Ok(_) => PlanCheck::Failed("its answer is no advice".to_owned()),
            Err(Silence::Because(why)) => PlanCheck::Failed(line(&why)),
            Err(Silence::Interrupted) => return None,
        })
    }

    /// Sends the question and waits for the result; failures become text.
    async fn answer(
        &self,
        question: &Map<String, Value>,
        cancel: &Cancel,
    ) -> Result<Ended, Silence> {
        // If this is dropped, a run may have started; the daemon ends it at its own deadline.
        let asked = tokio::select! {
            () = cancel.cancelled() => return Err(Silence::Interrupted),
            asked = self.ask(question) => asked,
        };
        let (run, due) = asked.map_err(Silence::Because)?;
        let follow = Follow { deadline: due, patience: PATIENCE };
        // Cancel safe: the run is not affected.
        let followed = tokio::select! {
            () = cancel.cancelled() => {
                self.end(run).await;
                return Err(Silence::Interrupted);
            }
            followed = self.client.follow(run, follow, |_| {}) => followed,
        };
        match followed {
            Ok(Followed::Ended(Ended::Failure(failure))) => Err(Silence::Because(words(&failure))),
            Ok(Followed::Ended(ended)) => Ok(ended),
            Ok(Followed::Pending(_)) => {
                self.end(run).await;
                let after = self.deadline.as_millis();
                let why =
                    format!("[Limits] advisor: no answer within {after} ms; go on without it.");
                Err(Silence::Because(why))
            }
            Err(failure) => Err(Silence::Because(absent(words(&failure)))),
        }
    }

    async fn end(&self, run: RunId) {
        // Otherwise the run ends at its deadline.
        let _ = tokio::time::timeout(END, self.client.cancel(run, Instant::now() + END)).await;
    }
}

/// The tool `consultAdvisor`.
#[must_use]
pub fn advisor_tool(advisor: Advisor) -> std::sync::Arc<dyn Tool> {
    std::sync::Arc::new(advisor)
}

impl Tool for Advisor {
    fn definition(&self) -> llm::Tool {
        llm::Tool {
            name: "consultAdvisor".to_owned(),
            description: "Ask the advisor (Codex) for a second opinion on a design: competing plans, unclear \
                boundaries, high risk. Not for small changes. At most two rounds: phase `initial`, then `final` with \
                the session_id of `meta.session_id`."
                .to_owned(),
            schema: schema::ADVISOR_INPUT.document().clone(),
        }
    }

    /// It changes nothing on this machine.
    fn is_reading(&self) -> bool {
        true
    }

    fn action(&self, _: &Map<String, Value>) -> Action {
        Action::Nothing
    }

    fn run<'a>(&'a self, call: Running<'a>) -> BoxFuture<'a, Outcome> {
        Box::pin(self.consult(call))
    }
}

fn absent(why: String) -> String {
    format!("[Limits] advisor: the bridge does not answer ({why}); go on without it.")
}

fn interrupted() -> Outcome {
    Outcome { status: CallStatus::Interrupted, ..Outcome::error("") }
}

/// A failure in one line, followed by its cause.
fn words(failure: &Failure) -> String {
    let error = &failure.error;
    let details = error.details.iter().map(|violation| {
        let hint = violation.hint.as_deref().map(|hint| format!(" ({hint})")).unwrap_or_default();
        format!("\n{}: {}{hint}", violation.path, violation.message)
    });
    format!("{}: {}{}", error.code.as_str(), error.message, details.collect::<String>())
}

fn fault(fault: InputFault) -> String {
    match fault {
        InputFault::InvalidJson { message, .. } => message,
        InputFault::Violations(violations) => {
            let lines = violations.iter().map(|one| format!("{}: {}", one.path, one.message));
            lines.collect::<Vec<_>>().join("\n")
        }
    }
}
