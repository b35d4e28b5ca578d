//! Brings an index up to date with the tree: finds changed files, parses them in parallel, writes a new
//! segment. At the deadline, the files parsed so far are stored, and the next question continues.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustc_hash::FxHashMap;
use rustix::fs::OFlags;

use super::build::Builder;
use super::draft::{self, Draft, FLAG_UNSURE, MAX_FILE_BYTES};
use super::manifest::{Manifest, Part};
use super::store::{Snapshot, Store, Writing};
use super::walk::{Seen, Walk};
use crate::deadline::Deadline;
use crate::language::Language;
use crate::progress::Progress;
use crate::root::RepoRoot;

/// Maximum number of parsed files that are not appended yet, besides those that wait for an earlier one.
const MAX_READY: usize = 16;
/// Number of files between two progress reports.
const PROGRESS_EVERY: usize = 64;
/// Up to this many files are parsed without threads, whose start costs more.
const FEW_FILES: usize = 3;
/// Number of segments that triggers a merge.
const MAX_SEGMENTS: usize = 8;
/// A segment is rewritten if more than one in so many of its files is dead.
const DEAD_PART: usize = 4;
/// Maximum total size of the sources in bytes, because index offsets have 32 bits; further files are left out.
const MAX_TOTAL_BYTES: u64 = 3 * 1024 * 1024 * 1024;

/// The difference between the tree and the index.
#[derive(Default)]
struct Difference {
    /// New or changed files.
    changed: Vec<Seen>,
    /// Segment and position of removed or replaced files, with the path's entry in `changed` if any.
    dead: Vec<(usize, u32)>,
    /// Segment, position and new stamp of files that were only touched.
    touched: Vec<(usize, u32, u64)>,
}

/// Updates the index `present` as far as time permits; returns the result, and
/// as text what is missing from it.
///
/// # Errors
/// The cache folder cannot be written.
pub(crate) fn update(
    root: &RepoRoot,
    store: &Store,
    present: Option<Snapshot>,
    tree: &Walk,
    deadline: &Deadline,
    progress: Progress<'_>,
) -> io::Result<(Snapshot, Vec<String>)> {
    let mut limits: Vec<String> = tree.limit.clone().into_iter().collect();
    let empty = || {
        let root = root.path().to_string_lossy().into_owned();
        Snapshot { manifest: Manifest { root, ..Manifest::default() }, segments: Vec::new() }
    };
    if let Some(snapshot) = present {
        let difference = differ(root, &snapshot, tree);
        if difference.is_empty() {
            return Ok((snapshot, limits));
        }
        let Some(writing) = store.lock(deadline)? else {
            limits
                .push("another process is updating the index: this is the state before".to_owned());
            return Ok((snapshot, limits));
        };
        // Another process may have updated or removed the index in the meantime.
        let snapshot = store.read().unwrap_or_else(empty);
        let difference = differ(root, &snapshot, tree);
        return apply(root, store, snapshot, difference, deadline, progress, limits, &writing);
    }
    let Some(writing) = store.lock(deadline)? else {
        limits.push("another process is making the index: nothing is known yet".to_owned());
        return Ok((empty(), limits));
    };
    let snapshot = store.read().unwrap_or_else(empty);
    let difference = differ(root, &snapshot, tree);
    apply(root, store, snapshot, difference, deadline, progress, limits, &writing)
}

impl Difference {
    fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.dead.is_empty() && self.touched.is_empty()
    }
}

fn differ(root: &RepoRoot, snapshot: &Snapshot, tree: &Walk) -> Difference {
    let mut difference = Difference::default();
    let live: usize = snapshot.segments.iter().map(|segment| segment.file_count() as usize).sum();
    let mut known: FxHashMap<&str, (usize, u32)> = FxHashMap::default();
    known.reserve(live);
    for (number, (part, segment)) in snapshot.parts().enumerate() {
        for file in 0..segment.file_count() {
            if part.dead.binary_search(&file).is_err() {
                known.insert(segment.path(&segment.file(file)), (number, file));
            }
        }
    }
    for seen in &tree.files {
        let Some((number, file)) = known.remove(seen.path.as_str()) else {
            difference.changed.push(seen.clone());
            continue;
        };
        let (part, segment) = (&snapshot.manifest.segments[number], &snapshot.segments[number]);
        let record = segment.file(file);
        let touched = part.touched.binary_search_by_key(&file, |(file, _)| *file);
        let stamp = touched.map_or(record.stamp, |found| part.touched[found].1);
        let unsure = record.flags & FLAG_UNSURE != 0 && touched.is_err();
        if stamp == seen.stamp && !unsure {
            continue;
        }
        let same_size = record.size == seen.size;
        let hash = || read(root, seen).map_or(0, |content| draft::content_hash(&content));
        if same_size && record.hash == hash() {
            // A recently written file stays unsure until it is checked again.
            if !seen.young || stamp != seen.stamp {
                difference.touched.push((number, file, seen.stamp));
            }
        } else {
            difference.dead.push((number, file));
            difference.changed.push(seen.clone());
        }
    }
    if tree.limit.is_none() {
        difference.dead.extend(known.into_values());
    }
    difference.dead.sort_unstable();
    difference
}

#[expect(clippy::too_many_arguments, reason = "one step, cut off from `update` only to be read")]
fn apply(
    root: &RepoRoot,
    store: &Store,
    mut snapshot: Snapshot,
    mut difference: Difference,
    deadline: &Deadline,
    progress: Progress<'_>,
    mut limits: Vec<String>,
    writing: &Writing,
) -> io::Result<(Snapshot, Vec<String>)> {
    if difference.is_empty() {
        return Ok((snapshot, limits));
    }
    let first = snapshot.segments.is_empty();
    let begun = std::time::Instant::now();
    difference.changed.sort_by_cached_key(|seen| (urgency(&seen.path), seen.path.clone()));
    let (builder, left) = read_all(root, &difference.changed, deadline, progress);
    if left > 0 {
        limits.push(format!("time was over: {left} files are not in the index yet"));
    }
    // Files that could not be parsed again keep their old content.
    let unread: Vec<&str> = difference.changed[difference.changed.len() - left..]
        .iter()
        .map(|seen| seen.path.as_str())
        .collect();
    for (number, file) in &difference.dead {
        let segment = &snapshot.segments[*number];
        if unread.is_empty() || !unread.contains(&segment.path(&segment.file(*file))) {
            snapshot.manifest.segments[*number].dead.push(*file);
        }
    }
    for (number, file, stamp) in &difference.touched {
        let touched = &mut snapshot.manifest.segments[*number].touched;
        touched.retain(|(other, _)| other != file);
        touched.push((*file, *stamp));
        touched.sort_unstable();
    }
    for part in &mut snapshot.manifest.segments {
        part.dead.sort_unstable();
        part.dead.dedup();
    }
    snapshot.manifest.generation += 1;
    if builder.file_count() > 0 {
        add_segment(store, &mut snapshot, builder, writing)?;
    }
    compact(store, &mut snapshot, writing)?;
    let took = begun.elapsed().as_millis() as u64;
    let manifest = &mut snapshot.manifest;
    manifest.pending = left;
    manifest.update_ms = took;
    manifest.build_ms = if first { took } else { manifest.build_ms };
    manifest.updated_s =
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs();
    store.write_manifest(manifest, writing)?;
    Ok((snapshot, limits))
}

/// Order of parsing: sources before tests, both before other texts, so that the important files come first if time is short.
fn urgency(path: &str) -> u8 {
    let language = Language::by_name(std::path::Path::new(path)).is_some();
    match (language, crate::paths::is_test(path)) {
        (true, false) => 0,
        (true, true) => 1,
        (false, _) => 2,
    }
}

/// Parses files in parallel until the deadline; returns the number of remaining files. Threads take the files one
/// by one in order, so that none waits for another; they are also appended in that order, so
/// that the same tree gives the same index.
fn read_all(
    root: &RepoRoot,
    files: &[Seen],
    deadline: &Deadline,
    progress: Progress<'_>,
) -> (Builder, usize) {
    let mut builder = Builder::default();
    let mut total = 0_u64;
    let fits = |seen: &&Seen| {
        total += seen.size.min(MAX_FILE_BYTES);
        total <= MAX_TOTAL_BYTES
    };
    let wanted = &files[..files.iter().take_while(fits).count()];
    let mut append = |draft: &Draft| {
        builder.push(draft);
        let read = builder.file_count() as usize;
        if read.is_multiple_of(PROGRESS_EVERY) || read == files.len() {
            progress(read, files.len());
        }
    };
    if wanted.len() <= FEW_FILES {
        wanted.iter().for_each(|seen| append(&read_one(root, seen)));
    } else {
        let next = AtomicUsize::new(0);
        // Some files are always parsed, however short the time is.
        let take = || {
            let number = next.fetch_add(1, Ordering::Relaxed);
            (number < FEW_FILES || !deadline.passed())
                .then(|| Some((number, wanted.get(number)?)))?
        };
        let (ready, drafts) = mpsc::sync_channel::<(usize, Draft)>(MAX_READY);
        std::thread::scope(|threads| {
            for _ in 0..rayon::current_num_threads() {
                let (ready, take) = (ready.clone(), &take);
                threads.spawn(move || {
                    while let Some((number, seen)) = take() {
                        if ready.send((number, read_one(root, seen))).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(ready);
            append_in_order(drafts, append);
        });
    }
    let left = files.len() - builder.file_count() as usize;
    (builder, left)
}

/// Appends drafts in the order of their numbers, from 0 without gaps. Later ones wait for earlier ones.
fn append_in_order(drafts: mpsc::Receiver<(usize, Draft)>, mut append: impl FnMut(&Draft)) {
    let mut waiting: BTreeMap<usize, Draft> = BTreeMap::new();
    let mut next = 0;
    for (number, draft) in drafts {
        waiting.insert(number, draft);
        while let Some(draft) = waiting.remove(&next) {
            append(&draft);
            next += 1;
        }
    }
}

fn read_one(root: &RepoRoot, seen: &Seen) -> Draft {
    let content = read(root, seen);
    let mut draft = draft::draft(seen, content.as_deref());
    draft.flags |= if seen.young { FLAG_UNSURE } else { 0 };
    draft
}

/// The content of a file that is not too large and still regular; never through a symbolic link.
fn read(root: &RepoRoot, seen: &Seen) -> Option<Vec<u8>> {
    if seen.size > MAX_FILE_BYTES {
        return None;
    }
    read_below(root, &seen.path)
}

/// The content of a file below the root, at most [`MAX_FILE_BYTES`] of it.
pub(crate) fn read_below(root: &RepoRoot, path: &str) -> Option<Vec<u8>> {
    use std::io::Read;
    // No link is followed, and no pipe is waited for.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let path = root.path().join(path);
    let file = fs::File::options().read(true).custom_flags(flags).open(path).ok()?;
    let size = file.metadata().ok().filter(fs::Metadata::is_file)?.len();
    let mut content = Vec::with_capacity(size.min(MAX_FILE_BYTES) as usize + 1);
    file.take(MAX_FILE_BYTES).read_to_end(&mut content).ok()?;
    Some(content)
}

fn add_segment(
    store: &Store,
    snapshot: &mut Snapshot,
    builder: Builder,
    writing: &Writing,
) -> io::Result<()> {
    let bytes = builder.finish();
    let file = store.write_segment(snapshot.manifest.generation, &bytes, writing)?;
    if let Some(segment) = super::segment::Segment::open(bytes) {
        snapshot.segments.push(segment);
        snapshot.manifest.segments.push(Part { file, ..Part::default() });
    }
    Ok(())
}

/// Merges small segments if there are many, and all of them if many files are dead or replaced.
fn compact(store: &Store, snapshot: &mut Snapshot, writing: &Writing) -> io::Result<()> {
    let total: usize = snapshot.segments.iter().map(super::segment::Segment::len).sum();
    let files: usize = snapshot.segments.iter().map(|segment| segment.file_count() as usize).sum();
    let dead: usize = snapshot.manifest.segments.iter().map(|part| part.dead.len()).sum();
    let largest = snapshot.segments.first().map_or(0, super::segment::Segment::len);
    let worn = dead * DEAD_PART > files || (total - largest) * DEAD_PART > total * 2;
    let first = match (snapshot.segments.len(), worn) {
        (0 | 1, _) if dead * DEAD_PART <= files => return Ok(()),
        (_, true) => 0,
        (MAX_SEGMENTS.., false) => 1,
        _ => return Ok(()),
    };
    let mut builder = Builder::default();
    let mut touched = Vec::new();
    for (part, segment) in snapshot.parts().skip(first) {
        let live = (0..segment.file_count()).filter(|file| part.dead.binary_search(file).is_err());
        for (position, file) in (builder.file_count()..).zip(live) {
            if let Ok(found) = part.touched.binary_search_by_key(&file, |(file, _)| *file) {
                touched.push((position, part.touched[found].1));
            }
        }
        builder.absorb(segment, |file| part.dead.binary_search(&file).is_err());
    }
    snapshot.segments.truncate(first);
    snapshot.manifest.segments.truncate(first);
    snapshot.manifest.generation += 1;
    add_segment(store, snapshot, builder, writing)?;
    if let Some(part) = snapshot.manifest.segments.last_mut() {
        part.touched = touched;
    }
    Ok(())
}

impl Snapshot {
    /// The segments with their manifest entries.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (&Part, &super::segment::Segment)> {
        self.manifest.segments.iter().zip(&self.segments)
    }
}
