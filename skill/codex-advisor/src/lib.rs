//! The command that asks the advisor and always answers.
