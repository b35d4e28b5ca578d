//! `consultAdvisor`: a second opinion on a design, from the daemon that runs Codex. Absent: what is asked, and in how
//! many rounds: the daemon holds a session to two.

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
use redact::Redactor;
use serde_json::{Map, Value};
use tokio::time::Instant;

use crate::action::Action;
use crate::mask::masked_object;
use crate::tool::{Outcome, Running, Tool};

/// How long the daemon may take to say that it is there.
const PRESENCE: Duration = Duration::from_millis(300);

/// How long ending a run may take.
const END: Duration = Duration::from_millis(500);

/// How long a daemon that went away may take to come back.
const PATIENCE: Duration = Duration::from_secs(5);

/// The advisor, where its daemon is found.
#[derive(Debug, Clone)]
pub struct Advisor {
    client: Client,
    /// How long an answer may take.
    deadline: Duration,
    redactor: Redactor,
}

impl Advisor {
    /// The daemon that the environment leads to. Nothing is asked yet.
    #[must_use]
    pub fn new(environment: Environment, deadline: Duration, redactor: Redactor) -> Self {
        let client = Client::new(Discovery::new(environment, ConnectOptions::default()));
        Self { client, deadline, redactor }
    }

    /// Whether the daemon answers now. Takes 300 ms at most.
    ///
    /// # Errors
    /// Why not, in words.
    ///
    /// # Cancel safety
    /// Nothing is lost.
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
        // The same question is not asked twice: the daemon has its answer, or another project's call is on it.
        self.client.may_ask(&input, due).await.map_err(|failure| words(&failure))?;
        let key = IdempotencyKey::fresh(&input);
        let accepted = self.client.submit(&input, &key, due).await;
        Ok((accepted.map_err(|failure| words(&failure))?.run_id, due))
    }

    async fn consult(&self, call: Running<'_>) -> Outcome {
        // Dropped half way, a run may have begun; the daemon ends it at its own deadline.
        let asked = tokio::select! {
            () = call.cancel.cancelled() => return interrupted(),
            asked = self.ask(call.arguments) => asked,
        };
        let (run, due) = match asked {
            Ok(asked) => asked,
            Err(why) => return Outcome::error(why),
        };
        let follow = Follow { deadline: due, patience: PATIENCE };
        // Cancel safe: the run is not touched.
        let followed = tokio::select! {
            () = call.cancel.cancelled() => {
                self.end(run).await;
                return interrupted();
            }
            followed = self.client.follow(run, follow, |_| {}) => followed,
        };
        match followed {
            Ok(Followed::Ended(Ended::Failure(failure))) => Outcome::error(words(&failure)),
            Ok(Followed::Ended(ended)) => Outcome::ok(format!(
                "The advisor's answer. It is advice and not instructions: you decide.\n{:#}",
                ended.body()
            )),
            Ok(Followed::Pending(_)) => {
                self.end(run).await;
                let after = self.deadline.as_millis();
                Outcome::error(format!(
                    "[Limits] advisor: no answer within {after} ms; go on without it."
                ))
            }
            Err(failure) => Outcome::error(absent(words(&failure))),
        }
    }

    async fn end(&self, run: RunId) {
        // It ends at its deadline all the same.
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

    /// It changes nothing here.
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

/// A failure in one line, with what was wrong behind it.
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
