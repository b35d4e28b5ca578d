//! Checks whether a repository's own settings could make git start a program in a read-only command: text converters, filters,
//! diff and file-system programs, included files. Git starts such programs for `git diff`, `git log -p`,
//! `git status`. Not here: the decision.
//!
//! Settings that are known to start no program are listed; every other setting may. Hooks and nested repositories are
//! disabled by the environment of commands (see `tools::shell`).

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The longest settings file that is read, in bytes; a longer one counts as unsafe.
const SIZE_MAX: u64 = 1 << 20;

/// Sections with their keys that start no program and permit no fetch. A section with `*` is one with a name.
const HARMLESS: &[(&str, &str)] = &[
    ("advice", "*"),
    (
        "core",
        "abbrev autocrlf bare bigfilethreshold compression eol filemode ignorecase logallrefupdates longpaths \
         precomposeunicode protecthfs protectntfs quotepath repositoryformatversion safecrlf symlinks \
         untrackedcache worktree",
    ),
    ("color", "ui"),
    ("extensions", "objectformat refstorage worktreeconfig"),
    ("fetch", "prune prunetags"),
    ("gc", "auto"),
    ("init", "defaultbranch"),
    ("lfs", "repositoryformatversion"),
    ("lfs *", "access"),
    ("merge", "conflictstyle"),
    ("pull", "ff rebase"),
    ("push", "autosetupremote default followtags"),
    ("rebase", "autosquash autostash"),
    ("remote *", "fetch gh-resolved mirror prune push pushurl skipfetchall tagopt url"),
    (
        "branch *",
        "description gh-merge-base github-pr-owner-number merge pushremote rebase remote vscode-merge-base",
    ),
    ("submodule", "active"),
    ("submodule *", "active branch url"),
    ("user", "email name signingkey useconfigonly"),
];

/// Whether git, started in this folder, may start a program that the repository around it names.
pub(crate) fn may_start_programs(folder: &Path) -> bool {
    let Some(git) = folder.ancestors().find_map(git_folder) else { return false };
    let common = fs::read_to_string(git.join("commondir")).ok();
    let common = common.map(|common| git.join(common.trim()));
    let mut files = vec![git.join("config"), git.join("config.worktree")];
    files.extend(common.map(|common| common.join("config")));
    files.iter().any(|file| !is_harmless_file(file))
}

/// The git folder of a repository whose top is this folder, including bare ones.
fn git_folder(folder: &Path) -> Option<PathBuf> {
    let is_bare = || {
        folder.join("HEAD").is_file()
            && folder.join("objects").is_dir()
            && folder.join("refs").is_dir()
    };
    host::own::git_folder(folder).or_else(|| is_bare().then(|| folder.to_owned()))
}

fn is_harmless_file(file: &Path) -> bool {
    let Ok(metadata) = fs::metadata(file) else {
        // Git reads no more than we do; a dangling link counts as absent.
        return fs::symlink_metadata(file).is_err();
    };
    if !metadata.is_file() || metadata.len() > SIZE_MAX {
        return false;
    }
    let mut text = String::new();
    let read = File::open(file).and_then(|file| file.take(SIZE_MAX + 1).read_to_string(&mut text));
    read.is_ok() && is_harmless(&text)
}

/// Whether every setting of a file is on the list. A continuation line is read as a line of its own,
/// which is not on the list.
fn is_harmless(text: &str) -> bool {
    let mut section = String::new();
    text.trim_start_matches('\u{feff}').lines().all(|line| {
        let mut line = line.trim();
        if let Some(rest) = line.strip_prefix('[') {
            let Some((name, rest)) = header(rest) else { return false };
            section = name;
            line = rest.trim();
        }
        if line.is_empty() || line.starts_with(['#', ';']) {
            return true;
        }
        let key = line.split(|letter: char| letter == '=' || letter.is_whitespace()).next();
        let key = key.unwrap_or_default().to_ascii_lowercase();
        let mut listed = HARMLESS.iter().filter(|(name, _)| *name == section);
        listed.any(|(_, keys)| {
            *keys == "*" || keys.split_ascii_whitespace().any(|known| known == key)
        })
    })
}

/// The section of a header, from the text behind its bracket, with `*` for its name, and the rest of the line.
fn header(rest: &str) -> Option<(String, &str)> {
    let end = rest.find([']', '"'])?;
    let section = rest[..end].trim().to_ascii_lowercase();
    if rest[end..].starts_with(']') {
        // The old notation of a name: `[remote.x]`.
        let section = match section.split_once('.') {
            Some((section, _)) => format!("{section} *"),
            None => section,
        };
        return Some((section, &rest[end + 1..]));
    }
    let mut is_escaped = false;
    let close = rest[end + 1..].find(|letter| {
        let closes = letter == '"' && !is_escaped;
        is_escaped = letter == '\\' && !is_escaped;
        closes
    })?;
    let behind = rest[end + 1 + close + 1..].trim_start().strip_prefix(']')?;
    Some((format!("{section} *"), behind))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{is_harmless, may_start_programs};

    /// What `git clone` writes.
    const CLONED: &str = "\
[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = false
\tlogallrefupdates = true
[remote \"origin\"]
\turl = https://example.com/x.git
\tfetch = +refs/heads/*:refs/remotes/origin/*
[branch \"main\"]
\tremote = origin
\tmerge = refs/heads/main
[submodule \"a]b \\\" c\"]
\tactive = true
\turl = ../x
";

    #[test]
    fn what_a_clone_has_names_no_program() {
        assert!(is_harmless(CLONED));
        assert!(is_harmless(""));
        assert!(is_harmless(
            "# x\n; y\n[user] name = Ann\n[remote.old]\nurl = x\n[CORE]\nFileMode=true\n"
        ));
    }

    #[test]
    fn what_can_name_a_program_does() {
        for setting in [
            "[core]\nfsmonitor = ./x",
            "[core] fsmonitor = ./x",
            "[CORE]\n\tFSMonitor=./x",
            "[core]\nhooksPath = x",
            "[core]\npager = x",
            "[core]\nsshCommand = x",
            "[core]\nalternateRefsCommand = x",
            "[core]\nattributesFile = x",
            "[diff]\nexternal = ./x",
            "[diff \"evil\"]\ntextconv = ./x",
            "[diff.evil]\ncommand = ./x",
            "[filter \"evil\"]\nclean = ./x",
            "[filter \"evil\"]\nprocess = ./x",
            "[filter \"lfs\"]\nclean = git-lfs clean -- %f",
            "[include]\npath = ../x",
            "[includeIf \"gitdir:**\"]\npath = ../x",
            "[alias]\nst = !./x",
            "[gpg]\nprogram = ./x",
            "[log]\nshowSignature = true",
            "[remote \"origin\"]\npromisor = true",
            "[remote \"origin\"]\nuploadpack = ./x",
            "[extensions]\npartialClone = origin",
            "[submodule \"a\"]\nupdate = !./x",
            "[submodule \"a\" x]\nurl = y",
            "[remote \"a]\\\"\"] url = y\n[core]\nfsmonitor = x",
            "[user]\nname = a\\\nfsmonitor = x",
            "[user",
            "external = x",
        ] {
            assert!(!is_harmless(setting), "{setting}");
        }
    }

    #[test]
    fn the_repository_is_the_one_that_git_finds() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path();
        let deep = top.join("a/b");
        fs::create_dir_all(&deep).unwrap();
        assert!(!may_start_programs(&deep), "no repository");
        fs::create_dir(top.join(".git")).unwrap();
        fs::write(top.join(".git/config"), CLONED).unwrap();
        assert!(!may_start_programs(&deep));
        fs::write(top.join(".git/config.worktree"), "[core]\nfsmonitor = x\n").unwrap();
        assert!(may_start_programs(&deep));
        // A linked work tree has its settings elsewhere.
        let linked = folder.path().join("linked");
        fs::create_dir_all(&linked).unwrap();
        fs::create_dir_all(top.join("store/worktrees/l")).unwrap();
        fs::write(linked.join(".git"), format!("gitdir: {}/store/worktrees/l\n", top.display()))
            .unwrap();
        fs::write(top.join("store/worktrees/l/commondir"), "../..\n").unwrap();
        fs::write(top.join("store/config"), CLONED).unwrap();
        assert!(!may_start_programs(&linked));
        fs::write(top.join("store/config"), "[diff]\nexternal = x\n").unwrap();
        assert!(may_start_programs(&linked));
        // One without a work tree, among the files.
        let bare = top.join("fixtures/repo");
        fs::create_dir_all(bare.join("objects")).unwrap();
        fs::create_dir_all(bare.join("refs")).unwrap();
        fs::write(bare.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(bare.join("config"), CLONED).unwrap();
        assert!(!may_start_programs(&bare.join("objects")));
        fs::write(bare.join("config"), "[core]\nfsmonitor = x\n").unwrap();
        assert!(may_start_programs(&bare.join("objects")));
    }
}
