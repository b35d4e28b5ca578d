//! The text that an approval signs, and one approval's time. Absent: where approvals are kept.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

use super::key::hex;
use super::key::{KeyError, random};
use crate::clock;

/// What a signature says: this call of this request, in this project, once and not for long.
#[derive(Debug, Clone, Copy)]
pub struct Statement<'a> {
    /// The project's root.
    pub project: &'a Path,
    /// The request's id.
    pub request: &'a str,
    /// The digest of the call and of all that it was judged by.
    pub digest: &'a str,
    /// When it ceases to hold, in milliseconds since 1970.
    pub expires_ms: u64,
    /// Random, so that no two are the same.
    pub nonce: &'a str,
}

impl Statement<'_> {
    /// The text. Each line has one meaning: nothing that stands in it can hold a line end.
    pub fn text(&self) -> String {
        let Self { project, request, digest, expires_ms, nonce } = self;
        let project = project.as_os_str().as_bytes().escape_ascii();
        let request = request.as_bytes().escape_ascii();
        let digest = digest.as_bytes().escape_ascii();
        let nonce = nonce.as_bytes().escape_ascii();
        format!(
            "codex-bridge approval 1\nproject {project}\nrequest {request}\ndigest {digest}\n\
             expires {expires_ms}\nnonce {nonce}\n"
        )
    }
}

/// A nonce.
///
/// # Errors
/// [`KeyError::Random`].
pub fn nonce() -> Result<String, KeyError> {
    random::<16>().map(|bytes| hex(&bytes))
}

/// A stretch of time by two clocks: the calendar's, which can be set, and the time since the machine
/// started, which cannot go back.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Stretch {
    /// When it began, in milliseconds since 1970.
    pub from_ms: u64,
    /// When it ends.
    pub until_ms: u64,
    /// The start of the machine that the last field counts from.
    pub boot: String,
    /// When it ends, in milliseconds since then.
    pub until_boot_ms: u64,
}

/// The present moment by both clocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    /// Milliseconds since 1970.
    pub ms: u64,
    /// Which start of the machine this is.
    pub(super) boot: String,
    /// Milliseconds since then.
    pub(super) boot_ms: u64,
}

impl Moment {
    /// The time by both clocks.
    pub fn now() -> Self {
        // Where there is no such file, all starts of the machine look the same; the other clock counts.
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        let since = clock_gettime(ClockId::Boottime);
        let seconds = u64::try_from(since.tv_sec).unwrap_or_default();
        let millis = u64::try_from(since.tv_nsec).unwrap_or_default() / 1_000_000;
        Self { ms: clock::now_ms(), boot: boot.trim().to_owned(), boot_ms: seconds * 1000 + millis }
    }
}

impl Stretch {
    /// From a moment on.
    pub fn from(now: &Moment, length_ms: u64) -> Self {
        Self {
            from_ms: now.ms,
            until_ms: now.ms.saturating_add(length_ms),
            boot: now.boot.clone(),
            until_boot_ms: now.boot_ms.saturating_add(length_ms),
        }
    }

    /// Whether both clocks say that it lasts: a clock that was set, or a new start, ends it.
    pub fn surely_lasts(&self, now: &Moment) -> bool {
        (self.from_ms..self.until_ms).contains(&now.ms)
            && self.boot == now.boot
            && now.boot_ms < self.until_boot_ms
    }

    /// Whether some clock says that it lasts: setting one does not end it.
    pub fn may_last(&self, now: &Moment) -> bool {
        if self.boot == now.boot {
            return now.boot_ms < self.until_boot_ms;
        }
        now.ms < self.until_ms
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Moment, Statement, Stretch, nonce};

    #[test]
    fn each_part_of_a_statement_changes_its_text_and_none_can_stand_for_another() {
        let plain = Statement {
            project: Path::new("/home/ann/p"),
            request: "R1",
            digest: "d",
            expires_ms: 5,
            nonce: "n",
        };
        assert!(
            plain.text().starts_with("codex-bridge approval 1\nproject /home/ann/p\nrequest R1\n")
        );
        let others = [
            Statement { project: Path::new("/home/ann/q"), ..plain },
            Statement { project: Path::new("/home/ann/p\nrequest R1"), ..plain },
            Statement { request: "R2", ..plain },
            Statement { digest: "e", ..plain },
            Statement { expires_ms: 6, ..plain },
            Statement { nonce: "m", ..plain },
        ];
        for other in others {
            assert_ne!(other.text(), plain.text());
            assert_eq!(other.text().lines().count(), 6, "{}", other.text());
        }
        assert_ne!(nonce().unwrap(), nonce().unwrap());
    }

    #[test]
    fn setting_the_clock_lengthens_nothing() {
        let at = |boot: &str, ms: u64, boot_ms: u64| Moment { ms, boot: boot.to_owned(), boot_ms };
        let stretch = Stretch::from(&at("a", 1_000, 50), 100);
        for (now, surely, may) in [
            (at("a", 1_000, 50), true, true),
            (at("a", 1_099, 149), true, true),
            (at("a", 1_099, 150), false, false),
            // The clock was set back, or forward.
            (at("a", 900, 60), false, true),
            (at("a", 1_050, 200), false, false),
            (at("a", 9_000, 60), false, true),
            // The machine was started again.
            (at("b", 1_050, 1), false, true),
            (at("b", 1_200, 1), false, false),
        ] {
            assert_eq!(stretch.surely_lasts(&now), surely, "{now:?}");
            assert_eq!(stretch.may_last(&now), may, "{now:?}");
        }
        let now = Moment::now();
        assert!(Stretch::from(&now, 60_000).surely_lasts(&Moment::now()));
    }
}
