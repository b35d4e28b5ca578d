//! A call with its judgement.

use gate::{Judgement, Pattern};

/// What was made of a call, and where it would run.
pub struct Judged {
    /// The gate's judgement.
    pub judgement: Judgement,
    /// The working folder, links resolved.
    pub cwd: String,
    /// The user's own pattern that allows it although it is L2.
    pub allowed: Option<Pattern>,
}
