//! The class and the exit code of a model's failure.

use contract::xc::FailureClass;
use llm::{Failure, ModelId};

/// The class for events; none for an interrupt, which is not a failure.
pub(crate) const fn class(failure: &Failure) -> Option<FailureClass> {
    Some(match failure {
        Failure::Auth { .. } => FailureClass::Auth,
        Failure::Quota { .. } => FailureClass::Quota,
        Failure::RateLimited { .. } => FailureClass::RateLimited,
        Failure::Overloaded { .. } => FailureClass::Overloaded,
        Failure::ContextLength { .. } => FailureClass::ContextLength,
        Failure::ModelUnknown { .. } => FailureClass::ModelUnknown,
        Failure::BadRequest { .. } => FailureClass::BadRequest,
        Failure::Refused { .. } => FailureClass::Refused,
        Failure::Network { .. } => FailureClass::Network,
        Failure::Cut { .. } => FailureClass::Cut,
        Failure::Timeout { .. } => FailureClass::Timeout,
        Failure::Server { .. } => FailureClass::Server,
        Failure::Unreadable { .. } => FailureClass::Unreadable,
        Failure::Cancelled => return None,
    })
}

/// The exit code of a turn that ends with this failure: 3 if key or model must be changed, 4 if the provider
/// gave no answer.
pub(crate) const fn exit(failure: &Failure) -> u8 {
    match failure {
        Failure::Auth { .. } | Failure::ModelUnknown { .. } => 3,
        Failure::Cancelled => 130,
        _ => 4,
    }
}

/// The description of the failure. Advice depends on where key and model are configured, so the program
/// adds it, by the class.
pub(crate) fn message(failure: &Failure, model: &ModelId) -> String {
    let hint = match failure {
        Failure::ContextLength { .. } => " Start a new session; the journal keeps this one.",
        _ => "",
    };
    format!("{model}: {failure}.{hint}")
}
