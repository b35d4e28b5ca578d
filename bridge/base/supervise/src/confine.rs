//! Describes what a confined program may access, and by which kernel mechanisms. Not here: the mechanisms
//! themselves (`inside`), and the choice of folders.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr, Scope,
};

/// What a program and everything that it starts may reach. Paths are absolute; one that does not exist is left out.
/// Reading is free but for [`Confine::hide`] and for devices: a terminal that is not its own, a keyboard, a disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confine {
    /// Files, and folders with everything below, that may be written. Nothing else may, except for `/dev/null` and
    /// similar devices.
    pub write: Vec<PathBuf>,
    /// Paths below a folder of `write` that must not change. Needs mounts.
    pub keep: Vec<PathBuf>,
    /// Paths that must not be readable: a file reads as empty, a folder as without files. Needs mounts.
    pub hide: Vec<PathBuf>,
    /// Whether other machines, and other programs of this one, can be reached.
    pub network: Network,
}

/// Whether a confined program has a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Network {
    /// The same network as ours.
    Open,
    /// With mounts a new network namespace with a loopback device only. With Landlock alone no TCP, loopback
    /// included; other protocols stay available.
    Closed,
}

/// The mechanisms that confine runs on this system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confinement {
    /// Landlock, and a mount namespace in which only the writable folders are writable and hidden paths are covered.
    LandlockAndMounts,
    /// Landlock.
    Landlock,
    /// None: Landlock is unavailable or disabled.
    None,
}

/// A confinement and its mechanisms, as sent to the guard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fence {
    pub confine: Confine,
    pub means: Means,
    /// The newest version of Landlock's interface whose rights are used.
    pub landlock: u8,
}

/// The mechanisms that the guard uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Means {
    LandlockAndMounts,
    Landlock,
}

/// The newest version of Landlock's interface whose rights are used, by its number (Linux 6.15).
pub(crate) const NEWEST: u8 = 7;

/// Restrictions that Landlock supports only since a version of its interface.
const SINCE: [(u8, &str); 4] = [
    (3, "truncating a file (Linux 6.2)"),
    (4, "TCP (Linux 6.7)"),
    (5, "orders to devices (Linux 6.10)"),
    (6, "signals and abstract sockets of other programs (Linux 6.12)"),
];

/// Descriptions of what Landlock does not restrict, if only rights up to version `newest` of its
/// interface that this kernel supports are used.
pub(crate) fn gaps(newest: u8) -> Vec<&'static str> {
    let new = || Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    let of_files = |access: AccessFs| new().handle_access(access).is_ok();
    let is_known = |version: u8| match version {
        3 => of_files(AccessFs::Truncate),
        4 => new().handle_access(AccessNet::from_all(ABI::V4)).is_ok(),
        5 => of_files(AccessFs::IoctlDev),
        _ => new().scope(Scope::from_all(ABI::V6)).is_ok(),
    };
    let is_missing = |(version, _): &&(u8, &str)| *version > newest || !is_known(*version);
    SINCE.iter().filter(is_missing).map(|(_, what)| *what).collect()
}

impl Fence {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let Confine { write, keep, hide, network } = &self.confine;
        let mut body = vec![
            match self.means {
                Means::LandlockAndMounts => b'M',
                Means::Landlock => b'L',
            },
            match network {
                Network::Open => b'o',
                Network::Closed => b'c',
            },
            self.landlock,
        ];
        for paths in [write, keep, hide] {
            body.extend(number(paths.len()));
            for path in paths {
                put(&mut body, path.as_os_str());
            }
        }
        body
    }

    pub(crate) fn decode(mut body: &[u8]) -> Option<Self> {
        let [means, network, landlock, rest @ ..] = body else { return None };
        let landlock = *landlock;
        body = rest;
        let means = match means {
            b'M' => Means::LandlockAndMounts,
            b'L' => Means::Landlock,
            _ => return None,
        };
        let network = match network {
            b'o' => Network::Open,
            b'c' => Network::Closed,
            _ => return None,
        };
        let mut paths = || {
            let (count, rest) = body.split_first_chunk()?;
            body = rest;
            let count = u32::from_le_bytes(*count);
            (0..count).map(|_| take(&mut body).map(PathBuf::from)).collect::<Option<Vec<_>>>()
        };
        let (write, keep, hide) = (paths()?, paths()?, paths()?);
        let confine = Confine { write, keep, hide, network };
        body.is_empty().then_some(Self { confine, means, landlock })
    }
}

/// Encodes a number. The decoder refuses one that does not fit.
pub(crate) fn number(value: usize) -> [u8; 4] {
    u32::try_from(value).unwrap_or(u32::MAX).to_le_bytes()
}

/// Encodes a text, preceded by its length.
pub(crate) fn put(body: &mut Vec<u8>, word: &OsStr) {
    body.extend(number(word.len()));
    body.extend(word.as_bytes());
}

/// Decodes a text encoded by [`put`].
pub(crate) fn take(body: &mut &[u8]) -> Option<OsString> {
    let (length, rest) = body.split_first_chunk()?;
    let (word, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    *body = rest;
    Some(OsString::from_vec(word.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_survives_the_channel_and_a_cut_one_is_none() {
        let confine = Confine {
            write: vec!["/work space".into(), "/tmp".into()],
            keep: Vec::new(),
            hide: vec![OsString::from_vec(vec![b'/', 0xFF]).into()],
            network: Network::Closed,
        };
        let fence = Fence { confine, means: Means::Landlock, landlock: 3 };
        let bytes = fence.encode();
        assert_eq!(Fence::decode(&bytes).as_ref(), Some(&fence));
        for cut in 0..bytes.len() {
            assert_eq!(Fence::decode(&bytes[..cut]), None, "{cut}");
        }
        assert_eq!(Fence::decode(&[bytes, vec![0]].concat()), None);
    }
}
