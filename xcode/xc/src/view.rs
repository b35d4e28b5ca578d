//! The components of the terminal: each turns plain data into lines, or takes keys and returns the decision. Not here:
//! when a component is shown, and its data, which are the program's.

pub(crate) mod answer;
mod buffer;
pub(crate) mod call;
mod code;
pub(crate) mod diff;
pub(crate) mod editor;
pub(crate) mod field;
mod markdown;
mod measure;
pub(crate) mod message;
pub(crate) mod output;
pub(crate) mod permission;
pub(crate) mod select;
pub(crate) mod spinner;
pub(crate) mod status_bar;
mod typing;
pub(crate) mod wizard;

#[cfg(test)]
mod tests;
