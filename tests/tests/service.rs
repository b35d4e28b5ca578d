//! The service: the guarantees for callers of the real daemon, over HTTP.
#![expect(clippy::unwrap_used, reason = "tests")]

#[path = "service/admission.rs"]
mod admission;
#[path = "service/answers.rs"]
mod answers;
#[path = "service/fixture.rs"]
mod fixture;
#[path = "service/history.rs"]
mod history;
#[path = "service/keeping.rs"]
mod keeping;
#[path = "service/real_codex.rs"]
mod real_codex;
#[path = "service/real_codex_app_server.rs"]
mod real_codex_app_server;
#[path = "service/real_codex_progress.rs"]
mod real_codex_progress;
#[path = "service/real_codex_proof.rs"]
mod real_codex_proof;
#[path = "service/real_codex_provider.rs"]
mod real_codex_provider;
#[path = "service/runs.rs"]
mod runs;
#[path = "service/sessions.rs"]
mod sessions;
#[path = "service/spans.rs"]
mod spans;
#[path = "service/streams.rs"]
mod streams;
#[path = "service/surroundings.rs"]
mod surroundings;
