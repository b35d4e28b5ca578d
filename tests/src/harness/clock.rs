//! A daemon whose wall clock is set by the test, with libfaketime.

use std::io;
use std::path::{Path, PathBuf};

use super::daemon::DaemonBuilder;

/// The variable that names the library, instead of the folders of distributions.
const LIBRARY: &str = "LIBFAKETIME";

/// Where distributions install libfaketime.
const FOLDERS: [&str; 4] =
    ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"];

impl DaemonBuilder {
    /// A daemon whose wall clock is shifted by the content of a file, and that file; `None`, with a message, if libfaketime is
    /// not installed.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn with_own_clock(self) -> io::Result<Option<(Self, PathBuf)>> {
        let usual = FOLDERS.map(|folder| Path::new(folder).join("faketime/libfaketimeMT.so.1"));
        let named = std::env::var_os(LIBRARY).map(PathBuf::from);
        let Some(library) = named.into_iter().chain(usual).find(|path| path.is_file()) else {
            skipping::missing(
                "libfaketime",
                "run `make debian`, or set LIBFAKETIME to the library",
            );
            return Ok(None);
        };
        let offset = self.folder().work().join("offset");
        std::fs::write(&offset, "+0")?;
        let builder = self
            .env("LD_PRELOAD", library)
            .env("FAKETIME_TIMESTAMP_FILE", &offset)
            .env("FAKETIME_NO_CACHE", "1")
            .env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
        Ok(Some((builder, offset)))
    }
}
