//! Commands that delete, empty or overwrite.

use super::options::{has, operands, value};
use super::{Handler, Walker};
use crate::path::Place;
use crate::rules::files::{
    DELETE, DELETE_ALL, DELETE_OUTSIDE, DELETE_TREE, DELETE_UNKNOWN, DISK, EMPTY, SECURE_ERASE,
    WRITE_WIRING,
};
use crate::shell::{Field, Flow, Io, Step, UNKNOWN};

/// How much is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    File,
    Tree,
}

/// Programs that make a file system or rewrite a disk.
const DISK_TOOLS: &[&str] = &[
    "wipefs",
    "fdisk",
    "sfdisk",
    "cfdisk",
    "gdisk",
    "sgdisk",
    "parted",
    "blkdiscard",
    "mkswap",
    "cryptsetup",
    "lvremove",
    "vgremove",
    "pvremove",
    "zpool",
    "zfs",
    "mdadm",
    "hdparm",
    "nvme",
    "diskutil",
    "badblocks",
    "mke2fs",
    "newfs",
];

pub(super) fn handler(name: &str) -> Option<Handler> {
    match name {
        "rm" | "zf_rm" | "grm" | "trash" | "trash-put" | "rip" | "rimraf" | "del" => Some(rm),
        "unlink" | "rmdir" => Some(unlink),
        "shred" | "wipe" | "srm" | "scrub" => Some(shred),
        "truncate" => Some(truncate),
        "dd" | "dcfldd" | "dc3dd" => Some(dd),
        _ if name.starts_with("mkfs") || DISK_TOOLS.contains(&name) => Some(disk_tool),
        _ => None,
    }
}

fn rm(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    let by_name = crate::path::name(&words[0].text);
    let tree = has(words, 'r', "recursive")
        || has(words, 'R', "")
        || matches!(by_name, "rimraf" | "rip" | "trash");
    let reach = if tree { Reach::Tree } else { Reach::File };
    let targets: Vec<Field> = operands(words, &[]).into_iter().cloned().collect();
    if targets.is_empty() && has(words, ' ', "no-preserve-root") {
        walker.found(&DELETE_ALL, "--no-preserve-root");
    }
    for target in &targets {
        walker.delete(target, reach);
    }
    Ok(Flow::default())
}

fn unlink(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    for target in operands(words, &[]) {
        let target = target.clone();
        walker.delete(&target, Reach::File);
    }
    Ok(Flow::default())
}

fn shred(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    for target in operands(words, &["-n", "-s", "--iterations", "--size", "--random-source"]) {
        let target = target.clone();
        match walker.place(&target) {
            Place::Scratch => walker.found(&DELETE, &target.text),
            Place::Disk => walker.found(&DISK, &target.text),
            _ => walker.found(&SECURE_ERASE, &target.text),
        }
    }
    Ok(Flow::default())
}

fn truncate(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    // A file that is made this large is no work.
    let size = value(words, &["-s", "--size"]).unwrap_or_default();
    let large = size.trim_start_matches('+').ends_with(['M', 'G', 'T', 'B'])
        && !size.starts_with(['-', '<', '0']);
    for target in operands(words, &["-s", "--size", "-r", "--reference"]) {
        let target = target.clone();
        if !large && (walker.keeps(&target) || !target.is_known()) {
            walker.found(&EMPTY, &target.text);
        }
        walker.write(&target);
    }
    Ok(Flow::default())
}

fn dd(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    let source = value(words, &["if="]).unwrap_or_default().to_owned();
    if let Some(target) = value(words, &["of="]).map(Field::new) {
        let blank =
            matches!(source.as_str(), "/dev/zero" | "/dev/null" | "/dev/urandom" | "/dev/random");
        let image =
            matches!(crate::path::extension(&target.text), "img" | "bin" | "raw" | "iso" | "dat");
        if blank && !image && walker.keeps(&target) {
            walker.found(&EMPTY, &target.text);
        }
        walker.write(&target);
        return Ok(Flow::default());
    }
    if source.is_empty() {
        Ok(io.stdin.clone())
    } else {
        Ok(walker.read_file(&Field::new(&source)))
    }
}

fn disk_tool(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    let lists = words[1..].iter().all(|word| {
        matches!(word.text.as_str(), "-l" | "--list" | "list" | "status" | "info" | "print")
    }) || words
        .get(1)
        .is_some_and(|word| matches!(word.text.as_str(), "list" | "status" | "-l" | "info"));
    if lists && words.len() > 1 {
        return Ok(Flow::unknown());
    }
    let on_disk = words[1..].iter().any(|word| walker.place(word) == Place::Disk);
    walker.found(if on_disk { &DISK } else { &SECURE_ERASE }, &words[0].text.clone());
    Ok(Flow::unknown())
}

impl Walker<'_> {
    /// Whether a name that is only a pattern, or only known when it runs, stands for many: in a loop,
    /// or behind a search.
    fn is_mass(&self, target: &Field) -> bool {
        let open = target.glob || crate::path::name(&target.text).contains(UNKNOWN);
        let many = |via: &String| matches!(via.as_str(), "find" | "fd" | "xargs" | "parallel");
        open && (self.looping > 0 || self.via.iter().any(many))
    }

    /// Notes that something is deleted.
    pub(super) fn delete(&mut self, target: &Field, reach: Reach) {
        let tree = reach == Reach::Tree || self.is_mass(target);
        let everything = target.glob
            && crate::path::name(&target.text).chars().all(|each| "*?.[]!^".contains(each));
        let rule = match self.place(target) {
            Place::Nowhere | Place::Socket => return,
            Place::Disk => &DISK,
            Place::Root | Place::Home if tree => &DELETE_ALL,
            Place::System if tree && is_top(&target.text, &self.state.cwd) => &DELETE_ALL,
            Place::Root | Place::Home | Place::System | Place::InHome | Place::Outside => {
                &DELETE_OUTSIDE
            }
            Place::Wiring if tree => &DELETE_TREE,
            Place::Wiring => &WRITE_WIRING,
            Place::InProject if is_lock(&target.text) => &DELETE,
            Place::Project | Place::InProject if tree || everything => &DELETE_TREE,
            Place::Unknown if tree => &DELETE_UNKNOWN,
            Place::Project | Place::InProject | Place::Scratch | Place::Unknown => &DELETE,
        };
        self.found(rule, &target.text);
    }
}

/// Files that package managers write anew.
fn is_lock(path: &str) -> bool {
    const LOCKS: &[&str] =
        &["package-lock.json", "pnpm-lock.yaml", "bun.lockb", "npm-shrinkwrap.json"];
    let name = crate::path::name(path);
    LOCKS.contains(&name) || crate::path::extension(name) == "lock"
}

/// Whether a path is a folder right below the root.
fn is_top(path: &str, cwd: &str) -> bool {
    crate::path::absolute(path, cwd).matches('/').count() == 1
}
