//! Extracts versions: nothing else of an untrusted text is reported.

/// The longest version that is reported, in characters.
const VERSION_MAX: usize = 20;

/// The version in a text, without any prefix; `None` if the text is not a version.
pub(super) fn version(text: &str) -> Option<&str> {
    let text = text.trim().trim_start_matches(['^', '~', '>', '=', '<', 'v', ' ']);
    let end = text.find([',', ' ', '<', '|']).unwrap_or(text.len());
    let text = &text[..end];
    let is_plain =
        |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '+');
    let starts = text.starts_with(|letter: char| letter.is_ascii_digit());
    (starts && text.len() <= VERSION_MAX && text.chars().all(is_plain)).then_some(text)
}

/// A name with its version, if there is a valid one.
pub(super) fn with_version(name: &str, text: Option<&str>) -> String {
    match text.and_then(version) {
        Some(version) => format!("{name} {version}"),
        None => name.to_owned(),
    }
}
