//! Parses the orchestrator's output into a report, or an error. A report of our own major version is used
//! as a whole; of another version only the text for the model is used.

use orchestration::parts::{self, Version};
use serde_json::Value;

use crate::report::Report;

/// The usable part of the output.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading {
    /// A report of a known version.
    Whole(Report),
    /// The text for the model from a report of another version.
    ContextOnly {
        /// The version that it states.
        version: String,
        /// The text.
        context: String,
    },
}

/// Why an output is not a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoReport {
    /// It is not a complete JSON document.
    #[error("the output is not one JSON document")]
    Syntax,
    /// It is JSON without the required parts of a report.
    #[error("the output has no {pointer}")]
    Shape {
        /// JSON Pointer of the part that is missing or of a wrong type.
        pointer: &'static str,
    },
}

/// Parses the orchestrator's output.
///
/// # Errors
/// [`NoReport::Syntax`] and [`NoReport::Shape`].
pub fn read(bytes: &[u8]) -> Result<Reading, NoReport> {
    let value: Value = serde_json::from_slice(bytes).map_err(|_| NoReport::Syntax)?;
    let version = parts::version(&value).map_err(|pointer| NoReport::Shape { pointer })?;
    Ok(match version {
        Version::Other(version) => Reading::ContextOnly {
            version: version.to_owned(),
            context: parts::context(&value).to_owned(),
        },
        Version::One => Reading::Whole(Report::of(value)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: &str =
        include_str!("../../../../../schemas/examples/valid/orchestrator-report-run.json");

    #[test]
    fn a_report_is_read_and_handed_on_whole() {
        let Ok(Reading::Whole(report)) = read(RUN.as_bytes()) else { panic!() };
        assert_eq!(serde_json::from_str::<Value>(RUN).unwrap(), Value::Object(report.into_map()));
        // A minor version may add unknown fields.
        let newer = RUN.replacen("\"1.0\"", "\"1.7\", \"later\": {}", 1);
        assert!(matches!(read(newer.as_bytes()), Ok(Reading::Whole(_))));
    }

    #[test]
    fn of_another_major_version_only_the_context_is_taken() {
        let other = r#"{"schema_version":"2.1","fused_context":{"for_model":{"additional_context":"look here"}}}"#;
        let expected = Reading::ContextOnly { version: "2.1".into(), context: "look here".into() };
        assert_eq!(read(other.as_bytes()), Ok(expected));
    }

    #[test]
    fn what_is_no_report_is_refused() {
        for half in ["", "no json", "{", &RUN[..RUN.len() / 2], &format!("{RUN}{RUN}"), "\u{0}"] {
            assert_eq!(read(half.as_bytes()), Err(NoReport::Syntax), "{half:.40}");
        }
        assert_eq!(read(b"\xff\xfe"), Err(NoReport::Syntax));
        let shape = |pointer| Err(NoReport::Shape { pointer });
        for other in ["[]", "7", "null", "{}", "\"text\""] {
            assert_eq!(read(other.as_bytes()), shape("/schema_version"), "{other}");
        }
        assert_eq!(
            read(br#"{"schema_version":"1.0"}"#),
            shape("/fused_context/for_model/additional_context")
        );
        let wrong = RUN.replacen("\"tool_results\"", "\"results\"", 1);
        assert_eq!(read(wrong.as_bytes()), shape("/tool_results"));
    }
}
