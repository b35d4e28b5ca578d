//! The labelled prompts, scored. The third that is held back was not looked at when words and weights
//! were chosen; both parts have to keep the goals.

use serde_json::Value;

use super::{Subject, read};

const PROMPTS: &str = include_str!("../../corpus/intent.jsonl");

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
