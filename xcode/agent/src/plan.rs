//! Plan mode in a session: the current plan, the messages to the model during plan mode, and the plan's file.
//! Not here: the denials during plan mode (see `permit`), and the calls that begin and end it (see `step`).

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use contract::id::SessionId;
use contract::xc::PermitMode;
use host::Beneath;
use jiff::Timestamp;

/// The folder of plans, below the workspace's root.
const FOLDER: &str = ".x-code/plans";

/// Added to each message in plan mode; the original specification's words, with `{plan-id}`.
const OVERLAY: &str = "\
Plan mode is active. You MUST NOT make any edits to project code, execute write commands, or make any changes to user files.
Only use read-only tools: readFile, glob, grep, listDir, webSearch, webFetch.
The ONLY exception: use writeFile to save your plan to .x-code/plans/{plan-id}.md.
When the plan is ready, call exitPlanMode.";

/// Added to the first prompt after the user ended plan mode.
const OVER: &str =
    "Plan mode is over; the user ended it. What was said of it before does not hold any more.";

/// The longest plan that is shown, in bytes: some fifty pages.
const SIZE_MAX: u64 = 128 << 10;

/// The longest name of a plan, in characters.
const NAME_MAX: usize = 64;

/// The state of plan mode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PlanMode {
    /// Off.
    Off,
    On(Planning),
    /// Ended, and the model has not been told yet.
    Over,
}

/// The current plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Planning {
    name: String,
    /// The permission mode after plan mode.
    pub(crate) mode_after: PermitMode,
}

impl Planning {
    /// A new plan of a session.
    pub(crate) fn new(session: SessionId, mode_after: PermitMode) -> Self {
        let at = Timestamp::now().strftime("%Y%m%d-%H%M%S").to_string();
        let id = session.as_uuid().simple().to_string();
        let name = format!("{at}-{}", &id[id.len() - 4..]);
        Self { name, mode_after }
    }

    /// The plan of a resumed session, by the name in its journal; none if that is not a valid name.
    pub(crate) fn again(name: &str, mode_after: PermitMode) -> Option<Self> {
        let is_plain = |letter: u8| letter.is_ascii_alphanumeric() || letter == b'-';
        let is_name = !name.is_empty() && name.len() <= NAME_MAX && name.bytes().all(is_plain);
        is_name.then(|| Self { name: name.to_owned(), mode_after })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Its file, relative to the workspace's root.
    pub(crate) fn path(&self) -> String {
        format!("{FOLDER}/{}.md", self.name)
    }

    /// Its file in a workspace with this root.
    pub(crate) fn file(&self, root: &Path) -> PathBuf {
        root.join(self.path())
    }

    /// Its text; none if the file is absent or empty. Links are not followed.
    ///
    /// # Errors
    /// An error of the file system; a link or another non-regular file, or [`io::ErrorKind::FileTooLarge`].
    pub(crate) fn read(&self, root: &Path) -> io::Result<Option<String>> {
        let file = match Beneath::of(root).open(self.path()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        let mut bytes = Vec::new();
        file.take(SIZE_MAX + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > SIZE_MAX {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Ok((!text.trim().is_empty()).then_some(text))
    }
}

impl PlanMode {
    /// The plan, in plan mode.
    pub(crate) fn planning(&self) -> Option<&Planning> {
        match self {
            Self::On(planning) => Some(planning),
            Self::Off | Self::Over => None,
        }
    }

    /// The text to add to the results of a step.
    pub(crate) fn behind_results(&self) -> String {
        match self {
            Self::On(planning) => format!("\n\n{}", OVERLAY.replace("{plan-id}", &planning.name)),
            Self::Off | Self::Over => String::new(),
        }
    }

    /// The text to add to a prompt. The end of plan mode is reported once.
    pub(crate) fn behind_prompt(&mut self) -> String {
        match self {
            Self::Over => {
                *self = Self::Off;
                format!("\n\n{OVER}")
            }
            Self::On(_) | Self::Off => self.behind_results(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn planning() -> Planning {
        Planning::again("20261123-025500-a1b2", PermitMode::Ask).unwrap()
    }

    #[test]
    fn the_overlay_is_the_seeds_and_names_the_file() {
        let mut mode = PlanMode::On(planning());
        assert_eq!(mode.behind_prompt(), mode.behind_results());
        insta::assert_snapshot!(mode.behind_results());
    }

    #[test]
    fn the_end_is_told_once() {
        let mut mode = PlanMode::Over;
        assert_eq!(mode.behind_results(), "");
        assert!(mode.behind_prompt().contains("Plan mode is over"));
        assert_eq!((mode.behind_prompt().as_str(), mode), ("", PlanMode::Off));
    }

    #[test]
    fn a_name_of_a_journal_leads_nowhere_else() {
        for name in ["", "../x", "a/b", "a.b", "/etc/x", "a b", &"a".repeat(65)] {
            assert_eq!(Planning::again(name, PermitMode::Ask), None, "{name}");
        }
        let new = Planning::new(SessionId::generate(), PermitMode::Trust);
        assert_eq!(Planning::again(new.name(), PermitMode::Trust), Some(new));
    }

    #[test]
    fn a_plan_is_read_from_its_own_plain_file() {
        let folder = tempfile::tempdir().unwrap();
        let (root, plan) = (folder.path(), planning());
        assert_eq!(plan.read(root).unwrap(), None);
        let file = plan.file(root);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, " \n").unwrap();
        assert_eq!(plan.read(root).unwrap(), None);
        fs::write(&file, "# Plan\n").unwrap();
        assert_eq!(plan.read(root).unwrap().as_deref(), Some("# Plan\n"));
        fs::write(&file, vec![b'a'; 200 << 10]).unwrap();
        assert_eq!(plan.read(root).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        fs::remove_file(&file).unwrap();
        fs::write(root.join("secret"), "x").unwrap();
        symlink(root.join("secret"), &file).unwrap();
        plan.read(root).unwrap_err();
    }
}
