//! The folder of packets: numbering, reading the newest, and removal.

use std::collections::HashSet;

use crate::records::{Cursor, Kind, Packet, digest};
use crate::store::{Files, Store, StoreError};

/// The folder, below the ledger's folder.
pub const FOLDER: &str = "packets";
/// Maximum accepted number: a file may be written by others.
const SEQ_MAX: u64 = 1 << 52;
/// Maximum size of a packet, in bytes.
pub const BYTES_MAX: u64 = 1 << 20;

/// The file name of the packet with this number.
#[must_use]
pub fn name(seq: u64) -> String {
    format!("fact_{seq}.json")
}

/// The number after the highest existing and the highest recorded one.
#[must_use]
pub fn next_seq(files: &Files, remembered: u64) -> u64 {
    let remembered = if remembered < SEQ_MAX { remembered } else { 0 };
    numbers(files).last().copied().unwrap_or_default().max(remembered) + 1
}

/// Numbers the packet, writes it and removes all but the newest `keep`.
///
/// # Errors
/// Errors of the store; either nothing is written, or only the number is used up.
pub fn write(store: &Store, mut packet: Packet, keep: usize) -> Result<u64, StoreError> {
    let files = store.historian().inner(FOLDER);
    packet.seq = store.update(|cursor: &mut Cursor| {
        cursor.packet_seq = next_seq(&files, cursor.packet_seq);
        cursor.packet_seq
    })?;
    let name = name(packet.seq);
    let bytes = serde_json::to_vec_pretty(&packet)
        .map_err(|error| files.failed(name.as_ref(), error.into()))?;
    store.vouch(Kind::Packet, [digest(&bytes)])?;
    files.replace(name, &bytes)?;
    prune(&files, keep)?;
    Ok(packet.seq)
}

/// The newest readable packet that the court wrote itself.
#[must_use]
pub fn newest(store: &Store) -> Option<Packet> {
    let files = store.historian().inner(FOLDER);
    let numbers = numbers(&files);
    if numbers.is_empty() {
        return None;
    }
    let own = store.own();
    let own: HashSet<&str> = own.of(Kind::Packet);
    numbers.iter().rev().find_map(|seq| {
        let bytes = files.read(name(*seq), BYTES_MAX).ok()??;
        let is_own = own.contains(digest(&bytes).as_str());
        is_own.then(|| serde_json::from_slice(&bytes).ok())?
    })
}

/// Removes all but the newest `keep` packets.
///
/// # Errors
/// One could not be removed; the others may be gone.
pub fn prune(files: &Files, keep: usize) -> Result<(), StoreError> {
    let numbers = numbers(files);
    for seq in &numbers[..numbers.len().saturating_sub(keep.max(1))] {
        files.remove(name(*seq))?;
    }
    Ok(())
}

/// The numbers of the existing packets, in order.
pub fn numbers(files: &Files) -> Vec<u64> {
    let number = |name: &str| name.strip_prefix("fact_")?.strip_suffix(".json")?.parse().ok();
    let names = files.names();
    let believed = |seq: &u64| *seq < SEQ_MAX;
    let mut numbers: Vec<u64> =
        names.iter().filter_map(|name| number(name.to_str()?)).filter(believed).collect();
    numbers.sort_unstable();
    numbers
}
