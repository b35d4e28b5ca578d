//! The input history: masked before it is written to a private file.

use std::fs::{DirBuilder, OpenOptions, Permissions};
use std::io::{self, Read as _};
use std::os::unix::fs::{
    DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
};
use std::path::{Path, PathBuf};

use host::environment::Environment;
use host::{Access, Durability, state_dir};
use redact::{Cut, Redactor};
use reedline::{FileBackedHistory, HistoryItem, HistoryItemId, HistorySessionId, SearchQuery};
use rustix::fs::OFlags;

/// Maximum number of lines.
const LINES_MAX: usize = 1_000;

/// Maximum length of a line, in characters.
const LINE_MAX: usize = 16_384;

/// How the file encodes a newline within an entry (reedline 0.52).
const LINE_END: &str = "<\\n>";

/// The file in the bridge's default state folder.
const FILE: &str = "codex-auto-history.txt";

/// The file, with masking of secrets.
pub(super) struct History {
    lines: FileBackedHistory,
    redactor: Redactor,
}

impl History {
    /// Opens the history. Entries that an earlier version stored unmasked are masked now.
    ///
    /// # Errors
    /// The folder is not private, or the file is a link.
    pub(super) fn open(environment: &Environment) -> Result<Self, String> {
        let folder: PathBuf = state_dir::of_client(environment)
            .ok_or("HOME and CODEX_BRIDGE_STATE_DIR are not set")?;
        let path = folder.join(FILE);
        let redactor = Redactor::new();
        let named = |error: io::Error| format!("{}: {error}", path.display());
        DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(named)?;
        host::own::check_own_folder(&folder).map_err(|error| error.to_string())?;
        prepare(&path, &redactor).map_err(named)?;
        let lines = FileBackedHistory::with_file(LINES_MAX, path);
        Ok(Self { lines: lines.map_err(|error| error.to_string())?, redactor })
    }
}

/// Ensures that the file is regular, private and masked. No other user can
/// replace it afterwards, because the folder is this user's.
fn prepare(path: &Path, redactor: &Redactor) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true).mode(0o600);
    // Without NONBLOCK, opening a pipe of that name would wait for a reader.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let mut file = options.custom_flags(flags.bits().cast_signed()).open(path)?;
    let found = file.metadata()?;
    let user = rustix::process::geteuid().as_raw();
    if !found.is_file() || found.uid() != user || found.nlink() != 1 {
        let what = "it is no plain file of this user alone";
        return Err(io::Error::new(io::ErrorKind::InvalidData, what));
    }
    file.set_permissions(Permissions::from_mode(0o600))?;
    let mut text = Vec::new();
    file.read_to_end(&mut text)?;
    let text = String::from_utf8_lossy(&text);
    let entry = |line: &str| mask(redactor, &line.replace(LINE_END, "\n")).replace('\n', LINE_END);
    let masked: String = text.lines().map(|line| entry(line) + "\n").collect();
    if masked != text {
        host::replace(path, masked.as_bytes(), Access::PRIVATE, Durability::Cached)?;
    }
    Ok(())
}

fn mask(redactor: &Redactor, line: &str) -> String {
    redactor.sanitize(line, Cut::chars(LINE_MAX)).text.into_owned()
}

impl reedline::History for History {
    fn save(&mut self, mut item: HistoryItem) -> reedline::Result<HistoryItem> {
        item.command_line = mask(&self.redactor, &item.command_line);
        self.lines.save(item)
    }

    fn load(&self, id: HistoryItemId) -> reedline::Result<HistoryItem> {
        self.lines.load(id)
    }

    fn count(&self, query: SearchQuery) -> reedline::Result<i64> {
        self.lines.count(query)
    }

    fn search(&self, query: SearchQuery) -> reedline::Result<Vec<HistoryItem>> {
        self.lines.search(query)
    }

    fn update(
        &mut self,
        id: HistoryItemId,
        updater: &dyn Fn(HistoryItem) -> HistoryItem,
    ) -> reedline::Result<()> {
        self.lines.update(id, updater)
    }

    fn clear(&mut self) -> reedline::Result<()> {
        self.lines.clear()
    }

    fn delete(&mut self, id: HistoryItemId) -> reedline::Result<()> {
        self.lines.delete(id)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.lines.sync()
    }

    fn session(&self) -> Option<HistorySessionId> {
        self.lines.session()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use reedline::{History as _, SearchDirection};

    use super::*;

    const SECRET: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

    fn state() -> (tempfile::TempDir, Environment, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        DirBuilder::new().mode(0o700).create(&state).unwrap();
        let named = [("CODEX_BRIDGE_STATE_DIR", state.to_str().unwrap())].into_iter().collect();
        (folder, named, state.join(FILE))
    }

    fn lines(history: &History) -> Vec<String> {
        let all = SearchQuery::everything(SearchDirection::Forward, None);
        history.search(all).unwrap().into_iter().map(|item| item.command_line).collect()
    }

    #[test]
    fn a_secret_is_not_kept_and_one_of_an_earlier_version_goes() {
        let (_folder, environment, path) = state();
        fs::write(&path, format!("first {SECRET}\nsecond<\\n>{SECRET}<\\n>end\n")).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        let mut history = History::open(&environment).unwrap();
        history.save(HistoryItem::from_command_line(format!("third {SECRET}\nof two"))).unwrap();
        history.sync().unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert!(!text.contains("ghp_"), "{text}");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let again = lines(&History::open(&environment).unwrap());
        assert_eq!(again.len(), 3, "{again:?}");
        assert!(again[1].ends_with("\nend") && again[2].ends_with("\nof two"), "{again:?}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text, "what is masked stays as it is");
    }

    #[test]
    fn a_link_is_not_followed() {
        let (folder, environment, path) = state();
        let elsewhere = folder.path().join("elsewhere");
        fs::write(&elsewhere, format!("theirs {SECRET}\n")).unwrap();
        for is_symbolic in [true, false] {
            match is_symbolic {
                true => symlink(&elsewhere, &path).unwrap(),
                false => fs::hard_link(&elsewhere, &path).unwrap(),
            }
            assert!(History::open(&environment).is_err());
            assert_eq!(fs::read_to_string(&elsewhere).unwrap(), format!("theirs {SECRET}\n"));
            fs::remove_file(&path).unwrap();
        }
        fs::set_permissions(path.parent().unwrap(), Permissions::from_mode(0o777)).unwrap();
        assert!(History::open(&environment).is_err(), "a folder that others write to");
    }
}
