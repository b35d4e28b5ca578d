//! Whether the historian goes on when it is about to stop: only while there is something that it has
//! not seen, and at most as often as the settings say. Pure.

/// What is left to look at.
#[derive(Debug, Default)]
pub(super) struct Left<'l> {
    /// Deep looks at abnormal nodes that it has not seen, with the nodes' ids.
    pub(super) deep: &'l [(String, String)],
    /// A packet that was made since its last look, ready to read.
    pub(super) packet: Option<(u64, &'l str)>,
    /// Its answer could not be read, and it was not told so before.
    pub(super) is_unread: bool,
}

/// What it goes on with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Next {
    /// The new context.
    pub(super) text: String,
    /// The nodes that it has seen now.
    pub(super) looked: Vec<String>,
    /// The packet that it has seen now.
    pub(super) packet_seq: Option<u64>,
}

/// How many closer looks one round gives.
const LOOKS: usize = 2;

/// The next round after `rounds`; none when it is done or was kept going `most` times. The client itself
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
