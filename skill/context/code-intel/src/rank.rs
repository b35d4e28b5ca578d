//! Ranks files and definitions for a question: which words are searched for, their weights, and the
//! reasons for a file's rank.

pub(crate) mod blend;
mod compound;
mod native;
mod noise;
mod own_name;
mod past;
mod prior;
pub(crate) mod query;
pub(crate) mod score;
