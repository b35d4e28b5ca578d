//! A tool's output is data. Before it is sent to a model, nothing in it may be able to close its block or
//! to impersonate the client, and text that reads like an instruction to the model is masked.
//!
//! This filter is not a proof: the fence around the block and the sentence before it also protect against
//! what it misses. Each line is judged alone, and together with the next.

mod chinese;
mod english;
mod fold;
mod markup;

use fold::{Folded, Lines};

/// Replaces a masked line.
pub const MASK: &str = "[masked: possible instruction]";

/// A text that may be put into the block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filtered {
    /// The filtered text.
    pub text: String,
    /// How many lines were masked and how many tags were broken.
    pub hits: usize,
}

/// Makes a text safe to quote.
#[must_use]
pub fn filter(text: &str) -> Filtered {
    let clean = redact::clean(text);
    let lines: Vec<&str> = clean.split('\n').collect();
    let suspect = suspects(&lines);
    let mut hits = 0;
    let kept: Vec<String> = lines
        .iter()
        .zip(&suspect)
        .map(|(line, suspect)| {
            if *suspect {
                hits += 1;
                return MASK.to_owned();
            }
            let (text, broken) = markup::break_tags(line);
            hits += broken;
            text
        })
        .collect();
    Filtered { text: kept.join("\n"), hits }
}

/// The text with every tag broken that a client or a model could take for its own.
pub(crate) fn break_tags(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(|line| markup::break_tags(line).0).collect();
    lines.join("\n")
}

/// Which lines to mask: those that are suspicious alone, and pairs that are only together.
fn suspects(lines: &[&str]) -> Vec<bool> {
    let folded = Lines::new(lines);
    let mut suspect: Vec<bool> =
        (0..lines.len()).map(|index| is_instruction(&folded.of(index..index + 1))).collect();
    for index in 1..lines.len() {
        let blank = lines[index].trim().is_empty() || lines[index - 1].trim().is_empty();
        if !suspect[index] && !suspect[index - 1] && !blank {
            let both = is_instruction(&folded.of(index - 1..index + 1));
            suspect[index] = both;
            suspect[index - 1] = both;
        }
    }
    suspect
}

/// Whether a line reads like an instruction to the model.
fn is_instruction(folded: &Folded<'_>) -> bool {
    english::is_instruction(folded) || chinese::is_instruction(folded.compact)
}

#[cfg(test)]
mod tests;
