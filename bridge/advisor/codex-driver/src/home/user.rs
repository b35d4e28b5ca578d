//! The user's own CODEX_HOME, for turns of their own Codex: their sign-in, settings and
//! threads. We write nothing in it; settings that the bridge requires are passed as overrides.

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use contract::advice::Usage;
use contract::id::ThreadId;
use serde_json::Value;

use super::{Credentials, HomeError};
use crate::environment::{self, CODEX_HOME, Log};
use crate::provider::{self, Provider};

/// Depth of the threads below `sessions`: year, month, day.
const DEPTH: usize = 3;

/// Bytes at a thread's end that are read first to find its tokens; more is read if they are not found.
const TAIL_BYTES: u64 = 64 * 1024;

/// Maximum number of bytes read at a thread's end. For a turn with a longer output the tokens are unknown.
const TAIL_MAX_BYTES: u64 = 64 * 1024 * 1024;

/// The operator's settings that override the user's configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserSettings {
    /// URL of a Responses API instead of the user's provider.
    pub base_url: Option<String>,
    /// Name of the variable with a key for it; used instead of the sign-in.
    pub api_key_env: Option<String>,
    /// The model; the user's own when absent.
    pub model: Option<String>,
}

/// The user's own home.
#[derive(Debug, Clone)]
pub struct UserHome {
    path: PathBuf,
    credentials: Credentials,
    overrides: Vec<String>,
    variables: Vec<(OsString, OsString)>,
    /// The user's own provider, if it is the active one.
    own: Option<Provider>,
}

impl UserHome {
    /// Opens the home, or creates it as Codex itself would. `lookup` reads
    /// the environment.
    ///
    /// # Errors
    /// [`HomeError::Folder`].
    pub fn open(
        path: &Path,
        settings: &UserSettings,
        lookup: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, HomeError> {
        let folder = |source| HomeError::Folder { path: path.to_owned(), source };
        if !path.exists() {
            DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(folder)?;
        }
        let path = path.canonicalize().map_err(folder)?;
        // The user's provider counts only if the operator has set none.
        let is_theirs = settings.api_key_env.is_none() && settings.base_url.is_none();
        let own = is_theirs.then(|| provider::read(&path));
        // A configuration that cannot be parsed is reported by Codex itself.
        let is_unknown = matches!(own, Some(Err(_)));
        let own = own.and_then(Result::ok).and_then(|config| config.provider);
        let credentials = match (&settings.api_key_env, &settings.base_url) {
            (Some(_), _) => Credentials::ApiKey,
            (None, Some(_)) => Credentials::SignIn,
            (None, None) if is_unknown => Credentials::None,
            (None, None) => own.as_ref().map_or(Credentials::SignIn, Provider::credentials),
        };
        let variables = environment::OF_USER
            .iter()
            .filter_map(|name| Some(((*name).into(), lookup(name)?)))
            .chain(own.iter().flat_map(|provider| provider.users_variables(&lookup)))
            .collect();
        let overrides = overrides(settings, credentials);
        Ok(Self { path, credentials, overrides, variables, own })
    }

    /// The user's own provider, if it is the active one.
    #[must_use]
    pub fn provider(&self) -> Option<&Provider> {
        self.own.as_ref()
    }

    /// The folder, absolute.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Credentials of requests, as far as known.
    #[must_use]
    pub fn credentials(&self) -> Credentials {
        self.credentials
    }

    /// The settings that override the user's, as `-c` takes them.
    #[must_use]
    pub fn overrides(&self) -> &[String] {
        &self.overrides
    }

    /// The environment of a process in this home: this user's variables, and `extras`.
    #[must_use]
    pub fn environment(
        &self,
        temp_dir: &Path,
        extras: &[(OsString, OsString)],
    ) -> Vec<(OsString, OsString)> {
        let fixed: [(&str, &OsStr); 3] = [
            (CODEX_HOME, self.path.as_os_str()),
            ("TMPDIR", temp_dir.as_os_str()),
            ("RUST_LOG", OsStr::new(Log::Pulse.filter())),
        ];
        let fixed = fixed.into_iter().map(|(name, value)| (name.into(), value.to_owned()));
        fixed.chain(self.variables.iter().cloned()).chain(extras.iter().cloned()).collect()
    }
}

/// Codex must give up while the network is down. Its provider is the user's choice, unless the
/// operator set one, which then has the same limits as in the private home.
fn overrides(settings: &UserSettings, credentials: Credentials) -> Vec<String> {
    let text = |text: &str| toml::Value::from(text).to_string();
    // The log that is read for signs of life must not contain the prompt.
    let mut overrides = vec![
        "features.unbounded_connection_retries=false".to_owned(),
        "otel.log_user_prompt=false".to_owned(),
    ];
    if let Some(model) = &settings.model {
        overrides.push(format!("model={}", text(model)));
    }
    if settings.base_url.is_none() && settings.api_key_env.is_none() {
        return overrides;
    }
    let mut provider = vec![
        "name=\"OpenAI\"".to_owned(),
        "wire_api=\"responses\"".to_owned(),
        "request_max_retries=0".to_owned(),
        "stream_max_retries=0".to_owned(),
    ];
    provider.extend(settings.base_url.as_deref().map(|url| format!("base_url={}", text(url))));
    match (&settings.api_key_env, credentials) {
        (Some(name), _) => provider.push(format!("env_key={}", text(name))),
        (None, Credentials::SignIn) => provider.push("requires_openai_auth=true".to_owned()),
        (None, Credentials::ApiKey | Credentials::None) => {}
    }
    overrides.push("model_provider=\"bridge\"".to_owned());
    overrides.push(format!("model_providers.bridge={{{}}}", provider.join(",")));
    overrides
}

/// Tokens of a thread so far, from its file: Codex prints a thread's total (codex
/// 0.169), so a turn's own tokens are the difference of two results. `None` if the thread does not
/// exist, or has no count at its end.
///
/// Reads files, so it must not be called in an async task.
#[must_use]
pub fn usage_of_thread(home: &Path, thread: ThreadId) -> Option<Usage> {
    let record = record_of(home, thread)?;
    let mut file = File::open(record).ok()?;
    let length = file.metadata().ok()?.len();
    let mut window = TAIL_BYTES;
    loop {
        let tail = tail(&mut file, length.saturating_sub(window)).ok()?;
        let found = tail.split(|byte| *byte == b'\n').rev().find_map(total);
        if found.is_some() || window >= length || window >= TAIL_MAX_BYTES {
            return found;
        }
        window *= 8;
    }
}

/// The file of a thread.
pub(super) fn record_of(home: &Path, thread: ThreadId) -> Option<PathBuf> {
    find(&home.join("sessions"), DEPTH, &format!("-{thread}.jsonl"))
}

/// The file whose name ends with `end`; the latest days are searched first.
fn find(folder: &Path, depth: usize, end: &str) -> Option<PathBuf> {
    let mut entries: Vec<_> = fs::read_dir(folder).ok()?.flatten().collect();
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.file_name()));
    entries.into_iter().find_map(|entry| {
        let kind = entry.file_type().ok()?;
        if kind.is_dir() && depth > 0 {
            return find(&entry.path(), depth - 1, end);
        }
        let is_it = kind.is_file() && entry.file_name().to_str()?.ends_with(end);
        is_it.then(|| entry.path())
    })
}

fn tail(file: &mut File, from: u64) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The total in a `token_count` event.
fn total(line: &[u8]) -> Option<Usage> {
    // Most lines are long and of another type.
    let mark = b"\"total_token_usage\"";
    if !line.windows(mark.len()).any(|window| window == mark) {
        return None;
    }
    let event: Value = serde_json::from_slice(line).ok()?;
    let payload = &event["payload"];
    if payload["type"] != "token_count" {
        return None;
    }
    let total = &payload["info"]["total_token_usage"];
    let count = |name: &str| total[name].as_u64().unwrap_or_default();
    total.is_object().then(|| Usage {
        input_tokens: count("input_tokens"),
        cached_input_tokens: count("cached_input_tokens"),
        output_tokens: count("output_tokens"),
        reasoning_output_tokens: count("reasoning_output_tokens"),
    })
}

#[cfg(test)]
mod tests;
