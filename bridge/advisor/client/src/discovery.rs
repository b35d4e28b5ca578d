//! Finds the daemon's address and token, and records the source of each for messages.

use std::fmt;
use std::path::PathBuf;

use crate::address::{Address, AddressError};
use crate::listener_owner::Trust;
use host::address;
use host::daemon_process::{DaemonProcess, Liveness};
use host::environment::{self, Environment};
use host::secret::Secret;
use host::state_dir;
use host::token::{self, Rights, TokenError};

/// The options of the command line.
#[derive(Debug, Clone, Default)]
pub struct ConnectOptions {
    /// The address: `--url`.
    pub url: Option<String>,
    /// The file with the token: `--token-file`.
    pub token_file: Option<PathBuf>,
    /// Whether the token may leave this machine.
    pub remote: Remote,
}

/// Whether the token may leave this machine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Remote {
    /// Only loopback addresses and Unix sockets.
    #[default]
    Refused,
    /// Any address. Every machine on the way can read the token.
    Allowed,
}

/// A value with its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found<T> {
    /// The value: an address or a token.
    pub value: T,
    /// Its source, for messages.
    pub origin: Origin,
}

/// The source of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The command line, or the file that it names.
    Flag(&'static str),
    /// An environment variable.
    Variable(&'static str),
    /// This file.
    File(PathBuf),
    /// The default.
    Default,
}

/// Why there is no address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoAddress {
    /// The given text is not an address.
    #[error("the address from {origin} cannot be used: {error}")]
    Unusable {
        /// Its source.
        origin: Origin,
        /// What is wrong with the address.
        error: AddressError,
    },
    /// The daemon that wrote the address was killed: another user's program may listen there now.
    #[error(
        "codex-bridge is not running: {address} (from {origin}) is the address of a daemon that was killed ({process}), and is not asked; start codex-bridge again with `codex-bridge serve`, with pm2 or systemd, or with `codex-advisor ask --start`"
    )]
    Stale {
        /// The address in the daemon's file.
        address: Address,
        /// Its source.
        origin: Origin,
        /// The process that wrote it.
        process: DaemonProcess,
    },
    /// The value in the environment is not a user id.
    #[error(
        "CODEX_BRIDGE_SERVICE_UID is {value:?}, which is not the number of a user (`id -u NAME` prints it)"
    )]
    NoUser {
        /// The value.
        value: String,
    },
    /// The address is on another machine.
    #[error(
        "{address} (from {origin}) is not on this machine, and the token would travel in the clear; use a loopback address, such as the end of an SSH tunnel, or a Unix socket"
    )]
    Remote {
        /// The address in the daemon's file.
        address: Address,
        /// Its source.
        origin: Origin,
    },
}

/// Why there is no token.
#[derive(Debug, thiserror::Error)]
pub enum NoToken {
    /// There is no folder in which a token could be.
    #[error(
        "there is no folder to look for the token in: HOME, XDG_STATE_HOME, STATE_DIRECTORY and CODEX_BRIDGE_STATE_DIR are not set"
    )]
    NoStateDir,
    /// The file cannot be used.
    #[error(transparent)]
    File(#[from] TokenError),
    /// The value in the environment is not a token.
    #[error("{variable} does not hold a token, which is {}", token::FORM)]
    InVariable {
        /// The variable that holds the token.
        variable: &'static str,
    },
}

/// Finds the daemon and the token, anew each time, since a daemon may restart on another port.
#[derive(Debug, Clone)]
pub struct Discovery {
    environment: Environment,
    wishes: ConnectOptions,
    rights: Rights,
}

impl Discovery {
    /// For a command line in an environment, with the advisor's rights.
    #[must_use]
    pub fn new(environment: Environment, wishes: ConnectOptions) -> Self {
        Self { environment, wishes, rights: Rights::default() }
    }

    /// The same for the token with these rights.
    #[must_use]
    pub fn with_rights(self, rights: Rights) -> Self {
        Self { rights, ..self }
    }

    /// The state folder with the daemon's files.
    #[must_use]
    pub fn state_dir(&self) -> Option<PathBuf> {
        state_dir::of_client(&self.environment)
    }

    /// The address: from the flag, else from `CODEX_BRIDGE_URL`, else from the daemon's own file, else the
    /// default.
    ///
    /// # Errors
    /// [`NoAddress`], by cause.
    pub fn address(&self) -> Result<Found<Address>, NoAddress> {
        let (text, origin) = self.address_text();
        let address = match Address::parse(&text) {
            Ok(address) => address,
            Err(error) => return Err(NoAddress::Unusable { origin, error }),
        };
        if self.wishes.remote == Remote::Refused && !address.is_local() {
            return Err(NoAddress::Remote { address, origin });
        }
        if let (Origin::File(_), Some(state_dir)) = (&origin, self.state_dir())
            && let Some(process) = DaemonProcess::read(&state_dir, &text)
            && process.liveness() == Liveness::Ended
        {
            return Err(NoAddress::Stale { address, origin, process });
        }
        Ok(Found { value: address, origin })
    }

    /// Which users' programs may listen at the address: this user's, root's, and those of the user that
    /// `CODEX_BRIDGE_SERVICE_UID` names.
    ///
    /// # Errors
    /// [`NoAddress::NoUser`].
    pub(crate) fn trust(&self) -> Result<Trust, NoAddress> {
        let named = self.environment.get(environment::SERVICE_UID);
        let number = named.map(|value| {
            let value = value.to_string_lossy();
            value.trim().parse().map_err(|_| NoAddress::NoUser { value: value.into_owned() })
        });
        Ok(Trust { service: number.transpose()?, remote: self.wishes.remote })
    }

    fn address_text(&self) -> (String, Origin) {
        if let Some(url) = &self.wishes.url {
            return (url.clone(), Origin::Flag("--url"));
        }
        if let Some(url) = self.environment.get(environment::URL) {
            return (url.to_string_lossy().into_owned(), Origin::Variable(environment::URL));
        }
        let state_dir = self.state_dir();
        match state_dir.as_deref().and_then(|folder| Some((folder, address::read(folder)?))) {
            Some((folder, text)) => (text, Origin::File(address::file(folder))),
            None => (format!("http://127.0.0.1:{}", address::PORT), Origin::Default),
        }
    }

    /// The token: from the file that the flag names, else from `CODEX_BRIDGE_TOKEN`, else from the daemon's
    /// own file; for more than the advisor's rights, from `CODEX_BRIDGE_ORCHESTRATE_TOKEN` and the corresponding
    /// file.
    ///
    /// # Errors
    /// [`NoToken`], by cause.
    pub fn token(&self) -> Result<Found<Secret>, NoToken> {
        if let Some(path) = &self.wishes.token_file {
            let value = token::read(&self.environment.working_dir().join(path))?;
            return Ok(Found { value, origin: Origin::Flag("--token-file") });
        }
        let variable = self.rights.variable();
        if let Some(text) = self.environment.get(variable) {
            let text = text.to_str().map(str::trim).filter(|text| token::is_token(text));
            let value = Secret::new(text.ok_or(NoToken::InVariable { variable })?.to_owned());
            return Ok(Found { value, origin: Origin::Variable(variable) });
        }
        let path = token::path(&self.state_dir().ok_or(NoToken::NoStateDir)?, self.rights);
        Ok(Found { value: token::read(&path)?, origin: Origin::File(path) })
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(flag) => write!(formatter, "{flag}"),
            Self::Variable(name) => write!(formatter, "the variable {name}"),
            Self::File(path) => write!(formatter, "{}", path.display()),
            Self::Default => formatter.write_str("the default"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use tempfile::TempDir;

    use super::*;

    const STRONG: &str = "0123456789abcdef0123456789abcdef";

    #[test]
    fn a_flag_wins_over_the_environment_over_the_daemons_file_over_the_default() {
        let folder = TempDir::new().unwrap();
        let state = folder.path().to_str().unwrap();
        let told = |pairs: &[(&str, &str)], wishes: &ConnectOptions| {
            let state = (environment::STATE_DIR, state);
            let environment = pairs.iter().copied().chain([state]).collect();
            let discovery = Discovery::new(environment, wishes.clone());
            let address =
                discovery.address().map(|found| format!("{} {}", found.value, found.origin));
            let token = discovery.token().map(|found| found.origin.to_string());
            (address.unwrap_or_else(|e| e.to_string()), token.unwrap_or_else(|e| e.to_string()))
        };
        let pair = |address: &str, token: &str| {
            (address.replace("STATE", state), token.replace("STATE", state))
        };
        let none = ConnectOptions::default();
        assert_eq!(
            told(&[], &none),
            pair(
                "http://127.0.0.1:4517 the default",
                "there is no token file STATE/token; `codex-bridge token` makes one"
            )
        );
        fs::write(folder.path().join("address"), "http://127.0.0.1:1\n").unwrap();
        fs::write(folder.path().join("token"), STRONG).unwrap();
        fs::set_permissions(folder.path().join("token"), fs::Permissions::from_mode(0o600))
            .unwrap();
        assert_eq!(told(&[], &none), pair("http://127.0.0.1:1 STATE/address", "STATE/token"));
        let variables = [(environment::URL, "http://[::1]:2"), (environment::TOKEN, STRONG)];
        assert_eq!(
            told(&variables, &none),
            pair("http://[::1]:2 the variable CODEX_BRIDGE_URL", "the variable CODEX_BRIDGE_TOKEN")
        );
        let weak = [(environment::TOKEN, "weak"), (environment::URL, "http://10.0.0.7")];
        let (address, token) = told(&weak, &none);
        assert!(address.contains("not on this machine"), "{address}");
        assert!(token.contains("does not hold a token"), "{token}");
        let folder_path = folder.path();
        let gone = DaemonProcess::of_self().unwrap().note("http://127.0.0.1:1");
        let gone = gone.replace("started ", "started 9");
        fs::write(host::daemon_process::file(folder_path), gone).unwrap();
        let (address, _) = told(&[], &none);
        assert!(address.contains("STATE/address".replace("STATE", state).as_str()), "{address}");
        assert!(address.contains("a daemon that was killed"), "{address}");
        fs::write(folder_path.join("address"), "http://127.0.0.1:3\n").unwrap();
        assert_eq!(told(&[], &none), pair("http://127.0.0.1:3 STATE/address", "STATE/token"));
        let flags = ConnectOptions {
            url: Some("http://10.0.0.7".to_owned()),
            token_file: Some(folder.path().join("token")),
            remote: Remote::Allowed,
        };
        assert_eq!(told(&variables, &flags), pair("http://10.0.0.7:4517 --url", "--token-file"));
        // The same permissions are required for a file that the user names.
        fs::set_permissions(folder.path().join("token"), fs::Permissions::from_mode(0o644))
            .unwrap();
        let (_, token) = told(&variables, &flags);
        assert!(token.contains("mode 644"), "{token}");
    }

    #[test]
    fn the_advisors_client_never_reads_the_token_of_orchestrate() {
        let folder = TempDir::new().unwrap();
        let state = folder.path().to_str().unwrap();
        let other = "fedcba9876543210fedcba9876543210";
        for (name, token) in [("token", STRONG), ("token-orchestrate", other)] {
            fs::write(folder.path().join(name), token).unwrap();
            let private = fs::Permissions::from_mode(0o600);
            fs::set_permissions(folder.path().join(name), private).unwrap();
        }
        let found = |rights, pairs: &[(&str, &str)]| {
            let state = (environment::STATE_DIR, state);
            let environment = pairs.iter().copied().chain([state]).collect();
            let discovery =
                Discovery::new(environment, ConnectOptions::default()).with_rights(rights);
            discovery.token().unwrap().value.expose().to_owned()
        };
        assert_eq!(found(Rights::Advisor, &[]), STRONG);
        assert_eq!(found(Rights::Orchestrate, &[]), other);
        let third = "00000000000000000000000000000000";
        let variable = [(environment::ORCHESTRATE_TOKEN, third)];
        assert_eq!(found(Rights::Advisor, &variable), STRONG);
        assert_eq!(found(Rights::Orchestrate, &variable), third);
        assert_eq!(found(Rights::Orchestrate, &[(environment::TOKEN, third)]), other);
    }

    #[test]
    fn only_the_number_of_a_user_is_trusted() {
        let service = |value: &str| {
            let environment = [(environment::SERVICE_UID, value)].into_iter().collect();
            Discovery::new(environment, ConnectOptions::default())
                .trust()
                .map(|trust| trust.service)
        };
        assert_eq!(service(""), Ok(None));
        assert_eq!(service("61184"), Ok(Some(61184)));
        for value in ["-1", "codex-bridge", "1,2", "4294967296"] {
            assert_eq!(service(value), Err(NoAddress::NoUser { value: value.to_owned() }));
        }
    }
}
