//! The settings that an entry needs before it starts the orchestrator: whether to call it
//! at all, how long to wait, and whether the answer must be byte-identical. All other settings, and all error
//! messages about settings, are left to the orchestrator.

mod show;

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use host::Beneath;
use host::environment::Environment;
use orchestration::settings::{BUDGET, FILE, FILE_MAX, Mode, Switch, TIER_2_MS, WALL_MS_MAX, flag};
use orchestration::variables::{AUTO_TOOLS, DRY_RUN, MODE, REPO_ROOT, TIER_MAX, WALL_MS};

use crate::question::Question;

pub use show::show;

/// Maximum for a hook, because the client kills it after 30 s with all its children (Claude Code 2.1.197).
const HOOK_MAX: Duration = Duration::from_secs(25);
/// Whether everything is disabled: by the environment, or else by the file of the repository around
/// `cwd`, as far as that is visible without a YAML parser.
#[must_use]
pub fn is_off(environment: &Environment, cwd: &Path) -> bool {
    if let Some(value) = environment.text(AUTO_TOOLS) {
        return is_off_word(value);
    }
    let text = repository_text(environment, cwd);
    text.is_some_and(|text| value_of(&text, "auto_tools").is_some_and(is_off_word))
}

fn is_off_word(word: &str) -> bool {
    Switch::read(word) == Some(Switch::Off)
}

/// Whether the environment requests a plan, for which no tools run.
#[must_use]
pub fn is_plan(environment: &Environment) -> bool {
    environment.text(DRY_RUN).and_then(flag) == Some(true)
        || environment.text(MODE).and_then(Mode::read) == Some(Mode::Plan)
}

/// The orchestrator's time budget for a question. An invalid value is ignored here: the orchestrator reports it
/// immediately.
#[must_use]
pub fn budget(environment: &Environment, question: &Question) -> Duration {
    let cwd = &question.cwd;
    let named = environment.text(WALL_MS).and_then(|value| value.trim().parse().ok());
    let base = || repository_text(environment, cwd)?.lines().find_map(number_on);
    let wall_ms = named.or_else(base).filter(|wall_ms| (1..=WALL_MS_MAX).contains(wall_ms));
    let tier_2 = if environment.text(TIER_MAX).is_some_and(|tier| tier.trim() == "2") {
        TIER_2_MS
    } else {
        0
    };
    let budget = Duration::from_millis(wall_ms.unwrap_or(BUDGET.wall_ms) + tier_2);
    if question.client.is_hook() { budget.min(HOOK_MAX) } else { budget }
}

/// The beginning of the repository's settings file, which must not be behind a link. Single values are
/// searched line by line, so that a prompt does not wait for a YAML parser.
fn repository_text(environment: &Environment, cwd: &Path) -> Option<String> {
    let root: PathBuf = match environment.get(REPO_ROOT) {
        Some(root) => cwd.join(root),
        None => host::own::repository_around(cwd)?.to_owned(),
    };
    text_of(Beneath::of(root).open(FILE).ok()?)
}

/// The beginning of a settings file.
fn text_of(file: File) -> Option<String> {
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    file.take(FILE_MAX).read_to_string(&mut text).ok()?;
    Some(text)
}

/// The value of a top-level key, without quotes and comment.
fn value_of<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let value =
        text.lines().find_map(|line| line.strip_prefix(key)?.trim_start().strip_prefix(':'))?;
    let value = value.split(" #").next().unwrap_or_default().trim();
    Some(value.trim_matches(['"', '\''])).filter(|value| !value.is_empty())
}

/// The number after `wall_ms:`, unless it is in a comment.
fn number_on(line: &str) -> Option<u64> {
    let line = line.split('#').next().unwrap_or_default();
    let (_, value) = line.split_once("wall_ms")?;
    let value = value.trim_start_matches(['"', '\'']).trim_start().strip_prefix(':')?;
    let value = value.trim_start();
    let digits = value.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(value.len());
    value[..digits].parse().ok()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use orchestration::report::Client;

    use super::*;

    fn environment(pairs: &[(&str, &str)]) -> Environment {
        pairs.iter().copied().collect()
    }

    #[test]
    fn off_is_off_in_every_spelling() {
        for (value, expected) in [("off", true), ("OFF ", true), ("0", true), ("auto", false)] {
            let environment = environment(&[(AUTO_TOOLS, value)]);
            assert_eq!(is_off(&environment, Path::new("/")), expected, "{value}");
        }
        assert!(!is_off(&environment(&[]), Path::new("/")));
    }

    #[test]
    fn off_in_the_file_is_off_unless_the_environment_says_more() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(".git")).unwrap();
        fs::create_dir(folder.path().join("config")).unwrap();
        for (file, named, expected) in [
            ("auto_tools: off\n", "", true),
            ("mode: run\nauto_tools: \"off\" # not here\n", "", true),
            ("auto_tools: false\n", "", true),
            ("auto_tools: off\n", "on", false),
            ("auto_tools: off\n", "auto", false),
            ("auto_tools: auto\n", "off", true),
            ("auto_tools: auto\n", "", false),
            ("tools:\n  auto_tools: off\n", "", false),
            ("# auto_tools: off\n", "", false),
            ("auto_tools_later: off\n", "", false),
        ] {
            fs::write(folder.path().join(FILE), file).unwrap();
            let environment = environment(&[(AUTO_TOOLS, named)]);
            assert_eq!(is_off(&environment, folder.path()), expected, "{file:?} {named:?}");
        }
    }

    #[test]
    fn a_plan_is_asked_for_by_either_name() {
        assert!(is_plan(&environment(&[(MODE, "plan")])));
        assert!(is_plan(&environment(&[(DRY_RUN, "1")])));
        assert!(!is_plan(&environment(&[(DRY_RUN, "0"), (MODE, "run")])));
    }

    #[test]
    fn the_wait_is_the_orchestrators_budget() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("src/deep");
        fs::create_dir_all(&below).unwrap();
        fs::create_dir_all(folder.path().join("config")).unwrap();
        let file = |text: &str| fs::write(folder.path().join(FILE), text).unwrap();
        let question = |client| Question {
            prompt: "fix it".to_owned(),
            client,
            cwd: below.clone(),
            context_max: None,
        };
        let codex = question(Client::codex_cli(None));
        let of = |pairs: &[(&str, &str)]| budget(&environment(pairs), &codex).as_millis();
        file("budget:\n  wall_ms: 700\n");
        assert_eq!(of(&[]), 5_000, "no repository");
        fs::create_dir(folder.path().join(".git")).unwrap();
        assert_eq!(of(&[]), 700);
        assert_eq!(of(&[(WALL_MS, "300")]), 300);
        assert_eq!(of(&[(WALL_MS, "soon"), (TIER_MAX, "2")]), 5_700);
        assert_eq!(of(&[(WALL_MS, "900000")]), 5_000);
        assert_eq!(of(&[(WALL_MS, "40000")]), 40_000);
        let hook = question(Client::claude_code(None));
        assert_eq!(budget(&environment(&[(WALL_MS, "40000")]), &hook), HOOK_MAX);
        for (text, expected) in [
            ("# wall_ms: 9\nbudget: {max_concurrency: 2, wall_ms: 800}", 800),
            ("budget:\n  \"wall_ms\" : 900 # short", 900),
            ("budget:\n  wall_ms: long\n", 5_000),
            ("{{{", 5_000),
        ] {
            file(text);
            assert_eq!(of(&[]), expected, "{text}");
        }
    }
}
