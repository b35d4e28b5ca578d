//! The files of the court as types: the field names are the file formats. Reading ignores unknown
//! keys and fills absent ones, so that a file of another version or hand is still read. Absent: I/O.

mod accepted;
mod anchor;
mod capability;
mod cursor;
mod denied;
mod ledger;
mod manifest;
mod node;
mod own;
mod packet;
mod review;
mod session;

pub use accepted::{Accepted, Wish};
pub use anchor::{Anchor, AnchorKind, Expiry};
pub use capability::{Before, Capability, Mode, Observation, Standing};
pub use cursor::{Cursor, Step};
pub use denied::{Denied, DeniedBy, DeniedCall};
pub use ledger::{ANCHORS_MAX, Ledger, Metadata};
pub use manifest::{Manifest, PhaseRules, Phases};
pub use node::{
    Confidence, ExitStatus, Metrics, NODES_MAX, ObjectiveNode, Role, SelfReport, Tokens, Tree,
};
pub use own::{Kind, Own, digest, digest_of};
pub use packet::{CallStatus, ContextSnapshot, Facts, Packet, PacketMeta, ToolCallFact};
pub use review::{Approval, Request, Reviewer, Reviews, SeenFile, Signed, Spent};
pub use session::{Base, HistorianFacts, SESSIONS_MAX, SessionFacts, SessionState};

/// The version of the file formats that this program writes, and the newest that it reads.
pub const VERSION: u32 = 1;

/// A file of the court: where it lies, how large it may be, and how it keeps below that.
pub trait Record: serde::Serialize + serde::de::DeserializeOwned + Default {
    /// The folder it lies in.
    const FOLDER: Folder;
    /// Its name there.
    const NAME: &'static str;
    /// The largest file that is read, in bytes; a larger one is kept aside.
    const BYTES_MAX: u64;
    /// How its text begins: a struct would also be read from a list.
    const OPENS: u8 = b'{';

    /// The version that the file says.
    fn version(&self) -> u32 {
        VERSION
    }

    /// Drops the oldest of what is over the record's limits; returns what was dropped, one JSON
    /// text each, for the archive.
    fn bound(&mut self) -> Vec<String> {
        Vec::new()
    }
}

/// One of the court's folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Folder {
    /// `.claude/historian`, in the project: what the work shows. It may come with a clone.
    Historian,
    /// `.court`, in the project: what the project would like. It may come with a clone.
    Court,
    /// The user's state folder for this root: what the court remembers of its sessions.
    State,
    /// The same, for this very repository at this root: what grants something. A repository that is
    /// put in its place finds nothing here.
    Grants,
}
