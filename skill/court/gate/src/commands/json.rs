//! `jq` and its kin: what they make of a package's manifest, and what they show.

use super::entry::Command;
use super::literals::literals;
use super::options::{has, operands, value};
use super::words::words;
use crate::rules::secrets;
use crate::shell::{Field, Flow, Io, Step, UNKNOWN, Walker};

pub(super) const COMMANDS: &[Command] =
    &[Command::code(words!("jq yq gojq jaq xq dasel"), jq, [&[".a file.json"], &[], &[], &[]])];

fn jq(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    let rest = operands(words, &["--arg", "--argjson", "--indent", "-f", "--from-file", "-L"]);
    let filter = rest.first().map(|word| word.text.clone()).unwrap_or_default();
    let files: Vec<Field> = rest.iter().skip(1).map(|word| (*word).clone()).collect();
    let shows_all = filter == "env"
        || filter == "$ENV"
        || (filter.contains("env") && (filter.contains("env|") || filter.contains("env |")));
    if shows_all {
        walker.found(&secrets::ENVIRONMENT, &filter);
    }
    if has(words, 'i', "inplace") && !words[0].text.ends_with("jq")
        || value(words, &["-i"]).is_some()
    {
        for file in &files {
            walker.write(file);
        }
    }
    // What a filter puts into a document is known, the rest of the document is not.
    let assigns = [" = ", "|=", "+="].iter().any(|order| filter.contains(order));
    if assigns && !filter.contains("scripts") {
        return Ok(Flow { text: format!("{UNKNOWN}\n{filter}"), taint: io.stdin.taint });
    }
    if !filter.contains("scripts") || !filter.contains('=') {
        return Ok(Flow { text: Flow::unknown().text, taint: io.stdin.taint });
    }
    // A manifest whose scripts are the texts that the filter puts in, under names that are not known.
    let mut texts = literals(&filter, "text");
    texts.extend(value(words, &["--arg"]).and_then(|name| {
        let at = words.iter().position(|word| word.text == name)?;
        words.get(at + 1).map(|word| word.text.clone())
    }));
    let scripts: serde_json::Map<String, serde_json::Value> = texts
        .into_iter()
        .enumerate()
        .map(|(index, text)| (format!("{UNKNOWN}{index}"), serde_json::Value::String(text)))
        .collect();
    let manifest = serde_json::json!({ "scripts": scripts });
    Ok(Flow { text: manifest.to_string(), taint: io.stdin.taint })
}
