//! The secrets of the configuration, the two tokens and the API key, each from an environment variable, a file, or
//! a credential passed by systemd (systemd.exec(5)).

use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

use super::fault::{Fault, Source};
use super::key::Key;
use super::layer;
use super::merge::Resolver;
use super::read::{self, Problem};
use host::environment::{self, Environment};
use host::secret::Secret;

/// The credential that holds the advisor's token.
const TOKEN: &str = "codex-bridge.token";

/// The credential that holds the token of `/orchestrate`.
const ORCHESTRATE_TOKEN: &str = "codex-bridge.orchestrate-token";

/// The credential that holds an API key.
const API_KEY: &str = "codex-bridge.api-key";

/// The variable in which Codex finds a key that was read from a file.
const API_KEY_VARIABLE: &str = "CODEX_API_KEY";

/// Shown instead of a secret.
const MASK: &str = "********";

/// Longest file with a secret, in bytes.
const FILE_MAX_BYTES: u64 = 4096;

impl Resolver<'_> {
    /// The advisor's token, if it is set or passed as a credential; otherwise it is kept in the state folder.
    pub(super) fn token(&mut self) -> Option<Secret> {
        self.one_token(Key::Token, TOKEN)
    }

    /// The same for `/orchestrate`.
    pub(super) fn orchestrate_token(&mut self) -> Option<Secret> {
        self.one_token(Key::OrchestrateToken, ORCHESTRATE_TOKEN)
    }

    fn one_token(&mut self, key: Key, handed_over: &str) -> Option<Secret> {
        if self.given(key).is_none()
            && let Some(path) = credential(self.environment, handed_over)
        {
            let token = content(&path).and_then(|text| read::token(&layer::Value::Text(text)));
            return self.found(key, token, json!(MASK)).map(Secret::new);
        }
        self.optional(key, |value, _| read::token(value).map(|token| (token, json!(MASK))))
            .map(Secret::new)
    }

    /// The API key, and the name of the variable in which Codex expects it.
    pub(super) fn api_key(&mut self) -> Option<(String, Secret)> {
        let environment = self.environment;
        let named = self.optional(Key::CodexApiKeyEnv, |value, _| {
            let name = read::variable_name(value)?;
            let key = environment.text(&name).map(|key| key.trim().to_owned());
            match key.filter(|key| !key.is_empty()) {
                Some(key) => Ok(((name.clone(), Secret::new(key)), json!(name))),
                None => Err(Problem {
                    // A name with lower-case letters may be the key itself.
                    shown: !name.contains(|c: char| c.is_ascii_lowercase()),
                    ..Problem::new(
                        "the variable of this name is not set",
                        "set it for the daemon, or leave this out to use your Codex sign-in",
                    )
                }),
            }
        });
        let of_file = self.api_key_of_file();
        named.or(of_file.map(|key| (API_KEY_VARIABLE.to_owned(), key)))
    }

    fn api_key_of_file(&mut self) -> Option<Secret> {
        let is_named = self.given(Key::CodexApiKeyEnv).is_some();
        if is_named && self.given(Key::CodexApiKeyFile).is_some() {
            let problem = "`codex.api_key_env` is set as well";
            self.fault(Key::CodexApiKeyFile, &Problem::new(problem, "leave one of the two out"));
            return None;
        }
        if !is_named
            && self.given(Key::CodexApiKeyFile).is_none()
            && let Some(path) = credential(self.environment, API_KEY)
        {
            let shown = json!(path.display().to_string());
            return self.found(Key::CodexApiKeyFile, key_in(&path), shown).map(Secret::new);
        }
        let home = self.home.clone();
        self.optional(Key::CodexApiKeyFile, |value, base| {
            let path = read::path(value, base, home.as_deref())?;
            is_private(&path)?;
            Ok((Secret::new(key_in(&path)?), json!(path.display().to_string())))
        })
    }

    /// Records a credential that the service manager passed, or its fault.
    fn found<T>(&mut self, key: Key, value: Result<T, Problem>, shown: Json) -> Option<T> {
        let source = Source::Found("$CREDENTIALS_DIRECTORY");
        match value {
            Ok(value) => {
                self.setting(key, shown, source);
                Some(value)
            }
            Err(Problem { problem, mend, .. }) => {
                let key = key.name().to_owned();
                self.faults.push(Fault { key, value: None, source, problem, mend });
                None
            }
        }
    }
}

/// The file of a credential, if it was passed.
fn credential(environment: &Environment, name: &str) -> Option<PathBuf> {
    let folder = environment.folder(environment::CREDENTIALS_DIRECTORY)?;
    Some(folder.join(name)).filter(|path| path.is_file())
}

/// The key in a file: one word of visible ASCII.
fn key_in(path: &Path) -> Result<String, Problem> {
    let key = content(path)?;
    if !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Ok(key);
    }
    Err(Problem::new(
        "the file does not hold one word of visible ASCII characters",
        "write the key into it and nothing else",
    ))
}

/// The content of a small text file, trimmed.
fn content(path: &Path) -> Result<String, Problem> {
    let unreadable = |error: io::Error| {
        Problem::new(format!("the file cannot be read: {error}"), "name a text file with the key")
    };
    // Reading a pipe or a device may never end.
    if !path.metadata().map_err(unreadable)?.is_file() {
        return Err(Problem::new("it is not a regular file", "name a text file with the key"));
    }
    let mut text = String::new();
    let file = File::open(path).map_err(unreadable)?;
    file.take(FILE_MAX_BYTES).read_to_string(&mut text).map_err(unreadable)?;
    Ok(text.trim().to_owned())
}

/// Checks that no other user can open the file. (systemd gives its credentials an access list, which shows as a
/// group permission; the folder is protected instead.)
fn is_private(path: &Path) -> Result<(), Problem> {
    let mode = path.metadata().map_or(0, |metadata| metadata.mode() & 0o777);
    if mode & 0o077 == 0 {
        return Ok(());
    }
    Err(Problem::new(
        format!("other users may open the file (mode {mode:03o})"),
        format!("run `chmod 600 {}`", path.display()),
    ))
}
