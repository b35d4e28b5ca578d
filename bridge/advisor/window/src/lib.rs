//! The pages of the window: takes plain values, returns HTML, SVG, CSS and JavaScript, in English and Chinese.
//!
//! This crate does no I/O, reads no clock, and knows neither the store nor HTTP: the caller fills a
//! struct of [`view`], and [`Frame`] has the viewer and the time. Untrusted text (questions,
//! answers, names) is text on every page, never markup and never a link.

pub mod view;

mod asset;
mod changes;
mod failures;
mod figure;
mod foreign;
mod frame;
mod lang;
mod live;
mod words;

pub use asset::{Asset, asset};
pub use frame::{Frame, Viewer, Waiting};
pub use lang::Lang;
pub use live::{LIVE_EVENT, Live};
