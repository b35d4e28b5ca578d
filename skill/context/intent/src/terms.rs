//! Which words of a question are significant, and their other forms in code.

/// Words that do not tell where in the code to search: English function words, and words common to all
/// issues.
const STOP_WORDS: &str = " a about above actual actually after again all almost already also although \
always am an and another any anyone anything appear appears are around as ask at be because been before \
being below between both bug but by came can cannot cant case cases cause caused causes code com could \
currently describe described description did didn different do does doesn doing don done dont down during \
each easy either else end enough etc even ever every everything example examples expect expected few \
find fine first fix fixed following follows for found from full further get gets getting give given gives \
go going gone good got had happen happened happening happens has hasn have haven having he help helpful \
hence her here hi him his hope how however http https if im in instead into is isn issue issues it its \
itself ive just keep kind know last latest least let like likely line lines little look looking looks \
lot made main make makes making many may maybe me mean means might minimal more most much must my need \
needed needs never new no non none nor not note nothing now of off often ok old on once one ones only or \
org original other others otherwise our out over own please possible possibly present probably problem \
problems produce proper properly question quite rather really reason recent recently related reproduce \
reproducible result resulting results right run running runs said same say says see seem seems seen several \
shall she should shouldn show showing shown shows similar simple simply since so solution some someone \
something sometimes somewhere step steps still such suggest sure system take takes tell than thank thanks \
that thats the their them then there therefore these they thing things think this those though three \
through thus tried tries try trying two unable under unexpected unless until up upon us use used useful \
user users uses using usually ve very via want wanted wants was wasn way ways we well went were what \
when where whether which while who whole whose why will wish with within without won work worked working \
works would wouldn write wrong www yes yet you your ";

/// Whether a lower-case word is not significant.
pub fn is_stop_word(word: &str) -> bool {
    // Words in the list are separated by blanks, and a word contains none.
    STOP_WORDS.match_indices(word).any(|(at, _)| {
        let bytes = STOP_WORDS.as_bytes();
        bytes.get(at.wrapping_sub(1)) == Some(&b' ') && bytes.get(at + word.len()) == Some(&b' ')
    })
}

/// Other forms of an English word.
pub fn variants(word: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut add = |form: String| {
        if form.len() > 2 && form != word && !found.contains(&form) {
            found.push(form);
        }
    };
    if !word.bytes().all(|byte| byte.is_ascii_lowercase()) || word.len() < 3 {
        return found;
    }
    let stem = stem(word);
    for ending in
        ["", "s", "es", "ed", "ing", "er", "ers", "e", "ion", "ions", "or", "able", "ate", "ation"]
    {
        add(format!("{stem}{ending}"));
    }
    if let Some(short) = stem.strip_suffix('i') {
        add(format!("{short}y"));
    }
    if let Some(short) = stem.strip_suffix('y') {
        add(format!("{short}ies"));
        add(format!("{short}ied"));
    }
    found
}

/// A word without its ending.
pub fn stem(word: &str) -> &str {
    const ENDINGS: [&str; 11] =
        ["ations", "ation", "ings", "ing", "ions", "ion", "ers", "ied", "ies", "es", "ed"];
    let cut = ENDINGS.iter().find_map(|ending| {
        let stem = word.strip_suffix(ending).filter(|stem| stem.len() > 2)?;
        // `ies` and `ied` stand for `y`.
        Some(if ending.starts_with("ie") { &word[..stem.len() + 1] } else { stem })
    });
    let stem = cut
        .or_else(|| word.strip_suffix("er").filter(|stem| stem.len() > 3))
        .or_else(|| word.strip_suffix('s').filter(|stem| stem.len() > 2 && !stem.ends_with('s')))
        .or_else(|| word.strip_suffix('e').filter(|stem| stem.len() > 2))
        .unwrap_or(word);
    let doubled = cut.is_some() && stem.len() > 3 && {
        let bytes = stem.as_bytes();
        bytes[bytes.len() - 1] == bytes[bytes.len() - 2]
            && !matches!(bytes[bytes.len() - 1], b'l' | b's')
    };
    if doubled { &stem[..stem.len() - 1] } else { stem }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_say_nothing_are_known() {
        for word in ["the", "should", "a", "your", "expected"] {
            assert!(is_stop_word(word), "{word}");
        }
        for word in ["parser", "he the", "matri", "th", ""] {
            assert!(!is_stop_word(word) || word.is_empty(), "{word}");
        }
    }

    #[test]
    fn other_forms_of_a_word_are_tried() {
        let has = |word: &str, form: &str| {
            assert!(variants(word).contains(&form.to_owned()), "{word}: {:?}", variants(word));
        };
        has("printing", "print");
        has("printing", "printer");
        has("printer", "print");
        has("matrices", "matric");
        has("queries", "query");
        has("running", "run");
        has("parsed", "parse");
        has("evaluation", "evaluate");
        has("files", "file");
        assert_eq!(variants("io"), Vec::<String>::new());
    }
}
