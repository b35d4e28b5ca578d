//! What a run does: the masked request, how it is put to Codex, and what its caller gets. Advice and
//! turns of the user's own Codex each have theirs; whatever is the same for both is in `play`.

use std::path::PathBuf;

use codex_driver::SandboxMode;
use contract::advice::{Meta, RedactionCount, Usage};
use contract::failure::Failure;
use contract::id::ThreadId;
use contract::input::{Options, Phase};
use contract::outcome::Outcome;
use contract::run::RunKind;
use redact::Redactor;
use tracing::Span;

use super::folder::RunFolder;
use super::inner::Inner;
use crate::advisor::retry::Opening;
use crate::advisor::subject::Subject;
use crate::codex::Ready;
use crate::request::Request;
use crate::store::record::RunLease;

/// A masked request of one kind.
pub(super) trait Task: Sized + Send + Sync + 'static {
    /// What Codex is consulted about.
    type Subject: Subject + 'static;

    const KIND: RunKind;

    /// Bounds and choices for the run.
    fn options(&self) -> &Options;

    /// The phase of its round. A turn is its session's one round.
    fn phase(&self) -> Phase;

    /// The masked request, for the store.
    fn request(&self) -> Request;

    /// The thread that the task goes on in, where its caller named one.
    fn thread(&self) -> Option<ThreadId>;

    /// What was masked, by kind.
    fn redactions(&self) -> &[RedactionCount];

    /// What is weaker than asked from the start.
    fn limits(&self, lease: &RunLease) -> Vec<String>;

    /// The span that the log lines of the run are in. Of the level `error`, so that it is there at every
    /// level of the log.
    fn span(lease: &RunLease) -> Span;

    /// The redactor through which the event log tells what Codex says on its way; nothing where only
    /// an answer that keeps the contract may be told.
    fn narrated(redactor: &Redactor) -> Option<&Redactor>;

    /// The Codex that the task needs.
    ///
    /// # Cancel safety
    /// A look that was cut short is made again by the next run.
    fn codex(inner: &Inner) -> impl Future<Output = Result<Ready, Failure>> + Send;

    /// Where and how Codex begins.
    fn beginning(
        &self,
        inner: &Inner,
        lease: &RunLease,
        ready: &Ready,
        folder: &RunFolder,
    ) -> impl Future<Output = Beginning<Self::Subject>> + Send;

    /// What the caller gets for an answer.
    fn outcome(&self, answer: &<Self::Subject as Subject>::Answer, meta: Meta) -> Outcome;
}

/// Where and how Codex begins.
pub(super) struct Beginning<S> {
    /// What it is consulted about.
    pub(super) subject: S,
    /// Where the conversation begins.
    pub(super) opening: Opening,
    /// The tokens of its thread so far, where they are known.
    pub(super) usage_before: Option<Usage>,
    /// Where Codex stands.
    pub(super) workdir: PathBuf,
    /// What its commands may do.
    pub(super) sandbox: SandboxMode,
}
