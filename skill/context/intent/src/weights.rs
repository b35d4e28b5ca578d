//! The weights for the rule with a repository's own words: data, fitted by `words/train.py`. A name is that
//! of a feature in [`evidence`](crate::evidence), a word, a pair of words, `^` and the first word of a prompt, or two
//! adjacent Chinese characters.
//!
//! Not here: the meaning of the names.

/// One name and its weight in hundredths per line, separated by a tab, sorted by name.
const WEIGHTS: &str = include_str!("../words/weights.tsv");

/// The weight of a name; 0 if it has none.
pub(crate) fn of(name: &str) -> f64 {
    let hundredths = value(WEIGHTS, name).and_then(|hundredths| hundredths.parse::<i32>().ok());
    f64::from(hundredths.unwrap_or(0)) / 100.0
}

/// Whether a list contains a word: sorted lines of three letters, a tab, and the rest of each word, separated by blanks.
pub(crate) fn has(list: &str, wanted: &str) -> bool {
    let ends = wanted.split_at_checked(3).and_then(|(begin, end)| Some((value(list, begin)?, end)));
    ends.is_some_and(|(ends, wanted)| ends.split(' ').any(|end| end == wanted))
}

/// The text after a word and a tab in a list with one sorted word per line; empty if the word is missing.
fn value<'l>(list: &'l str, wanted: &str) -> Option<&'l str> {
    let (mut low, mut high) = (0, list.len());
    let bytes = list.as_bytes();
    while low < high {
        let middle = low + (high - low) / 2;
        let before = bytes[low..middle].iter().rposition(|byte| *byte == b'\n');
        let begin = before.map_or(low, |at| low + at + 1);
        let length = bytes[begin..].iter().position(|byte| *byte == b'\n');
        let end = length.map_or(bytes.len(), |length| begin + length);
        let line = &list[begin..end];
        let (word, rest) = line.split_once('\t').unwrap_or((line, ""));
        match word.cmp(wanted) {
            std::cmp::Ordering::Less => low = end + 1,
            std::cmp::Ordering::Greater => high = begin,
            std::cmp::Ordering::Equal => return Some(rest),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_with_its_weight() {
        for (wanted, found) in
            [("a", Some("1")), ("b c", Some("-2")), ("d", Some("")), ("b", None), ("", None)]
        {
            assert_eq!(value("a\t1\nb c\t-2\nd\n", wanted), found, "{wanted}");
        }
        let list = "abs\t ent\nact\tion or\n";
        for (word, is_there) in [
            ("abs", true),
            ("absent", true),
            ("actor", true),
            ("act", false),
            ("ab", false),
            ("", false),
        ] {
            assert_eq!(has(list, word), is_there, "{word}");
        }
        let names: Vec<&str> =
            WEIGHTS.lines().map(|line| line.split_once('\t').unwrap().0).collect();
        assert!(names.is_sorted() && names.len() > 100);
        for line in WEIGHTS.lines() {
            let (name, hundredths) = line.split_once('\t').unwrap();
            assert_eq!(of(name), hundredths.parse::<f64>().unwrap() / 100.0, "{name}");
        }
        assert_eq!(of("no such name"), 0.0);
    }
}
