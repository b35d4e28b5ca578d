//! What a failure of the model is called in events, what the user can do about it, and which exit
//! code it is.

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

/// What happened, and what helps.
pub(crate) fn message(failure: &Failure, model: &ModelId) -> String {
    let hint = match failure {
        Failure::Auth { .. } => "Check the key of this provider, or choose another model.",
        Failure::Quota { .. } => "Top up the account, or choose a model of another provider.",
        Failure::RateLimited { .. } => "Wait, or choose another model.",
        Failure::Overloaded { .. } | Failure::Server { .. } => {
            "Try again later, or choose a model of another provider."
        }
        Failure::ContextLength { .. } => {
            "The conversation does not fit, also compacted: start a new session. Nothing is lost; \
             the journal has it all."
        }
        Failure::ModelUnknown { .. } => "Choose another model.",
        Failure::Network { .. } | Failure::Cut { .. } | Failure::Timeout { .. } => {
            "Check the connection and the address of the provider. The conversation stays."
        }
        Failure::Unreadable { .. } => "Check the address of the provider, or choose another model.",
        Failure::BadRequest { .. } | Failure::Refused { .. } => {
            "Another prompt or another model may help."
        }
        Failure::Cancelled => "",
    };
    format!("{model}: {failure}. {hint}").trim_end().to_owned()
}
