//! The change that a call would make to a file: shown to the user before it is written, split into hunks, and written in
//! part if the user accepts only some of them. Not here: asking the user, and writing.

use std::collections::BTreeSet;

use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices, group_diff_ops};

/// How many unchanged lines are shown around a change.
const CONTEXT_LINES: usize = 3;

/// From this number of lines on, only the common beginning and end of two texts are found: nobody reads a change of
/// that size hunk by hunk.
const LINES_MAX: usize = 20_000;

/// The change of a file by a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The file, as displayed.
    pub path: String,
    /// Its present content; none if the call creates it.
    pub old: Option<String>,
    /// Its new content.
    pub new: String,
    /// Whether its hunks may be chosen one by one. Not if a secret is masked in what is shown.
    pub is_divisible: bool,
}

/// A part of a change, with some lines around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// Its first line in the old text, from 1.
    pub old_from: usize,
    /// Its first line in the new text, from 1.
    pub new_from: usize,
    /// Its lines, in order, without their ends.
    pub lines: Vec<HunkLine>,
}

/// A line of a [`Hunk`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HunkLine {
    /// It is unchanged.
    Same(String),
    /// It is removed.
    Removed(String),
    /// It is added.
    Added(String),
}

/// The content that is written instead of the call's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instead {
    /// The file's content when the user was asked; none if there was no file.
    pub(crate) old: Option<String>,
    /// The content to write.
    pub(crate) new: String,
    /// The message to the model about the hunks that were left out.
    pub(crate) told: String,
}

impl Instead {
    /// Checks that the file still has the content that the user saw.
    ///
    /// # Errors
    /// It has not.
    pub(crate) fn check(&self, now: &[u8]) -> Result<(), ()> {
        let old = self.old.as_deref().unwrap_or_default();
        if old.as_bytes() == now { Ok(()) } else { Err(()) }
    }
}

impl Change {
    /// The hunks of the change; none if both texts are equal.
    #[must_use]
    pub fn hunks(&self) -> Vec<Hunk> {
        let (old, new) = (self.old_lines(), lines(&self.new));
        let shown = |line: &str| line.trim_end_matches(['\r', '\n']).to_owned();
        let hunk = |ops: Vec<DiffOp>| {
            let mut shown_lines = Vec::new();
            for op in &ops {
                let (tag, from, to) = op.as_tag_tuple();
                if tag == DiffTag::Equal {
                    shown_lines.extend(old[from].iter().map(|line| HunkLine::Same(shown(line))));
                    continue;
                }
                shown_lines.extend(old[from].iter().map(|line| HunkLine::Removed(shown(line))));
                shown_lines.extend(new[to].iter().map(|line| HunkLine::Added(shown(line))));
            }
            let first = |range: fn(&DiffOp) -> std::ops::Range<usize>| {
                ops.first().map(|op| range(op).start + 1).unwrap_or_default()
            };
            Hunk {
                old_from: first(DiffOp::old_range),
                new_from: first(DiffOp::new_range),
                lines: shown_lines,
            }
        };
        group_diff_ops(self.ops(&old, &new), CONTEXT_LINES).into_iter().map(hunk).collect()
    }

    /// The content with only the hunks of `taken` applied, by index from 0, and the message to the model
    /// about the others.
    pub(crate) fn in_part(&self, taken: &BTreeSet<usize>) -> Instead {
        let (old, new) = (self.old_lines(), lines(&self.new));
        let mut text = String::with_capacity(self.new.len());
        let mut from = 0;
        let groups = group_diff_ops(self.ops(&old, &new), CONTEXT_LINES);
        let count = groups.len();
        let mut left_out = Vec::new();
        for (at, ops) in groups.into_iter().enumerate() {
            if !taken.contains(&at) {
                let start = ops.first().map_or(0, |op| op.old_range().start);
                let end = ops.last().map_or(start, |op| op.old_range().end);
                left_out.push(format!("{} (lines {}-{})", at + 1, start + 1, end.max(start + 1)));
                continue;
            }
            for op in ops {
                let (tag, of_old, of_new) = op.as_tag_tuple();
                text.extend(old[from..of_old.start].iter().copied());
                match tag {
                    DiffTag::Equal => text.extend(old[of_old.clone()].iter().copied()),
                    DiffTag::Delete | DiffTag::Insert | DiffTag::Replace => {
                        text.extend(new[of_new].iter().copied());
                    }
                }
                from = of_old.end;
            }
        }
        text.extend(old[from..].iter().copied());
        let told = format!(
            "The user took {} of {count} hunks of this change. Not applied: {}. Read the file before you \
             change it again.",
            count - left_out.len(),
            left_out.join(", ")
        );
        Instead { old: self.old.clone(), new: text, told }
    }

    fn old_lines(&self) -> Vec<&str> {
        lines(self.old.as_deref().unwrap_or_default())
    }

    fn ops(&self, old: &[&str], new: &[&str]) -> Vec<DiffOp> {
        if old.len() + new.len() <= LINES_MAX {
            return in_order(capture_diff_slices(Algorithm::Myers, old, new));
        }
        let before = old.iter().zip(new).take_while(|(old, new)| old == new).count();
        let rest = old[before..].iter().rev().zip(new[before..].iter().rev());
        let after = rest.take_while(|(old, new)| old == new).count();
        let equal = |old_index, new_index, len| DiffOp::Equal { old_index, new_index, len };
        let (old_len, new_len) = (old.len() - before - after, new.len() - before - after);
        let changed = DiffOp::Replace { old_index: before, old_len, new_index: before, new_len };
        let changed = (old_len + new_len > 0).then_some(changed);
        [Some(equal(0, 0, before)), changed, Some(equal(before + old_len, before + new_len, after))]
            .into_iter()
            .flatten()
            .collect()
    }
}

/// The same operations with places that follow from their order: similar 2.7 may give an insertion a place
/// before the operation that precedes it.
fn in_order(ops: Vec<DiffOp>) -> Vec<DiffOp> {
    let (mut old_index, mut new_index) = (0, 0);
    let placed = |op: DiffOp| {
        let (old_len, new_len) = (op.old_range().len(), op.new_range().len());
        let placed = match op.tag() {
            DiffTag::Equal => DiffOp::Equal { old_index, new_index, len: old_len },
            DiffTag::Delete | DiffTag::Insert | DiffTag::Replace => {
                DiffOp::Replace { old_index, old_len, new_index, new_len }
            }
        };
        (old_index, new_index) = (old_index + old_len, new_index + new_len);
        placed
    };
    ops.into_iter().map(placed).collect()
}

/// The lines of a text with their ends.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::{Change, HunkLine};

    fn change(old: &str, new: &str) -> Change {
        let (path, old, new) = ("a".to_owned(), Some(old.to_owned()), new.to_owned());
        Change { path, old, new, is_divisible: true }
    }

    fn numbered(changed: &[usize]) -> String {
        let line = |n| if changed.contains(&n) { format!("new {n}\n") } else { format!("{n}\n") };
        (1..=40).map(line).collect()
    }

    #[test]
    fn distant_changes_are_hunks_of_their_own_with_lines_around_them() {
        let hunks = change(&numbered(&[]), &numbered(&[3, 30])).hunks();
        let froms: Vec<_> = hunks.iter().map(|hunk| (hunk.old_from, hunk.new_from)).collect();
        assert_eq!(froms, [(1, 1), (27, 27)]);
        let text = |line: &HunkLine| match line {
            HunkLine::Same(line) => format!(" {line}"),
            HunkLine::Removed(line) => format!("-{line}"),
            HunkLine::Added(line) => format!("+{line}"),
        };
        let lines: Vec<_> = hunks[0].lines.iter().map(text).collect();
        assert_eq!(lines, [" 1", " 2", "-3", "+new 3", " 4", " 5", " 6"]);
    }

    #[test]
    fn only_the_hunks_that_are_taken_are_written_and_the_others_are_named() {
        let change = change(&numbered(&[]), &numbered(&[3, 30]));
        let instead = change.in_part(&BTreeSet::from([1]));
        assert_eq!(instead.new, numbered(&[30]));
        assert!(instead.told.contains("1 of 2 hunks"), "{}", instead.told);
        assert!(instead.told.contains("Not applied: 1 (lines 1-6)"), "{}", instead.told);
    }

    #[test]
    fn a_new_file_is_one_hunk_and_a_text_of_many_lines_is_one_change() {
        let new = Change { old: None, ..change("", "a\nb\n") };
        assert_eq!(new.hunks().len(), 1);
        let many: String = (0..15_000).map(|n| format!("{n}\n")).collect();
        let changed = many.replace("\n7000\n", "\nseven\n");
        let change = change(&many, &changed);
        assert_eq!(change.hunks().len(), 1);
        assert_eq!(change.in_part(&BTreeSet::from([0])).new, changed);
        assert!(change.in_part(&BTreeSet::new()).new == many, "not the old text");
    }

    proptest! {
        #[test]
        fn all_hunks_are_the_change_and_no_hunk_is_none(
            old in "([ab]\r?\n){0,30}[ab]{0,1}",
            new in "([ab]\r?\n){0,30}[ab]{0,1}",
        ) {
            let change = change(&old, &new);
            let all: BTreeSet<usize> = (0..change.hunks().len()).collect();
            prop_assert_eq!(change.in_part(&all).new, new);
            prop_assert_eq!(change.in_part(&BTreeSet::new()).new, old);
        }
    }
}
