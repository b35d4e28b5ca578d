//! The types of the court's files: the field names are the file formats. Reading ignores unknown
//! keys and fills absent ones, so that files of another version or writer can be read. Not here: I/O.

mod accepted;
mod anchor;
mod capability;
mod cursor;
mod denied;
mod launch;
mod ledger;
mod manifest;
mod node;
mod own;
mod packet;
mod record;
mod session;

pub use accepted::{Accepted, Wish};
pub use anchor::{Anchor, AnchorKind, CONTENT_MAX, Expiry, TASK_MAX};
pub use capability::{Before, Capability, Mode, Observation, Standing};
pub use cursor::{Cursor, Step};
pub use denied::{Denied, DeniedBy, DeniedCall};
pub use launch::{Ended, Launch, Launches};
pub use ledger::{ANCHORS_MAX, Ledger, Metadata};
pub use manifest::{Manifest, PhaseRules, Phases};
pub use node::{
    Confidence, ExitStatus, Metrics, NODES_MAX, ObjectiveNode, Role, SelfReport, Tokens, Tree,
};
pub use own::{Kind, Own, digest, digest_of};
pub use packet::{CallStatus, ContextSnapshot, Facts, Packet, PacketMeta, ToolCallFact};
pub use record::{Folder, Record, VERSION};
pub use session::{Base, HistorianFacts, SESSIONS_MAX, SessionFacts, SessionState};
