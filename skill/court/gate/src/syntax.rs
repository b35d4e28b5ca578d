//! The shell's grammar: text to a tree of commands, as bash 5 reads it. Total and linear: it works on
//! a budget and never recurses deeper than the limit. Not here: what a word means (see `expand`).

mod compound;
mod heredoc;
mod parameter;
mod parser;
mod quote;
mod redirect;
mod word;

use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

pub(crate) use parser::parse;
pub(crate) use quote::quoted;

use crate::limits::Limit;

/// Why a text is not a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// bash would not accept it, or we do not understand it.
    Syntax { at: usize, what: &'static str },
    /// It costs more than it may.
    Limit(Limit),
}

impl From<Limit> for Fault {
    fn from(limit: Limit) -> Self {
        Self::Limit(limit)
    }
}

/// A list of commands.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script {
    pub(crate) items: Vec<Item>,
}

/// Pipelines joined by `&&` and `||`, ended by `;`, `&` or a line's end.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) pipelines: Vec<Pipeline>,
    pub(crate) pace: Pace,
}

/// Whether the shell waits for an item to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pace {
    Waits,
    /// Ended by `&`.
    Background,
}

/// How a pipeline follows the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Join {
    First,
    And,
    Or,
}

/// Commands joined by `|`.
#[derive(Clone, Debug)]
pub(crate) struct Pipeline {
    pub(crate) join: Join,
    pub(crate) commands: Vec<Command>,
}

/// One command of any kind with its redirections.
#[derive(Clone, Debug)]
pub(crate) struct Command {
    pub(crate) kind: Kind,
    pub(crate) redirects: Vec<Redirect>,
    pub(crate) span: Range<usize>,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Simple(Simple),
    Group(Script),
    Subshell(Script),
    If {
        arms: Vec<(Script, Script)>,
        otherwise: Option<Script>,
    },
    Loop {
        condition: Script,
        body: Script,
    },
    /// `for` and `select`; no words means the positional parameters.
    For {
        name: String,
        words: Option<Vec<Word>>,
        body: Script,
    },
    ArithmeticFor {
        header: Word,
        body: Script,
    },
    Case {
        subject: Word,
        arms: Vec<(Vec<Word>, Script)>,
    },
    Function {
        name: String,
        body: Rc<Command>,
    },
    /// `[[ ... ]]`: only its words matter here.
    Test(Vec<Word>),
    Arithmetic(Word),
    Coprocess(Box<Command>),
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Simple {
    pub(crate) assignments: Vec<Assignment>,
    pub(crate) words: Vec<Word>,
}

#[derive(Clone, Debug)]
pub(crate) struct Assignment {
    pub(crate) name: String,
    pub(crate) append: bool,
    pub(crate) value: Assigned,
}

#[derive(Clone, Debug)]
pub(crate) enum Assigned {
    Scalar(Word),
    /// `name[index]=value`; the index as it stands.
    Element {
        index: String,
        value: Word,
    },
    Array(Vec<Word>),
}

#[derive(Clone, Debug)]
pub(crate) struct Redirect {
    pub(crate) fd: Option<u32>,
    pub(crate) kind: RedirectKind,
}

#[derive(Clone, Debug)]
pub(crate) enum RedirectKind {
    Read(Word),
    Write(Word),
    Append(Word),
    ReadWrite(Word),
    /// `>&` or `<&` with a number or `-`.
    Duplicate(Word),
    HereString(Word),
    /// The body; it is filled in when the line with the redirection has ended.
    Heredoc(Rc<OnceCell<Word>>),
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Word {
    pub(crate) pieces: Vec<Piece>,
    pub(crate) span: Range<usize>,
}

/// A part of a word. `quoted`: no splitting and no globbing of what it gives.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) part: Part,
    pub(crate) quoted: Quoted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quoted {
    Yes,
    No,
}

#[derive(Clone, Debug)]
pub(crate) enum Part {
    Text(String),
    Parameter(Box<Parameter>),
    Command(Rc<Script>),
    /// `<(...)` or `>(...)`.
    Process(Rc<Script>, Direction),
    Arithmetic(Word),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// `<(...)`: the command's output is read.
    From,
    /// `>(...)`: the command reads what is written.
    To,
}

/// `$name`, `${name...}`.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    /// `[...]`, as it stands.
    pub(crate) index: Option<String>,
    pub(crate) indirect: Indirect,
    pub(crate) operation: Operation,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Indirect {
    No,
    Yes,
    Length,
}

#[derive(Clone, Debug)]
pub(crate) enum Operation {
    None,
    /// `:-`, `-`.
    Default(Word),
    /// `:=`, `=`.
    Assign(Word),
    /// `:?`, `?`.
    Required(Word),
    /// `:+`, `+`.
    Alternative(Word),
    /// `#`, `##`.
    StripPrefix(Word),
    /// `%`, `%%`.
    StripSuffix(Word),
    Replace {
        all: bool,
        pattern: Word,
        with: Word,
    },
    Slice(String),
    /// `^`, `^^`: what the pattern finds becomes upper case.
    Upper(Word),
    Lower(Word),
    /// `@P` and its kin by their letter, and whatever else there is.
    Transform(char),
}
