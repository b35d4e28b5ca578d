//! The vendors' token formats as data: one line a format, no code.
//!
//! A rule names a keyword that every such token holds. Its pattern is tried only where the keyword
//! stands, anchored there, and is compiled at that moment.

mod address;
mod cloud;
mod code_host;
mod model;
mod payment;
mod rule;
mod service;

pub(crate) use rule::{Check, Rule};

/// A token format that is known, as an example shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Format {
    /// What its marker says.
    pub kind: &'static str,
    /// The text of one, where `{a36}` stands for 36 characters drawn from a class: `a` letters and
    /// digits, `b` base64, `w` base64 for URLs, `h` and `H` hexadecimal, `l` and `u` letters of one
    /// case and digits, `A` base32, `c` letters, `L` and `U` letters of one case, `d` digits; and
    /// `{uuid}` for a UUID.
    pub example: &'static str,
}

/// Every token format that is known by itself, without a name beside it.
pub fn formats() -> impl Iterator<Item = Format> {
    all().map(|rule| Format { kind: rule.kind, example: rule.example })
}

/// All rules, in no order that matters.
pub(crate) fn all() -> impl Iterator<Item = &'static Rule> {
    [address::RULES, cloud::RULES, code_host::RULES, model::RULES, payment::RULES, service::RULES]
        .into_iter()
        .flatten()
}
