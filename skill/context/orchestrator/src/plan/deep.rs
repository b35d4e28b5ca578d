//! Selects the tools of tier 2 that answer the prompt's questions, if the prompt says which code it is about.

use std::path::Path;

use intent::root::Root;
use intent::{Action, Cause, Deep, Intent, Question};
use orchestration::report::ErrorCode;
use serde_json::json;

use super::{Refused, Wanted, query};
use crate::limits::Limits;

/// The path that a prompt is about.
enum PathArgument {
    /// A file below the root.
    Inside(String),
    /// Only paths that must not be used.
    Refused(&'static str),
    /// No path.
    Unsaid,
}

/// The tools, in the order of the questions. A tool that needs a path is refused if no path may be used.
pub(super) fn tools(
    deep: &Deep,
    root: &Root,
    prompt: &str,
    intent: &Intent,
    refused: &mut Vec<Refused>,
    limits: &mut Limits,
) -> Vec<Wanted> {
    let anchors = &intent.anchors;
    let symbol = anchors.symbols.first().or(anchors.quoted.first()).or(anchors.names.first());
    let place = place(root, &anchors.paths, limits);
    let why = match deep.cause {
        Cause::Consent => "asked for in the prompt",
        Cause::Anchored => "the prompt names the place to change",
    };
    let mut questions = deep.questions.clone();
    if questions.is_empty() {
        questions = match intent.action {
            Action::Debug => vec![Question::BugLocate, Question::CallChain],
            Action::Modify => vec![Question::Impact, Question::CallChain],
            Action::Explain => vec![Question::CallChain, Question::Impact, Question::BugLocate],
        };
    }
    let mut refuse = |tool: &str, message: &str| {
        refused.push(Refused {
            tool: tool.to_owned(),
            code: ErrorCode::RepoRoot,
            message: message.to_owned(),
        });
        None
    };
    let tool = |question: &Question| match question {
        Question::CallChain => {
            symbol.map(|symbol| ("ci_call_chain", json!({ "symbol": symbol, "depth": 3 })))
        }
        Question::BugLocate => {
            Some(("ci_bug_locate", json!({ "query": query(prompt), "limit": 10 })))
        }
        Question::Impact => match (symbol, &place) {
            (Some(symbol), _) => Some(("ci_impact", json!({ "symbol": symbol, "depth": 3 }))),
            (None, PathArgument::Inside(path)) => {
                Some(("ci_impact", json!({ "path": path, "depth": 3 })))
            }
            (None, PathArgument::Refused(why)) => refuse("ci_impact", why),
            (None, PathArgument::Unsaid) => None,
        },
        Question::Complexity => match &place {
            PathArgument::Inside(path) => {
                Some(("ci_complexity", json!({ "path": path, "top": 20 })))
            }
            PathArgument::Refused(why) => refuse("ci_complexity", why),
            PathArgument::Unsaid => Some(("ci_complexity", json!({ "top": 20 }))),
        },
        Question::Hotspot => Some(("ci_hotspot", json!({ "days": 30, "top": 20 }))),
    };
    questions.iter().filter_map(tool).map(|(tool, args)| (tool, why.to_owned(), args)).collect()
}

/// The first path of the prompt that lies below the root and may be shown.
fn place(root: &Root, paths: &[String], limits: &mut Limits) -> PathArgument {
    let mut refused = PathArgument::Unsaid;
    for path in paths {
        let why = if root.is_outside(Path::new(path)) {
            "path refused: it leads out of the repository"
        } else {
            match root.relative(Path::new(path)) {
                Some(inside) if redact::is_sensitive_path(Path::new(&inside)) => {
                    "path refused: its content is never shown"
                }
                Some(inside) => return PathArgument::Inside(inside),
                None => continue,
            }
        };
        limits.say(why);
        refused = PathArgument::Refused(why);
    }
    refused
}
