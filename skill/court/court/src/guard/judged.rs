//! A call and its judgement.

use gate::{Judgement, Pattern};

/// The judgement of a call, and its working folder.
pub struct Judged {
    /// The gate's judgement.
    pub judgement: Judgement,
    /// The working folder, with links resolved.
    pub cwd: String,
    /// The user's own pattern that allows it despite L2.
    pub allowed: Option<Pattern>,
}
