//! What the terminal shows: each component makes lines of plain data, or takes keys and says what was decided. Absent:
//! when it is shown, and what it is made of, which are the program's.

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
