//! The executable as a user and a supervisor run it.

#![expect(clippy::unwrap_used, reason = "tests")]
#![expect(clippy::disallowed_methods, reason = "the executable under test is started here")]

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixDatagram, UnixListener, UnixStream};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

const EXECUTABLE: &str = env!("CARGO_BIN_EXE_codex-bridge");

/// Longest wait for something that must happen.
const LIMIT: Duration = Duration::from_secs(20);

/// A home of its own, and nothing of ours in the environment.
struct Home(TempDir);

impl Home {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn state(&self) -> std::path::PathBuf {
        self.0.path().join("state/codex-bridge")
    }

    /// `program ARGS` with this home.
    fn program(&self, program: &str, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(args).env_clear().env("HOME", self.0.path()).env("PATH", "/usr/bin:/bin");
        command.env("TMPDIR", std::env::temp_dir());
        command.env("XDG_STATE_HOME", self.0.path().join("state")).stdin(Stdio::null());
        command
    }

    fn command(&self, args: &[&str]) -> Command {
        self.program(EXECUTABLE, args)
    }

    /// `codex-bridge serve` started by a shell that puts its own stdin on descriptor 3, as a
    /// supervisor would.
    fn serve_with_descriptor(&self, descriptor: impl Into<OwnedFd>, setup: &str) -> Daemon {
        let script = format!("exec 3<&0 0</dev/null; {setup}; exec {EXECUTABLE} serve \"$@\"");
        let args = ["-c", &script, "sh", "--listen", "127.0.0.1:0", "--log-format", "json"];
        let mut command = self.program("/bin/sh", &args);
        command.stdin(Stdio::from(descriptor.into()));
        Daemon::start(&mut command)
    }

    /// The address in the state folder, once it is there.
    fn address(&self, daemon: &mut Daemon) -> String {
        let path = self.state().join("address");
        wait_for("the address file", || {
            assert!(daemon.0.try_wait().unwrap().is_none(), "the daemon has ended");
            fs::read_to_string(&path).ok().map(|text| text.trim().to_owned())
        })
    }
}

/// A daemon that is killed at the end of its test, whatever happens.
struct Daemon(Child);

impl Daemon {
    fn start(command: &mut Command) -> Self {
        Self(command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap())
    }

    fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(i32::try_from(self.0.id()).unwrap()).unwrap();
        kill_process(pid, signal).unwrap();
    }

    /// Its exit code and what it wrote to stderr.
    fn end(mut self) -> (Option<i32>, String) {
        let mut log = String::new();
        self.0.stderr.take().unwrap().read_to_string(&mut log).unwrap();
        (self.0.wait().unwrap().code(), log)
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn wait_for<T>(what: &str, mut condition: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(value) = condition() {
            return value;
        }
        assert!(started.elapsed() < LIMIT, "waited too long for {what}");
        std::thread::yield_now();
    }
}

/// The note beside an address, of a process that began at `started`.
fn note(address: &str, pid: u32, started: u64) -> String {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
    let namespace = fs::read_link("/proc/self/ns/pid").unwrap();
    let (boot, namespace) = (boot.trim(), namespace.display());
    format!("{address}\npid {pid}\nstarted {started}\nboot {boot}\nnamespace {namespace}\n")
}

fn text(output: &Output) -> (Option<i32>, String, String) {
    let utf8 = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code(), utf8(&output.stdout), utf8(&output.stderr))
}

fn healthz(address: &str) -> String {
    let authority = address.strip_prefix("http://").unwrap();
    healthz_over(TcpStream::connect(authority).unwrap())
}

fn healthz_over(mut stream: impl Read + Write) -> String {
    let request = "GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.lines().next().unwrap().to_owned()
}

#[test]
fn completions_are_there_for_every_shell() {
    for shell in ["bash", "zsh", "fish"] {
        let home = Home::new();
        let output = home.command(&["completions", shell]).output().unwrap();
        let (code, stdout, _) = text(&output);
        assert_eq!(code, Some(0));
        assert!(stdout.contains("serve") && stdout.contains("rotate"), "{shell}");
    }
}

#[test]
fn schemas_and_the_openapi_document_are_json() {
    let home = Home::new();
    let (_, names, _) = text(&home.command(&["schema"]).output().unwrap());
    assert!(names.lines().count() >= 4, "{names}");
    for args in names.lines().map(|name| vec!["schema", name]).chain([vec!["openapi"]]) {
        let (code, stdout, _) = text(&home.command(&args).output().unwrap());
        assert_eq!(code, Some(0), "{args:?}");
        assert!(serde_json::from_str::<serde_json::Value>(&stdout).is_ok(), "{args:?}");
    }
    let (code, _, stderr) = text(&home.command(&["schema", "advise"]).output().unwrap());
    assert_eq!(code, Some(2));
    assert!(stderr.contains("advisor-input"), "{stderr}");
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let home = Home::new();
    for args in [&["config", "--default"][..], &["openapi"], &["--help"], &["completions", "zsh"]] {
        let (reader, writer) = UnixStream::pair().unwrap();
        drop(reader);
        let output =
            home.command(args).stdout(Stdio::from(OwnedFd::from(writer))).output().unwrap();
        assert_eq!(text(&output), (Some(0), String::new(), String::new()), "{args:?}");
    }
}

#[test]
fn a_wrong_command_line_is_2_and_a_wrong_configuration_78() {
    let home = Home::new();
    let (code, _, stderr) = text(&home.command(&["serv"]).output().unwrap());
    assert_eq!(code, Some(2));
    assert!(stderr.contains("serve"), "{stderr}");
    for command in ["serve", "config", "token"] {
        let output = home.command(&[command, "--max-running", "many", "--set", "x=1"]).output();
        let (code, stdout, stderr) = text(&output.unwrap());
        assert_eq!((code, stdout.as_str()), (Some(78), ""), "{command}");
        assert!(stderr.contains("limits.max_running") && stderr.contains("x (flag --set)"));
    }
    let output = home.command(&["config", "--json", "--listen", "0.0.0.0:1"]).output().unwrap();
    let (code, stdout, _) = text(&output);
    assert_eq!(code, Some(78));
    let faults: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(faults["faults"][0]["key"], "listen");
}

#[test]
fn the_token_is_printed_kept_and_rotated() {
    let home = Home::new();
    let token = |args: &[&str]| text(&home.command(args).output().unwrap());
    let (code, first, stderr) = token(&["token"]);
    assert_eq!((code, stderr.as_str(), first.trim().len()), (Some(0), "", 43));
    assert_eq!(token(&["token"]).1, first);
    let (_, path, _) = token(&["token", "--path"]);
    assert_eq!(fs::metadata(path.trim()).unwrap().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(home.state()).unwrap().mode() & 0o777, 0o700);
    assert_ne!(token(&["token", "--rotate"]).1, first);
    fs::set_permissions(path.trim(), fs::Permissions::from_mode(0o644)).unwrap();
    for args in [&["token"][..], &["serve", "--listen", "127.0.0.1:0"]] {
        let (code, stdout, stderr) = token(args);
        assert_eq!((code, stdout.as_str()), (Some(78), ""), "{args:?}");
        assert!(stderr.contains("chmod 600"), "{stderr}");
    }
}

#[test]
fn a_taken_address_is_98() {
    let home = Home::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let (code, _, stderr) = text(&home.command(&["serve", "--listen", &address]).output().unwrap());
    assert_eq!(code, Some(98), "{stderr}");
    assert!(stderr.contains(&address), "{stderr}");
    assert!(!home.state().join("address").exists());
}

#[test]
fn systemd_is_told_and_the_address_lives_as_long_as_the_daemon() {
    for signal in [Signal::TERM, Signal::INT] {
        let home = Home::new();
        let notify_path = home.0.path().join("notify");
        let notify = UnixDatagram::bind(&notify_path).unwrap();
        notify.set_read_timeout(Some(LIMIT)).unwrap();
        let heard = || {
            let mut buffer = [0; 256];
            let length = notify.recv(&mut buffer).unwrap();
            String::from_utf8(buffer[..length].to_vec()).unwrap()
        };
        let mut command = home.command(&["serve", "--listen", "127.0.0.1:0"]);
        command.env("NOTIFY_SOCKET", &notify_path).env("WATCHDOG_USEC", "2000000");
        let mut daemon = Daemon::start(&mut command);
        let ready = heard();
        let address = home.address(&mut daemon);
        assert_eq!(ready, format!("READY=1\nSTATUS=listening on {address}"));
        assert_eq!(healthz(&address), "HTTP/1.1 200 OK");
        assert_eq!(heard(), "WATCHDOG=1");
        daemon.signal(signal);
        let stopping = std::iter::repeat_with(heard).find(|message| message != "WATCHDOG=1");
        assert!(stopping.unwrap().starts_with("STOPPING=1"));
        let (code, log) = daemon.end();
        assert_eq!(code, Some(0), "{log}");
        assert!(!home.state().join("address").exists());
        for line in log.lines() {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            assert!(line["time"].is_string() && line["level"].is_string(), "{line}");
        }
    }
}

#[test]
fn systemds_socket_is_served() {
    let home = Home::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let expected = format!("http://{}", listener.local_addr().unwrap());
    let setup = "export LISTEN_FDS=1 LISTEN_PID=$$";
    let mut daemon = home.serve_with_descriptor(listener, setup);
    assert_eq!(home.address(&mut daemon), expected);
    assert_eq!(healthz(&expected), "HTTP/1.1 200 OK");
    daemon.signal(Signal::TERM);
    assert_eq!(daemon.end().0, Some(0));
}

#[test]
fn systemds_unix_socket_is_served_and_left_in_place() {
    let home = Home::new();
    let path = home.0.path().join("bridge.sock");
    let listener = UnixListener::bind(&path).unwrap();
    let daemon = home.serve_with_descriptor(listener, "export LISTEN_FDS=1 LISTEN_PID=$$");
    assert_eq!(healthz_over(UnixStream::connect(&path).unwrap()), "HTTP/1.1 200 OK");
    daemon.signal(Signal::TERM);
    assert_eq!(daemon.end().0, Some(0));
    assert!(path.exists(), "it is the supervisor's");
}

#[test]
fn an_inherited_socket_that_others_reach_is_refused() {
    let home = Home::new();
    let listener = TcpListener::bind("0.0.0.0:0").unwrap();
    let setup = "export LISTEN_FDS=1 LISTEN_PID=$$";
    let (code, log) = home.serve_with_descriptor(listener, setup).end();
    assert_eq!(code, Some(78), "{log}");
    assert!(log.contains("--allow-remote"), "{log}");
}

#[test]
fn pm2_is_told_over_its_channel() {
    let home = Home::new();
    let (ours, theirs) = UnixStream::pair().unwrap();
    let daemon = home.serve_with_descriptor(theirs, "export NODE_CHANNEL_FD=3");
    ours.set_read_timeout(Some(LIMIT)).unwrap();
    let mut message = [0; 8];
    (&ours).read_exact(&mut message).unwrap();
    assert_eq!(&message, b"\"ready\"\n");
    daemon.signal(Signal::INT);
    assert_eq!(daemon.end().0, Some(0));
    assert_eq!((&ours).read(&mut message).unwrap(), 0, "nothing more was said");
}

#[test]
fn a_channel_that_is_none_is_no_failure() {
    for setup in
        ["export NODE_CHANNEL_FD=3", "export NODE_CHANNEL_FD=77", "export NODE_CHANNEL_FD=x"]
    {
        let home = Home::new();
        let file = fs::File::open(Path::new("/dev/null")).unwrap();
        let mut daemon = home.serve_with_descriptor(file, setup);
        let address = home.address(&mut daemon);
        assert_eq!(healthz(&address), "HTTP/1.1 200 OK");
        daemon.signal(Signal::TERM);
        let (code, log) = daemon.end();
        assert_eq!(code, Some(0));
        assert!(log.contains("no channel to pm2"), "{log}");
    }
}

#[test]
fn a_dead_log_does_not_stop_the_daemon() {
    let home = Home::new();
    let mut daemon = Daemon::start(&mut home.command(&[
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--log-level",
        "trace",
    ]));
    drop(daemon.0.stderr.take());
    let address = home.address(&mut daemon);
    for _ in 0..3 {
        assert_eq!(healthz(&address), "HTTP/1.1 200 OK");
    }
    daemon.signal(Signal::TERM);
    assert_eq!(daemon.0.wait().unwrap().code(), Some(0));
}

/// What `doctor --json` found, as `level name: message`, without what differs between machines.
fn doctor(home: &Home, args: &[&str]) -> (Option<i32>, Vec<String>) {
    let output = home.command(&[&["doctor", "--json"], args].concat()).output().unwrap();
    let (code, stdout, stderr) = text(&output);
    assert_eq!(stderr, "");
    let report: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(report["healthy"], code == Some(0));
    let findings = report["findings"].as_array().unwrap().iter().filter_map(|finding| {
        let field = |name: &str| finding[name].as_str().unwrap_or_default();
        let to_mend = matches!(field("level"), "warn" | "fail");
        assert_eq!(finding["mend"].is_string(), to_mend, "{finding}");
        let message = field("message").replace(home.0.path().to_str().unwrap(), "HOME");
        let line = format!("{} {}: {message}", field("level"), field("name"));
        let machine =
            ["clock", "descriptors", "isolation", "supervision", "state_medium", "versions"];
        let differs = machine.contains(&field("name")) || field("name") == "state_space";
        (!differs).then_some(line)
    });
    (code, findings.collect())
}

#[test]
fn the_doctor_tells_what_is_broken() {
    let home = Home::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    fs::create_dir_all(home.state()).unwrap();
    fs::set_permissions(home.state(), fs::Permissions::from_mode(0o700)).unwrap();
    fs::write(home.state().join("token"), "short").unwrap();
    fs::set_permissions(home.state().join("token"), fs::Permissions::from_mode(0o600)).unwrap();
    let set = ["--listen", &address, "--codex-bin", "/nonexistent/codex"];
    let (code, findings) = doctor(&home, &set);
    assert_eq!(code, Some(1));
    let token = "the token file HOME/state/codex-bridge/token does not hold a token, which is \
                 32 to 512 letters, digits and signs of `-._~+/=`; `codex-bridge token --rotate` \
                 makes a new one";
    assert_eq!(
        findings,
        [
            "ok configuration: in order; there is no file, so the defaults count",
            "warn state_dir: HOME/state/codex-bridge is below a temp folder, which the system empties",
            "ok state_writable: files can be written",
            &format!("fail token: {token}"),
            "fail codex_found: codex.bin is /nonexistent/codex, but no such file exists",
            "skip codex_version: not looked at, because codex_found failed",
            "skip codex_proof: not looked at, because codex_found failed",
            "skip codex_home: not looked at, because codex_found failed",
            "skip codex_driver: not looked at, because codex_found failed",
            "skip sign_in: not looked at, because codex_found failed",
            &format!("fail daemon: another program listens on {address}"),
        ]
    );
}

#[test]
fn the_doctor_tells_who_else_may_write_to_the_state() {
    let home = Home::new();
    fs::create_dir_all(home.state()).unwrap();
    fs::set_permissions(home.state(), fs::Permissions::from_mode(0o770)).unwrap();
    let (code, findings) = doctor(&home, &["--listen", "127.0.0.1:0"]);
    assert_eq!(code, Some(1));
    let state = "fail state_dir: other users may write into the state folder \
                 HOME/state/codex-bridge (mode 770); run `chmod 700 HOME/state/codex-bridge`";
    assert!(findings.iter().any(|finding| finding == state), "{findings:#?}");
    assert!(findings.iter().any(|finding| finding == "fail codex: not looked at"), "{findings:#?}");
}

#[test]
fn the_doctor_tells_every_fault_of_the_configuration() {
    let home = Home::new();
    let (code, findings) = doctor(&home, &["--max-running", "0", "--set", "x=1"]);
    assert_eq!(code, Some(1));
    assert_eq!(
        findings,
        [
            "fail configuration: x (flag --set): no such setting",
            "fail configuration: limits.max_running = \"0\" (flag --max-running): expected a whole number from 1 to 64",
        ]
    );
}

#[test]
fn the_doctor_knows_the_running_daemon_and_its_token() {
    let home = Home::new();
    let mut daemon = Daemon::start(&mut home.command(&["serve", "--listen", "127.0.0.1:0"]));
    let address = home.address(&mut daemon);
    let answers = format!("ok daemon: {} answers on {address}", env!("CARGO_PKG_VERSION"));
    let (_, findings) = doctor(&home, &[]);
    assert!(findings.contains(&answers), "{findings:#?}");
    let lacks_codex =
        |finding: &String| finding.starts_with("fail daemon_ready: it says codex_found");
    assert!(findings.iter().any(lacks_codex), "{findings:#?}");
    assert!(home.command(&["token", "--rotate"]).output().unwrap().status.success());
    let (_, findings) = doctor(&home, &[]);
    let other = "fail daemon_token: the running daemon has another token than this setup";
    assert!(findings.iter().any(|finding| finding == other), "{findings:#?}");
    daemon.signal(Signal::TERM);
    assert_eq!(daemon.end().0, Some(0));
    let (_, findings) = doctor(&home, &["--listen", "127.0.0.1:0"]);
    assert!(findings.contains(&"warn daemon: it does not run".to_owned()), "{findings:#?}");
}

#[test]
fn the_doctors_words_for_people_end_with_a_sum() {
    let home = Home::new();
    let output = home.command(&["doctor", "--set", "x=1"]).output().unwrap();
    let (code, stdout, _) = text(&output);
    assert_eq!(code, Some(1));
    assert!(stdout.contains("fail  configuration  x (flag --set): no such setting\n"), "{stdout}");
    assert!(
        stdout.contains("\n                     mend: `codex-bridge config --default`"),
        "{stdout}"
    );
    assert!(stdout.lines().last().unwrap().starts_with("1 to mend"), "{stdout}");
}

#[test]
fn a_second_daemon_on_the_same_state_is_75() {
    let home = Home::new();
    let mut first = Daemon::start(&mut home.command(&["serve", "--listen", "127.0.0.1:0"]));
    let address = home.address(&mut first);
    let output = home.command(&["serve", "--listen", "127.0.0.1:0"]).output().unwrap();
    let (code, _, stderr) = text(&output);
    assert_eq!(code, Some(75), "{stderr}");
    assert!(stderr.contains("in use by another codex-bridge"), "{stderr}");
    assert_eq!(home.address(&mut first), address, "the first one's address stays");
}

#[test]
fn stop_ends_the_daemon_of_the_state_folder() {
    let home = Home::new();
    let stop = |args: &[&str]| text(&home.command(&[&["stop"], args].concat()).output().unwrap());
    assert_eq!(stop(&[]), (Some(0), "codex-bridge does not run\n".to_owned(), String::new()));
    let mut daemon = Daemon::start(&mut home.command(&["serve", "--listen", "127.0.0.1:0"]));
    home.address(&mut daemon);
    let (code, told, _) = stop(&["--json"]);
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    assert_eq!((code, told["outcome"].as_str()), (Some(0), Some("stopped")), "{told}");
    assert_eq!(told["pid"], daemon.0.id());
    let (code, log) = daemon.end();
    assert!(code == Some(0) && log.contains("runs in flight may finish"), "{code:?} {log}");
    assert_eq!(stop(&["--json"]).0, Some(0), "there is nothing left to stop");
}

#[test]
fn stop_signals_nothing_that_is_not_proven_to_be_the_daemon() {
    let home = Home::new();
    let state = home.state();
    fs::create_dir_all(&state).unwrap();
    fs::set_permissions(&state, fs::Permissions::from_mode(0o700)).unwrap();
    let mut other = Daemon(Command::new("sleep").arg("60").spawn().unwrap());
    let address = "http://127.0.0.1:1";
    fs::write(state.join("address"), format!("{address}\n")).unwrap();
    let stop = || text(&home.command(&["stop"]).output().unwrap());
    let (code, _, told) = stop();
    assert!(code == Some(1) && told.contains("not which process it is"), "{told}");
    // The number is another process's by now.
    fs::write(state.join("address.process"), note(address, other.0.id(), 1)).unwrap();
    assert_eq!(stop().0, Some(0));
    // It is the note of another address.
    fs::write(state.join("address.process"), note("http://x", other.0.id(), 1)).unwrap();
    assert_eq!(stop().0, Some(1));
    // Somebody else could have written it.
    fs::set_permissions(&state, fs::Permissions::from_mode(0o777)).unwrap();
    assert_eq!(stop().0, Some(78));
    assert!(other.0.try_wait().unwrap().is_none(), "it was left alone");
}
