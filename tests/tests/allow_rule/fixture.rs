//! A machine full of traps: programs that leave a trace, files that must not be read or shown, and
//! listeners that must not be contacted; and the user's own files, which may be used.

use std::fs::{self, File, Permissions};
use std::io::{Read as _, Write as _};
use std::mem::MaybeUninit;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use rustix::fs::inotify;
use tests::harness::{StateDir, install};

/// Stands in every file that must not be shown, in whatever form, and in every foreign token.
pub(crate) const CANARY: &str = "kanarie";

/// The names under which programs are planted: ours, and what programs like ours tend to start.
const PROGRAMS: [&str; 14] = [
    "codex-bridge",
    "codex-advisor",
    "codex",
    "sh",
    "bash",
    "env",
    "git",
    "less",
    "vi",
    "cat",
    "curl",
    "id",
    "setsid",
    "xdg-open",
];

/// The files outside of the project whose content nobody may read: name and content.
const SECRETS: [(&str, &str); 7] = [
    ("vault-token", "hvs.kanarieCAESIJ8sAbCdEfGhIjKlMnOp"),
    ("pat", "ghp_kanarie8901234567890123456789012345"),
    ("shadow", "root:*:1:0\nbackup:kanarie:20228:0:99999:7:::\n"),
    ("config.yaml", "kanarie_key: kanarie-value\nproblem: 3\n"),
    ("config.json", "{\"kanarie\": {\"token\": \"kanarie-value\"}}"),
    ("env", "API_KEY=kanarie-value\nexport B=\"kanarie"),
    ("list.yaml", "- kanarie: [kanarie, *kanarie]\n- &kanarie !kanarie x\n"),
];

/// The traps, and what was caught in them.
pub(crate) struct Fixture {
    pub(crate) folder: StateDir,
    /// Where our programs are installed: the advisor, and a daemon that only leaves a trace.
    pub(crate) bin: PathBuf,
    /// Connections to the user's own place.
    pub(crate) own_connections: Arc<AtomicUsize>,
    pub(crate) own_address: SocketAddr,
    /// Connections to somebody else's.
    pub(crate) foreign_connections: Arc<AtomicUsize>,
    pub(crate) foreign_addresses: Vec<String>,
    watch: OwnedFd,
}

/// What was caught since the last look.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Caught {
    /// Lines of the trace: programs that ran.
    pub(crate) programs: Vec<String>,
    /// How often a secret file was read.
    pub(crate) reads: usize,
    /// How often a foreign listener was spoken to.
    pub(crate) connections: usize,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        let folder = StateDir::new().unwrap();
        let bin = folder.root().join("bin");
        fs::create_dir(&bin).unwrap();
        install(env!("CARGO_BIN_EXE_advisor-under-test"), &bin.join("codex-advisor")).unwrap();
        let (own_address, own_connections) = tcp_listener();
        let (foreign_address, foreign_connections) = tcp_listener();
        let evil = folder.root().join("evil");
        fs::create_dir_all(evil.join("bin")).unwrap();
        let socket = evil.join("socket");
        unix_listener(&socket, &foreign_connections);
        let foreign_addresses = vec![
            format!("http://{foreign_address}"),
            foreign_address.to_string(),
            format!("http://localhost:{}", foreign_address.port()),
            format!("unix:{}", socket.display()),
        ];
        let watch = inotify::init(inotify::CreateFlags::NONBLOCK).unwrap();
        let fixture = Self {
            folder,
            bin,
            own_connections,
            own_address,
            foreign_connections,
            foreign_addresses,
            watch,
        };
        fixture.script(&fixture.bin.join("codex-bridge"), "own");
        for name in PROGRAMS {
            fixture.script(&fixture.evil().join("bin").join(name), "foreign");
            fixture.script(&fixture.project().join(name), "foreign");
        }
        fixture.plant();
        fixture
    }

    /// The folder in which everything is somebody else's.
    pub(crate) fn evil(&self) -> PathBuf {
        self.folder.root().join("evil")
    }

    /// Where the agent works.
    pub(crate) fn project(&self) -> PathBuf {
        self.folder.work()
    }

    /// The user's home folder, with a token and the address of `place`.
    pub(crate) fn home(&self, name: &str, place: &str) -> PathBuf {
        let home = self.folder.root().join(name);
        let state = home.join(".local/state/codex-bridge");
        fs::create_dir_all(&state).unwrap();
        fs::set_permissions(&state, Permissions::from_mode(0o700)).unwrap();
        secret(&state.join("token"), &"o".repeat(43));
        fs::write(state.join("address"), format!("{place}\n")).unwrap();
        home
    }

    /// The secret files.
    pub(crate) fn secrets(&self) -> Vec<PathBuf> {
        SECRETS.iter().map(|(name, _)| self.evil().join(name)).collect()
    }

    /// Files that may be standard input: the shell has opened them, so that reading is no finding.
    pub(crate) fn inputs(&self) -> Vec<PathBuf> {
        let copies = SECRETS.iter().map(|(name, _)| self.folder.temp().join(name));
        let question = self.project().join("q.yaml");
        [PathBuf::from("/dev/null"), question].into_iter().chain(copies).collect()
    }

    /// What was caught since the last look.
    pub(crate) fn caught(&self) -> Caught {
        let programs = fs::read_to_string(self.trace()).unwrap_or_default();
        let _ = fs::remove_file(self.trace());
        let mut space = [MaybeUninit::uninit(); 4096];
        let mut reader = inotify::Reader::new(&self.watch, &mut space);
        let mut reads = 0;
        while reader.next().is_ok() {
            reads += 1;
        }
        Caught {
            programs: programs.lines().map(str::to_owned).collect(),
            reads,
            connections: self.foreign_connections.swap(0, Ordering::SeqCst),
        }
    }

    fn trace(&self) -> PathBuf {
        self.folder.temp().join("trace")
    }

    /// A program that leaves a trace.
    fn script(&self, path: &Path, whose: &str) {
        let trace = self.trace();
        let text = format!("#!/bin/sh\necho \"{whose} $0 $*\" >>'{}'\nexit 1\n", trace.display());
        fs::write(path, text).unwrap();
        fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
    }

    fn plant(&self) {
        let (evil, project) = (self.evil(), self.project());
        fs::create_dir(project.join(".git")).unwrap();
        fs::write(project.join("q.yaml"), QUESTION).unwrap();
        for (name, content) in SECRETS {
            secret(&evil.join(name), content);
            secret(&self.folder.temp().join(name), content);
            // In the project it may be read, and must not be shown.
            secret(&project.join(name), content);
            self.watch(&evil.join(name));
        }
        symlink(evil.join("vault-token"), project.join("link")).unwrap();
        symlink(&evil, project.join("folder")).unwrap();
        // A state folder, a home and a configuration that somebody else has made.
        let foreign =
            [evil.join("state"), evil.join(".local/state/codex-bridge"), evil.join("codex-bridge")];
        for state in foreign {
            fs::create_dir_all(&state).unwrap();
            secret(&state.join("token"), &format!("kanarie{}", "x".repeat(36)));
            secret(&state.join("address"), &format!("{}\n", self.foreign_addresses[0]));
            self.watch(&state.join("token"));
            self.watch(&state.join("address"));
        }
        let program = evil.join("bin/codex").display().to_string();
        fs::write(evil.join("config.toml"), format!("[codex]\nbin = \"{program}\"\n")).unwrap();
    }

    fn watch(&self, path: &Path) {
        inotify::add_watch(&self.watch, path, inotify::WatchFlags::ACCESS).unwrap();
    }
}

/// A question that keeps the contract.
const QUESTION: &str = "problem: Which queue?\ncontext: three services\ncandidate_plans:\n\
                        \x20 - {name: outbox, description: write and publish}\nphase: initial\n";

fn secret(path: &Path, content: &str) {
    let mut file = File::create(path).unwrap();
    file.set_permissions(Permissions::from_mode(0o600)).unwrap();
    file.write_all(content.as_bytes()).unwrap();
}

/// An answer that ends every call: no such thing.
const ANSWER: &str = "{\"error\":{\"type\":\"input_error\",\"code\":\"not_found\",\"message\":\"no such run\",\"retryable\":false}}";

fn tcp_listener() -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    // Both end with the test's process.
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            counted.fetch_add(1, Ordering::SeqCst);
            answer(stream);
        }
    });
    (address, count)
}

fn unix_listener(path: &Path, count: &Arc<AtomicUsize>) {
    let (listener, count) = (UnixListener::bind(path).unwrap(), Arc::clone(count));
    thread::spawn(move || {
        for _ in listener.incoming().flatten() {
            count.fetch_add(1, Ordering::SeqCst);
        }
    });
}

fn answer(mut stream: std::net::TcpStream) {
    let _ = stream.set_read_timeout(Some(Duration::from_secs(2)));
    let _ = stream.read(&mut [0; 16 << 10]);
    let length = ANSWER.len();
    let head = "HTTP/1.1 404 Not Found\r\ncontent-type: application/json\r\nconnection: close";
    let _ = write!(stream, "{head}\r\ncontent-length: {length}\r\n\r\n{ANSWER}");
}
