//! `codex-bridge demo`: plays both rounds with a real daemon and the real Codex, and reports each step.
//!
//! By default Codex uses the mock model on loopback and needs no account. With `--live` it uses the
//! user's own sign-in. The demo has its own state folder and removes it at the end.

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, bail};
use client::markdown;
use client::{Client, ConnectOptions, Discovery, Follow, Followed};
use contract::advice::Report;
use contract::event::{Entry, Event};
use contract::failure::{Failure, FailureCode};
use contract::input::parse_input;
use contract::key::IdempotencyKey;
use contract::limits::RUN_WAIT_MAX_MS;
use contract::outcome::Outcome;
use mock_model::{MockModel, Reply, Script};
use redact::Cut;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::app::{self, Running};
use crate::browser;
use crate::config::{Config, Environment, Secret, environment};
use crate::http::Listener;
use crate::token::Tokens;

/// The question of round 1, one of the contract's examples.
const INITIAL: &str = include_str!("../../../../schemas/examples/valid/initial.json");
/// The question of round 2; the session's id is inserted.
const FINAL: &str = include_str!("../../../../schemas/examples/valid/final.json");

/// Name of the variable that the private Codex home names for the mock model's key. Only Codex's environment
/// contains it.
const MOCK_MODEL_KEY: &str = "CODEX_BRIDGE_MOCK_MODEL_KEY";

/// Pause before each chunk of the mock model, so that a round takes some seconds.
const PACE: Duration = Duration::from_millis(60);

/// Longest wait for a link to the pages.
const LINK_LIMIT: Duration = Duration::from_secs(10);

/// Minimum time between two progress lines that differ only in a count or an age.
const COUNT_INTERVAL: Duration = Duration::from_secs(1);

/// The model that Codex uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Model {
    /// The scripted model on loopback.
    MockModel,
    /// The user's own, through the user's sign-in.
    Live,
}

/// What happens after the rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Afterwards {
    /// The demo ends.
    End,
    /// The pages show both runs until Ctrl+C.
    Window,
}

/// What happens to the demo's state folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Traces {
    /// It is removed.
    Remove,
    /// It is kept for inspection.
    Keep,
}

/// Plays both rounds and writes what happened to `out`.
///
/// # Errors
/// Any error that prevents advice in a round, with a message that says what to do.
pub async fn run(
    mut config: Config,
    environment: &Environment,
    model: Model,
    traces: Traces,
    afterwards: Afterwards,
    out: &mut (dyn Write + Send),
) -> anyhow::Result<()> {
    let started = Instant::now();
    let folder = DemoFolder::create(&config, traces)?;
    config.state_dir = folder.path.clone();
    config.listen = ([127, 0, 0, 1], 0).into();
    config.socket = None;
    config.token = None;
    config.orchestrate_token = None;

    say(out, &format!("codex-bridge {} demo", release::VERSION));
    let mock = match model {
        Model::Live => {
            say(out, "  model      your own, through your Codex sign-in");
            None
        }
        Model::MockModel => {
            let reply = Reply::Advice.thought_and_written(PACE);
            let mock = MockModel::start(Script::always(reply), ([127, 0, 0, 1], 0).into())
                .await
                .context("the mock model could not listen on loopback")?;
            say(
                out,
                "  model      mock model: scripted answers on loopback, no account, nothing leaves this machine",
            );
            config.codex.base_url = Some(mock.base_url());
            config.codex.api_key_env = Some(MOCK_MODEL_KEY.to_owned());
            config.codex.api_key = Some(Secret::new("mock-model".to_owned()));
            Some(mock)
        }
    };
    let tokens = Tokens::ensure(&config)?;
    let listeners = vec![Listener::tcp(config.listen)?];
    let daemon = app::start(config, tokens, environment, listeners).await?;
    say(out, &format!("  daemon     http://{}", daemon.address));
    let now = CancellationToken::new();
    let demo = async {
        play(&daemon, out).await?;
        // Not how long its pages are looked at.
        let took = started.elapsed();
        match afterwards {
            Afterwards::End => {}
            Afterwards::Window => show(&daemon, environment, out).await?,
        }
        anyhow::Ok(took)
    };
    // Both arms are cancel safe: a run whose caller leaves is cancelled. With pages, the interrupt is the normal
    // end, so it is checked first.
    let rounds = tokio::select! {
        biased;
        rounds = demo => rounds,
        _ = tokio::signal::ctrl_c() => {
            now.cancel();
            Err(anyhow!("interrupted; everything was ended and removed"))
        }
    };
    daemon.stop(&now).await;
    drop(mock);
    let took = seconds(rounds?);
    say(out, "");
    say(out, &format!("Both rounds were answered in {took}; nothing was left running."));
    if traces == Traces::Keep {
        say(out, &format!("State is kept in {}", folder.path.display()));
    }
    Ok(())
}

async fn play(daemon: &Running, out: &mut (dyn Write + Send)) -> anyhow::Result<()> {
    say(out, "");
    say(out, "Round 1 of 2: POST /analyze with schemas/examples/valid/initial.json");
    let initial: Value = serde_json::from_str(INITIAL).expect("an example of the contract is JSON");
    let first = ask(daemon, &initial, out).await?;

    let session = first.meta.session_id;
    say(out, "");
    say(
        out,
        &format!(
            "Round 2 of 2: POST /analyze with schemas/examples/valid/final.json and session_id {session}"
        ),
    );
    let mut last: Value = serde_json::from_str(FINAL).expect("an example of the contract is JSON");
    last["session_id"] = json!(session);
    let second = ask(daemon, &last, out).await?;

    let resumed = first.meta.codex.thread_id.is_some()
        && first.meta.codex.thread_id == second.meta.codex.thread_id;
    if !resumed {
        bail!("round 2 was answered, but not in the thread of round 1");
    }
    Ok(())
}

/// Opens the pages, and waits for Ctrl+C.
async fn show(
    daemon: &Running,
    environment: &Environment,
    out: &mut (dyn Write + Send),
) -> anyhow::Result<()> {
    let deadline = tokio::time::Instant::now() + LINK_LIMIT;
    let link = client_of(daemon).open_window(deadline).await;
    let link = link.map_err(|failure| anyhow!(failed(&failure)))?;
    say(out, "");
    match browser::open(&link.url, environment).await {
        Ok(()) => say(out, "The pages are open in your browser; Ctrl+C ends the demo."),
        Err(why) => {
            say(out, &format!("No browser was opened: {why}."));
            say(out, &format!("Open this within a minute; Ctrl+C ends the demo:\n{}", link.url));
        }
    }
    Ok(tokio::signal::ctrl_c().await?)
}

async fn ask(
    daemon: &Running,
    question: &Value,
    out: &mut (dyn Write + Send),
) -> anyhow::Result<Report> {
    let outcome = answer(daemon, question, out).await;
    match outcome.map_err(|failure| anyhow!(failed(&failure)))? {
        Followed::Ended(Outcome::Advice(report)) => {
            facts(&report, out);
            say(out, "");
            let mut text = String::new();
            markdown::advice(&mut text, &report.advice);
            // Control characters from the model must not reach a terminal.
            say(out, redact::sanitize(text.trim_end(), Cut::NONE).as_ref());
            Ok(*report)
        }
        Followed::Ended(Outcome::Failure(failure)) => bail!(failed(&failure)),
        Followed::Ended(Outcome::Turn(_)) => bail!("the daemon answered with a turn"),
        Followed::Pending(state) => bail!("the run is still {} after its deadline", state.as_str()),
    }
}

/// A normal client with the address and the token of this daemon.
fn client_of(daemon: &Running) -> Client {
    let environment = Environment::from_iter([
        (environment::URL, format!("http://{}", daemon.address)),
        (environment::TOKEN, daemon.tokens.advisor.expose().to_owned()),
    ]);
    Client::new(Discovery::new(environment, ConnectOptions::default()))
}

/// Sends a question through the normal client and prints the model's progress.
async fn answer(
    daemon: &Running,
    question: &Value,
    out: &mut (dyn Write + Send),
) -> Result<Followed, Failure> {
    let client = client_of(daemon);
    let input = parse_input(question.to_string().as_bytes())
        .map_err(|fault| Failure::new(FailureCode::ContractViolation, fault.to_string()))?;
    let key = IdempotencyKey::fresh(&input);
    let deadline = tokio::time::Instant::now() + Duration::from_millis(RUN_WAIT_MAX_MS);
    let accepted = client.submit(&input, &key, deadline).await?;
    let follow = Follow { deadline, patience: Duration::ZERO };
    let began = Instant::now();
    let mut said_at: Option<Instant> = None;
    let on_event = |event: &Event| {
        let Some(Entry::Progress(progress)) = event.entry() else { return };
        let is_soon = said_at.is_some_and(|at| at.elapsed() < COUNT_INTERVAL);
        if !progress.is_of_model() || (event.seq.is_none() && is_soon) {
            return;
        }
        said_at = Some(Instant::now());
        if let Some(stage) = event.stage() {
            say(out, &format!("  {:<10} {stage}", seconds(began.elapsed())));
        }
    };
    client.follow(accepted.run_id, follow, on_event).await
}

fn facts(report: &Report, out: &mut (dyn Write + Send)) {
    let meta = &report.meta;
    let version = meta.codex.version.as_deref().unwrap_or("unknown");
    let thread =
        meta.codex.thread_id.map_or_else(|| "none".to_owned(), |thread| thread.to_string());
    let how = if meta.round == 1 { "started" } else { "resumed" };
    say(out, &format!("  codex      {version}, thread {thread} ({how})"));
    say(out, &format!("  run        {}", meta.run_id));
    say(out, &format!("  session    {}, rounds left: {}", meta.session_id, meta.rounds_left));
    let usage = meta.usage.unwrap_or_default();
    say(
        out,
        &format!(
            "  cost       {}, {} attempt{}, {} tokens in, {} out",
            seconds(Duration::from_millis(meta.duration_ms)),
            meta.attempts,
            if meta.attempts == 1 { "" } else { "s" },
            usage.input_tokens,
            usage.output_tokens,
        ),
    );
    for limit in &meta.limits {
        say(out, &format!("  limit      {limit}"));
    }
}

fn failed(failure: &Failure) -> String {
    let error = &failure.error;
    let mut text = format!("{}: {}", error.code.as_str(), error.message);
    for violation in &error.details {
        text.push_str(&format!("\n  {} {}", violation.path, violation.message));
    }
    if let Some(summary) = &error.summary {
        text.push_str(&format!("\n  codex said: {summary}"));
    }
    text
}

fn seconds(duration: Duration) -> String {
    format!("{:.2} s", duration.as_secs_f64())
}

/// A failed write does not stop the demo, which must clean up. The owner of `out` records what was lost.
fn say(out: &mut (dyn Write + Send), line: &str) {
    let _ = writeln!(out, "{line}");
    let _ = out.flush();
}

/// The demo's own state folder, beside the daemon's.
struct DemoFolder {
    path: PathBuf,
    traces: Traces,
}

impl DemoFolder {
    fn create(config: &Config, traces: Traces) -> anyhow::Result<Self> {
        let parent = config.state_dir.parent().context("the state folder has no parent folder")?;
        let path = parent.join(format!("codex-bridge-demo-{}", std::process::id()));
        crate::state_dir::prepare(&path)?;
        Ok(Self { path, traces })
    }
}

impl Drop for DemoFolder {
    fn drop(&mut self) {
        if self.traces == Traces::Remove {
            // A folder that cannot be removed is left; the demo's result is unaffected.
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}
