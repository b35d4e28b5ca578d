//! `sed`: what it writes, executes and empties, and what it makes of a known text.

use super::entry::Command;
use super::later::opens_workflow;
use super::options::{operands, value};
use super::words::words;
use crate::path::absolute;
use crate::rules::execution;
use crate::shell::{Field, Flow, Io, Mode, Step, UNKNOWN, Walker};

pub(super) const COMMANDS: &[Command] = &[Command::code(
    words!("sed gsed"),
    sed,
    [&["-n 1,20p src/main.rs"], &[], &["-i s/a/b/ ~/.bashrc"], &[]],
)];

fn sed(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    let given = value(words, &["-e", "--expression"]).map(str::to_owned);
    let rest = operands(words, &["-e", "-f", "--expression", "--file", "-l"]);
    let taken = usize::from(given.is_none()).min(rest.len());
    let first = rest.first().map(|word| word.text.clone());
    let script = given.or(first).unwrap_or_default();
    let rest = &rest[taken..];
    walker.budget.steps(script.len())?;
    if let Some(command) = executes(&script) {
        if command.is_empty() {
            walker.found(&execution::UNREADABLE_CODE, "sed e");
        } else {
            walker.payload(&command, "sed e", &Flow::unknown())?;
        }
    }
    for part in script.split(['\n', ';']) {
        let written =
            part.trim().strip_prefix("w ").or_else(|| part.split_once("/w ").map(|(_, file)| file));
        if let Some(file) = written {
            walker.write(&Field::new(file.trim()));
        }
    }
    if let Some(file) = value(words, &["-f", "--file"]).map(Field::new) {
        let script = walker.read_file(&file).text;
        if let Some(command) = executes(&script).filter(|_| !script.contains(UNKNOWN)) {
            walker.payload(&command, "sed -f", &Flow::unknown())?;
        }
    }
    if words[1..].iter().any(|word| is_in_place(&word.text)) {
        let silent = super::options::has(words, 'n', "quiet");
        for file in rest {
            edits(walker, file, &script, silent)?;
        }
        return Ok(Flow::default());
    }
    let source = match rest.first() {
        Some(file) => walker.read_file(file),
        None => io.stdin.clone(),
    };
    Ok(substituted(&script, source))
}

/// Whether an option changes files in place: `-i`, `-ni.bak`.
pub(super) fn is_in_place(option: &str) -> bool {
    let letters = option.strip_prefix('-').and_then(|letters| letters.split('.').next());
    option.starts_with("--in-place")
        || letters.is_some_and(|letters| {
            letters.contains('i') && letters.chars().all(|each| "nErsiuz".contains(each))
        })
}

/// A file that is changed in place.
fn edits(walker: &mut Walker<'_>, file: &Field, script: &str, silent: bool) -> Step {
    if script.trim().is_empty() && silent || deletes_all(script) {
        walker.empties(file);
    }
    if !matches!(crate::path::extension(&file.text), "md" | "txt" | "rst" | "html" | "adoc") {
        for text in replacement(script).split("\\n") {
            walker.try_shell(text.trim_start_matches(['\\', 't', '@', ' ']))?;
            walker.try_shell(text.trim())?;
        }
    }
    if file.text.contains("workflows/") && opens_workflow(script) {
        walker.found(&execution::UNGUARDED, &file.text);
    }
    walker.write(file);
    puts_in(walker, file, script);
    Ok(())
}

/// What is put into a file becomes a line of it.
pub(super) fn puts_in(walker: &mut Walker<'_>, file: &Field, script: &str) {
    let path = absolute(&file.text, &walker.state.cwd);
    let put = replacement(script).replace("\\n", "\n").replace("\\t", "\t");
    if walker.is_written(&path)
        && let Some(file) = walker.state.files.get_mut(&path)
    {
        file.content.push(UNKNOWN);
        file.content.push_str(&format!("\n{put}\n"));
    } else if put.len() < 1024 && (put.contains(['(', '$', '`', '|', ';']) || commands(&put)) {
        let content = Flow::new(&format!("{UNKNOWN}\n{put}\n"));
        walker.remember(file, &content, Mode::Append);
    }
}

/// Whether a line of a text begins as a dangerous command does.
fn commands(text: &str) -> bool {
    let first = |line: &str| line.split_whitespace().next().map(str::to_owned).unwrap_or_default();
    text.lines().any(|line| super::tables::DANGEROUS.contains(&&*first(line)))
}

/// What a script of `sed` executes: the text of `e`, or an empty one for the flag `e`.
fn executes(script: &str) -> Option<String> {
    for part in script.split(['\n', ';']) {
        let part = part.trim_start();
        let command =
            part.trim_start_matches(|each: char| each.is_ascii_digit() || "$,!~+ ".contains(each));
        if let Some(rest) = command.strip_prefix('e')
            && (rest.is_empty() || rest.starts_with(' '))
        {
            return Some(rest.trim().to_owned());
        }
        if let Some(rest) = command.strip_prefix('s') {
            let delimiter =
                rest.chars().next().filter(|each| !each.is_alphanumeric() && !each.is_whitespace());
            if let Some(delimiter) = delimiter {
                let parts: Vec<&str> = rest[delimiter.len_utf8()..].split(delimiter).collect();
                if parts.len() == 3 && parts[2].contains('e') {
                    return Some(String::new());
                }
            }
        }
    }
    None
}

/// Whether a script of `sed` deletes every line.
fn deletes_all(script: &str) -> bool {
    let many = |part: &str| {
        part.strip_prefix("1,")
            .and_then(|rest| rest.strip_suffix('d'))
            .and_then(|count| count.trim().parse::<u32>().ok())
            .is_some_and(|count| count >= 200)
    };
    script.split(['\n', ';']).any(|part| {
        many(part.trim())
            || empties_lines(part.trim())
            || matches!(
                part.trim().trim_matches(['{', '}', ' ']),
                "d" | "D" | "1,$d" | "0,$d" | "/./d" | "/.*/d" | "/^/d" | "/$/d" | "1,$ d" | "1~1d"
            )
    })
}

/// Whether a substitution leaves nothing of a line: `s/.*//`.
pub(super) fn empties_lines(part: &str) -> bool {
    ["s/.*//", "s/^.*$//", "s/.*$//", "s/^.*//", "s/.+//", "s|.*||", "s#.*##"]
        .iter()
        .any(|whole| part.strip_prefix(whole).is_some_and(|flags| flags.len() < 4))
}

/// What a script of `sed` puts in place of something: of `s`, or of `a`, `i` and `c`.
fn replacement(script: &str) -> String {
    let command =
        script.trim_start_matches(|each: char| each.is_ascii_digit() || "$,!~+ ".contains(each));
    let Some(rest) = command.strip_prefix('s') else {
        return command
            .trim_start_matches(['a', 'i', 'c'])
            .trim_start_matches(['\\', ' ', '\t'])
            .to_owned();
    };
    let delimiter = rest.chars().next().unwrap_or('/');
    // A delimiter behind a backslash stands for itself.
    let escaped = format!("\\{delimiter}");
    let rest = rest.replace(&escaped, "\u{1}");
    let with = rest.split(delimiter).nth(2).unwrap_or_default();
    let with = with.replace('\u{1}', &delimiter.to_string());
    with.trim_matches(['"', ' ', '@', '\t']).rsplit("\": \"").next().unwrap_or_default().to_owned()
}

/// `s/a/b/` on a known text; anything else makes it unknown.
fn substituted(script: &str, source: Flow) -> Flow {
    let parts: Vec<&str> = script
        .strip_prefix('s')
        .map(|rest| {
            let delimiter = rest.chars().next().unwrap_or('/');
            rest[delimiter.len_utf8().min(rest.len())..].split(delimiter).collect()
        })
        .unwrap_or_default();
    let text = match parts[..] {
        [from, with, flags]
            if !from.is_empty()
                && !from.contains(['*', '[', '\\', '.', '^', '$', '+', '?'])
                && with.len() < 256 =>
        {
            source.text.replacen(from, with, if flags.contains('g') { 256 } else { 1 })
        }
        _ if source.text.is_empty() => String::new(),
        _ => UNKNOWN.to_string(),
    };
    Flow { text, taint: source.taint }
}
