//! What the rule sees in a prompt, each by its name: how much of it the repository has, what the lexicon says, and its shape. A
//! request for a change and the report of a fault speak of the repository's things and of what is wrong with them; an everyday
//! request speaks to the assistant, of persons and of what the repository does not have.
//!
//! Absent: what the names weigh ([`weights`](crate::weights)).

use crate::lexicon::{Sense, Spoken};
use crate::token::is_chinese;
use crate::vocabulary::{Vocabulary, question_words, stem};
use crate::weights::has;
use crate::{bilingual, terms};

/// From this weight of the lexicon on, a prompt is about code.
pub(crate) const CODE: f64 = 1.0;
/// Stems of everyday English; made by `words/make.py`.
const EVERYDAY: &str = include_str!("../words/everyday.txt");
/// Stems of what is said of software, and not every day.
const SOFTWARE: &str = include_str!("../words/software.txt");

/// So many words are read: the beginning says what is wanted.
const WORDS_MAX: usize = 24;
/// Of so many sources, one may have an everyday word by chance: a large repository names a few things after anything.
const CHANCE_SOURCES: u32 = 200;
/// An everyday word that one source in so many has, and this many at least, is what the repository is about.
const CORE_SOURCES: u32 = 50;
const CORE_MIN: u32 = 3;
/// The most bytes of a name that a weight can have.
const NAME_BYTES_MAX: usize = 40;

const PERSONS: [&str; 17] = [
    "i", "me", "my", "mine", "you", "your", "we", "us", "our", "he", "she", "his", "her", "they",
    "them", "their", "myself",
];
/// What is said of a thing that does not do what it should.
const FAULTS: &str = " not never wrong wrongly twice still only instead without missing lost loses lose ignored ignores ignore \
    ignoring dropped drops fails failed fail failing broken breaks empty blank disappear disappears disappeared vanish vanishes \
    duplicate duplicates duplicated crash crashes crashed stays stay keeps hangs returns throws raises stuck incorrect incorrectly \
    unexpected although though again unable cannot can't doesn't isn't don't won't aren't hidden skipped skips overwritten \
    leaks slow stale ";
const CHINESE_FAULTS: &str = "不对 不准 不了 没 错 丢 不显示 不生效 不起作用 重复 两遍 两次 还在 还能 也能 也会 都会 少了 多了 缺 乱 卡 失效 无法 不能 不响 \
    不一致 拆开 断了 变成 不更新 为空 空的 报 失败 崩 超出 消失 不见 清空 不到 反而 重叠 不支持 不正确 异常 不停 不出 不全 不同步";
/// What is said to somebody, or asked of him.
const CHINESE_REQUESTS: &str = "帮我 推荐 给我 你 我 他 她 吗 呢 吧 怎么样 多少 哪 谁 几";
/// What follows a thing that something is said of.
const COPULAS: &str = " is are was were does do has should must cannot can may ";
/// Words that say nothing of a prompt's shape alone.
const ARTICLES: &str = " a an the is are and of ";
const CHINESE_ARTICLES: &str = " 一个 可以 ";

/// What is seen in a prompt.
#[derive(Debug, Default)]
pub(crate) struct Evidence {
    /// Counts and shares, by name.
    pub(crate) counts: Vec<(&'static str, f64)>,
    /// Words and pairs of characters, each once.
    pub(crate) words: Vec<String>,
    /// Words that the repository has or that software is spoken of with, and how much each says, from 0 to 1.
    pub(crate) known: Vec<(String, f64)>,
    /// How many Chinese terms the repository has.
    pub(crate) chinese: usize,
}

/// What the lexicon and the shape of its names make of the same prompt.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Said<'s> {
    /// What was found in the table.
    pub(crate) spoken: &'s [Spoken],
    /// What the words weigh there.
    pub(crate) words: f64,
    /// What names, flags and quotes weigh.
    pub(crate) shape: f64,
    /// Whether it is terse, and means what is at hand.
    pub(crate) is_pointed: bool,
}

/// Looks at a prompt with the words of a repository.
pub(crate) fn look(text: &str, said: Said<'_>, known: &Vocabulary) -> Evidence {
    let mut evidence = Evidence::default();
    let lower = text.to_lowercase().replace('’', "'");
    let words: Vec<&str> = english(&lower).collect();
    let is_known: Vec<bool> = words.iter().map(|word| is_own(word, known)).collect();
    let own = own(text, known, &mut evidence);
    let (faults, both) = (faults(&words), own.known >= 2);
    let chinese = text.chars().filter(|&char| is_chinese(char)).count();
    let chinese_faults =
        least(CHINESE_FAULTS.split_whitespace().filter(|word| text.contains(word)), 2);
    evidence.chinese = chinese_known(text, known);
    let flag = |is: bool| f64::from(u8::from(is));
    let length = chinese as f64 / 2.0 + words_of_letters(text) as f64;
    let follows = |is: fn(&str) -> bool| {
        is_known.iter().zip(words.iter().skip(1)).any(|(known, word)| *known && is(word))
    };
    evidence.counts.extend([
        ("=bias", 1.0),
        ("=pair", flag(both)),
        ("=triple", flag(own.known >= 3)),
        ("=share", own.known as f64 / own.words.max(1) as f64),
        ("=core", least(0..own.core, 3)),
        ("=chance", least(0..own.chance, 3)),
        ("=own", least(0..own.own, 3)),
        ("=software", least(0..own.software, 3)),
        ("=outside", outside(said.spoken, known)),
        ("=asked", senses(said.spoken, Sense::Ask)),
        ("=said software", senses(said.spoken, Sense::Software)),
        ("=said explicit", senses(said.spoken, Sense::Explicit)),
        ("=said", said.words.min(1.5)),
        ("=said enough", flag(said.words >= CODE)),
        ("=named", said.shape),
        ("=pointed", flag(said.is_pointed)),
        ("=length", (length - 3.0).clamp(0.0, 11.0) / 10.0),
        ("=chinese", flag(chinese > 0)),
        ("=chinese known", (evidence.chinese as f64).min(3.0)),
        ("=chinese any", flag(evidence.chinese > 0)),
        ("=chinese fault", chinese_faults),
        ("=chinese fault known", flag(chinese_faults > 0.0 && evidence.chinese > 0)),
        (
            "=chinese request",
            least(CHINESE_REQUESTS.split_whitespace().filter(|word| text.contains(word)), 2),
        ),
        ("=copula", flag(follows(|word| in_list(COPULAS, word)))),
        ("=compound", flag(is_known.windows(2).any(|pair| pair[0] && pair[1]))),
        ("=person", least(words.iter().filter(|word| PERSONS.contains(word)), 2)),
        ("=fault known", flag(faults && own.known > 0)),
        ("=fault pair", flag(faults && both)),
    ]);
    evidence.words = shape(&lower, &words);
    evidence
}

/// Of the words of a prompt that say something: how many there are, and of which sort.
#[derive(Default)]
struct Own {
    words: usize,
    /// The repository has them.
    known: usize,
    /// They are not everyday words, and the repository has them.
    own: usize,
    /// Everyday words that the repository is about.
    core: usize,
    /// Everyday words that it may have by chance.
    chance: usize,
    /// They are said of software.
    software: usize,
}

fn own(text: &str, known: &Vocabulary, evidence: &mut Evidence) -> Own {
    let mut own = Own::default();
    let sources = known.sources();
    let words = question_words(text, WORDS_MAX);
    let mut seen: Vec<&str> = Vec::new();
    for word in &words {
        let stem = stem(word);
        if seen.contains(&stem) {
            continue;
        }
        seen.push(stem);
        let (is_everyday, is_software) = (has(EVERYDAY, stem), has(SOFTWARE, stem));
        let count = known.sources_with(stem);
        let is_chance = is_everyday && count > 0 && count <= sources / CHANCE_SOURCES;
        let is_core = is_everyday && count >= CORE_MIN.max(sources.div_ceil(CORE_SOURCES));
        own.words += 1;
        own.known += usize::from(count > 0);
        own.own += usize::from(count > 0 && !is_everyday);
        own.core += usize::from(is_core);
        own.chance += usize::from(is_chance);
        own.software += usize::from(is_software);
        let weight = match (count > 0, is_everyday) {
            (true, false) => 0.9,
            (true, true) if is_chance => 0.2,
            (true, true) => 0.5,
            (false, _) => 0.0,
        };
        let weight = weight + if is_software { 0.3 } else { 0.0 };
        if weight > 0.0 {
            evidence.known.push((word.clone(), f64::min(weight, 1.0)));
        }
    }
    own
}

/// How many Chinese terms of a text the repository has, by what they are called in code.
fn chinese_known(text: &str, known: &Vocabulary) -> usize {
    let has = |words: &Vec<&str>| words.iter().any(|word| known.sources_with(stem(word)) > 0);
    bilingual::things(text).iter().filter(|words| has(words)).count()
}

/// How many words there are of life outside that the repository does not have, two at most.
fn outside(spoken: &[Spoken], known: &Vocabulary) -> f64 {
    let mut seen: Vec<&str> = Vec::new();
    for spoken in spoken.iter().filter(|spoken| spoken.sense == Sense::Everyday) {
        let text = spoken.text.as_str();
        let has = english(text).any(|word| known.sources_with(stem(word)) > 0);
        if !seen.contains(&text) && !has && chinese_known(text, known) == 0 {
            seen.push(text);
        }
    }
    least(seen, 2)
}

/// How many different entries of a sense there are, two at most.
fn senses(spoken: &[Spoken], sense: Sense) -> f64 {
    let mut seen: Vec<&str> = Vec::new();
    for spoken in spoken.iter().filter(|spoken| spoken.sense == sense) {
        if !seen.contains(&spoken.text.as_str()) {
            seen.push(&spoken.text);
        }
    }
    least(seen, 2)
}

/// How many there are, `most` at most.
fn least<T>(all: impl IntoIterator<Item = T>, most: usize) -> f64 {
    all.into_iter().take(most).count() as f64
}

fn faults(words: &[&str]) -> bool {
    words.iter().any(|word| in_list(FAULTS, word))
}

/// Whether a list of words with blanks around them has one.
fn in_list(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|known| known == word)
}

/// Whether a word says something, and the repository has it.
fn is_own(word: &str, known: &Vocabulary) -> bool {
    word.len() > 2 && known.sources_with(stem(word)) > 0 && !terms::is_stop_word(word)
}

/// The words of a text in lower case: letters, and apostrophes within.
fn english(lower: &str) -> impl Iterator<Item = &str> {
    lower
        .split(|char: char| !char.is_ascii_lowercase() && char != '\'')
        .map(|word| word.trim_start_matches('\''))
        .filter(|word| !word.is_empty())
}

fn words_of_letters(text: &str) -> usize {
    text.split(|char: char| !char.is_ascii_alphabetic()).filter(|run| !run.is_empty()).count()
}

/// The words of a prompt by which its shape is known: each, two in a row, and the first; of Chinese two characters
/// in a row, and the first two.
fn shape(lower: &str, words: &[&str]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let says = |word: &&&str| !in_list(ARTICLES, word);
    names.extend(words.iter().filter(says).map(|word| (*word).to_owned()));
    names.extend(words.windows(2).map(|pair| format!("{} {}", pair[0], pair[1])));
    let start = lower.trim_start();
    if start.starts_with(|char: char| char.is_ascii_alphabetic()) {
        names.extend(words.iter().take(1).filter(says).map(|word| format!("^{word}")));
    }
    let runs = lower.split(|char: char| !('\u{3400}'..='\u{9fff}').contains(&char));
    for run in runs.filter(|run| !run.is_empty()) {
        let ends = run.char_indices().map(|(at, _)| at).chain([run.len()]).collect::<Vec<_>>();
        let pairs = ends.windows(3).map(|at| &run[at[0]..at[2]]);
        names.extend(pairs.filter(|pair| !in_list(CHINESE_ARTICLES, pair)).map(str::to_owned));
    }
    let first: String = lower.chars().take(2).filter(|&char| is_chinese(char)).collect();
    if first.chars().count() == 2 {
        names.push(format!("^{first}"));
    }
    names.retain(|name| name.len() <= NAME_BYTES_MAX);
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted_and_hold_stems() {
        for list in [EVERYDAY, SOFTWARE] {
            let mut count = 0;
            for line in list.lines() {
                let (begin, ends) = line.split_once('\t').unwrap();
                assert!(ends.split(' ').all(|end| has(list, &format!("{begin}{end}"))), "{line}");
                count += ends.split(' ').count();
            }
            assert!(list.lines().is_sorted() && count > 500);
        }
        // They are made elsewhere by the same rules.
        for word in ["kitchen", "weather", "evening", "ladies", "walking", "continued", "stopped"] {
            assert!(has(EVERYDAY, stem(word)), "{word}");
            assert!(!has(SOFTWARE, stem(word)), "{word}");
        }
        for word in ["plugin", "runtime", "async", "callbacks", "json"] {
            assert!(has(SOFTWARE, stem(word)) && !has(EVERYDAY, stem(word)), "{word}");
        }
        assert!(!has(EVERYDAY, "") && !has(EVERYDAY, "zzzz"));
    }

    #[test]
    fn a_prompt_is_seen_in_its_counts_and_its_shape() {
        let known = Vocabulary::new(100, [("order", 9), ("stock", 2), ("lambdify", 1)]);
        let said = Said { spoken: &[], words: 0.0, shape: 0.0, is_pointed: false };
        let seen = look("The order does not lower my stock, 订单没有 lambdify", said, &known);
        let count = |name| seen.counts.iter().find(|(known, _)| *known == name).unwrap().1;
        for (name, expected) in [
            ("=own", 1.0),
            ("=core", 1.0),
            ("=triple", 1.0),
            ("=copula", 1.0),
            ("=person", 1.0),
            ("=fault pair", 1.0),
            ("=chinese known", 1.0),
            ("=chinese fault", 1.0),
            ("=outside", 0.0),
        ] {
            assert_eq!(count(name), expected, "{name}");
        }
        for name in ["order", "order does", "does not", "没有", "订单", "单没"] {
            assert!(seen.words.iter().any(|known| known == name), "{name}: {:?}", seen.words);
        }
        for name in ["the", "^the", "^订单"] {
            assert!(!seen.words.iter().any(|known| known == name), "{name}");
        }
    }
}
