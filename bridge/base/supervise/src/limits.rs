//! Resource limits of each process of a run, enforced by the kernel.

/// Limits of each process of a run. `None` keeps the limit of our own process; limits are only
/// lowered, never raised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Address space, in bytes.
    pub address_space: Option<u64>,
    /// Maximum size of a file that it writes, in bytes.
    pub file_bytes: Option<u64>,
    /// Maximum number of open descriptors.
    pub open_files: Option<u64>,
    /// Maximum size of a core dump, in bytes.
    pub core_bytes: Option<u64>,
}

impl Limits {
    /// No limits: for a command of the user. A linker writes more than 256 MiB, and Node
    /// needs more than 4 GiB of address space.
    pub const NONE: Self =
        Self { address_space: None, file_bytes: None, open_files: None, core_bytes: None };

    /// The limits of a program that we chose, without a limit of the address space: files of 256 MiB (Codex's
    /// transcripts stay below 10 MB), 1,024 descriptors (codex 0.169 uses about 50), no core dump.
    pub const CHOSEN: Self = Self {
        address_space: None,
        file_bytes: Some(256 << 20),
        open_files: Some(1024),
        core_bytes: Some(0),
    };
}
