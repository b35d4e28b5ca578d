//! The input history of a project, for `↑` and Ctrl+R: `~/.xcode/history.jsonl`, one input per line, masked.

use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use host::Beneath;
use redact::{Cut, Redactor};
use serde_json::{Value, json};

/// The file's name in the user's folder.
const NAME: &str = "history.jsonl";

/// How much of the file is read, in bytes, from its end.
const READ_MAX: u64 = 1 << 20;

/// How many inputs are recalled.
const INPUTS_MAX: usize = 500;

/// The longest input that is stored, in bytes: a line is written in one call or not at all.
const INPUT_MAX: usize = 64 << 10;

/// The input history of one project.
#[derive(Debug)]
pub(crate) struct HistoryFile {
    folder: Beneath,
    project: String,
}

impl HistoryFile {
    /// The history of the project with this root, in the user's private folder.
    pub(crate) fn new(folder: Beneath, root: &Path) -> Self {
        Self { folder, project: root.display().to_string() }
    }

    /// The newest inputs, in order of age with the oldest first. A file that cannot be read counts as empty.
    pub(crate) fn read(&self) -> Vec<String> {
        let text = self.tail().unwrap_or_default();
        let input = |line: &str| {
            let value: Value = serde_json::from_str(line).ok()?;
            (value["cwd"] == *self.project).then(|| value["text"].as_str().map(str::to_owned))?
        };
        let mut inputs: Vec<String> = text.lines().filter_map(input).collect();
        inputs.dedup();
        inputs.split_off(inputs.len().saturating_sub(INPUTS_MAX))
    }

    /// Appends an input. Secrets in it are masked.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn push(&self, text: &str, redactor: &Redactor) -> io::Result<()> {
        let text = redactor.sanitize(text, Cut::NONE).text;
        if text.len() > INPUT_MAX {
            return Ok(());
        }
        let line = json!({ "cwd": self.project, "text": text });
        self.folder.append(NAME)?.write_all(format!("{line}\n").as_bytes())
    }

    fn tail(&self) -> io::Result<String> {
        let mut file = self.folder.open(NAME)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(READ_MAX)))?;
        let mut bytes = Vec::new();
        file.take(READ_MAX).read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;

    use host::Beneath;
    use redact::Redactor;

    use super::HistoryFile;

    /// XC-127.
    #[test]
    fn each_project_recalls_its_own_inputs_and_no_secret() {
        let home = tempfile::tempdir().unwrap();
        let folder = || Beneath::private(home.path(), ".xcode");
        let ours = HistoryFile::new(folder(), Path::new("/ours"));
        let theirs = HistoryFile::new(folder(), Path::new("/theirs"));
        assert_eq!(ours.read(), Vec::<String>::new());
        let redactor = Redactor::with_values(vec!["planted-key-0123".to_owned()]);
        for text in ["one\nline two", "use planted-key-0123", "use planted-key-0123"] {
            ours.push(text, &redactor).unwrap();
        }
        theirs.push("other", &redactor).unwrap();
        let inputs = ours.read();
        assert_eq!((inputs.len(), inputs[0].as_str()), (2, "one\nline two"));
        assert!(!inputs[1].contains("planted"), "{}", inputs[1]);
        let path = home.path().join(".xcode/history.jsonl");
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        // Sessions of the same folder refuse one that others may open.
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        std::fs::write(&path, "no json\n{\"cwd\":1}\n").unwrap();
        assert_eq!(ours.read(), Vec::<String>::new());
    }
}
