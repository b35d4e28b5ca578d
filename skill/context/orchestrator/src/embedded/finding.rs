//! Converts the engine's items into findings: place, reason, and confidence relative to the best item of the same answer.

use code_intel::tools::call_chain::Chain;
use code_intel::tools::complexity::FunctionComplexity;
use code_intel::tools::graph_rag::Node;
use code_intel::tools::hotspot::Hotspot;
use code_intel::tools::impact::Impacted;
use code_intel::{Answer, Item};

use crate::tool::{Finding, Found};

/// An item of any tool.
pub(super) trait ToFinding {
    /// The tool's own score.
    fn score(&self) -> f64;

    /// The finding, without its confidence. `paths` are those of all items of the answer.
    fn finding(&self, paths: &[String]) -> Finding;

    /// The file.
    fn path(&self) -> &str;
}

/// Converts an answer into findings.
pub(super) fn found<I: ToFinding>(answer: Answer<I>) -> Found {
    let version =
        format!("code-intel {} (index {})", answer.engine.version, answer.engine.index_version);
    let top = answer.items.iter().map(ToFinding::score).fold(0.0, f64::max);
    let paths: Vec<String> = answer.items.iter().map(|item| item.path().to_owned()).collect();
    let findings: Vec<Finding> = answer
        .items
        .iter()
        .map(|item| Finding {
            confidence: if top > 0.0 { (item.score() / top).clamp(0.0, 1.0) } else { 0.0 },
            ..item.finding(&paths)
        })
        .collect();
    let summary = match findings.len() {
        1 => "1 place".to_owned(),
        count => format!("{count} places"),
    };
    Found { version, summary, findings, limits: answer.limits, context: None }
}

/// The fields that items of all tools have.
macro_rules! place {
    ($item:ty, $symbol:expr, $snippet:expr) => {
        impl ToFinding for $item {
            fn score(&self) -> f64 {
                self.score
            }

            fn finding(&self, _: &[String]) -> Finding {
                Finding {
                    path: Some(self.path.clone()),
                    symbol: $symbol(self),
                    lines: (self.start_line, self.end_line),
                    summary: self.why.join("; "),
                    snippet: $snippet(self),
                    ..Finding::default()
                }
            }

            fn path(&self) -> &str {
                &self.path
            }
        }
    };
}

place!(Item, |item: &Item| item.symbol.clone(), |item: &Item| item.snippet.clone());
place!(Chain, |item: &Chain| item.symbol.clone(), |_| None);
place!(Impacted, |item: &Impacted| item.symbol.clone(), |_| None);
place!(FunctionComplexity, |item: &FunctionComplexity| Some(item.symbol.clone()), |_| None);
place!(Hotspot, |item: &Hotspot| item.symbol.clone(), |_| None);

impl ToFinding for Node {
    fn score(&self) -> f64 {
        self.score
    }

    fn finding(&self, paths: &[String]) -> Finding {
        let edge = |edge: &code_intel::tools::graph_rag::Edge| {
            paths.get(edge.to).map(|path| format!("{} {path}", edge.kind))
        };
        let why: Vec<String> =
            self.why.iter().cloned().chain(self.edges.iter().take(3).filter_map(edge)).collect();
        Finding {
            path: Some(self.path.clone()),
            symbol: self.symbol.clone(),
            lines: (self.start_line, self.end_line),
            summary: why.join("; "),
            snippet: self.snippet.clone(),
            ..Finding::default()
        }
    }

    fn path(&self) -> &str {
        &self.path
    }
}
