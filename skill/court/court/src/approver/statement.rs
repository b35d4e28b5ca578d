//! The text that an approval signs, and the validity period of an approval. Not here: storage of approvals.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

use super::key::hex;
use super::key::{KeyError, random};
use crate::clock;

/// The signed statement: this call of this request, in this project, once and for a limited time.
#[derive(Debug, Clone, Copy)]
pub struct Statement<'a> {
    /// The project's root.
    pub project: &'a Path,
    /// The request's id.
    pub request: &'a str,
    /// Digest of the call and of everything that its judgement depends on.
    pub digest: &'a str,
    /// When it expires, in milliseconds since 1970.
    pub expires_ms: u64,
    /// Random, to make each statement unique.
    pub nonce: &'a str,
}

impl Statement<'_> {
    /// The text. Each line has one meaning: no value can contain a newline.
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

/// A period of time on two clocks: the wall clock, which can be set, and the time since
/// boot, which cannot go back.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Stretch {
    /// Its start, in milliseconds since 1970.
    pub from_ms: u64,
    /// Its end, in milliseconds since 1970.
    pub until_ms: u64,
    /// Id of the boot that the last field refers to.
    pub boot: String,
    /// Its end, in milliseconds since boot.
    pub until_boot_ms: u64,
}

/// The current time on both clocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    /// Milliseconds since 1970.
    pub ms: u64,
    /// Id of the current boot.
    pub(super) boot: String,
    /// Milliseconds since boot.
    pub(super) boot_ms: u64,
}

impl Moment {
    /// Reads both clocks.
    pub fn now() -> Self {
        // If the file does not exist, all boots look the same; the wall clock still counts.
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        let since = clock_gettime(ClockId::Boottime);
        let seconds = u64::try_from(since.tv_sec).unwrap_or_default();
        let millis = u64::try_from(since.tv_nsec).unwrap_or_default() / 1_000_000;
        Self { ms: clock::now_ms(), boot: boot.trim().to_owned(), boot_ms: seconds * 1000 + millis }
    }
}

impl Stretch {
    /// A period that starts now.
    pub fn from(now: &Moment, length_ms: u64) -> Self {
        Self {
            from_ms: now.ms,
            until_ms: now.ms.saturating_add(length_ms),
            boot: now.boot.clone(),
            until_boot_ms: now.boot_ms.saturating_add(length_ms),
        }
    }

    /// Whether it has not ended on either clock: setting the clock, or a reboot, ends it.
    pub fn surely_lasts(&self, now: &Moment) -> bool {
        (self.from_ms..self.until_ms).contains(&now.ms)
            && self.boot == now.boot
            && now.boot_ms < self.until_boot_ms
    }

    /// Whether it has not ended on at least one clock: setting the clock does not end it.
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
            // The machine was rebooted.
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
