//! A command whose output is wanted while it runs, with real processes and in both kinds of isolation:
//! what is handed out and when, the limits, and after each end: nothing of the run is alive.

#![expect(clippy::disallowed_methods, reason = "what a limit is without a guard is asked directly")]
#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::path::Path;
use std::time::Duration;

use supervise::{
    Cause, Chunk, Command, Exit, Guard, Isolation, Limits, SpawnError, WatchBounds, Watched, watch,
};
use tempfile::TempDir;
use tests::harness::{Survivor, survivors, wait_until};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

const ISOLATIONS: [Isolation; 2] = [Isolation::PidNamespace, Isolation::Subreaper];

/// Long enough for everything that is to end by itself, on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Nothing is left.
const NONE: [Survivor; 0] = [];

/// What is handed out at most where a test does not ask for less, in bytes.
const OUTPUT_MAX: u64 = 1 << 20;

/// The promise about memory: a flood takes at most this much of ours, in KiB.
const MEMORY_KIB: u64 = 20 << 10;

/// Waits in a script until the file `$1` is there.
const WAIT: &str = "wait_for() { while [ ! -e \"$1\" ]; do sleep 0.01; done; };";

/// One run's surroundings.
struct Bench {
    guard: Guard,
    mark: String,
    home: TempDir,
}

/// What was handed out, by stream, and how the run ended.
#[derive(Default)]
struct Seen {
    stdout: String,
    stderr: String,
}

impl Bench {
    fn new(isolation: Isolation) -> Self {
        let home = tempfile::tempdir().unwrap();
        let mark = format!("watch-{}", home.path().file_name().unwrap().display());
        let guard = Guard::new(env!("CARGO_BIN_EXE_guard").into()).with_isolation(isolation);
        Self { guard, mark, home }
    }

    fn shell(&self, script: &str) -> Command {
        Command {
            program: "/bin/sh".into(),
            args: vec!["-c".into(), format!("{WAIT} {script}").into()],
            env: vec![
                ("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into()),
                ("MARK".into(), self.mark.clone().into()),
            ],
            current_dir: self.home.path().into(),
            stdin: Vec::new(),
        }
    }

    /// Makes a file that a script waits for.
    fn tell(&self, name: &str) {
        fs::write(self.home.path().join(name), "").unwrap();
    }

    async fn watch(
        &self,
        command: Command,
        bounds: WatchBounds,
        cancel: &CancellationToken,
        on_chunk: impl FnMut(Chunk<'_>) + Send,
    ) -> Watched {
        let watched = watch(&self.guard, command, bounds, cancel, on_chunk).await.unwrap();
        assert_eq!(survivors(&self.mark), NONE, "nothing may be left when the run returns");
        watched
    }

    /// Runs a script to its end.
    async fn run(&self, script: &str, bounds: WatchBounds) -> (Seen, Watched) {
        let mut seen = Seen::default();
        let never = CancellationToken::new();
        let watched = self.watch(self.shell(script), bounds, &never, |chunk| seen.add(chunk));
        let watched = watched.await;
        (seen, watched)
    }
}

impl Seen {
    fn add(&mut self, chunk: Chunk<'_>) {
        match chunk {
            Chunk::Started(pid) => assert_ne!(pid, 0),
            Chunk::Stdout(bytes) => self.stdout.push_str(std::str::from_utf8(bytes).unwrap()),
            Chunk::Stderr(bytes) => self.stderr.push_str(std::str::from_utf8(bytes).unwrap()),
        }
    }
}

fn bounds() -> WatchBounds {
    WatchBounds {
        deadline: Instant::now() + PATIENCE,
        output_max: OUTPUT_MAX,
        grace: Duration::from_millis(200),
        limits: Limits::NONE,
    }
}

/// The most memory that this process ever had, in KiB.
fn peak_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[tokio::test]
async fn an_unfinished_line_is_handed_out_while_the_program_waits() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let mut seen = Seen::default();
        let command = bench.shell("printf 'no end'; wait_for seen; echo ' yet'; exit 3");
        let watched = bench
            .watch(command, bounds(), &CancellationToken::new(), |chunk| {
                seen.add(chunk);
                if seen.stdout == "no end" {
                    bench.tell("seen");
                }
            })
            .await;
        assert_eq!((seen.stdout.as_str(), watched.cause), ("no end yet\n", Cause::Exited));
        assert_eq!((watched.exit, watched.stdout_bytes), (Exit::Code(3), 11));
    }
}

#[tokio::test]
async fn both_streams_are_handed_out_side_by_side() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let script =
            "for i in 1 2 3 4; do printf \"out$i \"; printf \"err$i \" >&2; wait_for $i; done";
        let mut seen = Seen::default();
        let watched = bench
            .watch(bench.shell(script), bounds(), &CancellationToken::new(), |chunk| {
                seen.add(chunk);
                // The next two come only when both of these were handed out.
                for i in 1..=4 {
                    if seen.stdout.ends_with(&format!("out{i} "))
                        && seen.stderr.ends_with(&format!("err{i} "))
                    {
                        bench.tell(&i.to_string());
                    }
                }
            })
            .await;
        assert_eq!(watched.exit, Exit::Code(0));
        assert_eq!(seen.stdout, "out1 out2 out3 out4 ");
        assert_eq!(seen.stderr, "err1 err2 err3 err4 ");
        assert_eq!((watched.stdout_bytes, watched.stderr_bytes), (20, 20));
        assert!(!watched.left_something);
    }
}

#[tokio::test]
async fn a_flood_ends_at_the_limit_and_takes_no_memory() {
    for isolation in ISOLATIONS {
        for script in [
            "head -c 1073741824 /dev/zero",
            "head -c 1073741824 /dev/zero >&2",
            "head -c 1073741824 /dev/zero & head -c 1073741824 /dev/zero >&2",
        ] {
            let bench = Bench::new(isolation);
            let before = peak_kib();
            let max = 32 << 20;
            let (mut handed_out, never) = (0, CancellationToken::new());
            let bounds = WatchBounds { output_max: max, ..bounds() };
            let watched = bench
                .watch(bench.shell(script), bounds, &never, |chunk| match chunk {
                    Chunk::Started(_) => {}
                    Chunk::Stdout(bytes) | Chunk::Stderr(bytes) => handed_out += bytes.len() as u64,
                })
                .await;
            assert_eq!((watched.cause, handed_out), (Cause::OutputLimit, max), "{script}");
            assert_eq!(watched.stdout_bytes + watched.stderr_bytes, max);
            assert!(peak_kib() - before <= MEMORY_KIB, "{} KiB", peak_kib() - before);
        }
    }
}

#[tokio::test]
async fn a_program_that_made_itself_a_daemon_is_gone_with_its_starter() {
    for isolation in ISOLATIONS {
        for output in ["", "exec >/dev/null 2>&1 </dev/null;"] {
            let bench = Bench::new(isolation);
            let script = format!(
                "(setsid sh -c '{output} trap \"\" HUP INT TERM; touch up; sleep 300' &) & \
                 wait_for up; echo done"
            );
            let (seen, watched) = bench.run(&script, bounds()).await;
            assert_eq!((seen.stdout.as_str(), watched.exit), ("done\n", Exit::Code(0)));
            assert_eq!((watched.cause, watched.left_something), (Cause::Exited, true));
        }
    }
}

#[tokio::test]
async fn a_cancelled_run_ends_with_all_that_it_started() {
    for isolation in ISOLATIONS {
        for script in ["echo up; sleep 300", "trap '' INT TERM; sleep 300 & echo up; sleep 300"] {
            let bench = Bench::new(isolation);
            let cancel = CancellationToken::new();
            let watched = bench
                .watch(bench.shell(script), bounds(), &cancel, |chunk| {
                    if chunk == Chunk::Stdout(b"up\n") {
                        cancel.cancel();
                    }
                })
                .await;
            assert_eq!((watched.cause, watched.stdout_bytes), (Cause::Cancelled, 3), "{script}");
        }
    }
}

#[tokio::test]
async fn a_run_ends_at_its_deadline() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let deadline = Instant::now() + Duration::from_millis(300);
        let (_, watched) = bench.run("sleep 300", WatchBounds { deadline, ..bounds() }).await;
        assert_eq!(watched.cause, Cause::Deadline);
    }
}

#[tokio::test]
async fn a_dropped_run_leaves_nothing() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let (up, mut is_up) = tokio::sync::mpsc::unbounded_channel();
        let command = bench.shell("sleep 300 & echo up; sleep 300");
        let never = CancellationToken::new();
        let run = watch(&bench.guard, command, bounds(), &never, |chunk| {
            if matches!(chunk, Chunk::Stdout(_)) {
                up.send(()).unwrap();
            }
        });
        tokio::select! {
            ended = run => panic!("{ended:?}"),
            up = is_up.recv() => assert_eq!(up, Some(())),
        }
        assert!(wait_until(Duration::from_secs(2), || survivors(&bench.mark) == NONE).await);
    }
}

/// As a program does that goes into the background of its own terminal: 2 s would be too long for a
/// program of the daemon.
#[tokio::test]
async fn a_program_that_closed_its_output_may_go_on() {
    let bench = Bench::new(Isolation::PidNamespace);
    let (_, watched) = bench.run("exec >&- 2>&-; sleep 2.5; touch late; exit 4", bounds()).await;
    assert_eq!((watched.exit, watched.cause), (Exit::Code(4), Cause::Exited));
    assert!(bench.home.path().join("late").exists());
}

#[tokio::test]
async fn the_limits_are_the_callers_and_none_is_lowered_without_one() {
    let script = "for limit in v f n c; do ulimit -S$limit; ulimit -H$limit; done";
    let bare = std::process::Command::new("/bin/sh").args(["-c", script]).output().unwrap();
    let bare = String::from_utf8(bare.stdout).unwrap();
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let (seen, _) = bench.run(script, bounds()).await;
        assert_eq!(seen.stdout, bare);

        let limits = Limits {
            address_space: Some(2 << 30),
            file_bytes: Some(1 << 20),
            open_files: Some(77),
            core_bytes: Some(0),
        };
        let (seen, _) = bench.run(script, WatchBounds { limits, ..bounds() }).await;
        // The shell counts address space in KiB and files in blocks of 512 bytes.
        assert_eq!(seen.stdout, "2097152\n2097152\n2048\n2048\n77\n77\n0\n0\n");
    }
}

#[tokio::test]
async fn stdin_is_what_was_given_and_then_its_end() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        for stdin in ["", "one\ntwo"] {
            let command = Command { stdin: stdin.into(), ..bench.shell("cat; echo .") };
            let mut seen = Seen::default();
            let never = CancellationToken::new();
            bench.watch(command, bounds(), &never, |chunk| seen.add(chunk)).await;
            assert_eq!(seen.stdout, format!("{stdin}.\n"));
        }
    }
}

#[tokio::test]
async fn a_program_that_is_not_there_never_ran() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let command = Command { program: "/no/such/program".into(), ..bench.shell("") };
        let never = CancellationToken::new();
        let ended = watch(&bench.guard, command, bounds(), &never, |_| panic!("it ran")).await;
        let Err(SpawnError::NotFound { path }) = ended else { panic!("{ended:?}") };
        assert_eq!(path, Path::new("/no/such/program"));
    }
}
