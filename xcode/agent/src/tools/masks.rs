//! Prevents writing a mask into a file: the model sees a mask where the file has a secret.

use std::collections::HashMap;

use redact::masks;

/// A mask that would be added to a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NewMask<'t>(&'t str);

/// The first mask that occurs more often in `after` than in `before`.
pub(super) fn new_mask<'t>(before: &str, after: &'t str) -> Option<NewMask<'t>> {
    let new = masks(after);
    if new.is_empty() {
        return None;
    }
    let mut held: HashMap<&str, usize> = HashMap::new();
    for mask in masks(before) {
        *held.entry(mask).or_default() += 1;
    }
    let is_new = |mask: &&str| match held.get_mut(*mask) {
        Some(left @ 1..) => {
            *left -= 1;
            false
        }
        Some(_) | None => true,
    };
    new.into_iter().find(is_new).map(NewMask)
}

impl NewMask<'_> {
    /// The message to the model.
    pub(super) fn told(&self, shown: &str) -> String {
        format!(
            "{shown} is not changed: {} is a mask that stands for a secret, not text of the file. Leave the \
             secret out of what you replace, or ask the user to put it in.",
            self.0
        )
    }
}
