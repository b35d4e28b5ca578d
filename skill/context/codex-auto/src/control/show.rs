//! How much of a report is shown to the user of Claude Code: the environment, then the user's own file,
//! then the default. A repository's file can only reduce it.

use std::fs::File;
use std::path::{Path, PathBuf};

use host::environment::{self, Environment};
use orchestration::settings::Show;
use orchestration::variables::SHOW;

use super::{repository_text, text_of, value_of};

/// The key in a file.
const KEY: &str = "show";
/// The user's own file, below the configuration folder.
const USER_FILE: &str = "codex-bridge/auto-tools.yaml";

/// The setting in force, and its faults.
#[must_use]
pub fn show(environment: &Environment, cwd: &Path) -> (Show, Vec<String>) {
    let mut faults = Vec::new();
    let mut read = |place: &str, word: Option<String>| {
        let word = word?;
        let show = Show::read(&word);
        if show.is_none() {
            faults.push(format!("{place}: expected {}", Show::WORDS));
        }
        show
    };
    let named = read(SHOW, environment.get(SHOW).map(|word| word.to_string_lossy().into_owned()));
    let user_file = user_file(environment).unwrap_or_default();
    // Settings are often links to a folder of dot files.
    let text = || text_of(File::open(&user_file).ok()?);
    let own = || value_of(&text()?, KEY).map(str::to_owned);
    let own = named.or_else(|| read(&user_file.display().to_string(), own()));
    // Faults in the repository's file are reported by the orchestrator.
    let theirs =
        repository_text(environment, cwd).and_then(|text| Show::read(value_of(&text, KEY)?));
    let show = own.unwrap_or(Show::Line);
    (theirs.map_or(show, |theirs| show.min(theirs)), faults)
}

fn user_file(environment: &Environment) -> Option<PathBuf> {
    let home = || Some(environment.folder(environment::HOME)?.join(".config"));
    let folder = environment.folder(environment::XDG_CONFIG_HOME).or_else(home)?;
    Some(folder.join(USER_FILE))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_users_word_counts_and_a_repository_can_only_reduce_it() {
        let (home, repository) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::create_dir(repository.path().join(".git")).unwrap();
        fs::create_dir(repository.path().join("config")).unwrap();
        fs::create_dir_all(home.path().join(".config/codex-bridge")).unwrap();
        for (named, own, theirs, expected) in [
            ("", "", "", Show::Line),
            ("full", "", "", Show::Full),
            ("", "show: full\n", "", Show::Full),
            ("OFF", "show: full\n", "", Show::Off),
            ("full", "show: off\n", "", Show::Full),
            ("", "", "show: full # please\n", Show::Line),
            ("", "show: off\n", "show: full\n", Show::Off),
            ("full", "", "mode: run\nshow: 'line'\n", Show::Line),
            ("", "show: full\n", "show: off\n", Show::Off),
            ("", "", "tools:\n  show: off\n", Show::Line),
        ] {
            fs::write(home.path().join(".config").join(USER_FILE), own).unwrap();
            fs::write(repository.path().join(orchestration::settings::FILE), theirs).unwrap();
            let environment: Environment =
                [("HOME", home.path().to_str().unwrap()), (SHOW, named)].into_iter().collect();
            let held = show(&environment, repository.path());
            assert_eq!(held, (expected, Vec::new()), "{named:?} {own:?} {theirs:?}");
        }
    }

    #[test]
    fn a_wrong_word_is_said_and_the_default_holds() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join(".config").join(USER_FILE);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "show: everything\n").unwrap();
        let environment: Environment =
            [("HOME", home.path().to_str().unwrap()), (SHOW, "loud")].into_iter().collect();
        let (held, faults) = show(&environment, Path::new("/"));
        assert_eq!(held, Show::Line);
        let expected = [SHOW.to_owned(), file.display().to_string()];
        assert_eq!(faults, expected.map(|place| format!("{place}: expected off, line or full")));
    }
}
