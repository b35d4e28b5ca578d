//! The latest prompts, as recorded by the entries to the orchestrator in the state folder. The files belong to the user
//! who runs the daemon; a file that cannot be read or parsed is left out.

use std::io::Read as _;
use std::path::PathBuf;

use contract::failure::{Failure, FailureCode};
use contract::orchestrate::kept::{EXTENSION, FILE_MAX, FOLDER, KEPT_MAX, Kept, id_of, is_run_id};
use host::Beneath;
use window::view::{Context, Prompt};

use super::row::shown_kind;
use crate::token::Rights;

/// Collects the latest prompts, or the one with the id `chosen`.
///
/// # Errors
/// `not_found` if no prompt has that id.
pub async fn gather(
    state_dir: PathBuf,
    chosen: Option<String>,
    rights: Rights,
) -> Result<Context, Failure> {
    if shown_kind(rights).is_some() {
        return Ok(Context::Hidden);
    }
    let reading = tokio::task::spawn_blocking(move || {
        let folder = Beneath::private(state_dir, FOLDER);
        match chosen {
            None => Ok(Context::List(list(&folder), folder.path().display().to_string())),
            Some(id) => match is_run_id(&id).then(|| read(&folder, id.clone())).flatten() {
                Some(prompt) => Ok(Context::One(Box::new(prompt))),
                None => Err(Failure::new(FailureCode::NotFound, "no such prompt is kept")),
            },
        }
    });
    let unread = |error| Failure::new(FailureCode::Internal, format!("prompts: {error}"));
    reading.await.map_err(unread)?
}

/// Newest first.
fn list(folder: &Beneath) -> Vec<Prompt> {
    let names = folder.names("").unwrap_or_default();
    let mut ids: Vec<String> =
        names.iter().filter_map(|name| id_of(name)).map(str::to_owned).collect();
    ids.sort_unstable_by(|one, other| other.cmp(one));
    ids.into_iter().take(KEPT_MAX).filter_map(|id| read(folder, id)).collect()
}

fn read(folder: &Beneath, id: String) -> Option<Prompt> {
    let mut text = Vec::new();
    let most = u64::try_from(FILE_MAX).unwrap_or(u64::MAX);
    let file = folder.open(format!("{id}{EXTENSION}")).ok()?;
    file.take(most).read_to_end(&mut text).ok()?;
    let kept: Kept = serde_json::from_slice(&text).ok()?;
    Some(Prompt { id, kept })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const RUN: &str =
        include_str!("../../../../../schemas/examples/valid/orchestrator-report-run.json");

    async fn ids(state: &std::path::Path, rights: Rights) -> Option<Vec<String>> {
        match gather(state.to_owned(), None, rights).await.unwrap() {
            Context::List(prompts, _) => Some(prompts.into_iter().map(|it| it.id).collect()),
            Context::Hidden => None,
            Context::One(_) => panic!("none was chosen"),
        }
    }

    #[tokio::test]
    async fn prompts_are_read_newest_first_and_whatever_else_lies_there_is_left_out() {
        let state = tempfile::tempdir().unwrap();
        assert_eq!(ids(state.path(), Rights::Orchestrate).await, Some(Vec::new()), "no folder");
        let folder = Beneath::private(state.path(), FOLDER);
        let kept = format!("{{\"elapsed_ms\": 3, \"report\": {RUN}}}");
        let long = " ".repeat(FILE_MAX) + &kept;
        for (name, text) in [
            ("20261122-103001-aa.json", &*kept),
            ("20261122-103002-aa.json", &kept),
            ("20261122-103003-aa.json", "{"),
            ("20261122-103004-aa.json", RUN),
            ("20261122-103005-aa.json", &long),
            ("20261122-103006-AA.json", &kept),
            ("20261122-103007-aa.txt", &kept),
        ] {
            folder.replace(name, text.as_bytes()).unwrap();
        }
        let outside = state.path().join("secret.json");
        fs::write(&outside, &kept).unwrap();
        let link = folder.path().join("20261122-103008-aa.json");
        std::os::unix::fs::symlink(&outside, link).unwrap();
        let expected = ["20261122-103002-aa", "20261122-103001-aa"].map(str::to_owned).to_vec();
        assert_eq!(ids(state.path(), Rights::Orchestrate).await, Some(expected));
        assert_eq!(ids(state.path(), Rights::Advisor).await, None);
    }

    #[tokio::test]
    async fn one_prompt_is_found_by_its_id_and_by_nothing_else() {
        let state = tempfile::tempdir().unwrap();
        let folder = Beneath::private(state.path(), FOLDER);
        let kept = format!("{{\"elapsed_ms\": 3, \"report\": {RUN}}}");
        folder.replace("20261122-103001-aa.json", kept.as_bytes()).unwrap();
        fs::write(state.path().join("secret.json"), &kept).unwrap();
        let chosen =
            |id: &str| gather(state.path().to_owned(), Some(id.to_owned()), Rights::Orchestrate);
        let found = chosen("20261122-103001-aa").await.unwrap();
        assert!(matches!(found, Context::One(prompt) if prompt.kept.elapsed_ms == 3));
        for id in ["", "../secret", "20261122-103001-ab", "20261122-103001-aa.json", "a/b", "%2e"] {
            let refused = chosen(id).await.unwrap_err();
            assert_eq!(refused.error.code, FailureCode::NotFound, "{id}");
        }
    }
}
