//! Prints the features of prompts: `seen WORDS.TSV…` reads lines with a repository's name, a tab and a prompt, and prints
//! for each its features as `name=value`, separated by tabs; an empty line if a word written like code decides alone.
//! `words/train.py` fits the weights on this output.

use std::collections::BTreeMap;
use std::io::{BufRead as _, Write as _};

use intent::Vocabulary;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut sources: BTreeMap<String, u32> = BTreeMap::new();
    let mut words: BTreeMap<String, Vec<(String, u32)>> = BTreeMap::new();
    for file in std::env::args().skip(1) {
        for line in std::fs::read_to_string(file)?.lines() {
            match line.split('\t').collect::<Vec<_>>()[..] {
                [name, count] => drop(sources.insert(name.to_owned(), count.parse()?)),
                [name, stem, count] => {
                    let count = count.parse()?;
                    words.entry(name.to_owned()).or_default().push((stem.to_owned(), count));
                }
                _ => return Err(line.into()),
            }
        }
    }
    let known: BTreeMap<String, Vocabulary> = sources
        .into_iter()
        .map(|(name, count)| {
            let words = words.remove(&name).unwrap_or_default();
            let words = words.iter().map(|(stem, count)| (stem.as_str(), *count));
            (name, Vocabulary::new(count, words))
        })
        .collect();
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let (name, prompt) = line.split_once('\t').ok_or("NAME, a tab, PROMPT")?;
        let seen = intent::seen(prompt, known.get(name).ok_or("no such repository")?);
        let seen = seen.unwrap_or_default();
        let fields: Vec<String> =
            seen.iter().map(|(name, value)| format!("{name}={value}")).collect();
        writeln!(out, "{}", fields.join("\t"))?;
    }
    Ok(())
}
