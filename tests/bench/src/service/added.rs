//! What the bridge adds to a run of Codex: the same turn with the bare executable, with the same
//! executable inside the run guard, and with the daemon; by `codex exec` and by `codex app-server`; in alternation,
//! so that a load peak affects all of them. The scripted model answers at once.
//!
//! Codex itself varies by a few milliseconds. How much of a difference is only that variation is
//! shown by a second bare turn in each round; the cost of the guard alone, by a program that does nothing.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use contract::advice::DriverKind;
use mock_model::{MockModel, Recorded, Reply};
use reqwest::Method;
use supervise::{Bounds, Cause, Exit, Flow, Guard};
use tokio_util::sync::CancellationToken;

use tests::harness::{Daemon, built};

use super::bare::{Bare, output_of};
use super::report::{Goal, Row};
use super::samples::{Samples, millis};
use super::wire::{Connection, request};
use super::with_codex;

const QUESTION: &str = include_str!("../../../../schemas/examples/valid/initial.json");

/// Rounds that are not counted: the first ones read 300 MB of executable into memory.
const WARM_UP: usize = 3;

/// More than any turn with an instant model may take.
const LIMIT: Duration = Duration::from_secs(60);

/// The median time that the bridge may add, in milliseconds.
const ADDED_MEDIAN_MAX: f64 = 6.0;
/// The same for the 95th percentile.
const ADDED_P95_MAX: f64 = 15.0;

pub(super) async fn measure(count: usize) -> anyhow::Result<Vec<Row>> {
    let mut exec = Way::open(DriverKind::Exec).await?;
    let mut app_server = Way::open(DriverKind::AppServer).await?;
    let guard = Guard::new(built("bridge-under-test")?);
    let mut guarded = Vec::new();
    for round in 0..count + WARM_UP {
        // Each is first equally often, so that none always follows the same other one.
        let mut order = [0, 1, 2, 3, 4, 5, 6];
        let turns = round % order.len();
        order.rotate_left(turns);
        let mut times = [Duration::ZERO; 7];
        for turn in order {
            times[turn] = match turn {
                0 | 1 => exec.bare.run().await?,
                2 => exec.bridged().await?,
                3 => exec.guarded(&guard).await?,
                4 | 5 => app_server.bare.run().await?,
                _ => app_server.bridged().await?,
            };
        }
        if round >= WARM_UP {
            let [bare, again, bridged, fenced, ..] = times.map(millis);
            exec.measured.push([bare, again, bridged]);
            guarded.push((fenced, bare));
            let [.., bare, again, bridged] = times.map(millis);
            app_server.measured.push([bare, again, bridged]);
        }
    }
    let mut rows = exec.measured.rows("exec");
    rows.push(Row::times(
        "bare `codex exec` in the run guard",
        &Samples::new(guarded.iter().map(|(fenced, _)| *fenced)),
    ));
    rows.push(Row::times(
        "added by the run guard, pair by pair",
        &Samples::new(guarded.iter().map(|(fenced, bare)| fenced - bare)),
    ));
    rows.extend(app_server.measured.rows("app-server"));
    let folder = exec.daemon.folder().work().join("nothing");
    rows.extend(nothing(&guard, folder, count).await?);
    Ok(rows)
}

/// One driver of Codex: a daemon that uses it, and the same turn without the daemon.
struct Way {
    daemon: Daemon,
    connection: Connection,
    asked: Vec<u8>,
    bare: Bare,
    measured: Measured,
    /// The model for all of them.
    _mock: MockModel,
}

impl Way {
    async fn open(driver: DriverKind) -> anyhow::Result<Self> {
        let mock = MockModel::local(Reply::Advice).await?;
        let (builder, codex) = with_codex()?;
        let builder = builder.env("CODEX_BRIDGE_CODEX_DRIVER", driver.as_str());
        let daemon = builder.mock_model(&mock).start().await?;
        let mut connection = Connection::open(daemon.client().address()).await?;
        let asked = request(daemon.client(), Method::POST, "/analyze", QUESTION.as_bytes());
        ask(&mut connection, &asked).await?;
        let by_bridge = last(&mock)?;
        let bare = Bare::like(&daemon, codex, driver, &by_bridge)?;
        bare.run().await?;
        same_question(&by_bridge, &last(&mock)?)?;
        Ok(Self { daemon, connection, asked, bare, measured: Measured::default(), _mock: mock })
    }

    /// The same turn through the daemon.
    async fn bridged(&mut self) -> anyhow::Result<Duration> {
        ask(&mut self.connection, &self.asked).await
    }

    /// The bare turn behind the guard that the daemon puts around each run.
    async fn guarded(&self, guard: &Guard) -> anyhow::Result<Duration> {
        self.bare.fresh_folders()?;
        fenced(guard, self.bare.command.clone()).await
    }
}

/// Milliseconds by round: bare, bare again, and through the bridge.
#[derive(Default)]
struct Measured(Vec<[f64; 3]>);

impl Measured {
    fn push(&mut self, times: [f64; 3]) {
        self.0.push(times);
    }

    fn rows(&self, driver: &str) -> Vec<Row> {
        let of = |turn: usize| Samples::new(self.0.iter().map(|times| times[turn]));
        let over_bare =
            |turn: usize| Samples::new(self.0.iter().map(|times| times[turn] - times[0]));
        let (bare, bridged) = (of(0), of(2));
        let (noise, added) = (over_bare(1), over_bare(2));
        let (median, p95) = (added.median(), added.percentile(95));
        let between = |percent| bridged.percentile(percent) - bare.percentile(percent);
        vec![
            Row::times(format!("bare `codex {driver}`"), &bare),
            Row::times(format!("`POST /analyze` by `{driver}`"), &bridged),
            Row::times("bare a second time, pair by pair: what Codex itself differs by", &noise),
            Row::told(
                format!("added by the bridge to `{driver}`, median of the pairs"),
                format!("{median:.2} ms (between the medians {:.2} ms)", between(50)),
            )
            .with(Goal::at_most(median, ADDED_MEDIAN_MAX, "ms")),
            Row::told(
                format!("added by the bridge to `{driver}`, p95 of the pairs"),
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

/// A program that does nothing, bare and in the run guard, in alternation.
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

async fn ask(connection: &mut Connection, asked: &[u8]) -> anyhow::Result<Duration> {
    let begun = Instant::now();
    let reply = connection.ask(asked).await?;
    let time = begun.elapsed();
    let body = String::from_utf8_lossy(&reply.body);
    ensure!(reply.status == 200, "no advice: {body}");
    Ok(time)
}

fn last(mock: &MockModel) -> anyhow::Result<Recorded> {
    mock.requests().pop().context("the model was not asked")
}

/// Checks the comparison: the model must receive the same from both.
fn same_question(one: &Recorded, other: &Recorded) -> anyhow::Result<()> {
    ensure!(one.user_texts() == other.user_texts(), "the prompts differ");
    ensure!(one.tools() == other.tools(), "the tools differ");
    let (one, other) = (one.json(), other.json());
    for field in ["model", "instructions", "text", "reasoning"] {
        ensure!(one[field] == other[field], "`{field}` differs");
    }
    Ok(())
}
