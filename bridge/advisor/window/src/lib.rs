//! The pages of the window: plain values in, HTML, SVG, CSS and JavaScript out, in English and Chinese.
//!
//! This crate does no I/O, reads no clock, and knows neither the store nor HTTP: who gathers fills a
//! struct of [`view`], and [`Frame`] says for whom and when it is shown. What others wrote (questions,
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
