//! Shows the resolved configuration, as text and as JSON.

use std::fmt::Write;

use serde_json::{Map, Value as Json, json};

use super::fault::Faults;
use super::resolve::{Resolved, Setting};

impl Resolved {
    /// A table: setting, value, source; then the warnings.
    #[must_use]
    pub fn table(&self) -> String {
        let value = |setting: &Setting| match &setting.value {
            Json::Null => "-".to_owned(),
            Json::String(text) => text.clone(),
            other => other.to_string(),
        };
        let widest = |lengths: &mut dyn Iterator<Item = usize>| lengths.max().unwrap_or(0);
        let key_width = widest(&mut self.settings.iter().map(|s| s.key.name().len()));
        let value_width = widest(&mut self.settings.iter().map(|s| value(s).chars().count()));
        let mut table = String::new();
        for setting in &self.settings {
            let (key, value, source) = (setting.key.name(), value(setting), &setting.source);
            writeln!(table, "{key:key_width$}  {value:value_width$}  {source}")
                .expect("a String takes every write");
        }
        for warning in &self.warnings {
            writeln!(table, "warning: {warning}").expect("a String takes every write");
        }
        table
    }

    /// The same as JSON: `settings` by name with `value` and `source`, `file`, `warnings`.
    #[must_use]
    pub fn json(&self) -> Json {
        let settings: Map<String, Json> = self
            .settings
            .iter()
            .map(|setting| {
                let source = setting.source.to_string();
                let entry = json!({
                    "value": setting.value,
                    "source": source,
                    "variable": setting.key.variable(),
                    "what": setting.key.what(),
                });
                (setting.key.name().to_owned(), entry)
            })
            .collect();
        let file = self.file.as_ref().map(|file| file.display().to_string());
        json!({ "settings": settings, "file": file, "warnings": self.warnings })
    }
}

impl Faults {
    /// Every fault as JSON.
    #[must_use]
    pub fn json(&self) -> Json {
        let faults = self.0.iter().map(|fault| {
            json!({
                "key": fault.key,
                "value": fault.value,
                "source": fault.source.to_string(),
                "problem": fault.problem,
                "mend": fault.mend,
            })
        });
        json!({ "faults": faults.collect::<Vec<_>>() })
    }
}
