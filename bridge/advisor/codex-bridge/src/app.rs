//! Assembles the daemon: state, service and listeners, and the order of start and shutdown.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use codex_driver::home::threads;
use contract::schema;
use host::{Durability, environment};
use redact::Redactor;
use supervise::Guard;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::codex::{self, Codex};
use crate::config::{Config, Environment};
use crate::http::{self, Access, BindError, ConnectionLimits, Hosts, Listener, Window};
use crate::metrics::Metrics;
use crate::service::{Dependencies, Service};
use crate::shutdown::Shutdown;
use crate::state_dir::AddressFile;
use crate::store::Store;
use crate::store::clock::Clock;
use crate::store::error::{OpenError, StoreError};
use crate::store::record::{Recovery, Settings};
use crate::supervisor::{Inherited, Supervisor};
use crate::token::Tokens;
use crate::window::condition::Surroundings;
use crate::window::name::WindowName;
use crate::window::sign_in::SignIn;
use host::ErrorChain;

/// How often old runs are removed.
const PURGE_EVERY: Duration = Duration::from_secs(3600);

/// Everything needed to start a daemon.
#[derive(Debug)]
pub struct Startup {
    /// The configuration.
    pub config: Config,
    /// The tokens that callers must send.
    pub tokens: Tokens,
    /// The environment: used to find Codex and to build its environment.
    pub environment: Environment,
    /// Sockets that the supervisor opened for this process.
    pub inherited: Inherited,
    /// Receives the notifications: ready, alive, stopping.
    pub supervisor: Supervisor,
    /// What ends the daemon.
    pub life: Lifetime,
}

/// What the daemon's lifetime is tied to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifetime {
    /// Ends on a signal or request.
    Standalone,
    /// Ends with the program that started it.
    Attached,
}

/// Why the daemon could not start serving.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// No address could be bound.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// A socket that the supervisor opened cannot be used.
    #[error("the inherited socket cannot be used")]
    Inherited(#[source] io::Error),
    /// The supervisor opened a socket that other machines can reach.
    #[error(
        "the inherited socket {address} can be reached by other machines; give --allow-remote to accept that"
    )]
    Remote {
        /// Address of the socket.
        address: SocketAddr,
    },
    /// The state folder or the store in it cannot be used.
    #[error(transparent)]
    State(#[from] OpenError),
    /// A file in the state folder cannot be written.
    #[error("{} cannot be written", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The path of this executable is unknown; it also serves as the run guard.
    #[error("the bridge's own executable cannot be found")]
    Executable(#[source] io::Error),
}

/// Serves until a shutdown is requested, then drains.
///
/// # Errors
/// [`ServeError`], by cause; no request was served.
pub async fn serve(startup: Startup, shutdown: Shutdown) -> Result<(), ServeError> {
    let Startup { config, tokens, environment, inherited, supervisor, life } = startup;
    let listeners = listeners(&config, inherited).await?;
    let running = start(config, tokens, &environment, listeners).await?;
    if life == Lifetime::Standalone {
        // Probe Codex now, so that the first question does not wait for it.
        let early = running.service.clone();
        tokio::spawn(async move { early.readiness().await });
    }
    supervisor.ready(Some(running.address));
    let alive = async || running.is_alive().await;
    // Without a watchdog the first future ends at once; the daemon ends with the second.
    tokio::join!(supervisor.watch(alive, shutdown.drain.clone()), shutdown.drain.cancelled());
    // Without a watchdog the daemon still serves.
    shutdown.drain.cancelled().await;
    supervisor.stopping();
    running.stop(&shutdown.now).await;
    Ok(())
}

/// A running daemon.
pub struct Running {
    /// Where it listens on TCP.
    pub address: SocketAddr,
    /// The tokens that callers must send.
    pub tokens: Tokens,
    /// The service behind the routes.
    pub service: Service,
    /// Removes the file when it is dropped.
    address_file: AddressFile,
    store: Store,
    drain: Duration,
    stop_serving: CancellationToken,
    serving: JoinHandle<()>,
    purging: JoinHandle<()>,
}

/// Starts a daemon in a prepared state folder, on listeners that are already bound.
///
/// # Errors
/// [`ServeError`], by cause.
pub async fn start(
    config: Config,
    tokens: Tokens,
    environment: &Environment,
    listeners: Vec<Listener>,
) -> Result<Running, ServeError> {
    let metrics = Arc::new(Metrics::new());
    let store = open_store(&config, &metrics).await?;
    let guard = Guard::current_exe().map_err(ServeError::Executable)?;
    let codex = Codex::new(&config, guard, environment);
    let mut secrets =
        [&tokens.advisor, &tokens.orchestrate].map(|token| token.expose().to_owned()).to_vec();
    secrets.extend(config.codex.api_key.as_ref().map(|key| key.expose().to_owned()));
    secrets.extend(codex.secrets());
    let parts = Dependencies {
        store: store.clone(),
        codex,
        redactor: Redactor::with_values(secrets),
        metrics: Arc::clone(&metrics),
        output_schema: write_schema(&config.state_dir)?,
    };
    let service = Service::new(&config, parts)
        .map_err(|source| ServeError::Write { path: config.state_dir.clone(), source })?;

    let hosts = if config.allow_remote { Hosts::AnyAddress } else { Hosts::Loopback };
    let address = listeners.iter().find_map(Listener::local_addr).unwrap_or(config.listen);
    let stop_serving = CancellationToken::new();
    let window = open_window(&config, environment, address, stop_serving.clone())?;
    let mut access = Access::new(tokens.clone(), hosts);
    if let Some(window) = &window {
        access = access.with_window(window.name.clone());
    }
    let router = http::router(service.clone(), Arc::clone(&metrics), access, window);
    let serving = tokio::spawn(http::serve(
        listeners,
        router,
        metrics,
        ConnectionLimits::claim(),
        stop_serving.clone(),
    ));
    let address_file = AddressFile::write(&config.state_dir, address).map_err(|source| {
        ServeError::Write { path: host::address::file(&config.state_dir), source }
    })?;
    tracing::info!(address = %address, version = release::VERSION, "listening on {address}");

    let codex_home = config.state_dir.join(codex::HOME_DIR);
    let threads_kept = threads_kept(&config);
    Ok(Running {
        address,
        tokens,
        service,
        address_file,
        purging: tokio::spawn(purge(store.clone(), codex_home, threads_kept)),
        store,
        drain: config.limits.drain,
        stop_serving,
        serving,
    })
}

impl Running {
    /// Drains and stops: new runs are refused, runs in flight may continue for the grace period or until
    /// `now` is cancelled, responses are sent, the store is closed.
    pub async fn stop(self, now: &CancellationToken) {
        self.service.drain(self.drain, now).await;
        self.stop_serving.cancel();
        if let Err(error) = self.serving.await {
            tracing::error!(%error, "the listeners ended with a fault");
        }
        self.purging.abort();
        drop(self.address_file);
        self.store.close().await;
        tracing::info!("stopped");
    }

    /// Health of the daemon's own parts, for a supervisor's watchdog.
    pub async fn is_alive(&self) -> bool {
        // A restart does not help against a full disk, but it does if the store's thread has died.
        let store_is_gone = matches!(self.store.probe().await, Err(StoreError::Closed));
        !self.serving.is_finished() && !store_is_gone
    }
}

/// Creates the state of the web pages, if they are enabled.
fn open_window(
    config: &Config,
    environment: &Environment,
    address: SocketAddr,
    stopping: CancellationToken,
) -> Result<Option<Window>, ServeError> {
    if !config.window.enabled {
        return Ok(None);
    }
    let failed = |source| ServeError::Write { path: config.state_dir.clone(), source };
    let name = WindowName::ensure(&config.state_dir).map_err(failed)?;
    let sign_in = SignIn::new(Clock::system(), config.window.session).map_err(failed)?;
    let surroundings = Surroundings { config: config.clone(), environment: environment.clone() };
    Ok(Some(Window { name, sign_in, address, stopping, surroundings }))
}

async fn open_store(config: &Config, metrics: &Arc<Metrics>) -> Result<Store, ServeError> {
    let settings = Settings {
        session_ttl: config.session_ttl,
        retention: config.store.retention,
        bodies: config.store.bodies,
    };
    let counted = Arc::clone(metrics);
    let (store, Recovery { interrupted, quarantined }) =
        Store::open(&config.state_dir, settings, Clock::system(), move |runs| {
            let markers: Vec<String> = runs.iter().map(ToString::to_string).collect();
            let orphans = supervise::sweep(environment::RUN, &markers);
            counted.observe_orphans(orphans);
            if orphans > 0 {
                tracing::warn!(orphans, "ended processes that a killed daemon had left");
            }
        })
        .await?;
    if !interrupted.is_empty() {
        tracing::warn!(
            runs = interrupted.len(),
            "the last daemon died with runs in flight: they are interrupted"
        );
    }
    if let Some(quarantined) = quarantined {
        tracing::error!(
            path = %quarantined.path.display(),
            error = %ErrorChain(&quarantined.damage),
            "the store could not be used and was set aside, untouched; a new one was begun",
        );
    }
    Ok(store)
}

/// Writes the JSON Schema of the answer to a file, from which Codex reads it.
fn write_schema(state_dir: &Path) -> Result<PathBuf, ServeError> {
    let path = state_dir.join("advice.wire.schema.json");
    let wire = schema::find("advice.wire").expect("the contract has a wire form of the advice");
    host::replace(&path, wire.text.as_bytes(), host::Access::PRIVATE, Durability::Cached)
        .map_err(|source| ServeError::Write { path: path.clone(), source })?;
    Ok(path)
}

/// Deletes expired runs from the store and expired threads from Codex's home.
async fn purge(store: Store, codex_home: PathBuf, threads_kept: Duration) {
    let mut every = tokio::time::interval(PURGE_EVERY);
    loop {
        every.tick().await;
        match store.purge().await {
            Ok(purged) if purged.runs + purged.sessions > 0 => {
                tracing::info!(
                    runs = purged.runs,
                    sessions = purged.sessions,
                    "old records removed"
                );
            }
            Ok(_) => {}
            Err(error) => {
                tracing::warn!(error = %ErrorChain(&error), "old records could not be removed")
            }
        }
        match store.shrink().await {
            Ok(0) => {}
            Ok(pages) => tracing::info!(pages, "the state file gave {pages} pages back"),
            Err(error) => {
                tracing::warn!(error = %ErrorChain(&error), "the state file could not shrink");
            }
        }
        match threads::forget(&codex_home, threads_kept) {
            Ok(0) => {}
            Ok(count) => tracing::info!(threads = count, "old conversations of Codex removed"),
            Err(error) => tracing::warn!(%error, "old conversations of Codex could not be removed"),
        }
    }
}

/// Retention of Codex's own threads. They hold questions and answers: if the store
/// keeps no texts, they are deleted as soon as their session can no longer be continued.
fn threads_kept(config: &Config) -> Duration {
    if config.store.bodies { config.store.retention } else { config.session_ttl }
}

/// All listeners: those opened by the supervisor, then the configured ones. One TCP address is
/// always among them, because clients find the daemon by it.
async fn listeners(config: &Config, inherited: Inherited) -> Result<Vec<Listener>, ServeError> {
    let mut listeners = Vec::new();
    for listener in inherited.tcp {
        let address = listener.local_addr().map_err(ServeError::Inherited)?;
        if !address.ip().is_loopback() && !config.allow_remote {
            return Err(ServeError::Remote { address });
        }
        listener.set_nonblocking(true).map_err(ServeError::Inherited)?;
        let listener =
            tokio::net::TcpListener::from_std(listener).map_err(ServeError::Inherited)?;
        listeners.push(Listener::Tcp(listener));
    }
    if listeners.is_empty() {
        listeners.push(Listener::tcp(config.listen)?);
    }
    for listener in inherited.unix {
        listener.set_nonblocking(true).map_err(ServeError::Inherited)?;
        let listener =
            tokio::net::UnixListener::from_std(listener).map_err(ServeError::Inherited)?;
        listeners.push(Listener::Unix(listener, None));
    }
    if let Some(path) = &config.socket {
        listeners.push(Listener::unix(path).await?);
    }
    Ok(listeners)
}
