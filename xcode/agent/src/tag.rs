//! Tags around foreign text in a prompt, which that text cannot end.

use contract::id::SessionId;

/// `KIND-` and twelve digits drawn by chance: text that was written before cannot have them.
#[must_use]
pub fn unguessable_tag(kind: &str) -> String {
    let id = SessionId::generate().as_uuid().simple().to_string();
    format!("{kind}-{}", &id[id.len() - 12..])
}
