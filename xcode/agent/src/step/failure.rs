//! What a failure of the model is called in events, and which exit code it is.

use contract::xc::FailureClass;
use llm::{Failure, ModelId};

/// The word of events; none for an interrupt, which is no failure.
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

/// The exit code of a turn that ends so: 3 where key or model must be changed, 4 where the provider
/// gave no answer.
pub(crate) const fn exit(failure: &Failure) -> u8 {
    match failure {
        Failure::Auth { .. } | Failure::ModelUnknown { .. } => 3,
        Failure::Cancelled => 130,
        _ => 4,
    }
}

/// What happened. What can be done about it depends on where key and model are from: the program
/// says it, by the class.
pub(crate) fn message(failure: &Failure, model: &ModelId) -> String {
    let hint = match failure {
        Failure::ContextLength { .. } => " Start a new session; the journal keeps this one.",
        _ => "",
    };
    format!("{model}: {failure}.{hint}")
}
