//! Starts a daemon if none responds, and waits until it does: a permanent one, or one that ends
//! with this program.

use std::ffi::OsString;
use std::fmt::Display;
use std::fs::{DirBuilder, File};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

use contract::failure::{Failure, FailureCode};
use host::environment::{self, Environment};
use redact::Cut;
use supervise::{Attached, Detach, Detached};
use tokio::time::{Instant, sleep};

use crate::{Client, Presence};

/// The daemon's executable.
const PROGRAM: &str = "codex-bridge";

/// How long a daemon may take to respond: a fraction of a second, unless the machine is busy.
pub const START_LIMIT: Duration = Duration::from_secs(30);

/// The polling interval.
const INTERVAL: Duration = Duration::from_millis(25);

/// The daemon's exit code when another one has locked the state folder, including one that is just starting.
const IN_USE: i32 = 75;

/// How much of the end of the log is shown, in bytes.
const LOG_TAIL_BYTES: u64 = 600;

/// Starts a daemon in this program's environment.
#[derive(Debug)]
pub struct Launch {
    detach: Detach,
}

/// A started daemon, observed by the program that started it.
#[derive(Debug)]
pub struct Started<P> {
    /// The handle of the daemon's process.
    pub process: P,
    /// Its executable.
    pub program: PathBuf,
    /// Its log file.
    pub log: PathBuf,
}

/// A process whose end can be observed.
pub trait Watched {
    /// Its exit status, if it has ended.
    ///
    /// # Errors
    /// The kernel's error.
    fn ended(&mut self) -> io::Result<Option<ExitStatus>>;
}

impl Watched for Detached {
    fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        Self::ended(self)
    }
}

impl Watched for Attached {
    fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        Self::ended(self)
    }
}

impl Launch {
    /// The daemon that is installed beside this program, with its state in `state_dir` and its log in
    /// `log`; `args` follow `serve`. It starts in `/`, so paths in variables must
    /// be absolute.
    ///
    /// # Errors
    /// `bridge_unreachable` if it is not installed.
    pub fn new(
        environment: &Environment,
        state_dir: &Path,
        log: &Path,
        args: impl IntoIterator<Item = OsString>,
    ) -> Result<Self, Failure> {
        let program = host::installed_beside(PROGRAM).map_err(failed)?;
        let own = environment.clone().with(environment::STATE_DIR, state_dir);
        let args = [OsString::from("serve")].into_iter().chain(args).collect();
        let env = own.variables().map(|(name, value)| (name.into(), value.into())).collect();
        Ok(Self { detach: Detach { program, args, env, log: log.to_owned() } })
    }

    /// Starts a daemon that continues when this program ends. Its state folder is created.
    ///
    /// # Errors
    /// `bridge_unreachable`.
    pub fn detached(self, state_dir: &Path) -> Result<Started<Detached>, Failure> {
        let make = || match state_dir.exists() {
            true => Ok(()),
            false => DirBuilder::new().recursive(true).mode(0o700).create(state_dir),
        };
        self.start(|detach| {
            make()?;
            supervise::detach(detach)
        })
    }

    /// Starts a daemon that ends when the result is dropped, or when this program ends in any way.
    ///
    /// # Errors
    /// `bridge_unreachable`.
    pub fn attached(self) -> Result<Started<Attached>, Failure> {
        self.start(supervise::attach)
    }

    fn start<P>(self, start: impl FnOnce(&Detach) -> io::Result<P>) -> Result<Started<P>, Failure> {
        let process = start(&self.detach);
        let Detach { program, log, .. } = self.detach;
        match process {
            Ok(process) => Ok(Started { process, program, log }),
            Err(error) => {
                let (program, log) = (program.display(), log.display());
                Err(failed(format!("{program} with its log in {log}: {error}")))
            }
        }
    }
}

impl<P: Watched> Started<P> {
    /// Waits until the daemon responds, at most until `deadline` or for half a minute. `client` looks
    /// it up again for each attempt, because the daemon writes its address only when it listens.
    ///
    /// # Errors
    /// `bridge_unreachable`, with the end of the daemon's log.
    ///
    /// # Cancel safety
    /// If the future is dropped, the daemon continues.
    pub async fn answered(
        &mut self,
        client: impl Fn() -> Option<Client>,
        deadline: Instant,
    ) -> Result<Client, Failure> {
        let deadline = deadline.min(Instant::now() + START_LIMIT);
        loop {
            let mut last = "it has not said where it listens".to_owned();
            if let Some(client) = client() {
                match client.presence(deadline).await {
                    Presence::Serving(_) => return Ok(client),
                    Presence::Nobody(failure) | Presence::Unusable(failure) => {
                        last = failure.error.message;
                    }
                }
            }
            if let Ok(Some(status)) = self.process.ended()
                && status.code() != Some(IN_USE)
            {
                return Err(failed(format!("it ended at once ({status}):\n{}", tail(&self.log))));
            }
            if Instant::now() >= deadline {
                let said = tail(&self.log);
                return Err(failed(format!("it does not answer in time ({last}):\n{said}")));
            }
            sleep(INTERVAL).await;
        }
    }
}

/// The failure with the reason why there is no daemon.
pub fn failed(why: impl Display) -> Failure {
    Failure::new(
        FailureCode::BridgeUnreachable,
        format!("codex-bridge does not run and could not be started: {why}"),
    )
}

/// The end of the daemon's log.
fn tail(log: &Path) -> String {
    let read = || -> io::Result<Vec<u8>> {
        let mut file = File::open(log)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(LOG_TAIL_BYTES)))?;
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        Ok(text)
    };
    let bytes = read().unwrap_or_default();
    redact::sanitize(String::from_utf8_lossy(&bytes).trim(), Cut::NONE)
}
