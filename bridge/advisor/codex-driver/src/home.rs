//! Writes the private CODEX_HOME of the bridge. Only the user's sign-in is shared; it is linked, never copied.
//!
//! A copy of `auth.json` would break the user's own: refresh tokens rotate, and a refresh writes
//! through a link (codex 0.169). The folder's mode is 0700, because Codex writes its transcripts, which
//! contain the prompts, with mode 0644.

pub mod threads;
pub mod user;

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use contract::id::ThreadId;
use host::{Access, Durability};

use crate::provider::Provider;
use crate::version::Version;

/// The settings that are the same in every private home.
const FIXED: &str = include_str!("home/config.toml");

/// The text that every private home is generated from; self-test results are valid for one text only.
pub const RECIPE: &str = FIXED;

/// Keys of [`FIXED`] that disable features which a Codex before [`Version::WITH_FORK`] does not have;
/// such a Codex does not know them (codex 0.145).
const UNKNOWN_BEFORE_FORK: [&str; 3] =
    ["features.unbounded_connection_retries", "features.sleep_tool", "features.view_image"];

const CONFIG: &str = "config.toml";
const INSTRUCTIONS: &str = "instructions.md";
const MODELS: &str = "models.json";
const AUTH: &str = "auth.json";

/// Whether Codex may use its shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShellAccess {
    /// No shell tool: the advisor executes nothing.
    Off,
    /// Codex's read-only sandboxed shell in a workspace.
    ReadOnly,
}

/// Settings of a private home.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HomeSettings {
    /// The CODEX_HOME whose sign-in is shared. Without it, and without `api_key_env`, requests
    /// carry no credentials.
    pub auth_home: Option<PathBuf>,
    /// URL of a Responses API other than OpenAI's.
    pub base_url: Option<String>,
    /// Name of the variable with a key; used instead of the sign-in.
    pub api_key_env: Option<String>,
    /// The provider of the user's own Codex; used instead of the three settings above, except for the folder of
    /// the sign-in.
    pub provider: Option<Provider>,
    /// The model; Codex's own default when absent.
    pub model: Option<String>,
    /// Whether Codex may use its shell.
    pub shell: ShellAccess,
    /// Whether to request a summary of the model's reasoning.
    pub wants_summary: bool,
    /// Replaces Codex's own base instructions.
    pub instructions: String,
    /// Maximum silence of the provider's stream once it has begun.
    pub idle_timeout: Duration,
    /// Version of the Codex that uses this home.
    pub version: Version,
}

/// Credentials of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Credentials {
    /// The user's sign-in.
    SignIn,
    /// A key from the environment.
    ApiKey,
    /// None, for an API that requires none.
    None,
}

/// Why a home could not be prepared.
#[derive(Debug, thiserror::Error)]
pub enum HomeError {
    /// The folder cannot be created, is not a folder, or belongs to another user.
    #[error("the private Codex home {} cannot be made", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A file in it cannot be written.
    #[error("{} cannot be written", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The home whose sign-in is to be shared is the private home itself.
    #[error("{} is the bridge's own Codex home; it cannot share a sign-in with itself", path.display())]
    SharesWithItself {
        /// The folder.
        path: PathBuf,
    },
}

/// A prepared home.
#[derive(Debug, Clone)]
pub struct Home {
    path: PathBuf,
    settings: HomeSettings,
}

impl Home {
    /// Writes the private CODEX_HOME: creates the folder or corrects its mode, writes the configuration and the
    /// instructions, and links the sign-in. Each file is replaced atomically.
    ///
    /// # Errors
    /// [`HomeError::Folder`], [`HomeError::Write`] and [`HomeError::SharesWithItself`].
    pub fn prepare(path: &Path, settings: &HomeSettings) -> Result<Self, HomeError> {
        let folder = |source| HomeError::Folder { path: path.to_owned(), source };
        DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(folder)?;
        fs::set_permissions(path, Permissions::from_mode(0o700)).map_err(folder)?;
        // Codex rejects a relative CODEX_HOME as soon as its working folder changes.
        let path = path.canonicalize().map_err(folder)?;
        if let Some(auth_home) = &settings.auth_home
            && auth_home.canonicalize().is_ok_and(|auth_home| auth_home == path)
        {
            return Err(HomeError::SharesWithItself { path });
        }
        let home = Self { path, settings: settings.clone() };
        home.write(INSTRUCTIONS, &settings.instructions)?;
        home.write(CONFIG, &home.configuration(None))?;
        home.link_sign_in()?;
        Ok(home)
    }

    /// The folder, absolute.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The model, if one is set.
    #[must_use]
    pub fn model(&self) -> Option<&str> {
        self.settings.model.as_deref()
    }

    /// Whether Codex may use its shell here.
    #[must_use]
    pub fn shell(&self) -> ShellAccess {
        self.settings.shell
    }

    /// Credentials of requests.
    #[must_use]
    pub fn credentials(&self) -> Credentials {
        let settings = &self.settings;
        match (&settings.provider, &settings.api_key_env, &settings.auth_home) {
            (Some(provider), _, _) => provider.credentials(),
            (None, Some(_), _) => Credentials::ApiKey,
            (None, None, Some(_)) => Credentials::SignIn,
            (None, None, None) => Credentials::None,
        }
    }

    /// Updates `auth.json`: a link to the user's if that exists, otherwise no
    /// file. Also done before each attempt, so that a new sign-in takes effect without a restart.
    ///
    /// A regular file `auth.json` is left unchanged: the user signed in to this home.
    ///
    /// # Errors
    /// [`HomeError::Write`].
    pub fn link_sign_in(&self) -> Result<(), HomeError> {
        let link = self.path.join(AUTH);
        let failed = |source| HomeError::Write { path: link.clone(), source };
        let source = match (self.credentials(), &self.settings.auth_home) {
            (Credentials::SignIn, Some(auth_home)) => {
                // An absolute target, so that it does not depend on the link's folder.
                std::path::absolute(auth_home.join(AUTH)).ok().filter(|file| file.exists())
            }
            _ => None,
        };
        let present = fs::symlink_metadata(&link).ok();
        if present.as_ref().is_some_and(|found| !found.is_symlink()) {
            return Ok(());
        }
        match source {
            Some(source) if fs::read_link(&link).is_ok_and(|target| target == source) => Ok(()),
            Some(source) => {
                let staged = self.staged(AUTH);
                remove(&staged).map_err(failed)?;
                symlink(&source, &staged).map_err(failed)?;
                fs::rename(&staged, &link).map_err(failed)
            }
            None => remove(&link).map_err(failed),
        }
    }

    /// Makes Codex read its models from `catalog` only.
    pub(crate) fn use_models(&self, catalog: &str) -> Result<(), HomeError> {
        self.write(MODELS, catalog)?;
        self.write(CONFIG, &self.configuration(Some(&self.path.join(MODELS))))
    }

    /// Makes Codex use its built-in models.
    pub(crate) fn use_own_models(&self) -> Result<(), HomeError> {
        self.write(CONFIG, &self.configuration(None))
    }

    fn configuration(&self, models: Option<&Path>) -> String {
        let settings = &self.settings;
        let idle_timeout_ms = i64::try_from(settings.idle_timeout.as_millis()).unwrap_or(i64::MAX);
        let shell = settings.shell == ShellAccess::ReadOnly;
        let summary = if settings.wants_summary { "auto" } else { "none" };
        let path = |path: &Path| toml::Value::from(path.to_string_lossy().into_owned());
        let mut lines: Vec<(&str, toml::Value)> = vec![
            ("model_instructions_file", path(&self.path.join(INSTRUCTIONS))),
            ("model_reasoning_summary", summary.into()),
            ("features.shell_tool", shell.into()),
            // If a model's own tools cannot be trimmed, its code executor then fails closed.
            ("features.code_mode_host", shell.into()),
            ("model_providers.bridge.stream_idle_timeout_ms", idle_timeout_ms.into()),
        ];
        if let Some(model) = &settings.model {
            lines.push(("model", model.clone().into()));
        }
        if let Some(models) = models {
            lines.push(("model_catalog_json", path(models)));
        }
        let chosen: String =
            lines.iter().map(|(key, value)| format!("{key} = {value}\n")).collect();
        let provider = self.provider_lines();
        let fixed: String = FIXED.split_inclusive('\n').filter(|line| self.knows(line)).collect();
        format!("{fixed}\n# What this bridge is configured to.\n{chosen}{provider}")
    }

    /// Whether this home's Codex knows the key of a line.
    fn knows(&self, line: &str) -> bool {
        let key = line.split(' ').next().unwrap_or_default();
        self.settings.version.supports_fork() || !UNKNOWN_BEFORE_FORK.contains(&key)
    }

    /// Codex's file of a thread, if it exists. Reads files.
    #[must_use]
    pub fn record_of(&self, thread: ThreadId) -> Option<String> {
        fs::read_to_string(user::record_of(&self.path, thread)?).ok()
    }

    /// The settings of the provider and its credentials.
    fn provider_lines(&self) -> String {
        let settings = &self.settings;
        let line = |(key, value): (&str, &str)| format!("model_providers.bridge.{key} = {value}\n");
        if let Some(provider) = &settings.provider {
            return provider.lines().map(line).collect();
        }
        let text = |text: &str| toml::Value::from(text).to_string();
        let mut lines = vec![("name", text("OpenAI")), ("wire_api", text("responses"))];
        lines.extend(settings.base_url.as_deref().map(|url| ("base_url", text(url))));
        match (self.credentials(), &settings.api_key_env) {
            (Credentials::ApiKey, Some(name)) => lines.push(("env_key", text(name))),
            (Credentials::SignIn, _) => lines.push(("requires_openai_auth", "true".to_owned())),
            (Credentials::ApiKey | Credentials::None, _) => {}
        }
        lines.iter().map(|(key, value)| line((key, value))).collect()
    }

    fn write(&self, name: &str, content: &str) -> Result<(), HomeError> {
        let path = self.path.join(name);
        host::replace(&path, content.as_bytes(), Access::PRIVATE, Durability::Cached)
            .map_err(|source| HomeError::Write { path, source })
    }

    fn staged(&self, name: &str) -> PathBuf {
        self.path.join(format!(".{name}.{}", std::process::id()))
    }
}

/// Removes a file if it exists.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests;
