//! The engine over generated repositories: it sees what is there, as it is now.

#![expect(clippy::unwrap_used, reason = "tests")]

#[path = "engine/answers.rs"]
mod answers;
#[path = "engine/bounds.rs"]
mod bounds;
#[path = "engine/damage.rs"]
mod damage;
#[path = "engine/freshness.rs"]
mod freshness;
#[path = "engine/repository.rs"]
mod repository;
#[path = "engine/vocabulary.rs"]
mod vocabulary;
