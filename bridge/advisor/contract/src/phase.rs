//! The two rounds of a dialogue.

use crate::word::words;

words! {
    /// The round of a dialogue.
    Phase {
        /// Round 1: questions, assumption check, first alternatives, risks.
        Initial = "initial",
        /// Round 2: trade-offs, recommendation and confidence.
        Final = "final",
    }
}
