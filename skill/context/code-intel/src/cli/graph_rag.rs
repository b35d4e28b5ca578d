//! `ci graph-rag`.

use std::io;

use redact::Cut;

use super::args::GraphRagArgs;
use super::error::{CliError, Exit};
use super::output::Output;
use super::session::{Session, question};
use crate::tools::graph_rag::{GraphRagRequest, Node, context_in, graph_rag_in};
use crate::tools::search::Snippets;

/// Maximum length of the text including its fence, in UTF-16 code units: the default for clients without a limit.
const CONTEXT_MAX: usize = 12_000;

pub(super) fn run(
    args: &GraphRagArgs,
    session: &Session,
    output: &mut Output,
) -> Result<Exit, CliError> {
    let request = GraphRagRequest {
        prompt: question(&args.prompt)?,
        depth: args.depth,
        top_k: args.limit,
        budget_tokens: args.budget,
        snippets: Snippets::Shown,
    };
    if args.context {
        let mut context = context_in(&session.view()?, &request, &session.deadline)?;
        context.map_texts(|text| fence::filter(&redact::sanitize(text, Cut::NONE)).text);
        let room = CONTEXT_MAX - fence::block("").len();
        let body = context.render(room).text;
        return output.context(&if body.is_empty() { body } else { fence::block(&body) });
    }
    let answer = graph_rag_in(&session.view()?, &request, &session.deadline)?;
    output.answer(&answer, print)
}

fn print(output: &mut Output, node: &Node) -> io::Result<()> {
    output.place(&node.path, node.start_line, node.symbol.as_deref())?;
    let role = format!("{:?}", node.role).to_lowercase();
    let why = output.dim(&format!("{:.2}  {role}: {}", node.score, node.why.join("; ")));
    output.line(&format!("    {why}"))?;
    output.snippet(node.start_line, node.snippet.as_deref())
}
