//! What must not be said: secrets out of text, control characters out of text, sensitive paths.
//!
//! [`Redactor::redact`] replaces each secret by `[REDACTED:kind]` and says how many of which kind
//! it found. It works in three steps: one search for keywords over the text, then, only where a
//! keyword stands, one small anchored pattern or one hand-written reader, then a check of the
//! value's shape that lets placeholders, identifiers and type names pass. A text without any
//! keyword costs one scan. Every reader looks a bounded distance ahead, so the time grows linearly
//! with the text, whatever it holds.
//!
//! The door for text that leaves is [`sanitize()`]: it cleans first, because a zero-width character
//! inside a token would hide it, then masks, then cuts, so that no cut leaves half a secret. What
//! still comes goes through [`Stream`]. The door to a terminal is [`visible()`].
//!
//! The rules are our own, written from vendors' documented token formats. The maintained sets on
//! crates.io do not fit a small daemon: `kingfisher-rules` 3.0 needs a native regex engine and a
//! newer compiler, and `veloci` 0.3 is young and brings parsers for ten file formats; both look for
//! findings in files of known type, not for secrets in one prompt, in Chinese prose, or in JSON
//! inside JSON, and neither compiles a pattern only when its keyword appears.
//!
//! This crate opens no file, starts no process and logs nothing.

mod clean;
mod decode;
mod detect;
mod drawn;
mod exact;
mod fold;
mod keywords;
mod marker;
mod path;
mod prefilter;
mod redactor;
mod rules;
mod sanitize;
mod shape;
mod stream;
mod visible;

pub use clean::clean;
pub use marker::masks;
pub use path::is_sensitive_path;
pub use redactor::{Redacted, Redactor};
pub use rules::{Format, formats};
pub use sanitize::{Cut, Sanitized, sanitize};
pub use stream::Stream;
pub use visible::{VisibleWriter, visible, visible_json, visible_line};
