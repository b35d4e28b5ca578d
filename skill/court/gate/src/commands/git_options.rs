//! Options of git's subcommands whose value is executed or written to.

use super::git::setting;
use super::options::value;
use crate::rules::repository as rules;
use crate::shell::{Field, Io, Step, Walker};

/// Options of any subcommand whose value is executed.
pub(super) fn executing_options(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step {
    let verb = words[0].text.as_str();
    let mut options = vec![
        "--upload-pack",
        "--receive-pack",
        "--exec",
        "--extcmd",
        "--open-files-in-pager",
        "--template",
        "--tree-filter",
        "--index-filter",
        "--msg-filter",
        "--env-filter",
        "--commit-filter",
        "--sequence-editor",
        "--smtp-server",
    ];
    match verb {
        "rebase" | "difftool" => options.push("-x"),
        "clone" => options.push("-u"),
        "grep" => options.push("-O"),
        _ => {}
    }
    for option in options {
        if let Some(text) = value(words, &[option]).map(str::to_owned) {
            if option == "--exec" && verb == "rev-parse" {
                continue;
            }
            if !matches!(option, "-x" | "--exec") || verb != "rebase" {
                walker.found(&rules::GIT_EXECUTES, option);
            }
            walker.payload(&text, &format!("git {verb} {option}"), io.stdin)?;
        }
    }
    for word in &words[1..] {
        let text = word.text.strip_prefix("--remote=").unwrap_or(&word.text);
        if text.starts_with("ext::") || word.text.starts_with("--output=/") {
            walker.found(&rules::GIT_EXECUTES, &word.text);
        }
        let next = words.iter().skip_while(|other| !std::ptr::eq(*other, word)).nth(1);
        let output = match word.text.strip_prefix("--output=") {
            None if word.text == "--output" => next.map(|next| next.text.as_str()),
            output => output,
        };
        if let Some(file) = output {
            let file = Field::new(file);
            let listing = ["patch", "diff", "txt", "log", "zip", "tar", "gz", "tgz", "md", "json"];
            if !listing.contains(&crate::path::extension(&file.text)) && walker.keeps(&file) {
                walker.found(&crate::rules::files::EMPTY, &file.text);
            }
            walker.write(&file);
        }
    }
    if verb == "clone"
        && let Some((key, value)) =
            value(words, &["-c", "--config"]).and_then(|text| text.split_once('='))
    {
        let (key, value) = (key.to_owned(), value.to_owned());
        setting(walker, &key, &value, words, io)?;
    }
    Ok(())
}
