//! The stored answers, `~/.xcode/trust.json`.

use std::collections::BTreeMap;
use std::io::{self, Read as _};
use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::brought::{Part, Standing};
use crate::places::{self, Places};

/// The file, below `~/.xcode`.
const FILE: &str = "trust.json";
/// Its lock file.
const LOCK: &str = "trust.lock";
/// The version of its format.
const FORMAT: &str = "xc-trust/1";
/// The longest file that is read, in bytes.
const SIZE_MAX: u64 = 4 << 20;

/// The answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Kept {
    schema: String,
    folders: BTreeMap<String, Answer>,
}

/// The answers for a folder and what is below it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Answer {
    /// When it was last changed, RFC 3339 in UTC.
    at: String,
    /// Whether the user was asked about the folder and said yes.
    #[serde(default)]
    is_agreed: bool,
    /// The parts agreed to, by name, with the digest of the content; empty for any content.
    parts: BTreeMap<String, String>,
    /// The same for the parts that the user declined.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    refused: BTreeMap<String, String>,
}

impl Default for Kept {
    fn default() -> Self {
        Self { schema: FORMAT.to_owned(), folders: BTreeMap::new() }
    }
}

impl Kept {
    /// Reads the file; without a file nothing was agreed to.
    ///
    /// # Errors
    /// An error of the file system; [`io::ErrorKind::InvalidData`] for a file of another format or version.
    pub(super) fn read(places: &Places) -> io::Result<Self> {
        let file = match places.global().open(FILE) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            file => file?,
        };
        let mut bytes = Vec::new();
        file.take(SIZE_MAX).read_to_end(&mut bytes)?;
        let kept: Self = serde_json::from_slice(&bytes)?;
        if kept.schema == FORMAT { Ok(kept) } else { Err(io::ErrorKind::InvalidData.into()) }
    }

    /// The decision on a part with this content. An answer for a folder takes precedence over those for folders above it.
    pub(super) fn standing(
        &self,
        places: &Places,
        folder: &Path,
        part: Part,
        digest: &str,
    ) -> Standing {
        let mut standing = Standing::New;
        for answer in self.of(places, folder) {
            let (agreed, refused) =
                (answer.parts.get(part.word()), answer.refused.get(part.word()));
            match (agreed, refused) {
                (Some(agreed), _) if agreed == digest => return Standing::Agreed,
                (_, Some(refused)) if refused == digest => return Standing::Refused,
                (None, None) => {}
                (Some(_), _) | (None, Some(_)) => standing = Standing::Changed,
            }
        }
        standing
    }

    /// Whether the user has said yes to this folder, whatever it contained.
    pub(super) fn knows(&self, places: &Places, folder: &Path) -> bool {
        self.of(places, folder).any(|answer| answer.is_agreed)
    }

    /// The answers that apply to a folder: its own, and those of the folders above it. The home folder and `/` contain
    /// everything that was ever downloaded, so an answer for them applies only to them.
    fn of<'k>(&'k self, places: &'k Places, folder: &'k Path) -> impl Iterator<Item = &'k Answer> {
        let home = places.real_home();
        folder.ancestors().filter_map(move |above| {
            if above != folder && home.starts_with(above) {
                return None;
            }
            self.folders.get(above.to_str()?)
        })
    }
}

/// The answer about a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    /// The user was asked about the folder and agreed.
    Yes,
    /// The user declined.
    No,
    /// xc created the part for the user: it is agreed to, but not the folder.
    Made,
}

/// Stores the answer about these parts of a folder.
///
/// # Errors
/// An error of the file system; a folder whose name is not valid UTF-8.
pub(super) fn keep(
    places: &Places,
    folder: &Path,
    parts: Vec<(Part, String)>,
    word: Word,
) -> io::Result<()> {
    let global = places.global();
    let name = folder.to_str().ok_or(io::ErrorKind::InvalidFilename)?;
    let _lock = places::lock(&global, LOCK)?;
    // An unreadable file is not overwritten.
    let mut kept = Kept::read(places)?;
    let answer = kept.folders.entry(name.to_owned()).or_default();
    answer.at = Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    answer.is_agreed |= word == Word::Yes;
    for (part, digest) in parts {
        let part = part.word();
        let (takes, gives) = match word {
            Word::Yes | Word::Made => (&mut answer.parts, &mut answer.refused),
            Word::No => (&mut answer.refused, &mut answer.parts),
        };
        gives.remove(part);
        takes.insert(part.to_owned(), digest);
    }
    let mut bytes = serde_json::to_vec_pretty(&kept).map_err(io::Error::other)?;
    bytes.push(b'\n');
    global.replace(FILE, &bytes)
}
