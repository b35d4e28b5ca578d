//! What is known of a project and of its user before the first prompt.

mod known;

pub use known::Knowledge;
