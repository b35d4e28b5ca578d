//! Dialogues with well-behaved and hostile programs, in both kinds of isolation; after each,
//! no process is alive.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::time::Duration;

use host::environment::RUN;
use supervise::{
    Bounds, Cause, Clock, Command, Ended, Exit, Flow, Guard, Heard, Isolation, Output, SignalSent,
    Words,
};
use tempfile::TempDir;
use tests::harness::{survivors, wait_until};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

const ISOLATIONS: [Isolation; 2] = [Isolation::PidNamespace, Isolation::Subreaper];

/// Long enough for everything that is to end by itself, on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// One talk's surroundings.
struct Bench {
    guard: Guard,
    mark: String,
    home: TempDir,
}

/// What was heard, and how it ended.
struct Talked {
    lines: Vec<String>,
    ended: Ended,
}

impl Bench {
    fn new(isolation: Isolation) -> Self {
        let home = tempfile::tempdir().unwrap();
        let mark = format!("test-{}", home.path().file_name().unwrap().display());
        let guard = Guard::new(env!("CARGO_BIN_EXE_guard").into());
        Self { guard: guard.with_isolation(isolation).with_marker(RUN), mark, home }
    }

    fn shell(&self, script: &str) -> Command {
        Command {
            program: "/bin/sh".into(),
            args: vec!["-c".into(), script.into()],
            env: vec![(RUN.into(), self.mark.clone().into())],
            current_dir: self.home.path().into(),
            stdin: Vec::new(),
        }
    }

    /// Talks to a script; `answer` hears the beginning as an empty line, and each line.
    async fn talk(
        &self,
        script: &str,
        bounds: Bounds,
        mut answer: impl FnMut(&str, &mut Words<'_>) -> Flow + Send,
    ) -> Talked {
        let mut lines = Vec::new();
        let (guard, never) = (&self.guard, CancellationToken::new());
        let command = self.shell(script);
        let ended = supervise::talk(guard, command, bounds, &never, |heard, words| match heard {
            Heard::Output(Output::Started { .. }) => answer("", words),
            Heard::Output(Output::Line(line)) => {
                lines.push(String::from_utf8_lossy(line).into_owned());
                answer(&lines[lines.len() - 1], words)
            }
            Heard::Output(Output::StderrLine(_)) | Heard::Ending => Flow::Continue,
        });
        let ended = ended.await.unwrap();
        assert_eq!(survivors(&self.mark), [], "nothing may be left when the talk returns");
        Talked { lines, ended }
    }
}

impl Talked {
    fn end(&self) -> (Cause, Exit, Option<SignalSent>) {
        (self.ended.cause, self.ended.exit, self.ended.signal)
    }
}

fn patient() -> Bounds {
    Bounds::of_talk(Instant::now() + PATIENCE)
}

fn within(timeout: Duration) -> Bounds {
    Bounds::of_talk(Instant::now() + timeout)
}

#[tokio::test]
async fn each_line_is_answered_and_the_end_of_stdin_ends_the_program() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let script = "while read line; do echo \"heard $line\"; done; echo over; exit 3";
        let talked = bench
            .talk(script, patient(), |line, words| {
                match line {
                    "" => words.say(b"I"),
                    "heard I" => words.say(b"WE"),
                    "heard WE" => {
                        words.say(b"");
                        words.say(b"last");
                        words.end();
                        words.say(b"lost");
                    }
                    _ => {}
                }
                Flow::Continue
            })
            .await;
        assert_eq!(talked.lines, ["heard I", "heard WE", "heard ", "heard last", "over"]);
        assert_eq!(talked.end(), (Cause::Exited, Exit::Code(3), None));
    }
}

#[tokio::test]
async fn what_is_given_as_stdin_is_heard_first() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let (never, mut lines) = (CancellationToken::new(), Vec::new());
        let command = Command { stdin: b"first\n".into(), ..bench.shell("cat") };
        let talk = supervise::talk(&bench.guard, command, patient(), &never, |heard, words| {
            if let Heard::Output(Output::Line(line)) = heard {
                lines.push(line.to_vec());
                if lines.len() == 1 {
                    words.say(b"second");
                    words.end();
                }
            }
            Flow::Continue
        });
        assert_eq!(talk.await.unwrap().exit, Exit::Code(0));
        assert_eq!(lines, [b"first".to_vec(), b"second".to_vec()]);
    }
}

#[tokio::test]
async fn lines_of_four_mebibytes_pass_both_ways_and_longer_ones_are_skipped() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let (whole, long) = ("x".repeat(4 << 20), "y".repeat((4 << 20) + 1));
        let talked = bench
            .talk("cat", patient(), |line, words| {
                if line.is_empty() {
                    for line in [whole.as_str(), long.as_str(), "end"] {
                        words.say(line.as_bytes());
                    }
                    words.end();
                }
                Flow::Continue
            })
            .await;
        assert_eq!(talked.lines.len(), 2, "{:?}", talked.end());
        assert!(talked.lines[0] == whole && talked.lines[1] == "end");
        assert_eq!((talked.ended.long_lines, talked.ended.exit), (1, Exit::Code(0)));
    }
}

#[tokio::test]
async fn a_flood_is_cut_whatever_is_answered_to_it() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let script = "cat >/dev/null & exec head -c 1073741824 /dev/zero";
        let talked = bench.talk(script, patient(), |_, _| Flow::Continue).await;
        assert_eq!(talked.ended.cause, Cause::OutputLimit);
        assert!(talked.ended.stdout_bytes <= 64 << 20, "{}", talked.ended.stdout_bytes);
        let flood = "yes $(printf %01000d 7) | head -c 100000000";
        let talked = bench.talk(flood, patient(), |_, _| Flow::Continue).await;
        assert_eq!(talked.end(), (Cause::OutputLimit, Exit::Signal(9), Some(SignalSent::Kill)));
    }
}

#[tokio::test]
async fn half_a_line_is_none_and_a_silent_program_ends_with_the_deadline() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let script = "echo whole; printf half; exec sleep 1000";
        let bounds = within(Duration::from_millis(500));
        let talked = bench.talk(script, bounds, |_, _| Flow::Continue).await;
        assert_eq!(talked.lines, ["whole"]);
        let interrupted = (Cause::Deadline, Exit::Signal(2), Some(SignalSent::Interrupt));
        assert_eq!(talked.end(), interrupted);
    }
}

#[tokio::test]
async fn a_program_that_closes_stdout_or_outlives_its_stdin_is_ended() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let bounds = Bounds { exit_grace: Duration::from_millis(200), ..patient() };
        let killed = (Cause::Lingered, Exit::Signal(9), Some(SignalSent::Kill));
        let script = "exec >&- 2>&-; exec sleep 1000";
        assert_eq!(bench.talk(script, bounds, |_, _| Flow::Continue).await.end(), killed);
        let script = "trap '' INT; cat; echo over; sleep 1000";
        let talked = bench
            .talk(script, bounds, |line, words| match line {
                "" => {
                    words.end();
                    Flow::Continue
                }
                _ => Flow::Last,
            })
            .await;
        assert_eq!((talked.lines.as_slice(), talked.end()), (&["over".to_owned()][..], killed));
    }
}

#[tokio::test]
async fn a_program_that_does_not_listen_keeps_no_order_from_arriving() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let bounds = within(Duration::from_secs(1));
        let words_of = "x".repeat(8 << 20);
        let talked = bench
            .talk("exec sleep 1000", bounds, |_, words| {
                words.say(words_of.as_bytes());
                Flow::Continue
            })
            .await;
        let interrupted = (Cause::Deadline, Exit::Signal(2), Some(SignalSent::Interrupt));
        assert_eq!(talked.end(), interrupted);
    }
}

#[tokio::test]
async fn last_words_arrive_before_a_program_is_ended() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let (cancel, mut lines) = (CancellationToken::new(), Vec::new());
        let script = "trap '' INT; echo ready; while read a; do echo \"heard $a\"; done; exit 0";
        let command = bench.shell(script);
        let talk = supervise::talk(&bench.guard, command, patient(), &cancel, |heard, words| {
            match heard {
                Heard::Output(Output::Line(line)) => {
                    lines.push(String::from_utf8_lossy(line).into_owned());
                    cancel.cancel();
                }
                Heard::Ending => {
                    words.say(b"farewell");
                    words.end();
                }
                Heard::Output(_) => {}
            }
            Flow::Continue
        });
        let ended = talk.await.unwrap();
        assert_eq!((ended.cause, ended.exit), (Cause::Cancelled, Exit::Code(0)));
        assert_eq!(lines, ["ready", "heard farewell"]);
    }
}

#[tokio::test]
async fn a_clock_with_a_limit_of_its_own_stalls_without_one_of_the_bounds() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let within = Flow::Taken(Clock::Within(Duration::from_millis(200)));
        let talked = bench.talk("exec sleep 1000", patient(), |_, _| within).await;
        assert_eq!(talked.ended.cause, Cause::Stalled);
        let talked = bench
            .talk("echo a; sleep 1; echo b", patient(), |line, _| match line {
                "" => within,
                _ => Flow::Taken(Clock::Stop),
            })
            .await;
        assert_eq!(talked.lines, ["a", "b"]);
    }
}

#[tokio::test]
async fn a_dropped_talk_leaves_nothing() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let (never, started) = (CancellationToken::new(), CancellationToken::new());
        let command = bench.shell("sleep 1000 & sleep 1000");
        let talk = supervise::talk(&bench.guard, command, patient(), &never, |_, _| {
            started.cancel();
            Flow::Continue
        });
        tokio::select! {
            ended = talk => panic!("{ended:?}"),
            () = started.cancelled() => {}
        }
        let gone = || survivors(&bench.mark).is_empty();
        assert!(wait_until(Duration::from_secs(2), gone).await, "{:?}", survivors(&bench.mark));
    }
}
