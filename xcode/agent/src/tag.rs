//! Tags around untrusted text in a prompt, which that text cannot close.

use contract::id::SessionId;

/// `KIND-` and twelve random digits: text that was written before cannot contain them.
#[must_use]
pub fn unguessable_tag(kind: &str) -> String {
    let id = SessionId::generate().as_uuid().simple().to_string();
    format!("{kind}-{}", &id[id.len() - 12..])
}
