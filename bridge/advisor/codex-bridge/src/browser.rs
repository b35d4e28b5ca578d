//! Opens a link in the user's browser and leaves the browser running.

use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

use host::UserFolder;
use host::environment::{self, Environment};
use supervise::Detach;
use tokio::time::Instant;

/// Programs that open a link in the user's browser: on desktops, under WSL and on Debian.
const OPENERS: [&str; 3] = ["xdg-open", "wslview", "sensible-browser"];

/// Variables of which one is set if there is a display; the last one under WSL.
const SCREENS: [&str; 3] = ["DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"];

/// How long the opener is observed: one that cannot open anything exits within this time.
const FAILURE_LIMIT: Duration = Duration::from_secs(1);

/// Polling interval.
const INTERVAL: Duration = Duration::from_millis(20);

/// Why no browser was opened.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoBrowser {
    /// There is no display.
    #[error(
        "there is no screen here (none of DISPLAY, WAYLAND_DISPLAY and WSL_DISTRO_NAME is set)"
    )]
    NoScreen,
    /// No opener is installed.
    #[error("there is none of the programs {}", OPENERS.join(", "))]
    NoOpener,
    /// The opener could not be started.
    #[error("{} cannot be started", program.display())]
    NotStarted {
        program: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The opener exited with a failure.
    #[error("{} ended with {status}", program.display())]
    Failed {
        program: PathBuf,
        /// Its exit status.
        status: ExitStatus,
    },
}

/// Opens the link in the user's browser, which keeps running after this program has ended.
///
/// # Errors
/// [`NoBrowser`], by cause.
///
/// # Cancel safety
/// A dropped call may have started the browser.
pub(crate) async fn open(url: &str, environment: &Environment) -> Result<(), NoBrowser> {
    if !SCREENS.iter().any(|screen| environment.get(screen).is_some()) {
        return Err(NoBrowser::NoScreen);
    }
    let path = environment.get(environment::PATH).unwrap_or_default();
    let mut openers = OPENERS.iter();
    let program = openers.find_map(|name| host::find_program(name, path));
    let program = program.ok_or(NoBrowser::NoOpener)?;
    let failed = |source| NoBrowser::NotStarted { program: program.clone(), source };
    let detach = Detach {
        program: program.clone(),
        args: vec![url.into()],
        env: environment.variables().map(|(name, value)| (name.into(), value.into())).collect(),
        log: log(environment).map_err(failed)?,
    };
    let mut opener = supervise::detach(&detach).map_err(failed)?;
    let deadline = Instant::now() + FAILURE_LIMIT;
    loop {
        match opener.ended().map_err(failed)? {
            Some(status) if status.success() => return Ok(()),
            Some(status) => return Err(NoBrowser::Failed { program, status }),
            // Some openers replace themselves with the browser and do not exit.
            None if Instant::now() >= deadline => return Ok(()),
            None => tokio::time::sleep(INTERVAL).await,
        }
    }
}

/// Path of the file for the browser's output; an old file is removed.
fn log(environment: &Environment) -> io::Result<PathBuf> {
    let cache = environment.user_folder(UserFolder::Cache).unwrap_or_else(std::env::temp_dir);
    let folder = cache.join("codex-bridge");
    DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
    // Without a home folder it lies where every user may make folders.
    host::own::check_settings_folder(&folder)?;
    let log = folder.join(OsString::from("browser.log"));
    match fs::remove_file(&log) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(log),
    }
}
