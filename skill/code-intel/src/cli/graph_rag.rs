//! `ci graph-rag`.

use std::io;

use super::args::GraphRagArgs;
use super::output::Output;
use super::session::{Session, question};
use super::{CliError, Exit};
use crate::tools::graph_rag::{GraphRagRequest, Node, graph_rag_in};

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
    };
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
