//! Detects prompts that are certainly not about code. For these the orchestrator's report would be empty, so it is not
//! started, which saves two thirds of the prompt's cost. The rule is the orchestrator's own, from [`intent`]; it
//! is applied here only if no other input of the orchestrator could change the result. Not here: the rule.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt as _;

use host::{Beneath, Environment};
use intent::root::Root;
use intent::{Subject, Vocabulary};
use orchestration::settings::{FILE, OTHER_FILE};
use orchestration::variables::{BEGINNINGS, KEEP, SHOW};

use crate::orchestrator_process::find;
use crate::question::Question;

/// Whether the orchestrator's report for a hook would be empty: no variable and no settings file is set, and by the
/// orchestrator's own rule the prompt is about something else. In doubt it is started, also if it is missing, so that
/// the user is told.
#[must_use]
pub fn is_other(question: &Question, environment: &Environment) -> bool {
    let is_default = !environment.variables().any(|(name, _)| is_setting(name));
    // If a folder's name is not valid text, the orchestrator gets a different name.
    let named = question.cwd.is_absolute() && question.cwd.to_str().is_some();
    if !is_default || !named || find(environment).is_err() {
        return false;
    }
    let Ok(root) = Root::find(environment, &question.cwd) else { return false };
    let below = Beneath::of(&root.path);
    let is_absent = |file| match below.open(file) {
        Err(error) => matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory),
        Ok(_) => false,
    };
    if ![FILE, OTHER_FILE].into_iter().all(is_absent) {
        return false;
    }
    let own_words = || Vocabulary::of_root(&root.path, environment);
    intent::read_with(&question.asked(), own_words).subject == Subject::Other
}

/// Whether a variable may change the report. A variable set to an empty value counts: in doubt it is started.
fn is_setting(name: &OsStr) -> bool {
    let begins = |start: &&str| name.as_bytes().starts_with(start.as_bytes());
    BEGINNINGS.iter().any(begins) && name != SHOW && name != KEEP
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::path::Path;

    use orchestration::PROGRAM;
    use orchestration::report::Client;

    use super::*;

    const CHAT: &str = "thank you, have a nice weekend";

    fn question(prompt: &str, cwd: &Path) -> Question {
        Question {
            prompt: prompt.to_owned(),
            client: Client::claude_code(None),
            cwd: cwd.to_owned(),
            context_max: None,
        }
    }

    /// A home with an orchestrator on the `PATH`.
    fn home() -> (tempfile::TempDir, Environment) {
        let home = tempfile::tempdir().unwrap();
        let program = home.path().join(PROGRAM);
        fs::write(&program, "#!/bin/sh\n").unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let environment =
            [("HOME", home.path()), ("PATH", home.path())].into_iter().collect::<Environment>();
        (home, environment)
    }

    #[test]
    fn what_is_about_code_or_could_be_is_asked() {
        let (_home, environment) = home();
        let folder = tempfile::tempdir().unwrap();
        let is_other = |prompt: &str| is_other(&question(prompt, folder.path()), &environment);
        for prompt in [CHAT, "谢谢，周末愉快", "what is the capital of France"] {
            assert!(is_other(prompt), "{prompt}");
        }
        let paste = format!("{CHAT}\n{}", "and so on. ".repeat(20_000));
        assert!(is_other(&paste));
        for prompt in ["fix src/login.rs", "修复登录函数的空指针", "why does it panic: KeyError"]
        {
            assert!(!is_other(prompt), "{prompt}");
        }
        assert!(!is_other(&format!("{paste}\nwhy does parse_line() in src/lines.rs fail?")));
    }

    #[test]
    fn with_any_setting_or_without_an_orchestrator_it_is_asked() {
        let (home, environment) = home();
        let folder = tempfile::tempdir().unwrap();
        let chat = question(CHAT, folder.path());
        for (name, expected) in [
            ("CI_AUTO_TOOLS", false),
            ("CI_AUTO_TOOLS_LATER", false),
            ("CI_CODEX_SESSION_MODE", false),
            (SHOW, true),
            (KEEP, true),
            ("OTHER", true),
        ] {
            let environment = environment.clone().with(name, "full");
            assert_eq!(is_other(&chat, &environment), expected, "{name}");
        }
        let gone = Question { cwd: folder.path().join("gone"), ..chat.clone() };
        assert!(!is_other(&gone, &environment), "the orchestrator says what is wrong");
        for file in [FILE, OTHER_FILE] {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            symlink("nowhere", &path).unwrap();
            assert!(!is_other(&chat, &environment), "{file} leads nowhere");
            fs::remove_file(&path).unwrap();
            assert!(is_other(&chat, &environment));
            fs::write(&path, "").unwrap();
            assert!(!is_other(&chat, &environment), "{file}");
            fs::remove_file(&path).unwrap();
        }
        fs::remove_file(home.path().join(PROGRAM)).unwrap();
        assert!(!is_other(&chat, &environment), "there is none");
    }
}
