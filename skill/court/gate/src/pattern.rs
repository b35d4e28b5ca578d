//! Shell patterns: `*`, `?`, `[...]`. Linear memory, quadratic time at worst.

/// Whether `pattern` matches all of `text`.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    let (mut at, mut index) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while index < text.len() {
        match step(&pattern, at, text[index]) {
            Some(next) => {
                at = next;
                index += 1;
            }
            None if pattern.get(at) == Some(&'*') => {
                star = Some((at + 1, index));
                at += 1;
            }
            None => match star {
                Some((after, from)) => {
                    star = Some((after, from + 1));
                    at = after;
                    index = from + 1;
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|character| *character == '*')
}

/// Where the pattern goes on after it matched `character` at `at`, if it did. Not for stars.
fn step(pattern: &[char], at: usize, character: char) -> Option<usize> {
    match *pattern.get(at)? {
        '*' => None,
        '?' => Some(at + 1),
        '\\' => (*pattern.get(at + 1)? == character).then_some(at + 2),
        '[' => {
            let close = pattern[at + 1..].iter().skip(1).position(|each| *each == ']')? + at + 2;
            let set = &pattern[at + 1..close];
            let (negated, set) = match set {
                ['!' | '^', rest @ ..] => (true, rest),
                _ => (false, set),
            };
            let mut found = false;
            let mut index = 0;
            while index < set.len() {
                if set.get(index + 1) == Some(&'-') && index + 2 < set.len() {
                    found |= (set[index]..=set[index + 2]).contains(&character);
                    index += 3;
                } else {
                    found |= set[index] == character;
                    index += 1;
                }
            }
            (found != negated).then_some(close + 1)
        }
        other => (other == character).then_some(at + 1),
    }
}
