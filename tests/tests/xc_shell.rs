//! `xc`'s tool `shell` with real processes: what the model is told, what is shown while a command runs, what a
//! command gets and does not get, and after each end: nothing that it started is alive.

#![expect(clippy::unwrap_used, reason = "tests")]

#[path = "xc_shell/approving.rs"]
mod approving;
#[path = "xc_shell/background.rs"]
mod background;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agent::{Fencing, Host, Outcome, Running, Shell, Tasks, Tool, command_environment, shell_tool};
use contract::xc::{CallStatus, Stream, What};
use futures_util::future::join_all;
use llm::Cancel;
use redact::Redactor;
use serde_json::{Map, Value, json};
use supervise::{Guard, Isolation};
use tempfile::TempDir;
use tests::harness::{Survivor, survivors, wait_until};

const ISOLATIONS: [Isolation; 2] = [Isolation::PidNamespace, Isolation::Subreaper];

/// Nothing is left.
const NONE: [Survivor; 0] = [];

/// A key of a provider, of no known form.
const KEY: &str = "planted-key-of-no-known-form-0815";

/// Long enough for everything that is to end by itself, on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Waits in a script until the file `$1` is there.
const WAIT: &str = "wait_for() { while [ ! -e \"$1\" ]; do sleep 0.01; done; };";

/// The promise about memory: a flood takes at most this much of ours, in KiB.
const MEMORY_KIB: u64 = 20 << 10;

/// Does something at a text.
type OnText = dyn Fn(&str) + Send + Sync;

/// A host that only listens.
#[derive(Default)]
struct Listener {
    told: Mutex<Vec<(Stream, String)>>,
    /// Is told of all text of a stream so far, whenever more of it comes.
    on_text: Option<Box<OnText>>,
    keeps_nothing: bool,
}

impl Listener {
    fn text(&self, which: Stream) -> String {
        let told = self.told.lock().unwrap();
        told.iter().filter(|(stream, _)| *stream == which).map(|(_, text)| text.as_str()).collect()
    }
}

impl Host for Listener {
    fn tell(&self, what: What) {
        let What::Output { id, stream, text } = what else { panic!("{what:?}") };
        assert_eq!(id, "call-1");
        assert!(!text.is_empty());
        if self.keeps_nothing {
            return;
        }
        self.told.lock().unwrap().push((stream, text));
        if let Some(on_text) = &self.on_text {
            on_text(&self.text(stream));
        }
    }
}

/// One workspace with a shell.
struct Bench {
    tool: Arc<dyn Tool>,
    tasks: Tasks,
    mark: String,
    root: TempDir,
}

impl Bench {
    fn new(isolation: Isolation) -> Self {
        Self::with("/bin/bash", isolation, &[])
    }

    fn with(program: &str, isolation: Isolation, more: &[(&str, &str)]) -> Self {
        let root = tempfile::tempdir().unwrap();
        let mark = format!("xc-shell-{}", root.path().file_name().unwrap().display());
        let mut inherited: Vec<(OsString, OsString)> = vec![
            ("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into()),
            ("MARK".into(), mark.clone().into()),
        ];
        inherited.extend(more.iter().map(|(name, value)| (name.into(), value.into())));
        let env = command_environment(
            inherited.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str())),
            &["OPENAI_API_KEY".to_owned()],
            &[KEY.to_owned()],
        );
        let tasks = Tasks::default();
        let tool = shell_tool(Shell {
            fencing: Fencing::Off,
            guard: Guard::new(env!("CARGO_BIN_EXE_guard").into()).with_isolation(isolation),
            program: program.into(),
            env,
            timeout: Duration::from_secs(60),
            max_timeout: Duration::from_secs(600),
            redactor: Redactor::with_values(vec![KEY.to_owned()]),
            root: root.path().canonicalize().unwrap(),
            tasks: tasks.clone(),
        });
        Self { tool, tasks, mark, root }
    }

    async fn call(&self, arguments: Value, host: &Listener, cancel: &Cancel) -> Outcome {
        let arguments: Map<String, Value> = arguments.as_object().unwrap().clone();
        let action = &self.tool.action(&arguments);
        let call =
            Running { id: "call-1", arguments: &arguments, action, instead: None, host, cancel };
        let outcome = self.tool.run(call).await;
        assert_eq!(survivors(&self.mark), NONE);
        outcome
    }

    async fn run(&self, command: &str) -> (Outcome, Listener) {
        let host = Listener::default();
        let outcome = self.call(json!({ "command": command }), &host, &Cancel::new()).await;
        (outcome, host)
    }
}

#[tokio::test]
async fn the_exit_code_comes_first_then_stdout_then_stderr() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let (outcome, host) = bench.run("echo err >&2; echo out; exit 3").await;
        assert_eq!(outcome.text, "exit code: 3\nout\nerr");
        assert_eq!(outcome.status, CallStatus::Error);
        assert_eq!(outcome.command.unwrap().exit, Some(3));
        assert_eq!(
            (host.text(Stream::Stdout), host.text(Stream::Stderr)),
            ("out\n".into(), "err\n".into())
        );
        let (outcome, _) = bench.run("pwd").await;
        let root = bench.root.path().canonicalize().unwrap();
        assert_eq!(outcome.text, format!("exit code: 0\n{}", root.display()));
        assert_eq!(outcome.status, CallStatus::Ok);
        for (command, text) in [
            ("true", "exit code: 0"),
            ("printf '  two '", "exit code: 0\n  two"),
            ("exec kill -SEGV $$", "exit code: 139 (signal 11)"),
            ("no-such-program-here 2>/dev/null", "exit code: 127"),
        ] {
            assert_eq!(bench.run(command).await.0.text, text, "{command}");
        }
        // The shell takes no word of a command for an option of its own.
        assert!(bench.run("--version").await.0.text.starts_with("exit code: 127"), "{isolation:?}");
        assert!(bench.run("-x").await.0.text.starts_with("exit code: 127"));
    }
}

#[tokio::test]
async fn a_timeout_ends_everything_and_keeps_what_was_printed() {
    join_all(ISOLATIONS.map(async |isolation| {
        let bench = Bench::new(isolation);
        let command = "trap '' INT TERM; (setsid sleep 300 &); echo begun; sleep 300";
        let host = Listener::default();
        let arguments = json!({ "command": command, "timeout": 4_000 });
        let outcome = bench.call(arguments, &host, &Cancel::new()).await;
        assert_eq!(outcome.text, "[timeout after 4000 ms; everything it started was ended]\nbegun");
        assert_eq!(outcome.status, CallStatus::Timeout);
        assert_eq!(outcome.command.unwrap().exit, None);
    }))
    .await;
}

#[tokio::test]
async fn an_interrupt_ends_everything() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let cancel = Cancel::new();
        let ends = cancel.clone();
        let on_text = Box::new(move |text: &str| {
            if text == "begun\n" {
                ends.cancel();
            }
        });
        let host = Listener { on_text: Some(on_text), ..Listener::default() };
        let command = "trap '' INT TERM; (setsid sleep 300 &); echo begun; sleep 300";
        let outcome = bench.call(json!({ "command": command }), &host, &cancel).await;
        assert_eq!(outcome.status, CallStatus::Interrupted);
        assert!(outcome.text.starts_with("[interrupted by the user;"), "{}", outcome.text);
        assert!(outcome.text.ends_with("\nbegun"));
    }
}

#[tokio::test]
async fn what_is_left_in_the_background_is_ended_and_that_is_said() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        for command in
            ["sleep 300 & echo done", "(setsid nohup sleep 300 >/dev/null 2>&1 &); echo done"]
        {
            let (outcome, _) = bench.run(command).await;
            assert_eq!(
                outcome.text,
                "exit code: 0\ndone\n[something that it had started in the background was ended with it]",
                "{isolation:?} {command}"
            );
        }
        let (outcome, _) = bench.run("sleep 0.01 & wait; echo done | cat").await;
        assert_eq!(outcome.text, "exit code: 0\ndone");
    }
}

#[tokio::test]
async fn a_command_has_no_input_no_terminal_no_pager_and_no_keys() {
    let bench = Bench::with(
        "/bin/bash",
        Isolation::PidNamespace,
        &[
            ("OPENAI_API_KEY", "some-other-value"),
            ("UNSUSPECTED", &format!("x{KEY}y")),
            ("BASH_ENV", "/dev/stdin"),
            ("BASH_FUNC_ls%%", "() { echo not ls; }"),
            ("PAGER", "less"),
            ("KEPT", "yes"),
        ],
    );
    let (outcome, _) = bench.run("cat; read -r x; echo $?; tty; ls").await;
    assert_eq!(outcome.text, "exit code: 0\n1\nnot a tty");
    let (outcome, _) = bench.run("env").await;
    let has = |line: &str| outcome.text.lines().any(|each| each == line);
    for line in ["PAGER=cat", "GIT_TERMINAL_PROMPT=0", "TERM=dumb", "NO_COLOR=1", "KEPT=yes"] {
        assert!(has(line), "{line}: {}", outcome.text);
    }
    for name in ["OPENAI_API_KEY", "UNSUSPECTED", "BASH_ENV", "BASH_FUNC", "REDACTED"] {
        assert!(!outcome.text.contains(name), "{name}: {}", outcome.text);
    }
}

#[tokio::test]
async fn a_key_is_masked_live_and_in_the_result_wherever_it_is_cut() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let (head, tail) = KEY.split_at(9);
        let command = format!(
            "echo {KEY}; printf {head}; sleep 0.5; echo {tail}; printf 'x {head}' >&2; sleep 0.5; echo {tail} >&2"
        );
        let (outcome, host) = bench.run(&command).await;
        let shown = [host.text(Stream::Stdout), host.text(Stream::Stderr)].join("");
        for text in [&outcome.text, &shown] {
            assert!(!text.contains(head) && text.contains("[REDACTED:"), "{text}");
        }
        let told = outcome.command.unwrap().command;
        assert!(!told.contains(KEY) && told.contains("[REDACTED:"), "{told}");
    }
}

#[tokio::test]
async fn an_unfinished_line_is_shown_while_the_command_waits() {
    let bench = Bench::new(Isolation::PidNamespace);
    let seen = bench.root.path().join("seen");
    let on_text = Box::new(move |text: &str| {
        if text == "Go on? [y/N] " {
            fs::write(&seen, "").unwrap();
        }
    });
    let host = Listener { on_text: Some(on_text), ..Listener::default() };
    let command = format!("{WAIT} printf 'Go on? [y/N] '; wait_for seen; echo no");
    let outcome = bench.call(json!({ "command": command }), &host, &Cancel::new()).await;
    assert_eq!(outcome.text, "exit code: 0\nGo on? [y/N] no");
}

/// The most memory that this process ever had, in KiB.
fn peak_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[tokio::test]
async fn a_flood_ends_at_the_limit_and_its_ends_are_kept() {
    let bench = Bench::new(Isolation::PidNamespace);
    // What is made once, such as the search for secrets, does not count.
    bench.run("seq 10000").await;
    for command in ["seq 1000000000", "yes 1234567890 >&2"] {
        let before = peak_kib();
        let host = Listener { keeps_nothing: true, ..Listener::default() };
        let outcome = bench.call(json!({ "command": command }), &host, &Cancel::new()).await;
        assert_eq!(outcome.status, CallStatus::Error, "{}", outcome.text.len());
        assert!(outcome.text.starts_with(
            "[output truncated: it printed more than 64 MiB, so everything it started was ended]\n1"
        ));
        assert!(outcome.text.contains(" lines] ...\n\n"));
        assert!(outcome.text.chars().count() < 30_300);
        assert!(peak_kib() - before <= MEMORY_KIB, "{} KiB", peak_kib() - before);
    }
}

#[tokio::test]
async fn a_call_that_is_dropped_leaves_nothing() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let (host, cancel) = (Listener::default(), Cancel::new());
        let command = format!("(setsid sleep 300 &); touch up; {WAIT} wait_for never");
        let arguments = json!({ "command": command });
        let up = bench.root.path().join("up");
        tokio::select! {
            _ = bench.call(arguments, &host, &cancel) => panic!("it ended"),
            is_up = wait_until(PATIENCE, || up.exists()) => assert!(is_up),
        }
        assert!(wait_until(PATIENCE, || survivors(&bench.mark).is_empty()).await);
    }
}

#[tokio::test]
async fn a_shell_that_cannot_start_is_told() {
    let bench = Bench::with("/no/such/shell", Isolation::PidNamespace, &[]);
    let (outcome, _) = bench.run("true").await;
    assert_eq!(outcome.status, CallStatus::Error);
    assert_eq!(outcome.text, "The command was not run: `/no/such/shell` does not exist");
    let bench = Bench::new(Isolation::PidNamespace);
    let (outcome, _) = bench.run("echo \0x").await;
    assert_eq!(outcome.status, CallStatus::Error);
}

/// A folder that came with its `.git` may name programs there.
#[tokio::test]
async fn a_repository_names_no_program_for_a_look_at_its_state() {
    let bench = Bench::new(Isolation::PidNamespace);
    let (outcome, _) = bench
        .run("git init -q . && git config core.fsmonitor \"touch $PWD/seen; false\" && touch a && git status -s")
        .await;
    assert_eq!(outcome.text, "exit code: 0\n?? a");
    let (outcome, _) = bench.run("GIT_CONFIG_COUNT=0 git status -s; ls seen").await;
    assert!(outcome.text.contains("seen"), "the setting executes nothing: {}", outcome.text);
}

#[test]
fn the_environment_keeps_what_is_no_secret() {
    let given = [
        ("A", "1"),
        ("B", KEY),
        ("OPENAI_API_KEY", "x"),
        ("PS4", "$(touch x)"),
        ("PATH", "bin:/usr/bin::.:/bin"),
        ("GIT_CONFIG_COUNT", "1"),
        ("GIT_CONFIG_KEY_0", "user.name"),
        ("GIT_CONFIG_VALUE_0", "me"),
    ];
    let given = given.map(|(name, value)| (OsStr::new(name), OsStr::new(value)));
    let kept = command_environment(given, &["OPENAI_API_KEY".to_owned()], &[KEY.to_owned()]);
    let names: Vec<&str> = kept.iter().filter_map(|(name, _)| name.to_str()).collect();
    assert!(names.contains(&"A") && names.contains(&"PAGER"));
    let value = |wanted: &str| kept.iter().find(|(name, _)| name == wanted).unwrap().1.to_str();
    assert_eq!(value("PATH"), Some("/usr/bin:/bin"));
    assert_eq!(
        (value("GIT_CONFIG_COUNT"), value("GIT_CONFIG_KEY_0")),
        (Some("5"), Some("user.name"))
    );
    assert_eq!(value("GIT_CONFIG_KEY_1"), Some("core.fsmonitor"));
    assert!(["B", "OPENAI_API_KEY", "PS4"].iter().all(|name| !names.contains(name)));
}
