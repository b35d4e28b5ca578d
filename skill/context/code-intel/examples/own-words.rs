//! Prints the counts of prompts' words in a repository: `own-words NAME FOLDER < PROMPTS` prints, separated by tabs,
//! the name with the number of sources, then each stem of the prompts that occurs in the sources, and
//! in how many. The intent test of the orchestrator reads such lines.

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::time::Duration;

use code_intel::{Deadline, Engine, RepoRoot};
use intent::Vocabulary;
use intent::index_folder::IndexFolder;
use intent::vocabulary::{question_words, stem};

/// A first index of any repository.
const LONG: Duration = Duration::from_secs(600);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (name, folder) = arguments.next().zip(arguments.next()).ok_or("own-words NAME FOLDER")?;
    let mut prompts = String::new();
    std::io::stdin().read_to_string(&mut prompts)?;
    let root = RepoRoot::at(Path::new(&folder))?;
    let cache = std::env::temp_dir().join(format!("own-words-{}", std::process::id()));
    Engine::new(root.clone(), cache.clone()).view(&Deadline::after(LONG))?;
    let words =
        Vocabulary::of(&IndexFolder::new(&cache, root.path())).ok_or("no words were kept")?;
    std::fs::remove_dir_all(&cache)?;
    let asked: BTreeSet<String> = prompts
        .lines()
        .flat_map(|prompt| question_words(prompt, usize::MAX))
        .map(|word| stem(&word).to_owned())
        .collect();
    let mut out = std::io::stdout().lock();
    writeln!(out, "{name}\t{}", words.sources())?;
    for stem in asked {
        let count = words.sources_with(&stem);
        if count > 0 {
            writeln!(out, "{name}\t{stem}\t{count}")?;
        }
    }
    Ok(())
}
