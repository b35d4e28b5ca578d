//! Writes single settings of the user's file, for the wizard and for replacing a refused key. Other content of the file
//! is kept. The file has mode 600 from its first byte on.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

use host::{Access, Durability};
use llm::Provider;
use serde_json::{Map, Value};

use super::fields::PROVIDERS;
use super::file::{self, OnDisk};

/// The user's answers in the wizard.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct FirstProvider {
    pub(crate) provider: Provider,
    pub(crate) key: String,
    /// The address and the model's name, of `custom` only.
    pub(crate) endpoint: Option<(String, String)>,
    /// The model that is asked, as `provider:model`.
    pub(crate) model: String,
}

/// Prints the provider; its key has no text form.
impl std::fmt::Debug for FirstProvider {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("FirstProvider").field("model", &self.model).finish_non_exhaustive()
    }
}

/// Writes the wizard's answers.
///
/// # Errors
/// The file is not a JSON object, or cannot be written; it is left unchanged.
pub(crate) fn save_first(path: &Path, first: &FirstProvider) -> io::Result<()> {
    change(path, |top| {
        top.insert("model".to_owned(), first.model.clone().into());
        let provider = provider(top, first.provider);
        provider.insert("apiKey".to_owned(), first.key.clone().into());
        if let Some((url, name)) = &first.endpoint {
            provider.insert("baseURL".to_owned(), url.clone().into());
            provider.insert("name".to_owned(), name.clone().into());
        }
    })
}

/// Writes another key of a provider.
///
/// # Errors
/// As [`save_first`].
pub(crate) fn save_key(path: &Path, of: Provider, key: String) -> io::Result<()> {
    change(path, |top| {
        let provider = provider(top, of);
        provider.shift_remove("apiKeyCommand");
        provider.insert("apiKey".to_owned(), key.into());
    })
}

fn provider(top: &mut Map<String, Value>, of: Provider) -> &mut Map<String, Value> {
    object(object(top, PROVIDERS), of.word())
}

/// The object at `name`, created if there is none.
fn object<'m>(of: &'m mut Map<String, Value>, name: &str) -> &'m mut Map<String, Value> {
    let value = of.entry(name).or_insert_with(|| Value::Object(Map::new()));
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    match value {
        Value::Object(object) => object,
        _ => unreachable!("it was made an object"),
    }
}

fn change(path: &Path, change: impl FnOnce(&mut Map<String, Value>)) -> io::Result<()> {
    let shown = path.display().to_string();
    let mut top = match file::read_object(file::open(path), &shown) {
        OnDisk::Absent => Map::new(),
        OnDisk::Object(object, _) => object,
        OnDisk::Fault(fault) => return Err(io::Error::other(fault.to_string())),
    };
    change(&mut top);
    if let Some(folder) = path.parent().filter(|folder| !folder.exists()) {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let mut bytes = serde_json::to_vec_pretty(&Value::Object(top))?;
    bytes.push(b'\n');
    host::replace(path, &bytes, Access::PRIVATE, Durability::Synced)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use llm::Provider;
    use serde_json::{Value, json};

    use super::{FirstProvider, save_first, save_key};

    /// XC-35, XC-44.
    #[test]
    fn the_file_is_closed_to_others_and_keeps_what_else_it_holds() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".xcode/config.json");
        let first = FirstProvider {
            provider: Provider::Deepseek,
            key: "sk-planted".into(),
            endpoint: None,
            model: "deepseek:deepseek-chat".into(),
        };
        save_first(&path, &first).unwrap();
        let mode =
            |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        let read = || serde_json::from_slice::<Value>(&fs::read(&path).unwrap()).unwrap();
        let expected = json!({
            "model": "deepseek:deepseek-chat",
            "providers": {"deepseek": {"apiKey": "sk-planted"}},
        });
        assert_eq!(read(), expected);
        assert!(!format!("{first:?}").contains("planted"));

        fs::write(
            &path,
            r#"{"aliases": {"a": "b:c"}, "providers": {"openai": {"apiKeyCommand": "pass"}}}"#,
        )
        .unwrap();
        save_key(&path, Provider::Openai, "sk-new".into()).unwrap();
        let expected = json!({
            "aliases": {"a": "b:c"},
            "providers": {"openai": {"apiKey": "sk-new"}},
        });
        assert_eq!(read(), expected);
        fs::write(&path, "[1]").unwrap();
        assert!(save_key(&path, Provider::Openai, "sk".into()).is_err());
        assert_eq!(fs::read(&path).unwrap(), b"[1]");
    }

    #[test]
    fn an_endpoint_of_ones_own_has_its_address_and_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.json");
        let first = FirstProvider {
            provider: Provider::Custom,
            key: "k-123456".into(),
            endpoint: Some(("http://127.0.0.1:1/v1".into(), "mine".into())),
            model: "custom:mine".into(),
        };
        save_first(&path, &first).unwrap();
        let read: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let expected =
            json!({"apiKey": "k-123456", "baseURL": "http://127.0.0.1:1/v1", "name": "mine"});
        assert_eq!(read["providers"]["custom"], expected);
    }
}
