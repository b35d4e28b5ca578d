//! `xc init`: creates the project's `.x-code` from its files, without a model. Existing files are not changed.

use agent::Places;
use agent::knowledge::{Fate, Found, Initialised, Made, init};
use host::{Environment, streams};
use jiff::Zoned;

use super::args::PlaceArgs;
use crate::config::Config;
use crate::exit::Exit;
use crate::words::{
    INIT_BEGIN, INIT_FOUND, INIT_INFERRED, INIT_KEPT, INIT_KNOWLEDGE, INIT_LOCAL, INIT_MADE,
    INIT_MEMORY, INIT_MORE, INIT_NOTHING, INIT_PACKAGES, INIT_RULES, INIT_UP_TO_DATE,
    INIT_WOULD_ADD, Language, Text,
};

/// How many proposed lines of one existing file are shown.
const LINES_MAX: usize = 40;

/// The purpose of each file, in the order in which they are created.
const PURPOSES: [Text; 4] = [INIT_KNOWLEDGE, INIT_MEMORY, INIT_RULES, INIT_LOCAL];

/// Runs the command.
pub(super) fn run(environment: &Environment, place: &PlaceArgs) -> Exit {
    let Some(home) = environment.folder(host::environment::HOME) else {
        streams::note("xc: HOME does not name a folder");
        return Exit::Usage;
    };
    let places = Places::new(home, environment.working_dir());
    // Faults in the settings do not matter here.
    let language = match Config::read(environment, place.places(environment)) {
        Ok(config) => config.language.value,
        Err(_) => place.lang.unwrap_or_else(|| Language::of(environment)),
    };
    match initialised(&places, language) {
        Ok(lines) => {
            lines.iter().for_each(|line| streams::print(line));
            Exit::Answered
        }
        Err(error) => {
            streams::note(&format!("xc: .x-code cannot be made: {error}"));
            Exit::Internal
        }
    }
}

/// Creates what is missing, and returns a report, one line each.
///
/// # Errors
/// A file cannot be read or written.
pub(crate) fn initialised(places: &Places, language: Language) -> std::io::Result<Vec<String>> {
    let done = init(places, language.into(), Zoned::now().date())?;
    Ok(told(&done, language))
}

fn told(done: &Initialised, words: Language) -> Vec<String> {
    let mut lines = vec![format!("  {}", words.say(&INIT_BEGIN))];
    for Found { name, value, is_command } in &done.found {
        let text = if *is_command { &INIT_INFERRED } else { &INIT_FOUND };
        let name = if *is_command && words == Language::En {
            name.to_lowercase()
        } else {
            (*name).to_owned()
        };
        let found = words.fill(text, &[("name", &name), ("value", value)]);
        lines.push(format!("  ✓ {found}"));
    }
    if !done.packages.is_empty() {
        let packages = done.packages.join(", ");
        lines.push(format!("  ✓ {}", words.fill(&INIT_PACKAGES, &[("packages", &packages)])));
    }
    if done.found.is_empty() {
        lines.push(format!("  ℹ {}", words.say(&INIT_NOTHING)));
    }
    let purposes = done.files.iter().zip(PURPOSES.iter().map(|text| words.say(text)));
    let (made, kept): (Vec<_>, Vec<_>) = purposes.partition(|(file, _)| file.fate == Fate::Made);
    if !made.is_empty() {
        lines.extend([String::new(), format!("  {}", words.say(&INIT_MADE))]);
        let line = |(file, purpose): (&Made, &str)| format!("    {:24}← {purpose}", file.path);
        lines.extend(made.into_iter().map(line));
    }
    if !kept.is_empty() {
        lines.extend([String::new(), format!("  {}", words.say(&INIT_KEPT))]);
        for (file, _) in kept {
            let Fate::Kept(new) = &file.fate else { continue };
            let is_folder = file.path.ends_with('/');
            match new.is_empty() {
                true if is_folder => lines.push(format!("    {}", file.path)),
                true => {
                    lines.push(format!("    {:24}  {}", file.path, words.say(&INIT_UP_TO_DATE)))
                }
                false => {
                    lines.push(format!("    {:24}  {}", file.path, words.say(&INIT_WOULD_ADD)))
                }
            }
            lines.extend(new.iter().take(LINES_MAX).map(|line| format!("      + {line}")));
            if new.len() > LINES_MAX {
                let count = (new.len() - LINES_MAX).to_string();
                lines.push(format!("      ({})", words.fill(&INIT_MORE, &[("count", &count)])));
            }
        }
    }
    lines
}
