//! Decides whether the historian is continued when it is about to stop: only while there is something that it has
//! not seen, and at most as often as the settings allow. Pure.

/// What is left to show.
#[derive(Debug, Default)]
pub(super) struct Left<'l> {
    /// Closer looks at abnormal nodes that it has not seen, with the nodes' ids.
    pub(super) deep: &'l [(String, String)],
    /// A packet created since its last round, as text.
    pub(super) packet: Option<(u64, &'l str)>,
    /// Its answer could not be parsed, and it was not told so before.
    pub(super) is_unread: bool,
}

/// The next round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Next {
    /// The new context.
    pub(super) text: String,
    /// The nodes shown in it.
    pub(super) looked: Vec<String>,
    /// The packet shown in it.
    pub(super) packet_seq: Option<u64>,
}

/// Number of closer looks per round.
const LOOKS: usize = 2;

/// The next round after `rounds`; `None` if it is done or was continued `most` times. The client itself
/// gives up after eight.
#[must_use]
pub(super) fn next(rounds: u32, most: u32, left: &Left<'_>) -> Option<Next> {
    let is_done = left.deep.is_empty() && left.packet.is_none() && !left.is_unread;
    if rounds >= most || is_done {
        return None;
    }
    let mut text = format!("Review, round {} of at most {}.\n", rounds + 2, most + 1);
    let shown = &left.deep[..left.deep.len().min(LOOKS)];
    for (_, deep) in shown {
        text.push_str("A closer look at an abnormal sub-agent:\n");
        text.push_str(&super::block::data("closer-look", deep));
    }
    if let Some((seq, packet)) = left.packet {
        text.push_str(&format!("Fact packet {seq} came meanwhile:\n"));
        text.push_str(&super::block::data("fact-packet", packet));
    }
    if left.is_unread {
        text.push_str(
            "Your last answer had no line that begins with VERDICT: and could not be read.\n",
        );
    }
    text.push_str(
        "Answer again in the form with VERDICT:, ADVICE:, RISK:, RESOLVED: and REMEMBER: lines, for \
         everything that you have seen so far.",
    );
    Some(Next {
        text,
        looked: shown.iter().map(|(id, _)| id.clone()).collect(),
        packet_seq: left.packet.map(|(seq, _)| seq),
    })
}
