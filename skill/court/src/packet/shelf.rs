//! The folder of packets: which number comes next, which is the newest, what is thrown away.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::records::Packet;

/// The largest packet that is read, in bytes.
const BYTES_MAX: u64 = 1 << 20;

/// Where the packet of this number is.
#[must_use]
pub fn path(folder: &Path, seq: u64) -> PathBuf {
    folder.join(format!("fact_{seq}.json"))
}

/// The number after the highest that is there and the highest that is remembered.
#[must_use]
pub fn next_seq(folder: &Path, remembered: u64) -> u64 {
    numbers(folder).last().copied().unwrap_or_default().max(remembered).saturating_add(1)
}

/// The newest packet that can be read.
#[must_use]
pub fn newest(folder: &Path) -> Option<Packet> {
    numbers(folder).iter().rev().find_map(|seq| {
        let path = path(folder, *seq);
        let is_fit = path.metadata().is_ok_and(|found| found.is_file() && found.len() <= BYTES_MAX);
        let bytes = is_fit.then(|| fs::read(&path).ok())??;
        serde_json::from_slice(&bytes).ok()
    })
}

/// Removes all but the newest `keep` packets.
///
/// # Errors
/// When one cannot be removed; the others may be gone then.
pub fn prune(folder: &Path, keep: usize) -> io::Result<()> {
    let numbers = numbers(folder);
    for seq in &numbers[..numbers.len().saturating_sub(keep.max(1))] {
        match fs::remove_file(path(folder, *seq)) {
            // Another hook was quicker.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            done => done?,
        }
    }
    Ok(())
}

/// The numbers of the packets that are there, in order.
fn numbers(folder: &Path) -> Vec<u64> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let number = |name: &str| name.strip_prefix("fact_")?.strip_suffix(".json")?.parse().ok();
    let mut numbers: Vec<u64> =
        entries.filter_map(|entry| number(entry.file_name().to_str()?)).collect();
    numbers.sort_unstable();
    numbers
}
