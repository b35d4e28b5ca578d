//! What a line of the corpus says that an earlier call wrote.

use gate::Written;
use serde_json::Value;

/// The files of the line `entry`, whose paths are relative to `project`.
pub(crate) fn wrote(entry: &Value, project: &str) -> Vec<Written> {
    let files = entry["wrote"].as_array().into_iter().flatten();
    files
        .map(|file| Written {
            path: format!("{project}/{}", file["path"].as_str().unwrap_or_default()),
            content: file["content"].as_str().map(str::to_owned),
        })
        .collect()
}
