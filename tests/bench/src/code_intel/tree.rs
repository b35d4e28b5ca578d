//! The trees that questions are about: one folder per commit, created once, and their files.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::data::Case;
use super::program::Program;
use super::progress;

/// File name endings that count as source code for the peers that rank whole files.
const SOURCE: &[&str] = &[
    "bash", "c", "cc", "cpp", "cs", "cxx", "go", "h", "hpp", "java", "js", "jsx", "kt", "mjs",
    "php", "py", "pyx", "rb", "rs", "sh", "swift", "ts", "tsx",
];

/// Files over this size, in bytes, are data or generated.
const SIZE_MAX: u64 = 2 << 20;

/// How many files of a commit may be missing in a clone.
const MISSING_MAX: usize = 20;

/// Where the trees are kept, and the repositories they come from.
#[derive(Debug)]
pub(super) struct Trees {
    scratch: PathBuf,
    repositories: BTreeMap<String, PathBuf>,
}

/// One source file.
#[derive(Debug)]
pub(super) struct Source {
    /// From the root of the tree.
    pub(super) path: String,
    /// Its text, invalid UTF-8 replaced.
    pub(super) text: String,
}

impl Trees {
    pub(super) fn new(scratch: &Path, repositories: BTreeMap<String, PathBuf>) -> Self {
        Self { scratch: scratch.join("trees"), repositories }
    }

    /// The repository of a case, if it has one.
    pub(super) fn repository(&self, case: &Case) -> Option<&Path> {
        self.repositories.get(&case.repo).map(PathBuf::as_path)
    }

    /// The folder with the files of the case's commit, created if necessary. A tree that was
    /// created separately is used as it is.
    pub(super) fn of(&self, case: &Case) -> anyhow::Result<PathBuf> {
        if Path::new(&case.base).is_absolute() {
            return Ok(PathBuf::from(&case.base));
        }
        let repository = self
            .repository(case)
            .with_context(|| format!("no clone of {} is named in REPOS", case.repo))?;
        let parent = self.scratch.join(case.repo.replace('/', "+"));
        let tree = parent.join(&case.base);
        if tree.is_dir() {
            return Ok(tree);
        }
        // It gets its name only when complete, so that an interrupted run leaves no partial tree.
        let (half, archive) = (parent.join("half"), parent.join("archive.tar"));
        let _ = fs::remove_dir_all(&half);
        fs::create_dir_all(&half)?;
        archive_tree(repository, &case.base, &archive)
            .with_context(|| format!("{} has no tree {}", case.repo, case.base))?;
        Program::named("tar", &half)?.arg("-xf").arg(&archive).stdout()?;
        fs::remove_file(&archive)?;
        add_history(repository, &case.base, &half)?;
        fs::rename(&half, &tree)?;
        Ok(tree)
    }
}

/// Gives a tree a git folder at its commit, so that later commits are not visible. The
/// objects are those of the clone.
fn add_history(repository: &Path, base: &str, tree: &Path) -> anyhow::Result<()> {
    let git = Program::named("git", repository)?;
    let objects =
        git.clone().args(["rev-parse", "--path-format=absolute", "--git-path", "objects"]);
    let commit = git.args(["rev-parse", &format!("{base}^{{commit}}")]).stdout()?;
    let folder = tree.join(".git");
    fs::create_dir_all(folder.join("objects/info"))?;
    fs::create_dir_all(folder.join("refs"))?;
    fs::write(folder.join("objects/info/alternates"), objects.stdout()?)?;
    fs::write(folder.join("HEAD"), commit)?;
    Ok(())
}

/// Writes the files of a commit into `archive`. A partial clone lacks some data: such files are left
/// out, with a message.
fn archive_tree(repository: &Path, base: &str, archive: &Path) -> anyhow::Result<()> {
    let mut missing: Vec<String> = Vec::new();
    loop {
        let mut git = Program::named("git", repository)?
            .args(["archive", "--format=tar", "-o"])
            .arg(archive)
            .args([base, "--", "."]);
        for path in &missing {
            git = git.arg(format!(":(exclude){path}"));
        }
        let Err(error) = git.stdout() else { return Ok(()) };
        let said = error.to_string();
        let path = said.lines().find_map(|line| line.split_once(" for '")?.1.strip_suffix('\''));
        let Some(path) = path.filter(|_| missing.len() < MISSING_MAX) else { return Err(error) };
        progress(format!("the clone lacks {path}: left out"));
        missing.push(path.to_owned());
    }
}

/// Whether a path is a test, which no ranking may name.
pub(super) fn is_test(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split('.').next().unwrap_or(name);
    folders.split('/').any(|folder| matches!(folder, "test" | "tests" | "testing"))
        || name == "conftest.py"
        || (name.starts_with("test_") && name.ends_with(".py"))
        || stem.ends_with("_test")
}

/// Whether a path is source code.
pub(super) fn is_source(path: &str) -> bool {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    SOURCE.contains(&ending)
}

/// Every source file that is not a test, sorted by path.
pub(super) fn sources(tree: &Path) -> anyhow::Result<Vec<Source>> {
    let mut found = Vec::new();
    let mut folders = vec![tree.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let (kind, path) = (entry.file_type()?, entry.path());
            let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            if kind.is_dir() && !hidden {
                folders.push(path);
            } else if kind.is_file() && entry.metadata()?.len() <= SIZE_MAX {
                let Some(relative) = path.strip_prefix(tree)?.to_str() else { continue };
                if is_source(relative) && !is_test(relative) {
                    let text = String::from_utf8_lossy(&fs::read(&path)?).into_owned();
                    found.push(Source { path: relative.to_owned(), text });
                }
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_told_from_sources() {
        for path in ["a/tests/b.py", "testing/b.rs", "src/test_a.py", "a_test.go", "conftest.py"] {
            assert!(is_test(path), "{path}");
        }
        for path in ["src/testing_tools.py", "attest.py", "contest/a.py", "src/test.rs"] {
            assert!(!is_test(path), "{path}");
        }
        assert!(is_source("a/b.py") && !is_source("README.md") && !is_source("Makefile"));
    }
}
