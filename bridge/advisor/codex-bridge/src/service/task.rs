//! The task of a run: the masked request, how it is sent to Codex, and what its caller gets. Advice and
//! turns of the user's own Codex each implement it; everything common to both is in `run`.

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

    /// Limits and options of the run.
    fn options(&self) -> &Options;

    /// The phase of its round. A turn is the only round of its session.
    fn phase(&self) -> Phase;

    /// The masked request, for the store.
    fn request(&self) -> Request;

    /// The thread that the task continues, if its caller named one.
    fn thread(&self) -> Option<ThreadId>;

    /// Number of masked texts by kind.
    fn redactions(&self) -> &[RedactionCount];

    /// Restrictions that are known from the start, for `meta.limits`.
    fn limits(&self, lease: &RunLease) -> Vec<String>;

    /// The span of the run's log lines. Its level is `error`, so that it exists at every
    /// log level.
    fn span(lease: &RunLease) -> Span;

    /// The redactor for publishing Codex's messages in the event log; `None` if only
    /// an answer that satisfies the contract may be published.
    fn narrated(redactor: &Redactor) -> Option<&Redactor>;

    /// Finds the Codex that the task needs.
    ///
    /// # Cancel safety
    /// The next run repeats an interrupted probe.
    fn codex(inner: &Inner) -> impl Future<Output = Result<Ready, Failure>> + Send;

    /// The start of the consultation.
    fn beginning(
        &self,
        inner: &Inner,
        lease: &RunLease,
        ready: &Ready,
        folder: &RunFolder,
    ) -> impl Future<Output = Beginning<Self::Subject>> + Send;

    /// The caller's outcome for an answer.
    fn outcome(&self, answer: &<Self::Subject as Subject>::Answer, meta: Meta) -> Outcome;
}

/// The start of a consultation.
pub(super) struct Beginning<S> {
    /// What it is consulted about.
    pub(super) subject: S,
    /// The conversation with which it starts.
    pub(super) opening: Opening,
    /// The tokens of its thread so far, if known.
    pub(super) usage_before: Option<Usage>,
    /// Codex's working folder.
    pub(super) workdir: PathBuf,
    /// The sandbox of its commands.
    pub(super) sandbox: SandboxMode,
}
