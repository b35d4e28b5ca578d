//! Bytes into a report, or into the reason why not. A report of our own major version has everything
//! that an entry hands on; of another one only the text for the model is taken.

use orchestration::parts::{self, Version};
use serde_json::Value;

use crate::report::Report;

/// What is of use of what the orchestrator said.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading {
    /// A report of a version that is known.
    Whole(Report),
    /// The text for the model out of a report of another version.
    ContextOnly {
        /// The version that it claims.
        version: String,
        /// The text.
        context: String,
    },
}

/// Why something is no report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoReport {
    /// It is no JSON document, or not a whole one.
    #[error("the output is not one JSON document")]
    Syntax,
    /// It is JSON without what a report must have.
    #[error("the output has no {pointer}")]
    Shape {
        /// The place that is missing or of another type, a JSON Pointer.
        pointer: &'static str,
    },
}

/// Reads what the orchestrator printed.
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
        // A minor version may add what is not known here.
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
