//! What the command line means.

use std::ffi::OsString;

use clap::CommandFactory as _;
use clap::error::ErrorKind;

use super::{Cli, Command, OutputFormat, Resume, parse};

const ID: &str = "0190b6d2-0000-7000-8000-000000000001";

fn parsed(words: &[&str]) -> Result<Cli, ErrorKind> {
    let words = ["xc"].iter().chain(words).map(OsString::from);
    parse(words).map_err(|error| error.kind())
}

#[test]
fn the_grammar_is_sound() {
    Cli::command().debug_assert();
}

#[test]
fn a_prompt_stands_alone_or_behind_options() {
    let cli = parsed(&["-p", "-t", "-m", "qwen", "改一下"]).unwrap();
    assert_eq!(cli.run.prompt.as_deref(), Some("改一下"));
    assert!(cli.run.print && cli.run.trust && cli.command.is_none());
    assert_eq!((cli.run.model.as_deref(), cli.run.max_turns), (Some("qwen"), 100));
    assert_eq!(cli.run.output_format, OutputFormat::Text);
}

#[test]
fn a_first_word_that_is_a_command_is_one_unless_it_stands_behind_two_hyphens() {
    assert!(matches!(parsed(&["doctor"]).unwrap().command, Some(Command::Doctor(_))));
    let cli = parsed(&["-p", "--", "doctor"]).unwrap();
    assert!(cli.command.is_none());
    assert_eq!(cli.run.prompt.as_deref(), Some("doctor"));
}

#[test]
fn resume_takes_an_id_and_leaves_a_prompt() {
    let named = Some(Resume::Named(ID.parse().unwrap()));
    for (words, resume, prompt) in [
        (vec!["-p", "--resume", "go on"], Some(Resume::Last), Some("go on")),
        (vec!["-p", "--resume", ID, "go on"], named, Some("go on")),
        (vec!["-p", "go on", "--resume", ID], named, Some("go on")),
        (vec!["-p", "go on", "--resume"], Some(Resume::Last), Some("go on")),
        (vec!["-p", "--", "--resume"], None, Some("--resume")),
    ] {
        let run = parsed(&words).unwrap().run;
        assert_eq!((run.resume, run.prompt.as_deref()), (resume, prompt), "{words:?}");
    }
    assert_eq!(parsed(&["-p", "--resume=x"]).unwrap_err(), ErrorKind::ValueValidation);
    assert_eq!(parsed(&["-p", "--fork", "x"]).unwrap_err(), ErrorKind::MissingRequiredArgument);
}

#[test]
fn version_and_help_have_a_letter_each() {
    for word in ["-v", "--version"] {
        assert_eq!(parsed(&[word]).unwrap_err(), ErrorKind::DisplayVersion);
    }
    for word in ["-h", "--help"] {
        assert_eq!(parsed(&[word]).unwrap_err(), ErrorKind::DisplayHelp);
    }
}

#[test]
fn limits_are_numbers_above_nothing() {
    assert_eq!(parsed(&["--max-turns", "0"]).unwrap_err(), ErrorKind::ValueValidation);
    for wrong in ["0", "-1", "inf", "NaN", "much"] {
        let option = format!("--max-cost={wrong}");
        assert_eq!(parsed(&[&option]).unwrap_err(), ErrorKind::ValueValidation, "{wrong}");
    }
    assert_eq!(parsed(&["--max-cost", "0.5"]).unwrap().run.max_cost, Some(0.5));
}

#[test]
fn what_belongs_to_a_run_is_named_beside_a_command() {
    let given = |words: &[&str]| parsed(words).unwrap().run.given();
    assert_eq!(given(&["config"]), None);
    assert_eq!(given(&["--config", "f", "config"]), None);
    assert_eq!(given(&["-t", "config"]), Some("--trust"));
    assert_eq!(given(&["-p", "doctor"]), Some("--print"));
}
