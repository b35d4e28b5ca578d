//! The one table of commands: every name with its entry, found by a hash that is worked out when the crate is
//! compiled. A second entry for a name does not compile.

#[cfg(test)]
mod tests;

use super::entry::{Command, Does};
use super::words::same;
use super::{
    agents, archives, builds, builtins, bus, captures, clouds, clusters, compilers, composer,
    court, databases, debuggers, decode, desktop, editors, erase, files, find, firmware, git,
    guests, images, implied, interpreters, json, links, machine, multiplexers, network, node,
    packages, pagers, plain, plans, powershell, processes, programs, remote, runners, secrets, sed,
    serve, servers, services, shells, system, text, versions, windows, wrappers, xargs,
};

/// Every entry, by the room that it stands in.
pub(super) static ROOMS: &[&[Command]] = &[
    agents::COMMANDS,
    archives::COMMANDS,
    builtins::COMMANDS,
    builds::COMMANDS,
    bus::COMMANDS,
    captures::COMMANDS,
    clouds::COMMANDS,
    clusters::COMMANDS,
    compilers::COMMANDS,
    composer::COMMANDS,
    court::COMMANDS,
    databases::COMMANDS,
    debuggers::COMMANDS,
    decode::COMMANDS,
    desktop::COMMANDS,
    editors::COMMANDS,
    erase::COMMANDS,
    files::COMMANDS,
    find::COMMANDS,
    firmware::COMMANDS,
    git::COMMANDS,
    guests::COMMANDS,
    images::COMMANDS,
    implied::COMMANDS,
    interpreters::COMMANDS,
    json::COMMANDS,
    links::COMMANDS,
    machine::COMMANDS,
    multiplexers::COMMANDS,
    network::COMMANDS,
    node::COMMANDS,
    packages::COMMANDS,
    plain::COMMANDS,
    plans::COMMANDS,
    pagers::COMMANDS,
    powershell::COMMANDS,
    processes::COMMANDS,
    programs::COMMANDS,
    remote::COMMANDS,
    runners::COMMANDS,
    secrets::COMMANDS,
    sed::COMMANDS,
    serve::COMMANDS,
    servers::COMMANDS,
    services::COMMANDS,
    shells::COMMANDS,
    system::COMMANDS,
    text::COMMANDS,
    versions::COMMANDS,
    windows::COMMANDS,
    wrappers::COMMANDS,
    wrappers::WRAPPED,
    xargs::COMMANDS,
];

/// Twice as many as there are names, at the least: a look-up meets an empty slot soon.
const SLOTS: usize = 4096;

/// A name: its room and one more, its entry there, and its number in the entry. The first is 0 where there is none.
type Slot = (u8, u8, u8);

static INDEX: [Slot; SLOTS] = index();

/// FNV-1a.
const fn hash(name: &str) -> usize {
    let bytes = name.as_bytes();
    let (mut hash, mut at) = (0xcbf2_9ce4_8422_2325_u64, 0);
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u64).wrapping_mul(0x0100_0000_01b3);
        at += 1;
    }
    (hash >> 20) as usize % SLOTS
}

const fn index() -> [Slot; SLOTS] {
    let mut slots: [Slot; SLOTS] = [(0, 0, 0); SLOTS];
    let mut room = 0;
    while room < ROOMS.len() {
        let mut entry = 0;
        while entry < ROOMS[room].len() {
            let names = ROOMS[room][entry].names;
            let mut name = 0;
            while name < names.len() {
                let mut slot = hash(names[name]);
                while let (taken @ 1.., there, number) = slots[slot] {
                    let other = ROOMS[taken as usize - 1][there as usize].names[number as usize];
                    if same(other, names[name]) {
                        panic!("{}", names[name]);
                    }
                    slot = (slot + 1) % SLOTS;
                }
                assert!(room < 255 && entry < 256 && name < 256);
                slots[slot] = (room as u8 + 1, entry as u8, name as u8);
                name += 1;
            }
            entry += 1;
        }
        room += 1;
    }
    slots
}

/// The entry of a name.
fn entry(name: &str) -> Option<&'static Command> {
    let mut slot = hash(name);
    loop {
        let (room, entry, number) = INDEX[slot];
        let command = &ROOMS[usize::from(room.checked_sub(1)?)][usize::from(entry)];
        if command.names[usize::from(number)] == name {
            return Some(command);
        }
        slot = (slot + 1) % SLOTS;
    }
}

#[cfg(test)]
thread_local! {
    /// Which entries a test has switched off.
    pub(super) static OFF: std::cell::Cell<fn(&str) -> bool> =
        const { std::cell::Cell::new(|_| false) };
}

/// Whether there is more to say of a program than that it reads or runs.
pub(crate) fn is_told(name: &str) -> bool {
    #[cfg(test)]
    if OFF.get()(name) {
        return false;
    }
    command(name).is_some_and(|command| !matches!(command.does, Does::Reads | Does::Runs))
}

/// The entry of a command, also where its name has an ending: `mkfs.ext4`, `git-log`, `python3.12`.
pub(super) fn command(name: &str) -> Option<&'static Command> {
    #[cfg(test)]
    if OFF.get()(name) {
        return None;
    }
    found(name)
}

/// The same, whatever is switched off.
pub(super) fn found(name: &str) -> Option<&'static Command> {
    entry(name).or_else(|| match name.as_bytes().first()? {
        b'm' if name.starts_with("mkfs") => entry("mkfs"),
        b'n' if name.starts_with("newfs") => entry("newfs"),
        b'g' if git::is_dashed(name) => entry("git-push"),
        b'p' if name.starts_with("python") => {
            let (head, version) = name.split_once('.')?;
            version.bytes().all(|byte| byte.is_ascii_digit()).then(|| entry(head))?
        }
        _ => None,
    })
}
