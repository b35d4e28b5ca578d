//! Notifies the supervisor, systemd or pm2: ready, alive, stopping.
//!
//! Errors here never stop the daemon: a supervisor that does not respond is logged once.

mod inherited;
mod notify;

use std::fs::File;
use std::io::Write;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::sync::Mutex;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

pub use inherited::Inherited;
use notify::NotifySocket;

use crate::config::Environment;
use crate::config::environment::{NOTIFY_SOCKET, WATCHDOG_PID, WATCHDOG_USEC};

/// The message of a Node.js child process (`process.send("ready")`): JSON and a line end.
/// pm2 7 waits for it with `wait_ready`.
const PM2_READY: &[u8] = b"\"ready\"\n";

/// The supervisor of this process, if it has one.
#[derive(Debug)]
pub struct Supervisor {
    /// systemd's notification socket.
    notify: Option<NotifySocket>,
    /// systemd's watchdog timeout.
    watchdog: Option<Duration>,
    /// pm2's channel. Kept open to the end: pm2 treats its closing as a disconnect.
    channel: Option<Mutex<File>>,
}

impl Supervisor {
    /// The supervisor that the environment names. `channel` is pm2's, from [`Inherited`].
    #[must_use]
    pub fn new(environment: &Environment, channel: Option<OwnedFd>) -> Self {
        let notify =
            environment.get(NOTIFY_SOCKET).and_then(|name| match NotifySocket::new(name) {
                Ok(socket) => Some(socket),
                Err(error) => {
                    tracing::warn!(%error, "the service manager cannot be notified");
                    None
                }
            });
        Self {
            watchdog: notify.as_ref().and_then(|_| watchdog(environment)),
            notify,
            channel: channel.map(File::from).map(Mutex::new),
        }
    }

    /// Reports that requests are served from now on.
    pub fn ready(&self, address: Option<SocketAddr>) {
        let status = match address {
            Some(address) => format!("listening on http://{address}"),
            None => "listening".to_owned(),
        };
        self.notify(&format!("READY=1\nSTATUS={status}"));
        if let Some(channel) = &self.channel
            && let Ok(mut channel) = channel.lock()
            && let Err(error) = channel.write_all(PM2_READY)
        {
            tracing::warn!(%error, "pm2 cannot be told that the daemon is ready");
        }
    }

    /// Reports that the daemon is stopping.
    pub fn stopping(&self) {
        self.notify("STOPPING=1\nSTATUS=runs in flight may finish");
    }

    /// Sends a keep-alive at half the watchdog's timeout, as long as `alive` returns true in time: it
    /// should check what the daemon cannot work without. That this task runs shows that the runtime
    /// works. Returns at once without a watchdog.
    ///
    /// # Cancel safety
    /// Can be dropped at any time; keep-alives stop then.
    pub async fn watch(&self, alive: impl AsyncFn() -> bool, stop: CancellationToken) {
        let Some(limit) = self.watchdog else { return };
        let mut ticks = tokio::time::interval(limit / 2);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            // Both arms are cancel safe.
            tokio::select! {
                () = stop.cancelled() => return,
                _ = ticks.tick() => {}
            }
            match tokio::time::timeout(limit / 4, alive()).await {
                Ok(true) => self.notify("WATCHDOG=1"),
                Ok(false) => tracing::error!("no sign of life for the watchdog: a check failed"),
                Err(_) => tracing::error!("no sign of life for the watchdog: a check hangs"),
            }
        }
    }

    fn notify(&self, message: &str) {
        if let Some(notify) = &self.notify
            && let Err(error) = notify.send(message)
        {
            tracing::warn!(%error, "the service manager cannot be notified");
        }
    }
}

/// The watchdog's timeout, if it is meant for this process (sd_watchdog_enabled(3)).
fn watchdog(environment: &Environment) -> Option<Duration> {
    let number = |name| environment.text(name).and_then(|text| text.parse::<u64>().ok());
    let limit = number(WATCHDOG_USEC).filter(|micros| *micros > 0).map(Duration::from_micros)?;
    let ours = match environment.get(WATCHDOG_PID) {
        Some(_) => number(WATCHDOG_PID) == Some(u64::from(std::process::id())),
        None => true,
    };
    ours.then_some(limit)
}

#[cfg(test)]
mod tests;
