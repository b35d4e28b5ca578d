//! Brace expansion: `{a,b}` and `{1..5}`. Not here: steps and letters that wrap.

use super::Step;
use crate::limits::{Budget, VALUES_MAX};
use crate::syntax::Piece;

/// A unit of a word before expansion: a plain character, or a piece that braces do not look into.
#[derive(Clone, Debug)]
pub(super) enum Atom<'a> {
    Plain(char),
    Piece(&'a Piece),
}

impl Atom<'_> {
    fn is(&self, wanted: char) -> bool {
        matches!(self, Atom::Plain(character) if *character == wanted)
    }
}

/// All words that `atoms` stands for; none if there are more than may be.
pub(super) fn expand<'a>(
    atoms: Vec<Atom<'a>>,
    budget: &mut Budget,
) -> Step<Option<Vec<Vec<Atom<'a>>>>> {
    let mut done: Vec<Vec<Atom<'a>>> = Vec::new();
    let mut waiting = vec![(0, atoms)];
    while let Some((from, atoms)) = waiting.pop() {
        budget.steps(atoms.len() + 1)?;
        if done.len() + waiting.len() > VALUES_MAX {
            return Ok(None);
        }
        match group(&atoms, from) {
            None => done.push(atoms),
            Some((open, close, alternatives)) => {
                for alternative in alternatives.into_iter().rev() {
                    let mut next = atoms[..open].to_vec();
                    next.extend(alternative);
                    next.extend_from_slice(&atoms[close + 1..]);
                    budget.steps(next.len())?;
                    waiting.push((open, next));
                    if waiting.len() > VALUES_MAX {
                        return Ok(None);
                    }
                }
            }
        }
    }
    Ok(Some(done))
}

type Group<'a> = (usize, usize, Vec<Vec<Atom<'a>>>);

/// The first group from `from` on: where it opens and closes, and what it offers.
fn group<'a>(atoms: &[Atom<'a>], from: usize) -> Option<Group<'a>> {
    // Brackets that never close make one pass each: a dozen is enough for any word of use.
    let opens = (from..atoms.len()).filter(|index| atoms[*index].is('{')).take(12);
    for open in opens {
        let mut depth = 0_usize;
        let mut commas = Vec::new();
        for index in open + 1..atoms.len() {
            if atoms[index].is('{') {
                depth += 1;
            } else if atoms[index].is('}') && depth > 0 {
                depth -= 1;
            } else if atoms[index].is('}') {
                let inside = &atoms[open + 1..index];
                let alternatives = if commas.is_empty() {
                    range(inside)
                } else {
                    Some(split(atoms, open, index, &commas))
                };
                if let Some(alternatives) = alternatives {
                    return Some((open, index, alternatives));
                }
                break;
            } else if atoms[index].is(',') && depth == 0 {
                commas.push(index);
            }
        }
    }
    None
}

fn split<'a>(
    atoms: &[Atom<'a>],
    open: usize,
    close: usize,
    commas: &[usize],
) -> Vec<Vec<Atom<'a>>> {
    let mut start = open + 1;
    let mut alternatives = Vec::new();
    for end in commas.iter().copied().chain([close]) {
        alternatives.push(atoms[start..end].to_vec());
        start = end + 1;
    }
    alternatives
}

fn range<'a>(inside: &[Atom<'a>]) -> Option<Vec<Vec<Atom<'a>>>> {
    // With an expansion in it, it is no range: the expansion stays.
    let plain = |atom: &Atom<'a>| match atom {
        Atom::Plain(character) => Some(*character),
        Atom::Piece(_) => None,
    };
    let text: String = inside.iter().map(plain).collect::<Option<String>>()?;
    let (first, last) = text.split_once("..")?;
    let texts: Vec<String> = match (first.parse::<i64>(), last.parse::<i64>()) {
        (Ok(first), Ok(last)) => {
            let (low, high) = (first.min(last), first.max(last));
            let length = usize::try_from(high.saturating_sub(low)).unwrap_or(usize::MAX);
            (low..)
                .take(length.min(VALUES_MAX).saturating_add(1))
                .map(|each| each.to_string())
                .collect()
        }
        _ => {
            let single = |text: &str| (text.len() == 1).then(|| text.chars().next()).flatten();
            let (first, last) = (single(first)?, single(last)?);
            (first.min(last)..=first.max(last)).map(String::from).collect()
        }
    };
    Some(texts.iter().map(|text| text.chars().map(Atom::Plain).collect()).collect())
}
