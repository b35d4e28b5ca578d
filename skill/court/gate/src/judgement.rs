//! What a judgement says. Not here: what a host makes of it.

use std::ops::Range;

use crate::level::Level;
use crate::rules::Rule;

/// How strict to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// By what would happen.
    #[default]
    Graded,
    /// By the name of the tool and sensitive words: every shell, network and MCP call is L2.
    Strict,
}

/// Whether the call was understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was.
    Judged,
    /// It was not; the level is then at least L2.
    CouldNotJudge {
        /// What stood in the way.
        reason: String,
    },
}

/// One reason for a level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule that applies.
    pub rule: &'static Rule,
    /// Its level here.
    pub level: Level,
    /// What it was found in: a command, a path, a variable.
    pub what: String,
    /// Where in the command: bytes of the outermost text.
    pub span: Range<usize>,
}

/// A simple command that was found, as it would run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Its words after expansion. [`Seen::UNKNOWN`] stands for what is only known at run time.
    pub words: Vec<String>,
    /// What led to it from the outside in: `sudo`, `bash -c`, `find -exec`.
    pub via: Vec<String>,
    /// Where in the command: bytes of the outermost text.
    pub span: Range<usize>,
}

impl Seen {
    /// Stands for text that is only known at run time.
    pub const UNKNOWN: char = crate::field::UNKNOWN;
}

/// How much is written at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Extent {
    /// One file.
    File,
    /// Everything below a folder: what is unpacked, cloned, copied or moved.
    Tree,
}

/// Where what is written comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// This machine.
    Local,
    /// A network, as it stands there.
    Network,
}

/// A place that a call writes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Its absolute path, links followed.
    pub path: String,
    /// How much is written there.
    pub extent: Extent,
    /// Where it comes from.
    pub source: Source,
}

/// The level of a call, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The highest level of the findings; L0 without any.
    pub level: Level,
    /// Whether it was understood.
    pub outcome: Outcome,
    /// The reasons, the gravest first.
    pub findings: Vec<Finding>,
    /// The simple commands of a shell call, in the order in which they were reached.
    pub commands: Vec<Seen>,
    /// The files that decided what the call means: those that it executes, and those that they or their
    /// programs read to know what to do. Absolute, links followed, in the order in which they were met.
    pub files: Vec<String>,
    /// Where the call writes, as far as that is known before it runs.
    pub writes: Vec<Target>,
}

impl Judgement {
    pub(crate) fn new(mut findings: Vec<Finding>, commands: Vec<Seen>) -> Self {
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.level));
        let level = findings.first().map_or(Level::L0, |finding| finding.level);
        Self {
            level,
            outcome: Outcome::Judged,
            findings,
            commands,
            files: Vec::new(),
            writes: Vec::new(),
        }
    }
}
