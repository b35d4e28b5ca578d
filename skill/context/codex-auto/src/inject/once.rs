//! Ensures one context per prompt, even if the hook is registered several times: by the plugin, by the user's settings, by
//! a project's. The hooks run in parallel; the first to create the file of this prompt answers.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use host::{Environment, UserFolder};
use sha2::{Digest as _, Sha256};

/// Lifetime of such a file: longer than a client waits for any hook.
const AGE_MAX: Duration = Duration::from_secs(60 * 60);
/// Maximum time between the starts of the hooks of one prompt: they are started together, but the machine may be
/// busy. A user does not send the same text again within it.
const SAME: Duration = Duration::from_secs(5);

/// Identity of a prompt.
#[derive(Clone, Copy, Debug)]
pub(super) enum Prompt<'p> {
    /// By the client's id.
    Id(&'p str),
    /// By its text, if the client gives no id. After [`SAME`], the same text is another prompt.
    Words(&'p str),
}

/// Whether this call is the first for the prompt. If the claim cannot be written, every call counts as first.
pub(super) fn claim(environment: &Environment, session_id: &str, prompt: Prompt<'_>) -> bool {
    let Some(folder) = folder(environment) else { return true };
    let name = match prompt {
        Prompt::Id(id) => id.to_owned(),
        Prompt::Words(words) => {
            let hash = Sha256::digest(words.as_bytes());
            hash.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
        }
    };
    if !is_name(session_id) || !is_name(&name) {
        return true;
    }
    let made = DirBuilder::new().recursive(true).mode(0o700).create(&folder);
    let mark = folder.join(format!("{session_id}.{name}"));
    if matches!(prompt, Prompt::Words(_)) && age(&mark).is_some_and(|age| age > SAME) {
        // Another call may have removed it already.
        let _ = fs::remove_file(&mark);
    }
    let open = || OpenOptions::new().write(true).create_new(true).mode(0o600).open(&mark);
    match made.and_then(|()| open()) {
        Ok(_) => {
            tidy(&folder, session_id, &mark);
            true
        }
        Err(error) => error.kind() != ErrorKind::AlreadyExists,
    }
}

/// The folder of these files.
pub(super) fn folder(environment: &Environment) -> Option<PathBuf> {
    place(environment).map(|(cache, below)| cache.join(below))
}

/// The user's cache folder, and our folder below it.
pub(super) fn place(environment: &Environment) -> Option<(PathBuf, &'static str)> {
    let cache = environment.user_folder(UserFolder::Cache)?;
    Some((cache, "codex-bridge/prompts"))
}

/// Removes the files of this session's earlier prompts, and old ones of other sessions.
fn tidy(folder: &Path, session_id: &str, mark: &Path) {
    let earlier = format!("{session_id}.");
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_ours = entry.file_name().to_string_lossy().starts_with(&earlier);
        if path != mark && (is_ours || age(&path).is_some_and(|age| age > AGE_MAX)) {
            // Another call may have removed it already.
            let _ = fs::remove_file(path);
        }
    }
}

fn age(path: &Path) -> Option<Duration> {
    fs::symlink_metadata(path).ok()?.modified().ok()?.elapsed().ok()
}

/// Whether an id can be part of a file name.
pub(super) fn is_name(id: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (1..=80).contains(&id.len()) && id.bytes().all(is_letter)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use super::*;

    fn environment(folder: &Path) -> Environment {
        [("HOME", folder)].into_iter().collect()
    }

    #[test]
    fn of_many_calls_for_a_prompt_one_is_first() {
        let home = tempfile::tempdir().unwrap();
        let environment = environment(home.path());
        for prompt in ["p1", "p2"] {
            let first = AtomicUsize::new(0);
            thread::scope(|scope| {
                for _ in 0..8 {
                    scope.spawn(|| {
                        let is_first = claim(&environment, "s1", Prompt::Id(prompt));
                        first.fetch_add(usize::from(is_first), Ordering::SeqCst);
                    });
                }
            });
            assert_eq!(first.into_inner(), 1, "{prompt}");
        }
        assert!(claim(&environment, "s2", Prompt::Id("p2")), "another session");
        let marks = fs::read_dir(folder(&environment).unwrap()).unwrap().count();
        assert_eq!(marks, 2, "earlier marks are gone");
    }

    #[test]
    fn without_an_id_the_same_words_are_one_prompt_for_a_while() {
        let home = tempfile::tempdir().unwrap();
        let environment = environment(home.path());
        let claim = |words| claim(&environment, "s1", Prompt::Words(words));
        assert!(claim("go on") && !claim("go on"));
        // Files are compared by their age, which the clock determines.
        let mark = fs::read_dir(folder(&environment).unwrap()).unwrap().next().unwrap().unwrap();
        let mark = fs::OpenOptions::new().write(true).open(mark.path()).unwrap();
        let ago = std::time::SystemTime::now() - 2 * SAME;
        mark.set_modified(ago).unwrap();
        assert!(claim("go on") && !claim("go on"), "typed again");
        assert!(claim("../../etc/passwd\0"), "any words will do");
        assert!(claim("go on"), "another prompt was between");
    }

    #[test]
    fn where_nothing_can_be_noted_everybody_answers() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join(".cache"), "in the way").unwrap();
        let environment = environment(home.path());
        assert!(
            claim(&environment, "s1", Prompt::Id("p1"))
                && claim(&environment, "s1", Prompt::Id("p1"))
        );
        let nowhere: Environment = [("A", "b")].into_iter().collect();
        assert!(claim(&nowhere, "s1", Prompt::Id("p1")) && claim(&nowhere, "s1", Prompt::Id("p1")));
        for id in ["", "../up", "a b", "a/b"] {
            assert!(
                claim(&environment, id, Prompt::Id("p1"))
                    && claim(&environment, "s", Prompt::Id(id)),
                "{id}"
            );
        }
        let other = tempfile::tempdir().unwrap();
        let environment = [("HOME", other.path())].into_iter().collect();
        assert!(claim(&environment, "s1", Prompt::Id("p1")));
        let mode = fs::metadata(folder(&environment).unwrap()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "who was here is nobody's business");
    }
}
