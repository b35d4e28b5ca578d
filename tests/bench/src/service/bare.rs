//! One turn of Codex as the daemon would run it, without the daemon: with the same home, arguments, environment and
//! prompt.

use std::ffi::OsString;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use codex_driver::Conversation;
use codex_driver::environment::{self, Log};
use codex_driver::invocation::{Invocation, SandboxMode};
use contract::advice::DriverKind;
use mock_model::Recorded;
use serde_json::{Value, json};
use tests::harness::Daemon;

pub(super) struct Bare {
    pub(super) command: supervise::Command,
    /// The messages to an app-server; empty for `codex exec`, which gets its whole prompt at once.
    words: Vec<Value>,
    work: PathBuf,
}

impl Bare {
    /// The turn whose request is `asked`, with the home of the daemon that made it.
    pub(super) fn like(
        daemon: &Daemon,
        program: PathBuf,
        driver: DriverKind,
        asked: &Recorded,
    ) -> anyhow::Result<Self> {
        let (state, work) = (daemon.folder().state(), daemon.folder().work().join("bare"));
        let prompt = asked.user_texts().pop().context("the model was asked nothing")?;
        let (schema, folder) = (state.join("advice.wire.schema.json"), work.join("work"));
        let key = [(OsString::from("MOCK_MODEL_KEY"), OsString::from("mock-model"))];
        let (home, temp_dir) = (state.join("codex-home"), work.join("tmp"));
        let env = environment::of_process(&home, &temp_dir, Log::Pulse, &key);
        let mut env = environment::without_programs(env);
        let (args, stdin, words) = match driver {
            DriverKind::Exec => {
                let invocation = Invocation {
                    conversation: Conversation::Fresh,
                    model: None,
                    reasoning_effort: None,
                    output_schema: Some(&schema),
                    sandbox: SandboxMode::ReadOnly,
                    is_strict: false,
                    overrides: &[],
                    workdir: &folder,
                };
                (invocation.arguments(), prompt.into_bytes(), Vec::new())
            }
            DriverKind::AppServer => {
                env.push(("NO_COLOR".into(), "1".into()));
                let schema = serde_json::from_slice(&fs::read(&schema)?)?;
                let words = words(&folder, &prompt, &schema);
                (vec!["app-server".into()], Vec::new(), words)
            }
        };
        let command = supervise::Command { program, args, env, current_dir: folder, stdin };
        Ok(Self { command, words, work })
    }

    /// Creates the empty folders that each run of the bridge gets; not measured.
    pub(super) fn fresh_folders(&self) -> anyhow::Result<()> {
        let _ = fs::remove_dir_all(&self.work);
        for folder in ["work", "tmp"] {
            fs::create_dir_all(self.work.join(folder))?;
        }
        Ok(())
    }

    /// Runs the executable alone, until it has ended and all its output is read.
    pub(super) async fn run(&self) -> anyhow::Result<Duration> {
        self.fresh_folders()?;
        let (command, words) = (self.command.clone(), self.words.clone());
        tokio::task::spawn_blocking(move || match words.is_empty() {
            true => asked_once(&command),
            false => talked_to(&command, &words),
        })
        .await?
    }
}

/// The messages, each sent after the answer to the previous one; the last is the question.
fn words(folder: &Path, prompt: &str, schema: &Value) -> Vec<Value> {
    let client = json!({ "name": "codex_bridge", "title": "codex-bridge", "version": "0" });
    let unwanted = ["thread/status/changed", "remoteControl/status/changed"];
    vec![
        json!({ "id": 0, "method": "initialize", "params": {
            "clientInfo": client,
            "capabilities": { "optOutNotificationMethods": unwanted },
        } }),
        json!({ "id": 1, "method": "thread/start", "params": {
            "cwd": folder, "sandbox": "read-only", "approvalPolicy": "never",
        } }),
        json!({ "id": 2, "method": "turn/start", "params": {
            "input": [{ "type": "text", "text": prompt }], "outputSchema": schema,
        } }),
    ]
}

/// Runs a program that is given its input at once.
pub(super) fn output_of(
    command: &supervise::Command,
) -> anyhow::Result<(Duration, std::process::Output)> {
    let begun = Instant::now();
    let mut child = spawn(command)?;
    // A program that reads nothing may have ended already.
    let _ = child.stdin.take().context("no stdin")?.write_all(&command.stdin);
    let output = child.wait_with_output()?;
    Ok((begun.elapsed(), output))
}

fn asked_once(command: &supervise::Command) -> anyhow::Result<Duration> {
    let (time, output) = output_of(command)?;
    let printed = String::from_utf8_lossy(&output.stdout);
    ensure!(
        output.status.success() && printed.contains("turn.completed"),
        "bare codex failed: {printed}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(time)
}

/// Runs an app-server with a dialogue from its start to its end.
fn talked_to(command: &supervise::Command, words: &[Value]) -> anyhow::Result<Duration> {
    let begun = Instant::now();
    let mut child = spawn(command)?;
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let (mut stdin, stdout) = (stdin.context("no stdin")?, stdout.context("no stdout")?);
    let mut stderr = child.stderr.take().context("no stderr")?;
    let log = thread::spawn(move || {
        let mut text = Vec::new();
        stderr.read_to_end(&mut text).map(|_| text)
    });
    let mut said = words.iter().cloned();
    let mut say = |mut word: Value, thread: &Value| {
        if word["method"] == "turn/start" {
            word["params"]["threadId"] = thread.clone();
        }
        writeln!(stdin, "{word}")
    };
    say(said.next().context("nothing to say")?, &Value::Null)?;
    let mut end = Value::Null;
    let mut lines = BufReader::new(stdout).lines();
    for line in &mut lines {
        let message: Value = serde_json::from_str(&line?)?;
        if message["method"] == "turn/completed" {
            end = message;
            break;
        }
        if message["id"] == 0 {
            say(json!({ "method": "initialized" }), &Value::Null)?;
        }
        if message.get("result").is_some()
            && let Some(word) = said.next()
        {
            say(word, &message["result"]["thread"]["id"])?;
        }
    }
    drop(stdin);
    for rest in lines {
        rest?;
    }
    let status = child.wait()?;
    let log = log.join().map_err(|_| anyhow::anyhow!("the log's reader panicked"))??;
    let time = begun.elapsed();
    ensure!(
        status.success() && end["params"]["turn"]["status"] == "completed",
        "bare app-server failed: {end} {}",
        String::from_utf8_lossy(&log)
    );
    Ok(time)
}

#[expect(clippy::disallowed_methods, reason = "what a caller without the bridge would do")]
fn spawn(command: &supervise::Command) -> std::io::Result<Child> {
    std::process::Command::new(&command.program)
        .args(&command.args)
        .env_clear()
        .envs(command.env.iter().map(|(name, value)| (name, value)))
        .current_dir(&command.current_dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
}
