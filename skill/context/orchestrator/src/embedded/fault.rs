//! Converts the engine's errors into faults of a tool.

use std::fmt::Display;

use code_intel::EngineError;

use crate::tool::ToolFault;

/// The tool fault for an error of the engine.
pub(super) fn fault(error: EngineError) -> ToolFault {
    match error {
        EngineError::Cache { .. } | EngineError::NoCacheFolder => unavailable(error),
        EngineError::Pattern { .. } | EngineError::EmptyQuestion | EngineError::Unknown { .. } => {
            ToolFault::InvalidArgs(error.to_string())
        }
    }
}

/// The engine cannot be used.
pub(super) fn unavailable(error: impl Display) -> ToolFault {
    ToolFault::Unavailable(error.to_string())
}
