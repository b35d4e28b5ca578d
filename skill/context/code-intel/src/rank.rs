//! From a question to ranked files and definitions. What is searched for, what counts how much, and
//! why a file is where it is.

pub(crate) mod blend;
mod compound;
mod native;
mod noise;
mod own_name;
mod past;
mod prior;
pub(crate) mod query;
pub(crate) mod score;
