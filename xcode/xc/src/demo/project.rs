//! The demo's project: a program with a defect and a test that shows it, for `/bin/sh` alone.

use std::fs;
use std::io;
use std::path::PathBuf;

use contract::id::SessionId;

/// The program with the defect.
pub(super) const PROGRAM: &str = "add.sh";

/// Its text before the fix.
const FAULTY: &str = "# Prints the sum of two numbers.\necho $(($1 - $2))\n";

const TEST: &str = "sum=$(sh add.sh 2 3)\nif [ \"$sum\" = 5 ]; then\n  echo \"test passed\"\nelse\n  \
    echo \"test failed: 2 + 3 gave $sum\"\n  exit 1\nfi\n";

/// A file in a folder that must not be deleted.
pub(super) const NOTES: &str = "notes/plan.md";

/// Whether the demo's folder is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Traces {
    /// It is removed.
    Remove,
    /// It is kept for inspection.
    Keep,
}

/// The demo's folder: a home of its own, and the project.
#[derive(Debug)]
pub(super) struct Project {
    folder: PathBuf,
    traces: Traces,
}

impl Project {
    /// Creates both in the folder for temporary files.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(super) fn make(traces: Traces) -> io::Result<Self> {
        let name = format!("xc-demo-{}", SessionId::generate());
        let folder = std::env::temp_dir().join(name);
        let project = Self { folder, traces };
        fs::create_dir_all(project.home())?;
        fs::create_dir_all(project.root().join("notes"))?;
        fs::write(project.root().join(PROGRAM), FAULTY)?;
        fs::write(project.root().join("test.sh"), TEST)?;
        fs::write(project.root().join(NOTES), "# Plan\n\nAll of it is in here.\n")?;
        Ok(project)
    }

    /// The home folder of the runs: the user's own settings have no effect on the demo.
    pub(super) fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    /// The root of the workspace.
    pub(super) fn root(&self) -> PathBuf {
        self.folder.join("project")
    }
}

/// The changed lines of the program, the old ones before the new ones.
///
/// # Errors
/// The program cannot be read.
pub(super) fn changed(project: &Project) -> io::Result<Vec<String>> {
    let now = fs::read_to_string(project.root().join(PROGRAM))?;
    let pairs = FAULTY.lines().zip(now.lines()).filter(|(old, new)| old != new);
    Ok(pairs.flat_map(|(old, new)| [format!("- {old}"), format!("+ {new}")]).collect())
}

impl Drop for Project {
    fn drop(&mut self) {
        if self.traces == Traces::Remove {
            // If this fails, the rest stays in the folder for temporary files.
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}
