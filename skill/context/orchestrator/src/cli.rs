//! The command line: reads a request on standard input, or a prompt for a trial; prints a report on standard output.
//! On any error, standard output gets a report, and standard error the reason.

mod trust;

use std::io::{self, IsTerminal, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand, error::ErrorKind};
use jiff::Timestamp;
use orchestration::exit::Exit;
use orchestration::limits;
use orchestration::report::Report;
use orchestration::request::Request;
use orchestration::variables;

use crate::draft::Draft;
use crate::environment::Environment;
use crate::orchestrate::orchestrate;
use crate::toolboxes::toolboxes;

/// Finds the code that a prompt is about, and prints it as a report to put before the prompt.
///
/// Reads a request from standard input, {"prompt": TEXT, "client": {"name", "event", "session_id"?},
/// "cwd": FOLDER}, and prints one JSON object (schema: orchestrator-report). Only read-only tools run,
/// within a time budget; a failure never holds the prompt back.
#[derive(Parser)]
#[command(name = orchestration::PROGRAM, version = release::VERSION, after_help = AFTER)]
struct Cli {
    /// Use this prompt instead of reading a request
    #[arg(long, value_name = "TEXT")]
    prompt: Option<String>,
    /// Only say which tools would run (the same as CI_AUTO_TOOLS_MODE=plan)
    #[arg(long)]
    plan: bool,
    /// Print the report as JSON (the default)
    #[arg(long, conflicts_with = "text")]
    json: bool,
    /// Print for people: plan, results, limits, and the text for the model
    #[arg(long)]
    text: bool,
    /// Ask about this folder instead of the working directory
    #[arg(long, value_name = "FOLDER")]
    cwd: Option<PathBuf>,
    /// Print a completion script for this shell, and end
    #[arg(long, value_name = "SHELL")]
    completions: Option<clap_complete::Shell>,
    /// Print the manual pages, and end
    #[arg(long, hide = true)]
    manual: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Show the tool servers that config/auto-tools.yaml names, and let them be started
    ///
    /// The file comes with the repository, so its servers start only after you have seen their
    /// commands and agreed. A changed entry is asked for again.
    Trust(trust::Args),
}

const AFTER: &str = "\
Settings: environment, then config/auto-tools.yaml below the repository's root, then the default.
  CI_AUTO_TOOLS=auto|on|off                 for prompts about code, always, never (auto)
  CI_AUTO_TOOLS_MODE=run|plan               run the tools, or only name them (run)
  CI_AUTO_TOOLS_DRY_RUN=0|1                 1: the same as plan (0)
  CI_AUTO_TOOLS_TIER_MAX=1|2                2: deeper, slower tools; environment only (1)
  CI_AUTO_TOOLS_BUDGET_WALL_MS=N            the whole time in milliseconds (5000)
  CI_AUTO_TOOLS_MAX_CONCURRENCY=N           tools at once (3)
  CI_AUTO_TOOLS_MAX_INJECTED_CHARS=N        length of the text for the model (12000)
  CI_AUTO_TOOLS_REPO_ROOT=FOLDER            the root (git's top level)
  CI_AUTO_TOOLS_LEGACY=0|1                  1: the legacy policy, one search and nothing else (0)
  CI_CODEX_SESSION_MODE=exec|resume_last    the Codex command that a plan names (exec)

Exit codes: 0 a report of use, 10 the orchestrator failed, 20 wrong settings or command line,
  30 unreadable request, 40 no tool of use answered, 50 none did in time.
  Standard output has a report in every case.";

/// Runs the program.
#[must_use]
pub fn main() -> ExitCode {
    // Tool servers run under a guard, which is this executable with a hidden subcommand.
    if let Some(code) = supervise::guard_main(std::env::args_os()) {
        return ExitCode::from(code);
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return misused(&error),
    };
    if let Some(shell) = cli.completions {
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut Cli::command(), orchestration::PROGRAM, &mut script);
        return write(&script, Exit::Done);
    }
    if cli.manual {
        return write(release::manual(Cli::command()).as_bytes(), Exit::Done);
    }
    if let Some(Command::Trust(args)) = &cli.command {
        let (text, exit) = trust::run(args, cli.cwd.as_deref(), &Environment::of_process());
        return write(text.as_bytes(), exit);
    }
    let (report, exit) = catch_unwind(AssertUnwindSafe(|| answer(&cli))).unwrap_or_else(|_| {
        Draft::new(&Request::typed(""), Timestamp::now())
            .empty(limits::UNAVAILABLE, Exit::Unavailable)
    });
    print(&report, exit, if cli.text { Format::Text } else { Format::Json })
}

fn answer(cli: &Cli) -> (Report, Exit) {
    let now = Timestamp::now();
    let request = match &cli.prompt {
        Some(prompt) => Request::typed(prompt),
        None if io::stdin().is_terminal() => {
            let hint = "no request: give one on standard input, or use --prompt TEXT; see --help";
            return Draft::new(&Request::typed(""), now).misconfigured(&[hint.to_owned()]);
        }
        None => match Request::read(io::stdin().lock()) {
            Ok(request) => request,
            Err(error) => {
                let draft = Draft::new(&Request::typed(""), now);
                return draft.empty(&error.to_string(), Exit::Unreadable);
            }
        },
    };
    let request = Request { cwd: cli.cwd.clone().or(request.cwd.clone()), ..request };
    let mut environment = Environment::of_process();
    if cli.plan {
        environment = environment.with(variables::MODE, "plan");
    }
    let here = match std::env::current_dir() {
        Ok(here) => here,
        Err(error) => {
            let message = format!("the working directory is gone: {error}");
            return Draft::new(&request, now).misconfigured(&[message]);
        }
    };
    orchestrate(&request, &environment, &here, now, &|root, servers| {
        toolboxes(root, servers, &environment)
    })
}

enum Format {
    Json,
    Text,
}

/// Even an invalid command line gets a report; help and version are not errors.
fn misused(error: &clap::Error) -> ExitCode {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return write(error.render().to_string().as_bytes(), Exit::Done);
    }
    // If standard error is closed, the message cannot be shown.
    let message = error.render().to_string();
    let _ = write!(io::stderr().lock(), "{}", redact::visible(&message));
    let first = message.lines().next().unwrap_or_default().to_owned();
    let draft = Draft::new(&Request::typed(""), Timestamp::now());
    let (report, exit) = draft.misconfigured(&[format!("command line: {first}")]);
    print(&report, exit, Format::Json)
}

fn print(report: &Report, exit: Exit, format: Format) -> ExitCode {
    if exit != Exit::Done {
        // The same applies here.
        let limits = redact::visible(&report.fused_context.for_user.limits_text);
        let _ = writeln!(io::stderr().lock(), "{limits}");
    }
    let text = match format {
        Format::Json => {
            let json = serde_json::to_string(report).unwrap_or_default();
            redact::visible_json(&json).into_owned()
        }
        Format::Text => {
            let user = &report.fused_context.for_user;
            let model = &report.fused_context.for_model.additional_context;
            let parts = [&user.tool_plan_text, &user.results_text, &user.limits_text, model];
            let parts: Vec<&str> =
                parts.iter().map(|part| part.as_str()).filter(|part| !part.is_empty()).collect();
            if parts.is_empty() {
                "no context for this prompt".to_owned()
            } else {
                redact::visible(&parts.join("\n\n")).into_owned()
            }
        }
    };
    write(format!("{text}\n").as_bytes(), exit)
}

fn write(bytes: &[u8], exit: Exit) -> ExitCode {
    let mut output = io::stdout().lock();
    match output.write_all(bytes).and_then(|()| output.flush()) {
        Ok(()) => exit.into(),
        Err(_) => Exit::Unavailable.into(),
    }
}
