//! What the bridge adds to a run of Codex: the same turn asked of the bare executable, of the same
//! executable inside the run guard, and of the daemon; in turns, so that a busy moment hits all of
//! them. The scripted model answers at once.
//!
//! Codex itself takes a few milliseconds more or less each time. How much of a difference is only that is
//! told by a second bare turn in each round; what the guard alone takes, by a program that does nothing.

use std::ffi::OsString;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use codex_driver::Conversation;
use codex_driver::environment::{self, Log};
use codex_driver::invocation::{Invocation, SandboxMode};
use mock_model::{MockModel, Recorded, Reply};
use reqwest::Method;
use supervise::{Bounds, Cause, Exit, Flow, Guard};
use tokio_util::sync::CancellationToken;

use tests::harness::{Daemon, built};

use super::report::{Goal, Row};
use super::samples::{Samples, millis};
use super::wire::{Connection, request};
use super::with_codex;

const QUESTION: &str = include_str!("../../../../schemas/examples/valid/initial.json");

/// Rounds that are not counted: the first ones read 300 MB of executable into memory.
const WARM_UP: usize = 3;

/// Above anything that a turn without a model's thinking may take.
const LIMIT: Duration = Duration::from_secs(60);

/// The most time that the bridge may add, in milliseconds.
const ADDED_MEDIAN_MAX: f64 = 6.0;
/// The same for the 95th percentile.
const ADDED_P95_MAX: f64 = 15.0;

pub(super) async fn measure(count: usize) -> anyhow::Result<Vec<Row>> {
    let mock = MockModel::local(Reply::Advice).await?;
    let (builder, codex) = with_codex()?;
    let daemon = builder.mock_model(&mock).start().await?;
    let mut connection = Connection::open(daemon.client().address()).await?;
    let asked = request(daemon.client(), Method::POST, "/analyze", QUESTION.as_bytes());

    bridge(&mut connection, &asked).await?;
    let turn = Turn::like(&daemon, codex, &last(&mock)?)?;
    let by_bridge = last(&mock)?;
    turn.bare().await?;
    same_question(&by_bridge, &last(&mock)?)?;

    let guard = Guard::new(built("bridge-under-test")?);
    let mut measured = Measured::default();
    for round in 0..count + WARM_UP {
        // Each begins as often as the others, so that none always follows the same one.
        let (mut times, mut order) = ([Duration::ZERO; 4], [0, 1, 2, 3]);
        order.rotate_left(round % 4);
        for way in order {
            times[way] = match way {
                0 => turn.bare().await?,
                1 => turn.guarded(&guard).await?,
                2 => turn.bare().await?,
                _ => bridge(&mut connection, &asked).await?,
            };
        }
        if round >= WARM_UP {
            measured.bare.push(millis(times[0]));
            measured.guarded.push(millis(times[1]));
            measured.again.push(millis(times[2]));
            measured.bridged.push(millis(times[3]));
        }
    }
    let mut rows = measured.rows();
    rows.extend(nothing(&guard, daemon.folder().work().join("nothing"), count).await?);
    Ok(rows)
}

/// In milliseconds, round by round.
#[derive(Default)]
struct Measured {
    bare: Vec<f64>,
    guarded: Vec<f64>,
    /// Bare a second time.
    again: Vec<f64>,
    bridged: Vec<f64>,
}

impl Measured {
    fn rows(&self) -> Vec<Row> {
        let over_bare = |times: &[f64]| {
            Samples::new(times.iter().zip(&self.bare).map(|(time, bare)| time - bare))
        };
        let samples = |values: &[f64]| Samples::new(values.iter().copied());
        let (bare, bridged) = (samples(&self.bare), samples(&self.bridged));
        let (added, noise) = (over_bare(&self.bridged), over_bare(&self.again));
        let (median, p95) = (added.median(), added.percentile(95));
        let between = |percent| bridged.percentile(percent) - bare.percentile(percent);
        vec![
            Row::times("bare `codex exec`", &bare),
            Row::times("the same in the run guard", &samples(&self.guarded)),
            Row::times("`POST /analyze`", &bridged),
            Row::times("added by the run guard, pair by pair", &over_bare(&self.guarded)),
            Row::times("bare a second time, pair by pair: what Codex itself differs by", &noise),
            Row::told(
                "added by the bridge, median of the pairs",
                format!("{median:.2} ms (between the medians {:.2} ms)", between(50)),
            )
            .with(Goal::at_most(median, ADDED_MEDIAN_MAX, "ms")),
            Row::told(
                "added by the bridge, p95 of the pairs",
                format!(
                    "{p95:.2} ms (of bare Codex's own {:.2} ms; between the p95 {:.2} ms)",
                    noise.percentile(95),
                    between(95)
                ),
            )
            .with(Goal::at_most(p95, ADDED_P95_MAX, "ms")),
        ]
    }
}

/// A program that does nothing, bare and in the run guard, in turns.
async fn nothing(guard: &Guard, folder: PathBuf, count: usize) -> anyhow::Result<Vec<Row>> {
    fs::create_dir_all(&folder)?;
    let program = host::find_program("true", "/usr/bin:/bin".as_ref());
    let command = supervise::Command {
        program: program.context("there is no `true`")?,
        args: Vec::new(),
        env: Vec::new(),
        current_dir: folder,
        stdin: b"x".to_vec(),
    };
    let (mut bare, mut guarded) = (Vec::new(), Vec::new());
    for round in 0..count + WARM_UP {
        let plain = command.clone();
        let alone = tokio::task::spawn_blocking(move || output_of(&plain)).await??.0;
        let fenced = fenced(guard, command.clone()).await?;
        if round >= WARM_UP {
            bare.push(millis(alone));
            guarded.push(millis(fenced));
        }
    }
    let added = Samples::new(guarded.iter().zip(&bare).map(|(guarded, bare)| guarded - bare));
    Ok(vec![
        Row::times("`true`, bare", &Samples::new(bare)),
        Row::times("`true` in the run guard", &Samples::new(guarded)),
        Row::times("added by the run guard to `true`, pair by pair", &added),
    ])
}

/// The time of a program behind the guard that the daemon puts around each run.
async fn fenced(guard: &Guard, command: supervise::Command) -> anyhow::Result<Duration> {
    let bounds = Bounds::until(tokio::time::Instant::now() + LIMIT);
    let begun = Instant::now();
    let never = CancellationToken::new();
    let ended = supervise::run(guard, command, bounds, &never, |_| Flow::Continue).await?;
    let time = begun.elapsed();
    ensure!(ended.cause == Cause::Exited && ended.exit == Exit::Code(0), "{ended:?}");
    Ok(time)
}

async fn bridge(connection: &mut Connection, asked: &[u8]) -> anyhow::Result<Duration> {
    let begun = Instant::now();
    let reply = connection.ask(asked).await?;
    let time = begun.elapsed();
    let body = String::from_utf8_lossy(&reply.body);
    ensure!(reply.status == 200, "no advice: {body}");
    Ok(time)
}

/// One turn of Codex as the daemon would run it: same home, arguments, environment and prompt.
struct Turn {
    command: supervise::Command,
    work: PathBuf,
}

impl Turn {
    fn like(daemon: &Daemon, program: PathBuf, asked: &Recorded) -> anyhow::Result<Self> {
        let (state, work) = (daemon.folder().state(), daemon.folder().work().join("bare"));
        let prompt = asked.user_texts().pop().context("the model was asked nothing")?;
        let invocation = Invocation {
            conversation: Conversation::Fresh,
            model: None,
            reasoning_effort: None,
            output_schema: Some(&state.join("advice.wire.schema.json")),
            sandbox: SandboxMode::ReadOnly,
            is_strict: false,
            overrides: &[],
            workdir: &work.join("work"),
        };
        let key = [(OsString::from("MOCK_MODEL_KEY"), OsString::from("mock-model"))];
        let env =
            environment::of_process(&state.join("codex-home"), &work.join("tmp"), Log::Pulse, &key);
        let command = supervise::Command {
            program,
            args: invocation.arguments(),
            env,
            current_dir: work.join("work"),
            stdin: prompt.into_bytes(),
        };
        Ok(Self { command, work })
    }

    /// Empty folders, as each run of the bridge gets; not counted.
    fn fresh_folders(&self) -> anyhow::Result<()> {
        let _ = fs::remove_dir_all(&self.work);
        for folder in ["work", "tmp"] {
            fs::create_dir_all(self.work.join(folder))?;
        }
        Ok(())
    }

    /// The executable alone, until it has ended and all it printed is read.
    async fn bare(&self) -> anyhow::Result<Duration> {
        self.fresh_folders()?;
        let command = self.command.clone();
        tokio::task::spawn_blocking(move || run_bare(&command)).await?
    }

    /// The same behind the guard that the daemon puts around each run.
    async fn guarded(&self, guard: &Guard) -> anyhow::Result<Duration> {
        self.fresh_folders()?;
        fenced(guard, self.command.clone()).await
    }
}

fn run_bare(command: &supervise::Command) -> anyhow::Result<Duration> {
    let (time, output) = output_of(command)?;
    let printed = String::from_utf8_lossy(&output.stdout);
    ensure!(
        output.status.success() && printed.contains("turn.completed"),
        "bare codex failed: {printed}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(time)
}

#[expect(clippy::disallowed_methods, reason = "what a caller without the bridge would do")]
fn output_of(command: &supervise::Command) -> anyhow::Result<(Duration, std::process::Output)> {
    let begun = Instant::now();
    let mut child = std::process::Command::new(&command.program)
        .args(&command.args)
        .env_clear()
        .envs(command.env.iter().map(|(name, value)| (name, value)))
        .current_dir(&command.current_dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    // A program that reads nothing may be gone already.
    let _ = child.stdin.take().context("no stdin")?.write_all(&command.stdin);
    let output = child.wait_with_output()?;
    Ok((begun.elapsed(), output))
}

fn last(mock: &MockModel) -> anyhow::Result<Recorded> {
    mock.requests().pop().context("the model was not asked")
}

/// Guards the comparison: the model saw the same from both.
fn same_question(one: &Recorded, other: &Recorded) -> anyhow::Result<()> {
    ensure!(one.user_texts() == other.user_texts(), "the prompts differ");
    ensure!(one.tools() == other.tools(), "the tools differ");
    let (one, other) = (one.json(), other.json());
    for field in ["model", "instructions", "text", "reasoning"] {
        ensure!(one[field] == other[field], "`{field}` differs");
    }
    Ok(())
}
