//! Reads the conversation in a body, as far as the protocols have a common form: items with a role, and
//! a content that is a text or a list of parts with texts.

use serde_json::Value;

/// The items with this role.
pub(super) fn of_role<'a>(items: &'a Value, role: &'a str) -> impl Iterator<Item = &'a Value> {
    items.as_array().into_iter().flatten().filter(move |item| item["role"] == role)
}

/// The texts of the user's items.
pub(super) fn user_texts(items: &Value) -> Vec<String> {
    of_role(items, "user").map(|item| text_of(&item["content"])).collect()
}

/// A plain text, or the texts of the parts of a content.
pub(super) fn text_of(content: &Value) -> String {
    if let Some(text) = content.as_str() {
        return text.to_owned();
    }
    let parts = content.as_array().into_iter().flatten();
    parts.filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
}
