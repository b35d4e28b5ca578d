//! Merges four layers into one configuration, with the source of every value, or returns all faults together.

use std::path::PathBuf;

use codex_driver::SandboxMode;
use codex_driver::home::ShellAccess;
use host::{UserFolder, state_dir};
use serde_json::{Value as Json, json};

use super::fault::{Fault, Faults, Source};
use super::key::Key;
use super::layer::{self, Layer};
use super::merge::{Resolver, shown};
use super::price;
use super::read::{self, Problem};
use super::values::{
    CodexConfig, Config, DriverChoice, Limits, LogConfig, LogFormat, Price, StoreConfig,
    WindowConfig,
};
use host::environment::{self, Environment};

/// The command line's settings.
#[derive(Debug, Clone, Default)]
pub struct Flags {
    /// The configuration file.
    pub config: Option<PathBuf>,
    /// Whether a non-loopback address is accepted.
    pub allow_remote: bool,
    /// Settings given by their own flag ([`Key::flag`]), with the given value.
    pub named: Vec<(Key, String)>,
    /// Settings given as `--set KEY=VALUE`.
    pub assignments: Vec<String>,
}

/// A configuration and where each value comes from.
#[derive(Debug, Clone)]
pub struct Resolved {
    /// The resolved values.
    pub config: Config,
    /// Every setting in the order of the default file.
    pub settings: Vec<Setting>,
    /// The file that was read.
    pub file: Option<PathBuf>,
    /// What is allowed but probably unintended, one sentence each.
    pub warnings: Vec<String>,
}

/// One resolved setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// The setting.
    pub key: Key,
    /// Its value; null if unset, masked if secret.
    pub value: Json,
    /// Its source.
    pub source: Source,
}

/// Resolves the configuration.
///
/// # Errors
/// Every fault, ordered by layer, then by setting.
pub fn resolve(flags: &Flags, environment: &Environment) -> Result<Resolved, Faults> {
    let mut faults = Vec::new();
    let mut warnings = Vec::new();
    let flag_layer = layer::from_flags(&flags.named, &flags.assignments, &mut faults);
    let environment_layer = layer::from_environment(environment, &mut faults, &mut warnings);
    let (file, file_layer) = read_file(flags, environment, &mut faults);
    let mut resolver = Resolver {
        layers: [flag_layer, environment_layer, file_layer, layer::from_default_file()],
        environment,
        home: environment.folder(environment::HOME),
        faults,
        settings: Vec::new(),
    };
    let config = resolver.config(flags.allow_remote);
    resolver.relations(&config, &mut warnings);
    if !resolver.faults.is_empty() {
        return Err(Faults(resolver.faults));
    }
    Ok(Resolved { config, settings: resolver.settings, file, warnings })
}

/// Reads the user's file: the one given by flag, or the default one if it exists.
fn read_file(
    flags: &Flags,
    environment: &Environment,
    faults: &mut Vec<Fault>,
) -> (Option<PathBuf>, Layer) {
    let usual = || {
        let folder = environment.user_folder(UserFolder::Config)?;
        Some(folder.join("codex-bridge/config.toml"))
    };
    let (path, source, named) = match (&flags.config, environment.get(environment::CONFIG)) {
        (Some(path), _) => (Some(path.clone()), Source::Flag("--config".to_owned()), true),
        (None, Some(path)) => {
            (Some(path.into()), Source::Environment(environment::CONFIG.to_owned()), true)
        }
        (None, None) => (usual(), Source::Default, false),
    };
    let Some(path) = path.map(|path| environment.working_dir().join(path)) else {
        return (None, Layer::new());
    };
    match layer::from_file(&path, faults) {
        Ok(layer) => (Some(path), layer),
        Err(error) if !named && error.kind() == std::io::ErrorKind::NotFound => {
            (None, Layer::new())
        }
        Err(error) => {
            faults.push(Fault {
                key: "(configuration file)".to_owned(),
                value: Some(path.display().to_string()),
                source,
                problem: format!("it cannot be read: {error}"),
                mend: "name an existing, readable file; `codex-bridge config --default` prints one"
                    .to_owned(),
            });
            (None, Layer::new())
        }
    }
}

impl Resolver<'_> {
    fn config(&mut self, allow_remote: bool) -> Config {
        Config {
            listen: self.required(Key::Listen, |value, _| {
                let address = read::address(value)?;
                if address.ip().is_loopback() || allow_remote {
                    return Ok((address, json!(address.to_string())));
                }
                Err(Problem::new(
                    "other machines could reach it",
                    "use a loopback address such as 127.0.0.1, or accept that with --allow-remote",
                ))
            }),
            socket: self.path(Key::Socket),
            allow_remote,
            state_dir: self.state_dir(),
            token: self.token(),
            orchestrate_token: self.orchestrate_token(),
            codex: self.codex(),
            limits: self.limits(),
            session_ttl: self.duration(Key::SessionTtl),
            store: StoreConfig {
                retention: self.duration(Key::StoreRetention),
                bodies: self.switch(Key::StoreBodies),
            },
            window: WindowConfig {
                enabled: self.switch(Key::WindowEnabled),
                session: self.hours(Key::WindowSessionHours),
                prices: self.prices(),
            },
            log: self.log(),
        }
    }

    fn codex(&mut self) -> CodexConfig {
        let bin = self.path(Key::CodexBin);
        let model = self.text(Key::CodexModel);
        let base_url = self.optional(Key::CodexBaseUrl, |value, _| shown(read::base_url(value)?));
        let (api_key_env, api_key) = self.api_key().unzip();
        CodexConfig {
            bin,
            model,
            base_url,
            api_key_env,
            api_key,
            auth_home: self.auth_home(),
            shell: self.choice(Key::CodexShell, &[ShellAccess::Off, ShellAccess::ReadOnly]),
            workspace_roots: self.workspace_roots(),
            orchestrate_sandbox: self.choice(
                Key::CodexOrchestrateSandbox,
                &[SandboxMode::ReadOnly, SandboxMode::WorkspaceWrite],
            ),
            allow_unproven: self.switch(Key::CodexAllowUnproven),
            driver: self.choice(
                Key::CodexDriver,
                &[DriverChoice::Exec, DriverChoice::AppServer, DriverChoice::Auto],
            ),
            wants_summary: self.choice(Key::CodexReasoningSummary, &[true, false]),
        }
    }

    fn limits(&mut self) -> Limits {
        Limits {
            max_running: self.count(Key::LimitsMaxRunning),
            max_queued: self.count(Key::LimitsMaxQueued),
            deadline: self.milliseconds(Key::LimitsDeadlineMs),
            deadline_max: self.milliseconds(Key::LimitsDeadlineMaxMs),
            turn: self.milliseconds(Key::LimitsTurnMs),
            stall: self.milliseconds(Key::LimitsStallMs),
            drain: self.milliseconds(Key::LimitsDrainMs),
        }
    }

    fn prices(&mut self) -> Vec<Price> {
        self.required(Key::WindowPrice, |value, _| {
            let prices = price::prices(value)?;
            let shown: Vec<&str> = prices.iter().map(|price| price.model.as_str()).collect();
            let shown = json!(shown);
            Ok((prices, shown))
        })
    }

    fn log(&mut self) -> LogConfig {
        LogConfig {
            format: self.choice(
                Key::LogFormat,
                &[LogFormat::Auto, LogFormat::Json, LogFormat::Pretty],
            ),
            level: self.required(Key::LogLevel, |value, _| {
                let level = read::text(value)?;
                match crate::logging::filter(&level) {
                    Ok(_) => shown(level),
                    Err(error) => Err(Problem::new(
                        format!("it is no level and no filter: {error}"),
                        "use error, warn, info, debug, trace or such as \"info,codex_bridge=debug\"",
                    )),
                }
            }),
        }
    }

    /// Checks that involve more than one setting.
    fn relations(&mut self, config: &Config, warnings: &mut Vec<String>) {
        if config.limits.deadline > config.limits.deadline_max {
            let most = config.limits.deadline_max.as_millis();
            self.fault(
                Key::LimitsDeadlineMs,
                &Problem::new(
                    format!("it is over `limits.deadline_max_ms`, which is {most}"),
                    "lower it or raise the other",
                ),
            );
        }
        if config.store.retention < config.session_ttl {
            self.fault(
                Key::StoreRetention,
                &Problem::new(
                    "it is shorter than `session.ttl`: sessions would vanish before they expire",
                    "keep runs at least as long as sessions",
                ),
            );
        }
        let roots = !config.codex.workspace_roots.is_empty();
        match config.codex.shell {
            ShellAccess::ReadOnly if !roots => self.fault(
                Key::CodexWorkspaceRoots,
                &Problem::new(
                    "it is empty, so the read-only shell has nothing to read",
                    "name at least one folder, or set `codex.shell` to \"off\"",
                ),
            ),
            ShellAccess::Off if roots => {
                warnings.push("`codex.workspace_roots` has no effect: `codex.shell` is off".into());
            }
            ShellAccess::ReadOnly | ShellAccess::Off => {}
        }
        if config.codex.api_key.is_some()
            && config.codex.base_url.as_deref().is_some_and(leaves_unencrypted)
        {
            warnings.push("`codex.base_url` sends the API key over the network unencrypted".into());
        }
    }

    fn state_dir(&mut self) -> PathBuf {
        if self.given(Key::StateDir).is_some() {
            return self.path(Key::StateDir).unwrap_or_default();
        }
        match state_dir::usual(self.environment) {
            Some((path, origin)) => {
                self.setting(
                    Key::StateDir,
                    json!(path.display().to_string()),
                    Source::Found(origin),
                );
                path
            }
            None => {
                self.setting(Key::StateDir, Json::Null, Source::Unset);
                self.fault(
                    Key::StateDir,
                    &Problem::new(
                        "there is no default for it: HOME, XDG_STATE_HOME and STATE_DIRECTORY are \
                         not set",
                        "set it or HOME",
                    ),
                );
                PathBuf::new()
            }
        }
    }

    fn auth_home(&mut self) -> Option<PathBuf> {
        if self.given(Key::CodexAuthHome).is_some() {
            return self.path(Key::CodexAuthHome);
        }
        let users = self.environment.folder(environment::CODEX_HOME).map(|h| (h, "$CODEX_HOME"));
        let usual = || Some((self.home.as_ref()?.join(".codex"), "$HOME"));
        let found = users.or_else(usual);
        let (value, source) = match &found {
            Some((path, origin)) => (json!(path.display().to_string()), Source::Found(origin)),
            None => (Json::Null, Source::Unset),
        };
        self.setting(Key::CodexAuthHome, value, source);
        found.map(|(path, _)| path)
    }

    fn workspace_roots(&mut self) -> Vec<PathBuf> {
        let home = self.home.clone();
        self.required(Key::CodexWorkspaceRoots, move |value, base| {
            let roots = read::paths(value, base, home.as_deref())?;
            if let Some(missing) = roots.iter().find(|root| !root.is_dir()) {
                let problem = format!("{} is not a folder", missing.display());
                return Err(Problem::new(problem, "name existing folders"));
            }
            let shown: Vec<String> = roots.iter().map(|root| root.display().to_string()).collect();
            Ok((roots, json!(shown)))
        })
    }
}

/// Whether data sent to this URL crosses the network unencrypted.
fn leaves_unencrypted(url: &str) -> bool {
    let Ok(uri) = url.parse::<http::Uri>() else { return false };
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
    let loopback =
        host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback());
    uri.scheme_str() == Some("http") && !loopback
}
