//! The known limits of the court, as printed by `court doctor`. The manual has the same sentences.

/// The known limits, one sentence each.
pub(super) const KNOWN: [&str; 8] = [
    "`disableAllHooks`, `--bare` and `--safe-mode` switch hooks off: the court cannot hold what does not ask it.",
    "The client lets a call through when a hook dies: the plugin's script then asks, hooks wired by hand do not.",
    "Conversation cannot be replaced, tools cannot be taken away in the middle of a turn: only calls are denied.",
    "A compaction is not held: the ledger is put before the model again when it is over.",
    "A refusal or an interruption that the client words otherwise than the proven one counts as an error.",
    "Calls that a sub-agent was denied show nothing of V10 and V13, unless they ran all the same.",
    "The historian is a model: its prompt is built by code, but a message sent to it later is not.",
    "The gate has limits of its own: docs/GATE.md.",
];

#[cfg(test)]
mod tests {
    use super::KNOWN;

    #[test]
    fn the_manual_has_each_known_limit() {
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let manual = words(include_str!("../../../../../docs/COURT.md"));
        let of_gate = KNOWN.len() - 1;
        for limit in &KNOWN[..of_gate] {
            assert!(manual.contains(&words(limit)), "{limit}");
        }
    }
}
