//! What a run may take of the system, as the kernel holds each of its processes to it.

/// Limits of each process of a run. `None` leaves what our own process has; a limit is only ever
/// lowered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Address space, in bytes.
    pub address_space: Option<u64>,
    /// The largest file that it may write, in bytes.
    pub file_bytes: Option<u64>,
    /// How many descriptors it may have open.
    pub open_files: Option<u64>,
    /// The largest core dump, in bytes.
    pub core_bytes: Option<u64>,
}

impl Limits {
    /// Nothing is lowered: for a command of the user's own. A linker writes more than 256 MiB, and Node
    /// wants more than 4 GiB of address space.
    pub const NONE: Self =
        Self { address_space: None, file_bytes: None, open_files: None, core_bytes: None };

    /// Of a program that we chose, without a limit of the address space: files of 256 MiB (Codex's
    /// transcripts stay below 10 MB), 1,024 descriptors (codex 0.169 uses about 50), no core dump.
    pub const CHOSEN: Self = Self {
        address_space: None,
        file_bytes: Some(256 << 20),
        open_files: Some(1024),
        core_bytes: Some(0),
    };
}
