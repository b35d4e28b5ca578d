//! One view over all segments of the index: files by number or path, and their content.

use std::ops::Range;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use crate::index::manifest::Manifest;
use crate::index::segment::{FileRecord, Segment};
use crate::index::store::Snapshot;
use crate::index::{draft, update};
use crate::language::Language;
use crate::paths;
use crate::root::RepoRoot;

/// A file of one [`View`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub(crate) u32);

/// What the index knows about a file.
#[derive(Clone, Copy, Debug)]
pub struct File<'v> {
    /// Its number.
    pub id: FileId,
    /// Relative to the root, with `/` between its parts.
    pub path: &'v str,
    /// The language, when it is one with definitions.
    pub language: Option<Language>,
    /// How many lines it has; 0 when only its name is indexed.
    pub lines: u32,
    /// Its size in bytes.
    pub bytes: u64,
    /// Whether its content was read: it is text, and not too large.
    pub is_text: bool,
    /// Whether it is a test, by its path.
    pub is_test: bool,
}

/// An immutable snapshot of the index.
pub struct View {
    root: RepoRoot,
    folder: PathBuf,
    snapshot: Snapshot,
    limits: Vec<String>,
    /// The first file's number of each segment, and one past the last.
    bases: Vec<u32>,
    /// By number: whether the file was replaced or deleted.
    dead: Vec<bool>,
}

impl View {
    pub(crate) fn new(
        root: RepoRoot,
        folder: PathBuf,
        snapshot: Snapshot,
        limits: Vec<String>,
    ) -> Self {
        let mut bases = vec![0];
        let mut dead = Vec::new();
        for (part, segment) in snapshot.parts() {
            let base = dead.len();
            dead.resize(base + segment.file_count() as usize, false);
            for file in &part.dead {
                if let Some(slot) = dead.get_mut(base + *file as usize) {
                    *slot = true;
                }
            }
            bases.push(dead.len() as u32);
        }
        Self { root, folder, snapshot, limits, bases, dead }
    }

    /// The folder that the view covers.
    #[must_use]
    pub fn root(&self) -> &RepoRoot {
        &self.root
    }

    /// What is missing from the view, in words; empty when it is complete.
    #[must_use]
    pub fn limits(&self) -> &[String] {
        &self.limits
    }

    /// Every file.
    pub fn files(&self) -> impl Iterator<Item = File<'_>> {
        self.live(0..self.dead.len() as u32).map(|id| self.file(id))
    }

    /// The file of a number.
    #[must_use]
    pub fn file(&self, id: FileId) -> File<'_> {
        let (segment, record) = self.record(id);
        let path = segment.path(&record);
        File {
            id,
            path,
            language: record.language,
            lines: record.lines,
            bytes: record.size,
            is_text: record.flags & draft::FLAG_TEXT != 0,
            is_test: record.flags & draft::FLAG_TEST != 0,
        }
    }

    /// The file at a path relative to the root.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<FileId> {
        let path = path.strip_prefix("./").unwrap_or(path);
        self.live(0..self.dead.len() as u32).find(|id| {
            let (segment, record) = self.record(*id);
            segment.path(&record) == path
        })
    }

    /// The files by their path.
    #[must_use]
    pub fn by_path(&self) -> FxHashMap<&str, FileId> {
        self.files().map(|file| (file.path, file.id)).collect()
    }

    /// The present content of a file: `None` when it is gone, was replaced by a link, or is too large.
    #[must_use]
    pub fn read(&self, id: FileId) -> Option<Vec<u8>> {
        let path = self.file(id).path;
        let inside = self.root.relative(Path::new(path))? == path;
        let shown = inside && !paths::is_sensitive(Path::new(path));
        shown.then(|| update::read_below(&self.root, path)).flatten()
    }

    pub(crate) fn manifest(&self) -> &Manifest {
        &self.snapshot.manifest
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn segments(&self) -> &[Segment] {
        &self.snapshot.segments
    }

    /// The view's number of a segment's file.
    pub(crate) fn id(&self, segment: usize, file: u32) -> FileId {
        FileId(self.bases.get(segment).copied().unwrap_or(u32::MAX).saturating_add(file))
    }

    pub(crate) fn is_live(&self, id: FileId) -> bool {
        self.dead.get(id.0 as usize) == Some(&false)
    }

    /// One past the largest number.
    pub(crate) fn file_bound(&self) -> usize {
        self.dead.len()
    }

    pub(crate) fn live(&self, range: Range<u32>) -> impl Iterator<Item = FileId> {
        range.map(FileId).filter(|id| self.is_live(*id))
    }

    /// The segment that a file is in.
    pub(crate) fn segment_of(&self, id: FileId) -> usize {
        self.bases
            .partition_point(|base| *base <= id.0)
            .saturating_sub(1)
            .min(self.bases.len().saturating_sub(2))
    }

    pub(crate) fn record(&self, id: FileId) -> (&Segment, FileRecord) {
        let number = self.segment_of(id);
        let segment = &self.snapshot.segments[number];
        (segment, segment.file(id.0 - self.bases[number]))
    }
}
