//! JSON Pointers (RFC 6901) of limited length.

use crate::limits::POINTER_MAX_BYTES;

/// `parent` with one more key, or `None` if that would be too long to print.
///
/// A key can be as long as the body; the caller then uses the pointer to the parent.
pub(crate) fn child(parent: &str, key: &str) -> Option<String> {
    let mut pointer = String::with_capacity(parent.len() + key.len() + 1);
    pointer.push_str(parent);
    pointer.push('/');
    for character in key.chars() {
        match character {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
    (pointer.len() <= POINTER_MAX_BYTES).then_some(pointer)
}

/// Orders pointers key by key, numbers by value.
pub(crate) fn compare(left: &str, right: &str) -> std::cmp::Ordering {
    let key = |pointer: &str| -> Vec<(u64, String)> {
        pointer
            .split('/')
            .map(|segment| (segment.parse().unwrap_or(u64::MAX), segment.to_owned()))
            .collect()
    };
    key(left).cmp(&key(right))
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use super::*;

    #[test]
    fn a_key_is_escaped() {
        assert_eq!(child("/options", "a/b~c").as_deref(), Some("/options/a~1b~0c"));
        assert_eq!(child("", "").as_deref(), Some("/"));
    }

    #[test]
    fn a_long_key_makes_no_pointer() {
        assert_eq!(child("/options", &"k".repeat(POINTER_MAX_BYTES)), None);
    }

    #[test]
    fn items_are_ordered_by_number() {
        assert_eq!(compare("/plans/2/name", "/plans/10/name"), Ordering::Less);
        assert_eq!(compare("", "/plans"), Ordering::Less);
        assert_eq!(compare("/plans/10", "/plans/10"), Ordering::Equal);
    }
}
