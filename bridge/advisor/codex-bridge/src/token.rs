//! Creates the tokens once and keeps them in private files. Reading them is shared with the
//! clients.

use std::io;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
pub use host::token::{FORM, Rights, TokenError, is_token, path, read};
use host::{Access, Durability};

use crate::config::values::Config;
use host::secret::Secret;

/// Random bytes of a generated token.
const RANDOM_BYTES: usize = 32;

/// The two tokens that callers can send.
#[derive(Debug, Clone)]
pub struct Tokens {
    /// Valid for every route except `/orchestrate`.
    pub advisor: Secret,
    /// Valid for every route.
    pub orchestrate: Secret,
}

impl Tokens {
    /// Both tokens; a missing one is created.
    ///
    /// # Errors
    /// As [`ensure`]; [`TokenError::Same`] if both are equal.
    pub fn ensure(config: &Config) -> Result<Self, TokenError> {
        let advisor = ensure(config, Rights::Advisor)?;
        let orchestrate = ensure(config, Rights::Orchestrate)?;
        if advisor == orchestrate {
            Err(TokenError::Same)
        } else {
            Ok(Self { advisor, orchestrate })
        }
    }
}

/// A token: the configured one, else that of the file. Creates nothing.
///
/// # Errors
/// [`TokenError`], by cause.
pub fn load(config: &Config, rights: Rights) -> Result<Secret, TokenError> {
    match configured(config, rights) {
        Some(token) => Ok(token.clone()),
        None => read(&path(&config.state_dir, rights)),
    }
}

/// The token that the configuration holds.
#[must_use]
pub fn configured(config: &Config, rights: Rights) -> Option<&Secret> {
    match rights {
        Rights::Advisor => config.token.as_ref(),
        Rights::Orchestrate => config.orchestrate_token.as_ref(),
    }
}

/// The token as [`load`] returns it; a missing file is created. Of two concurrent calls,
/// both get the same token.
///
/// # Errors
/// [`TokenError`], by cause; [`TokenError::Absent`] never.
pub fn ensure(config: &Config, rights: Rights) -> Result<Secret, TokenError> {
    match load(config, rights) {
        Err(TokenError::Absent { path }) => {
            let unusable = |source| TokenError::Unusable { path: path.clone(), source };
            // If another process created one in the meantime, that one is used.
            match host::create(&path, fresh()?.as_bytes(), Access::PRIVATE, Durability::Synced) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(unusable(error)),
                Ok(()) | Err(_) => read(&path),
            }
        }
        other => other,
    }
}

/// Replaces the file's token. A running daemon keeps the old one until it is restarted.
///
/// # Errors
/// [`TokenError::Unusable`], [`TokenError::NoRandomness`].
pub fn rotate(state_dir: &Path, rights: Rights) -> Result<Secret, TokenError> {
    let path = path(state_dir, rights);
    host::replace(&path, fresh()?.as_bytes(), Access::PRIVATE, Durability::Synced)
        .map_err(|source| TokenError::Unusable { path: path.clone(), source })?;
    read(&path)
}

/// A new token with its line end.
fn fresh() -> Result<String, TokenError> {
    let mut bytes = [0; RANDOM_BYTES];
    getrandom::fill(&mut bytes).map_err(|error| TokenError::NoRandomness(error.into()))?;
    Ok(format!("{}\n", URL_SAFE_NO_PAD.encode(bytes)))
}

#[cfg(test)]
mod tests;
