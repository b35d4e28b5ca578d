//! The labelled prompts, scored. The third that is held back was not looked at when words and weights
//! were chosen; both parts have to keep the goals.

use std::collections::BTreeMap;

use crate::Vocabulary;
use serde_json::Value;

use super::{Subject, read, read_with};

const PROMPTS: &str = include_str!("../corpus/intent.jsonl");
const REPOSITORY_PROMPTS: &str = include_str!("../corpus/prompts.jsonl");
/// The words of five repositories, as far as the prompts have them; made by the example `own-words`.
const REPOSITORY_WORDS: &str = include_str!("../corpus/repositories.tsv");
/// Prompts that no rule was made with, and the words of their repositories.
const FRESH_PROMPTS: &str = include_str!("../corpus/fresh.jsonl");
const FRESH_WORDS: &str = include_str!("../corpus/fresh.tsv");
/// The same for six more repositories; half of it is held back.
const ORDINARY_PROMPTS: &str = include_str!("../corpus/ordinary.jsonl");
const ORDINARY_WORDS: &str = include_str!("../corpus/ordinary.tsv");
/// The same for two more, for which no weight was fitted and no rule changed.
const UNSEEN_PROMPTS: &str = include_str!("../corpus/unseen.jsonl");
const UNSEEN_WORDS: &str = include_str!("../corpus/unseen.tsv");

#[derive(Default)]
struct Score {
    code: usize,
    caught: usize,
    other: usize,
    injected: usize,
    deep: usize,
    recognised: usize,
    shallow: usize,
    too_deep: usize,
    wrong: Vec<String>,
}

impl Score {
    fn add(&mut self, row: &Value) {
        let prompt = row["prompt"].as_str().unwrap();
        let intent = read(prompt);
        let is_code = intent.subject == Subject::Code;
        let labelled = row["code"].as_bool().unwrap();
        let deep = row["tier_2"].as_bool().unwrap();
        let count = |flag: bool| usize::from(flag);
        self.code += count(labelled);
        self.caught += count(labelled && is_code);
        self.other += count(!labelled);
        self.injected += count(!labelled && is_code);
        self.deep += count(deep);
        self.recognised += count(deep && intent.deep.is_some());
        self.shallow += count(labelled && !deep);
        self.too_deep += count(labelled && !deep && intent.deep.is_some());
        if labelled != is_code || (deep && intent.deep.is_none()) {
            self.wrong.push(format!("  {} {labelled} {prompt:?} {:?}", row["id"], intent.signals));
        }
    }

    fn holds(&self) -> bool {
        self.injected * 100 <= self.other * 3
            && self.caught * 100 >= self.code * 95
            && self.recognised * 100 >= self.deep * 90
    }

    fn line(&self, part: &str) -> String {
        format!(
            "{part}: code caught {}/{}, other injected {}/{}, tier 2 recognised {}/{}, \
             tier 2 although labelled tier 1 {}/{}",
            self.caught,
            self.code,
            self.injected,
            self.other,
            self.recognised,
            self.deep,
            self.too_deep,
            self.shallow,
        )
    }
}

#[test]
fn the_labelled_prompts_are_told_apart() {
    let (mut development, mut held_back) = (Score::default(), Score::default());
    for line in PROMPTS.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let number = u8::from_str_radix(&row["id"].as_str().unwrap()[..2], 16).unwrap();
        if number.is_multiple_of(3) { held_back.add(&row) } else { development.add(&row) }
    }
    eprintln!("{}\n{}", development.line("development"), held_back.line("held back"));
    assert!(
        development.holds(),
        "{}\n{}",
        development.line("development"),
        development.wrong.join("\n")
    );
    // What went wrong in the held back part is not printed: it would be tuned to.
    assert!(held_back.holds(), "{}", held_back.line("held back"));
}

#[test]
fn a_name_in_backticks_is_a_symbol_for_who_asks_for_one() {
    let intent =
        read("who calls `login` and `Parser::next()`? not `rm -rf`, `src/a.rs`, ```\n`x`\n```");
    assert_eq!(intent.anchors.quoted, ["login", "Parser::next"]);
}

fn vocabularies(lines: &'static str) -> BTreeMap<&'static str, Vocabulary> {
    let mut sources = BTreeMap::new();
    let mut words: BTreeMap<&str, Vec<(&str, u32)>> = BTreeMap::new();
    for line in lines.lines() {
        match line.split('\t').collect::<Vec<_>>()[..] {
            [name, count] => drop(sources.insert(name, count.parse().unwrap())),
            [name, stem, count] => {
                words.entry(name).or_default().push((stem, count.parse().unwrap()));
            }
            _ => panic!("{line}"),
        }
    }
    let of = |(name, count)| (name, Vocabulary::new(count, words.remove(name).unwrap()));
    sources.into_iter().map(of).collect()
}

/// Of prompts of one sort: how many there are, and how many are taken for ones about code.
#[derive(Default)]
struct Rate {
    asked: usize,
    code: usize,
    /// Empty for what is held back.
    wrong: Vec<String>,
}

/// Of the held back part only the rates are told: what failed there would be tuned to.
#[test]
fn prompts_about_a_repository_are_known_by_its_own_words() {
    let vocabularies = vocabularies(REPOSITORY_WORDS);
    assert_eq!(vocabularies.len(), 5);
    let mut rates: BTreeMap<(bool, bool, String), Rate> = BTreeMap::new();
    for line in REPOSITORY_PROMPTS.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let prompt = row["prompt"].as_str().unwrap();
        let (held, labelled) = (row["held"].as_bool().unwrap(), row["code"].as_bool().unwrap());
        let asked_in = |name: &&&str| !labelled || row["repo"] == ***name;
        for name in vocabularies.keys().filter(asked_in) {
            let intent = read_with(prompt, || Some(vocabularies[name].clone()));
            let is_code = intent.subject == Subject::Code;
            let sort = if labelled { &row["kind"] } else { &Value::from(*name) };
            for sort in [sort.as_str().unwrap(), "all"] {
                let rate = rates.entry((labelled, held, sort.to_owned())).or_default();
                rate.asked += 1;
                rate.code += usize::from(is_code);
                if is_code != labelled && !held && sort == "all" {
                    rate.wrong.push(format!("  {name} {prompt:?} {:?}", intent.signals));
                }
            }
        }
    }
    let mut said = String::new();
    for ((labelled, held, sort), rate) in &rates {
        let part = if *held { "held back" } else { "development" };
        let what = if *labelled { "about code" } else { "everyday, asked in" };
        let percent = 100.0 * rate.code as f64 / rate.asked as f64;
        said +=
            &format!("{what} {sort}, {part}: {percent:.1} % of {} taken for code\n", rate.asked);
    }
    eprintln!("{said}");
    for held in [false, true] {
        let of = |labelled| &rates[&(labelled, held, "all".to_owned())];
        let (code, everyday) = (of(true), of(false));
        let wrong = [&code.wrong[..], &everyday.wrong[..]].concat().join("\n");
        assert!(code.code * 100 >= code.asked * 95, "{said}{wrong}");
        assert!(everyday.code * 100 <= everyday.asked * 2, "{said}{wrong}");
    }
}

/// Repositories whose words are ordinary English. Which prompts fail is not told: what failed would be tuned to. The last
/// number is how many of a thousand everyday prompts may be taken for ones about code.
#[test]
fn prompts_about_repositories_of_ordinary_words_are_known() {
    for (set, prompts, words, most) in [
        ("fresh", FRESH_PROMPTS, FRESH_WORDS, 20),
        ("ordinary", ORDINARY_PROMPTS, ORDINARY_WORDS, 25),
        ("unseen", UNSEEN_PROMPTS, UNSEEN_WORDS, 20),
    ] {
        let mut rates: BTreeMap<(bool, bool, &str), Rate> = BTreeMap::new();
        let vocabularies = vocabularies(words);
        for line in prompts.lines() {
            let row: Value = serde_json::from_str(line).unwrap();
            let labelled = row["code"].as_bool().unwrap();
            let held = row["held"].as_bool().unwrap_or_default();
            for (name, known) in
                vocabularies.iter().filter(|(name, _)| !labelled || row["repo"] == **name)
            {
                let intent = read_with(row["prompt"].as_str().unwrap(), || Some(known.clone()));
                for sort in [*name, "all"] {
                    let rate = rates.entry((held, labelled, sort)).or_default();
                    rate.asked += 1;
                    rate.code += usize::from(intent.subject == Subject::Code);
                }
            }
        }
        for ((held, labelled, sort), Rate { asked, code, .. }) in &rates {
            let part = if *held { ", held back" } else { "" };
            let what = if *labelled { "about code" } else { "everyday" };
            let percent = 100.0 * *code as f64 / *asked as f64;
            let said = format!("{set}{part}, {what}, {sort}: {code} of {asked} ({percent:.1} %)");
            eprintln!("{said}");
            let holds =
                if *labelled { code * 100 >= asked * 95 } else { code * 1_000 <= asked * most };
            assert!(*sort != "all" || holds, "{said}");
        }
    }
}

/// A prompt about code in words that the repository does not have is one, also where its words are known.
#[test]
fn what_the_lexicon_says_outweighs_that_a_repository_lacks_the_words() {
    let vocabularies = vocabularies(ORDINARY_WORDS);
    let rows: Vec<Value> =
        PROMPTS.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for labelled in [true, false] {
        let mut rate = Rate::default();
        for row in rows.iter().filter(|row| row["code"] == labelled) {
            for known in vocabularies.values() {
                let intent = read_with(row["prompt"].as_str().unwrap(), || Some(known.clone()));
                rate.asked += 1;
                rate.code += usize::from(intent.subject == Subject::Code);
            }
        }
        let (asked, code) = (rate.asked, rate.code);
        let said = format!("without a word of theirs, {labelled}: {code} of {asked}");
        eprintln!("{said}");
        assert!(if labelled { code * 100 >= asked * 97 } else { code * 100 <= asked }, "{said}");
    }
}

/// Names in a repository open the eyes, and do nothing else: what is done with the prompt is what its own
/// words say.
#[test]
fn a_repositorys_words_change_the_subject_alone() {
    let words = [("weath", 1), ("tomorrow", 1), ("lambdify", 1), ("nsimplify", 1)];
    let vocabulary = || Some(Vocabulary::new(1, words));
    let prompt = "lambdify tomorrow weather";
    let (alone, with) = (read(prompt), read_with(prompt, vocabulary));
    assert_eq!((alone.subject, with.subject), (Subject::Other, Subject::Code));
    assert_eq!((alone.action, &alone.anchors), (with.action, &with.anchors));
    assert_eq!((alone.deep, with.deep), (None, None));
    // Who asks for tier 2 gets what is said of it, as with any other prompt about code.
    let deep = read_with("impact of lambdify on nsimplify", vocabulary);
    assert!(deep.subject == Subject::Code && deep.deep.is_some());
    assert_eq!(read_with("thank you", vocabulary).subject, Subject::Other);
}
