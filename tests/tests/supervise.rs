//! Every way in which a run can end, each with real processes and in both kinds of isolation, and
//! after each: nothing of the run is alive.

#![expect(clippy::disallowed_methods, reason = "the driver to be killed is started directly")]
#![expect(clippy::unwrap_used, reason = "tests")]

use std::io::Read;
use std::process::Stdio;
use std::time::{Duration, SystemTime};

use futures_util::future::join_all;
use host::environment::RUN;
use rustix::process::{Pid, Signal, kill_process};
use supervise::{
    Bounds, Captured, Cause, Clock, Command, Conversation, Ended, Exit, Flow, Guard, Isolation,
    Output, SignalSent, SpawnError,
};
use tempfile::TempDir;
use tests::harness::{Survivor, survivors, wait_until};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

const ISOLATIONS: [Isolation; 2] = [Isolation::PidNamespace, Isolation::Subreaper];

/// Long enough for everything that is to end by itself, on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Nothing is left.
const NONE: [Survivor; 0] = [];

/// How long a process may outlive the end of its run.
const LIMIT: Duration = Duration::from_secs(2);

/// One run's surroundings. Fails in `Drop` if a process of the run is left.
struct Bench {
    guard: Guard,
    mark: String,
    home: TempDir,
}

/// What a run printed, and how it ended.
struct Seen {
    lines: Vec<String>,
    ended: Ended,
}

impl Bench {
    fn new(isolation: Isolation) -> Self {
        let home = tempfile::tempdir().unwrap();
        let mark = format!("test-{}", home.path().file_name().unwrap().display());
        let guard = Guard::new(env!("CARGO_BIN_EXE_guard").into())
            .with_isolation(isolation)
            .with_marker(RUN);
        Self { guard, mark, home }
    }

    fn env(&self) -> Vec<(std::ffi::OsString, std::ffi::OsString)> {
        vec![("CODEX_HOME".into(), self.home.path().into()), (RUN.into(), self.mark.clone().into())]
    }

    /// The stand-in for codex in a mode.
    fn codex(&self, mode: &str) -> Command {
        Command {
            program: env!("CARGO_BIN_EXE_fake-codex").into(),
            args: ["exec", "--json", "-"].map(Into::into).into(),
            env: self.env(),
            current_dir: self.home.path().into(),
            stdin: format!("fake-codex: {mode}\n").into_bytes(),
        }
    }

    fn shell(&self, script: &str) -> Command {
        Command {
            program: "/bin/sh".into(),
            args: vec!["-c".into(), script.into()],
            env: self.env(),
            current_dir: self.home.path().into(),
            stdin: Vec::new(),
        }
    }

    async fn run(&self, command: Command, bounds: Bounds) -> Seen {
        self.run_until(command, bounds, |_| false).await
    }

    /// Runs until the end; a line for which `is_last` holds is the last that matters.
    async fn run_until(
        &self,
        command: Command,
        bounds: Bounds,
        is_last: impl Fn(&str) -> bool + Send + Sync,
    ) -> Seen {
        let mut lines = Vec::new();
        let never = CancellationToken::new();
        let ended = supervise::run(&self.guard, command, bounds, &never, |output| {
            let Output::Line(line) = output else { return Flow::Continue };
            let line = String::from_utf8_lossy(line).into_owned();
            let flow = if is_last(&line) { Flow::Last } else { Flow::Continue };
            lines.push(line);
            flow
        })
        .await
        .unwrap();
        assert_eq!(survivors(&self.mark), NONE, "nothing may be left when the run returns");
        Seen { lines, ended }
    }

    async fn capture(&self, command: Command) -> Result<Captured, SpawnError> {
        supervise::capture(&self.guard, command, PATIENCE).await
    }

    /// Starts `supervise-driver`, which does the same from a process of its own.
    fn driver(&self, isolation: &str, mode: &str) -> std::process::Command {
        let mut driver = std::process::Command::new(env!("CARGO_BIN_EXE_supervise-driver"));
        driver.args([isolation, &self.mark]).arg(self.home.path()).arg(mode);
        driver.stdout(Stdio::piped());
        driver
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert_gone(&self.mark);
        }
    }
}

impl Seen {
    fn has(&self, part: &str) -> bool {
        self.lines.iter().any(|line| line.contains(part))
    }

    /// The end, without what varies from run to run.
    fn end(&self) -> (Cause, Exit, Option<SignalSent>) {
        (self.ended.cause, self.ended.exit, self.ended.signal)
    }
}

/// Waits until nothing of a run is left.
fn assert_gone(mark: &str) {
    let begun = Instant::now();
    while !survivors(mark).is_empty() {
        assert!(begun.elapsed() < LIMIT, "left of {mark}: {:?}", survivors(mark));
    }
}

/// Waits until `count` processes of a run have `word` in their command line, and returns them.
async fn await_running(mark: &str, word: &str, count: usize) -> Vec<u32> {
    let running = || {
        let mut found = survivors(mark);
        found.retain(|survivor| survivor.command.contains(word));
        found
    };
    assert!(wait_until(PATIENCE, || running().len() >= count).await, "only {:?}", running());
    running().iter().map(|survivor| survivor.pid).collect()
}

fn patient() -> Bounds {
    Bounds::until(Instant::now() + PATIENCE)
}

fn within(timeout: Duration) -> Bounds {
    Bounds::until(Instant::now() + timeout)
}

fn kill(pid: u32) {
    kill_process(Pid::from_raw(pid.cast_signed()).unwrap(), Signal::KILL).unwrap();
}

/// The longest the memory of this process has been resident, in KiB, since the last call.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    peak.trim().trim_end_matches(" kB").parse().unwrap()
}

#[tokio::test]
async fn the_programs_own_end_is_told_exactly() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        for (script, exit) in [
            ("exit 0", Exit::Code(0)),
            ("exit 3", Exit::Code(3)),
            ("exit 125", Exit::Code(125)),
            ("exit 127", Exit::Code(127)),
            ("exit 137", Exit::Code(137)),
            ("kill -9 $$", Exit::Signal(9)),
            ("kill -15 $$", Exit::Signal(15)),
        ] {
            let seen = bench.run(bench.shell(script), patient()).await;
            assert_eq!(seen.end(), (Cause::Exited, exit, None), "{script} {isolation:?}");
        }
    }
}

#[tokio::test]
async fn what_cannot_be_started_is_told_apart() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let with = |program: &str, dir: &str| Command {
            program: program.into(),
            current_dir: dir.into(),
            ..bench.shell("")
        };
        let missing = bench.capture(with("/nonexistent/codex", "/")).await;
        assert!(matches!(missing, Err(SpawnError::NotFound { .. })), "{missing:?}");
        let plain = bench.capture(with("/etc/passwd", "/")).await;
        assert!(matches!(plain, Err(SpawnError::NotExecutable { .. })), "{plain:?}");
        let folder = bench.capture(with("/etc", "/")).await;
        assert!(matches!(folder, Err(SpawnError::NotExecutable { .. })), "{folder:?}");
        let dir = bench.capture(with("/bin/true", "/nonexistent")).await;
        assert!(matches!(dir, Err(SpawnError::Directory { .. })), "{dir:?}");
        let mut long = bench.shell("");
        long.args.push("x".repeat(200_000).into());
        let long = bench.capture(long).await;
        assert!(matches!(long, Err(SpawnError::Resources { .. })), "{long:?}");
        let absent = Guard::new("/nonexistent/guard".into()).with_isolation(isolation);
        let absent = supervise::capture(&absent, bench.shell(""), PATIENCE).await;
        assert!(matches!(absent, Err(SpawnError::Guard { .. })), "{absent:?}");
        let other = Guard::new("/bin/true".into()).with_isolation(isolation);
        let other = supervise::capture(&other, bench.shell(""), PATIENCE).await;
        assert!(matches!(other, Err(SpawnError::GuardSilent { .. })), "{other:?}");
    }
}

#[tokio::test]
async fn what_works_is_found_out() {
    let guard = Guard::new(env!("CARGO_BIN_EXE_guard").into());
    assert_eq!(guard.isolation().await, Isolation::PidNamespace, "this system allows namespaces");
    // A guard that fails is as good as one that is refused.
    assert_eq!(Guard::new("/bin/false".into()).isolation().await, Isolation::Subreaper);
}

#[test]
fn a_system_that_forbids_namespaces_gets_a_sub_reaper() {
    let bench = Bench::new(Isolation::Subreaper);
    let mut forbid = std::process::Command::new("unshare");
    let script = "echo 0 >/proc/sys/user/max_user_namespaces && exec \"$@\"";
    forbid.args(["--user", "--map-root-user", "/bin/sh", "-c", script, "sh"]);
    let driver = bench.driver("probe", "forkbomb 3");
    let output = forbid.arg(driver.get_program()).args(driver.get_args()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "subreaper Exited Code(0)\n");
}

#[tokio::test]
async fn the_environment_and_the_descriptors_are_only_what_is_given() {
    // As pm2 does it: a descriptor that is inherited and not closed on exec.
    let leaked = std::fs::File::open("/etc/hostname").unwrap();
    rustix::io::fcntl_setfd(&leaked, rustix::io::FdFlags::empty()).unwrap();
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let seen = bench.run(bench.codex("echo-env"), patient()).await;
        let event: serde_json::Value = serde_json::from_str(&seen.lines[2]).unwrap();
        let advice = event["item"]["text"].as_str().unwrap();
        let advice: serde_json::Value = serde_json::from_str(advice).unwrap();
        let lines: Vec<&str> = advice["raw_text"].as_str().unwrap().lines().collect();
        let home = format!("CODEX_HOME={}", bench.home.path().display());
        let mark = format!("{RUN}={}", bench.mark);
        assert_eq!(lines[..2], [mark.as_str(), home.as_str()]);
        // The stand-in's own are the listing and its thread.
        let is_own = |line: &str| line.contains("/proc/") || line.contains("/fake-threads/");
        let descriptors: Vec<&str> =
            lines[2..].iter().filter(|line| !is_own(line)).copied().collect();
        assert_eq!(descriptors.len(), 3, "{descriptors:?}");
        assert!(descriptors.iter().all(|line| line.contains("-> pipe:")), "{descriptors:?}");
    }
}

#[tokio::test]
async fn resources_are_limited() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let limits = bench.shell("ulimit -c; ulimit -n; ulimit -f; ulimit -v");
        let seen = bench.run(limits, patient()).await;
        assert_eq!(seen.lines, ["0", "1024", "524288", "4194304"]);
        let seen = bench.run(bench.codex("oom"), patient()).await;
        assert_eq!(seen.end(), (Cause::Exited, Exit::Signal(6), None));
        let small = bench.guard.clone().with_address_space(Some(1 << 30));
        let small = supervise::capture(&small, bench.shell("ulimit -v"), PATIENCE).await.unwrap();
        assert_eq!(small.stdout, "1048576\n");
    }
}

#[tokio::test]
async fn the_program_sees_a_session_without_a_terminal_and_its_own_user() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let script = "id -u; id -g; (: </dev/tty) 2>/dev/null && echo terminal; pwd";
        let seen = bench.run(bench.shell(script), patient()).await;
        let user = rustix::process::geteuid().as_raw().to_string();
        let group = rustix::process::getegid().as_raw().to_string();
        assert_eq!(seen.lines, [user, group, bench.home.path().display().to_string()]);
    }
}

#[tokio::test]
async fn the_deadline_ends_a_program_that_hangs() {
    for isolation in ISOLATIONS {
        let modes = ["hang", "hang-after-thread", "tree 3", "reconnecting"];
        // Beside one another: each of them waits.
        join_all(modes.map(async |mode| {
            let bench = Bench::new(isolation);
            let begun = Instant::now();
            let timeout = Duration::from_secs(1);
            let seen = bench.run(bench.codex(mode), within(timeout)).await;
            assert_eq!(
                seen.end(),
                (Cause::Deadline, Exit::Signal(2), Some(SignalSent::Interrupt)),
                "{mode} {isolation:?}"
            );
            assert!(begun.elapsed() < timeout + LIMIT, "took {:?}", begun.elapsed());
        }))
        .await;
    }
}

#[tokio::test]
async fn a_program_that_ignores_signals_is_killed_soon_after_the_deadline() {
    join_all(ISOLATIONS.map(async |isolation| {
        let bench = Bench::new(isolation);
        let (begun, timeout) = (Instant::now(), Duration::from_secs(1));
        let seen = bench.run(bench.codex("ignoreterm"), within(timeout)).await;
        assert_eq!(seen.end(), (Cause::Deadline, Exit::Signal(9), Some(SignalSent::Kill)));
        assert!(begun.elapsed() < timeout + LIMIT, "took {:?}", begun.elapsed());
    }))
    .await;
}

#[tokio::test]
async fn a_program_is_stalled_when_the_clock_of_its_reader_runs_out() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let bounds = Bounds { stall: Some(Duration::from_millis(500)), ..patient() };
        let command = bench.codex("hang-after-thread");
        let never = CancellationToken::new();
        let ended = supervise::run(&bench.guard, command, bounds, &never, |output| match output {
            Output::Started { .. } => Flow::Taken(Clock::Start),
            Output::Line(_) | Output::StderrLine(_) => Flow::Taken(Clock::Keep),
        });
        let ended = ended.await.unwrap();
        assert_eq!(ended.cause, Cause::Stalled, "{isolation:?}");
    }
}

#[tokio::test]
async fn silence_alone_stalls_nobody() {
    let bench = Bench::new(Isolation::Subreaper);
    let bounds =
        Bounds { stall: Some(Duration::from_millis(1)), ..within(Duration::from_millis(700)) };
    let seen = bench.run(bench.codex("hang"), bounds).await;
    assert_eq!(seen.ended.cause, Cause::Deadline);
}

#[tokio::test]
async fn a_line_of_stderr_that_its_reader_takes_is_not_kept() {
    let bench = Bench::new(Isolation::Subreaper);
    let command = bench.shell("printf 'kept\\ntaken sk-secret\\nlast' >&2");
    let never = CancellationToken::new();
    let mut seen = Vec::new();
    let ended = supervise::run(&bench.guard, command, patient(), &never, |output| {
        let Output::StderrLine(line) = output else { return Flow::Continue };
        seen.push(String::from_utf8_lossy(line).into_owned());
        if line.starts_with(b"taken") { Flow::Taken(Clock::Keep) } else { Flow::Continue }
    });
    let ended = ended.await.unwrap();
    assert_eq!(seen, ["kept", "taken sk-secret", "last"]);
    assert_eq!(ended.stderr_tail, "kept\nlast\n");
}

#[tokio::test]
async fn a_cancelled_run_leaves_nothing() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let cancel = CancellationToken::new();
        let mut begun = Instant::now();
        let canceller = cancel.clone();
        let command = bench.codex("tree 3");
        let ended = supervise::run(&bench.guard, command, patient(), &cancel, |output| {
            if matches!(output, Output::Line(line) if line.windows(11).any(|it| it == b"fake.daemon"))
            {
                begun = Instant::now();
                canceller.cancel();
            }
            Flow::Continue
        });
        assert_eq!(ended.await.unwrap().cause, Cause::Cancelled);
        assert_eq!(survivors(&bench.mark), NONE);
        assert!(begun.elapsed() < LIMIT, "took {:?}", begun.elapsed());
    }
}

#[tokio::test]
async fn a_run_cancelled_before_it_began_ends_at_once() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let cancel = CancellationToken::new();
        cancel.cancel();
        let command = bench.codex("hang");
        let ended = supervise::run(&bench.guard, command, patient(), &cancel, |_| Flow::Continue);
        assert_eq!(ended.await.unwrap().cause, Cause::Cancelled);
    }
}

#[tokio::test]
async fn a_dropped_run_leaves_nothing() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let never = CancellationToken::new();
        let command = bench.codex("tree 3");
        {
            let run = supervise::run(&bench.guard, command, patient(), &never, |_| Flow::Continue);
            let alive = await_running(&bench.mark, "__linger", 3);
            tokio::select! {
                ended = run => panic!("ended by itself: {ended:?}"),
                _ = alive => {}
            }
        }
        assert_gone(&bench.mark);
    }
}

/// Dropped at any moment of its start, too.
#[tokio::test]
async fn a_run_dropped_while_it_starts_leaves_nothing() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let never = CancellationToken::new();
        for step in 0..40 {
            let moment = Duration::from_micros(step * 250);
            let command = bench.codex("tree 3");
            let run = supervise::run(&bench.guard, command, patient(), &never, |_| Flow::Continue);
            assert!(tokio::time::timeout(moment, run).await.is_err());
        }
        assert_gone(&bench.mark);
    }
}

#[tokio::test]
async fn a_program_is_talked_to_until_its_input_is_dropped() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        // What it starts would outlive it.
        let script = "sleep 1000 & read a; echo \"heard $a\"; echo trouble >&2; cat";
        let mut command = bench.shell(script);
        command.stdin = b"first\n".to_vec();
        let Conversation { mut input, output, mut stderr } =
            supervise::converse(&bench.guard, command).await.unwrap();
        let mut lines = BufReader::new(output).lines();
        assert_eq!(lines.next_line().await.unwrap().unwrap(), "heard first");
        let long = "x".repeat(300_000);
        let said = format!("I\nsecond\n{long}\n");
        let write =
            tokio::spawn(async move { input.write_all(said.as_bytes()).await.map(|()| input) });
        for expected in ["I", "second", &long] {
            assert_eq!(lines.next_line().await.unwrap().unwrap(), expected);
        }
        let input = write.await.unwrap().unwrap();
        assert_ne!(survivors(&bench.mark), NONE, "it lives as long as it is listened to");
        drop(input);
        assert_eq!(stderr.whole().await, "trouble\n");
        assert_eq!(lines.next_line().await.unwrap(), None, "its end is the end of its output");
        assert_gone(&bench.mark);
    }
}

#[tokio::test]
async fn a_program_that_cannot_be_talked_to_says_why() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let mut command = bench.shell("");
        command.program = "/nonexistent/server".into();
        let error = supervise::converse(&bench.guard, command).await.unwrap_err();
        assert!(matches!(error, SpawnError::NotFound { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn a_flood_is_cut_and_memory_stays_flat() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let never = CancellationToken::new();
        let _reset = peak_memory();
        let before = peak_memory();
        let command = bench.codex("flood 1073741824");
        let run = supervise::run(&bench.guard, command, patient(), &never, |_| Flow::Continue);
        let ended = run.await.unwrap();
        let grown = peak_memory().saturating_sub(before);
        assert_eq!((ended.cause, ended.signal), (Cause::OutputLimit, Some(SignalSent::Kill)));
        assert!(ended.stdout_bytes <= (64 << 20) + (64 << 10), "read {}", ended.stdout_bytes);
        assert!(grown < 16 << 10, "grew by {grown} KiB");
    }
}

#[tokio::test]
async fn a_line_that_is_too_long_is_skipped_and_counted() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let _reset = peak_memory();
        let before = peak_memory();
        let seen = bench.run(bench.codex("longline 52428800"), patient()).await;
        let grown = peak_memory().saturating_sub(before);
        assert_eq!(seen.end(), (Cause::Exited, Exit::Code(0), None));
        assert_eq!(seen.ended.long_lines, 1);
        assert_eq!(seen.lines.len(), 4, "thread, turn, message, end");
        assert!(grown < 16 << 10, "grew by {grown} KiB");
    }
}

#[tokio::test]
async fn a_flood_on_stderr_blocks_nothing_and_leaves_a_tail() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let seen = bench.run(bench.codex("stderrflood 209715200"), patient()).await;
        assert_eq!(seen.end(), (Cause::Exited, Exit::Code(0), None));
        assert!(seen.has("turn.completed"));
        assert!(seen.ended.stderr_bytes >= 209_715_200);
        assert_eq!(seen.ended.stderr_tail.len(), 16 << 10);
        assert!(seen.ended.stderr_tail.ends_with("flood\n"));
    }
}

#[tokio::test]
async fn a_program_that_closed_stdout_may_not_linger() {
    for isolation in ISOLATIONS {
        for mode in ["closestdout-live", "closestdout-nomsg"] {
            let bench = Bench::new(isolation);
            let bounds = Bounds { exit_grace: Duration::from_millis(300), ..patient() };
            let seen = bench.run(bench.codex(mode), bounds).await;
            assert_eq!(seen.end(), (Cause::Lingered, Exit::Signal(9), Some(SignalSent::Kill)));
            assert_eq!(seen.has("turn.completed"), mode == "closestdout-live");
        }
    }
}

#[tokio::test]
async fn a_program_may_not_linger_after_its_last_line() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let bounds = Bounds { exit_grace: Duration::from_millis(300), ..patient() };
        let is_last = |line: &str| line.contains("turn.completed");
        let seen = bench.run_until(bench.codex("linger"), bounds, is_last).await;
        assert_eq!(seen.end(), (Cause::Lingered, Exit::Signal(9), Some(SignalSent::Kill)));
        let seen = bench.run_until(bench.codex("ok"), patient(), is_last).await;
        assert_eq!(seen.end(), (Cause::Exited, Exit::Code(0), None));
    }
}

#[tokio::test]
async fn daemons_that_hold_stdout_delay_nothing_and_do_not_survive() {
    for isolation in ISOLATIONS {
        for mode in ["daemon", "forkbomb 30"] {
            let bench = Bench::new(isolation);
            let bounds = Bounds { exit_grace: PATIENCE, ..patient() };
            let seen = bench.run(bench.codex(mode), bounds).await;
            assert_eq!(seen.end(), (Cause::Exited, Exit::Code(0), None), "{mode} {isolation:?}");
            assert!(seen.has("turn.completed") && seen.has("fake.daemon"));
        }
    }
}

#[tokio::test]
async fn half_a_line_is_no_line() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let seen = bench.run(bench.codex("diemid"), patient()).await;
        assert_eq!(seen.end(), (Cause::Exited, Exit::Signal(9), None));
        assert_eq!(seen.lines.len(), 2, "thread and turn, but not the half message");
    }
}

#[tokio::test]
async fn a_large_stdin_passes_while_the_program_prints() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let stdin = "0123456789abcde\n".repeat(1 << 18).into_bytes();
        let echo = Command { stdin: stdin.clone(), ..bench.shell("cat") };
        let seen = bench.run(echo, patient()).await;
        assert_eq!(seen.end(), (Cause::Exited, Exit::Code(0), None));
        assert_eq!(seen.lines.len(), 1 << 18);
        assert_eq!(seen.ended.stdout_bytes, stdin.len() as u64);
        // Nor does a program that does not read it hold anything up, alive or not.
        let deaf = Command { stdin: stdin.clone(), ..bench.shell("exit 4") };
        let seen = bench.run(deaf, patient()).await;
        assert_eq!(seen.end(), (Cause::Exited, Exit::Code(4), None));
        let deaf = Command { stdin, ..bench.shell("exec sleep 1000") };
        let seen = bench.run(deaf, within(Duration::from_millis(500))).await;
        assert_eq!(seen.end(), (Cause::Deadline, Exit::Signal(2), Some(SignalSent::Interrupt)));
    }
}

#[tokio::test]
async fn capture_collects_both_streams_and_ends_at_its_timeout() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let captured = bench.capture(bench.shell("echo out; echo err >&2; exit 2")).await.unwrap();
        let (stdout, stderr) = ("out\n".into(), "err\n".into());
        let expected = Captured { exit: Exit::Code(2), cause: Cause::Exited, stdout, stderr };
        assert_eq!(captured, expected);
        let slow = bench.shell("echo first; sleep 1000");
        let timeout = Duration::from_millis(500);
        let captured = supervise::capture(&bench.guard, slow, timeout).await.unwrap();
        assert_eq!((captured.cause, captured.stdout.as_str()), (Cause::Deadline, "first\n"));
        let endless = bench.capture(bench.shell("yes")).await.unwrap();
        assert_eq!(endless.cause, Cause::OutputLimit);
        assert!(endless.stdout.len() <= 64 << 10);
    }
}

#[tokio::test]
async fn a_killed_guard_takes_everything_with_it() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let never = CancellationToken::new();
        let (mut guard_pid, mut daemons) = (0, 0);
        let command = bench.codex("tree 3");
        let ended = supervise::run(&bench.guard, command, patient(), &never, |output| {
            match output {
                Output::Started { guard, pid } => {
                    assert_ne!(guard, pid);
                    guard_pid = guard;
                }
                Output::Line(line) if line.windows(11).any(|it| it == b"fake.daemon") => {
                    daemons += 1;
                    if daemons == 3 {
                        kill(guard_pid);
                    }
                }
                Output::Line(_) | Output::StderrLine(_) => {}
            }
            Flow::Continue
        });
        let ended = ended.await.unwrap();
        assert_eq!((ended.cause, ended.exit), (Cause::GuardLost, Exit::Signal(9)));
        assert_gone(&bench.mark);
    }
}

#[tokio::test]
async fn a_killed_init_takes_everything_with_it() {
    let bench = Bench::new(Isolation::PidNamespace);
    let never = CancellationToken::new();
    let mut guard_pid = 0;
    let command = bench.codex("tree 3");
    let ended = supervise::run(&bench.guard, command, patient(), &never, |output| {
        match output {
            Output::Started { guard, .. } => guard_pid = guard,
            Output::Line(_) => {
                let children = format!("/proc/{guard_pid}/task/{guard_pid}/children");
                let children = std::fs::read_to_string(children).unwrap_or_default();
                if let Some(init) = children.split_whitespace().next() {
                    kill(init.parse().unwrap());
                }
            }
            Output::StderrLine(_) => {}
        }
        Flow::Continue
    });
    let ended = ended.await.unwrap();
    assert_eq!((ended.cause, ended.exit), (Cause::GuardLost, Exit::Signal(9)));
    assert_gone(&bench.mark);
}

#[tokio::test]
async fn a_killed_program_is_only_a_killed_program() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let never = CancellationToken::new();
        let mut program = 0;
        let command = bench.codex("tree 3");
        let ended = supervise::run(&bench.guard, command, patient(), &never, |output| {
            match output {
                Output::Started { pid, .. } => program = pid,
                Output::Line(line) if line.windows(11).any(|it| it == b"fake.daemon") => {
                    // The second call finds it gone.
                    let _ =
                        kill_process(Pid::from_raw(program.cast_signed()).unwrap(), Signal::KILL);
                }
                Output::Line(_) | Output::StderrLine(_) => {}
            }
            Flow::Continue
        });
        let ended = ended.await.unwrap();
        assert_eq!((ended.cause, ended.exit), (Cause::Exited, Exit::Signal(9)));
        assert_gone(&bench.mark);
    }
}

/// The moments are spread over the whole start and beyond it, and shifted at random.
#[tokio::test]
async fn a_killed_parent_leaves_nothing() {
    for isolation in ISOLATIONS {
        for round in 0..20 {
            let bench = Bench::new(isolation);
            let mut driver = bench.driver(isolation.as_str(), "tree 5").spawn().unwrap();
            let random = SystemTime::UNIX_EPOCH.elapsed().unwrap().subsec_nanos() % 6000;
            tokio::time::sleep(Duration::from_micros(round * 6000 + u64::from(random))).await;
            driver.kill().unwrap();
            driver.wait().unwrap();
            assert_gone(&bench.mark);
        }
    }
}

/// The one case a sub-reaper cannot cover alone: parent and guard are killed together. The next
/// start sweeps.
#[tokio::test]
async fn a_sweep_ends_what_a_killed_parent_and_guard_left() {
    let bench = Bench::new(Isolation::Subreaper);
    let mut driver = bench.driver("subreaper", "tree 3").spawn().unwrap();
    let daemons = await_running(&bench.mark, "__linger", 3).await.len();
    let guard = await_running(&bench.mark, "__guard", 1).await[0];
    // Or it would sweep itself.
    kill_process(Pid::from_child(&driver), Signal::STOP).unwrap();
    kill(guard);
    driver.kill().unwrap();
    driver.wait().unwrap();

    let other = Bench::new(Isolation::Subreaper);
    let mut untouched = other.driver("subreaper", "tree 1").spawn().unwrap();
    let _ = await_running(&other.mark, "__linger", 1).await;
    let before = survivors(&other.mark).len();
    let swept = supervise::sweep(RUN, &[bench.mark.clone(), "another".into()]);
    assert!(swept >= daemons, "{daemons} daemons were left, {swept} found");
    assert_eq!(survivors(&bench.mark), NONE);
    assert_eq!(supervise::sweep(RUN, std::slice::from_ref(&bench.mark)), 0);
    assert_eq!(supervise::sweep(RUN, &[]), 0);
    assert_eq!(survivors(&other.mark).len(), before, "only what is named is swept");
    untouched.kill().unwrap();
    untouched.wait().unwrap();
}

/// Some parents start their children with SIGCHLD ignored; a guard that inherited that would never
/// learn of an end.
#[test]
fn an_ignored_sigchld_does_not_matter() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let inner = bench.driver(isolation.as_str(), "exit 7");
        let mut outer = std::process::Command::new("/bin/sh");
        outer.args(["-c", "trap '' CHLD; exec \"$@\"", "sh"]);
        outer.arg(inner.get_program()).args(inner.get_args()).stdout(Stdio::piped());
        let mut outer = outer.spawn().unwrap();
        let mut text = String::new();
        outer.stdout.take().unwrap().read_to_string(&mut text).unwrap();
        outer.wait().unwrap();
        assert_eq!(text, format!("{} Exited Code(7)\n", isolation.as_str()));
    }
}

#[tokio::test]
async fn many_runs_leave_no_zombie_and_no_descriptor() {
    let open = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        bench.run(bench.shell("exit 0"), patient()).await;
        let before = open();
        for _ in 0..20 {
            bench.run(bench.shell("exit 0"), patient()).await;
        }
        assert_eq!(open(), before);
        let children = || -> String {
            let tasks = std::fs::read_dir("/proc/self/task").unwrap().flatten();
            tasks
                .filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok())
                .collect()
        };
        // A guard reports its end before the thread that owns it has reaped it.
        let reaped = wait_until(PATIENCE, || children().is_empty()).await;
        assert!(reaped, "unreaped: {}", children());
    }
}

/// The guard that stands by for a run of this bench.
async fn standing_by(bench: &Bench) -> (Guard, u32) {
    let standby = bench.guard.stand_by(&bench.mark);
    assert!(standby.is_some());
    let pid = await_running(&bench.mark, "__guard", 1).await[0];
    (bench.guard.clone().with_standby(standby), pid)
}

/// Runs a script behind this guard; its lines, and the process id of the guard that it had.
async fn guarded(guard: &Guard, command: Command) -> (Vec<String>, u32) {
    let (mut lines, mut had) = (Vec::new(), 0);
    let never = CancellationToken::new();
    let ended = supervise::run(guard, command, patient(), &never, |output| {
        match output {
            Output::Started { guard, .. } => had = guard,
            Output::Line(line) => lines.push(String::from_utf8_lossy(line).into_owned()),
            Output::StderrLine(_) => {}
        }
        Flow::Continue
    })
    .await
    .unwrap();
    assert_eq!((ended.cause, ended.exit), (Cause::Exited, Exit::Code(0)));
    (lines, had)
}

#[tokio::test]
async fn a_guard_that_stands_by_is_for_the_next_run_alone() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let (guard, waiting) = standing_by(&bench).await;
        let mut command = bench.shell("cat; env; ulimit -c");
        command.stdin = b"said\n".to_vec();
        let (first, had) = guarded(&guard, command.clone()).await;
        assert_eq!(had, waiting, "{isolation:?}");
        assert_eq!(survivors(&bench.mark), NONE);
        let (second, had) = guarded(&guard, command).await;
        assert_ne!(had, waiting, "{isolation:?}");
        assert_eq!(first, second, "it makes no difference to a program");
        assert!(first.contains(&"said".to_owned()), "{first:?}");
    }
}

#[tokio::test]
async fn a_guard_that_stands_by_and_is_killed_costs_no_run() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let (guard, waiting) = standing_by(&bench).await;
        kill(waiting);
        assert_gone(&bench.mark);
        let (lines, had) = guarded(&guard, bench.shell("echo all the same")).await;
        assert_eq!(lines, ["all the same"]);
        assert_ne!(had, waiting);
    }
}

/// Limits and mark are given to a guard at its start: one that was made for another run is not used, and ends.
#[tokio::test]
async fn a_guard_that_stands_by_for_another_run_is_not_taken() {
    for isolation in ISOLATIONS {
        let (bench, other) = (Bench::new(isolation), Bench::new(isolation));
        let (guard, waiting) = standing_by(&other).await;
        let (_, had) = guarded(&guard, bench.shell("true")).await;
        assert_ne!(had, waiting);
        assert_gone(&other.mark);
        let (guard, waiting) = standing_by(&bench).await;
        let narrow = guard.with_address_space(Some(1 << 30));
        let (lines, had) = guarded(&narrow, bench.shell("ulimit -v")).await;
        assert_ne!(had, waiting);
        assert_eq!(lines, [(1 << 20).to_string()]);
    }
}

#[tokio::test]
async fn a_guard_without_a_task_ends_with_its_owner() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let standby = bench.guard.stand_by(&bench.mark).unwrap();
        await_running(&bench.mark, "__guard", 1).await;
        standby.end().await;
        assert_eq!(survivors(&bench.mark), NONE, "gone when it is told");
        drop(standing_by(&bench).await);
        assert_gone(&bench.mark);
        for round in 0..20 {
            let mut driver = bench.driver(isolation.as_str(), "standby").spawn().unwrap();
            let random = SystemTime::UNIX_EPOCH.elapsed().unwrap().subsec_nanos() % 2000;
            tokio::time::sleep(Duration::from_micros(round * 1000 + u64::from(random))).await;
            driver.kill().unwrap();
            driver.wait().unwrap();
            assert_gone(&bench.mark);
        }
    }
}

/// A key that a program is given stands in no environment but its own.
#[tokio::test]
async fn a_guard_has_no_variable_of_its_run_but_the_mark() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let mut command = bench.codex("hang");
        command.env.push(("A_KEY".into(), "sk-1".into()));
        let (guard, cancel) = (bench.guard.clone(), CancellationToken::new());
        let ended = cancel.clone();
        let run = tokio::spawn(async move {
            supervise::run(&guard, command, patient(), &ended, |_| Flow::Continue).await
        });
        let program = await_running(&bench.mark, "fake-codex", 1).await;
        let environ = |pid: u32| std::fs::read(format!("/proc/{pid}/environ")).unwrap();
        let has_key = |pid: u32| environ(pid).windows(10).any(|part| part == b"A_KEY=sk-1");
        let fence = survivors(&bench.mark).into_iter().map(|survivor| survivor.pid);
        let fence: Vec<u32> = fence.filter(|pid| !program.contains(pid)).collect();
        assert!(!fence.is_empty() && program.iter().any(|pid| has_key(*pid)));
        for pid in fence {
            assert_eq!(environ(pid), format!("{RUN}={}\0", bench.mark).into_bytes());
        }
        cancel.cancel();
        run.await.unwrap().unwrap();
    }
}
