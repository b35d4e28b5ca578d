//! Filters whose output can be worked out, so that what they make can be judged where it is executed.

use super::entry::Command;
use super::options::{has, operands, value};
use super::words::words;
use crate::escape::ansi;
use crate::rules::secrets;
use crate::shell::{Field, Flow, Io, Step, UNKNOWN, Walker};

pub(super) const COMMANDS: &[Command] = &[
    Command::code(words!("echo"), echo, [&["hello"], &[], &[], &[]]),
    Command::code(words!("printf"), printf, [&["%s hello"], &[], &[], &[]]),
    Command::code(
        words!("cat tac nl sort uniq head tail cut bat less more pv strings"),
        cat,
        [&["README.md"], &[], &["~/.ssh/id_rsa"], &[]],
    ),
    Command::code(words!("ls"), ls, [&["-la"], &[], &[], &[]]),
    Command::code(words!("rev"), rev, [&["README.md"], &[], &[], &[]]),
    Command::code(words!("tr"), tr, [&["a b"], &[], &[], &[]]),
    Command::code(words!("basename"), basename, [&["src/a.rs"], &[], &[], &[]]),
    Command::code(words!("dirname"), dirname, [&["src/a.rs"], &[], &[], &[]]),
    Command::code(words!("mktemp"), mktemp, [&["-d"], &[], &[], &[]]),
    Command::code(words!("seq"), |_, _, _| Ok(Flow::new("1")), [&["3"], &[], &[], &[]]),
    Command::code(words!("yes"), yes, [&[""], &[], &[], &[]]),
];

fn yes(_walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    Ok(Flow::new(words.get(1).map_or("y", |word| &word.text)))
}

/// Showing a secret variable.
fn shows(walker: &mut Walker<'_>, words: &[Field]) {
    if words.iter().any(|word| word.taint.secret) {
        walker.found(&secrets::SHOW, &words[0].text.clone());
    }
}

fn echo(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    shows(walker, words);
    let mut at = 1;
    let (mut newline, mut escapes) = (true, false);
    while let Some(options) = words.get(at).and_then(|word| word.text.strip_prefix('-')) {
        if options.is_empty() || !options.chars().all(|option| "neE".contains(option)) {
            break;
        }
        newline &= !options.contains('n');
        escapes |= options.contains('e');
        at += 1;
    }
    let text = super::options::joined(&words[at..]);
    let mut text = if escapes { ansi(&text) } else { text };
    if newline {
        text.push('\n');
    }
    let taint = words.iter().fold(words[0].taint, |taint, word| taint.and(word.taint));
    walker.budget.steps(text.len())?;
    Ok(Flow { text, taint })
}

fn printf(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    let variable = value(words, &["-v"]).map(str::to_owned);
    if variable.is_none() {
        shows(walker, words);
    }
    let rest = operands(words, &["-v"]);
    let Some(format) = rest.first() else { return Ok(Flow::default()) };
    let taint = words.iter().fold(words[0].taint, |taint, word| taint.and(word.taint));
    let mut output = String::new();
    let mut arguments = rest[1..].iter();
    // The format is used again as long as there are arguments.
    for _ in 0..crate::limits::VALUES_MAX {
        let before = arguments.len();
        formatted(&format.text, &mut arguments, &mut output);
        walker.budget.steps(format.text.len() + output.len())?;
        if arguments.len() == 0
            || arguments.len() == before
            || output.len() > crate::limits::BYTES_MAX
        {
            break;
        }
    }
    if let Some(variable) = variable {
        let value = Flow { text: output, taint };
        walker.environment(&variable, &value)?;
        walker.bind(&variable, value)?;
        return Ok(Flow::default());
    }
    Ok(Flow { text: output, taint })
}

fn formatted<'a>(
    format: &str,
    arguments: &mut impl Iterator<Item = &'a &'a Field>,
    output: &mut String,
) {
    let mut literal = String::new();
    let mut characters = format.chars().peekable();
    while let Some(character) = characters.next() {
        if character != '%' {
            literal.push(character);
            continue;
        }
        output.push_str(&ansi(&std::mem::take(&mut literal)));
        let mut conversion = characters.next();
        while conversion.is_some_and(|each| each.is_ascii_digit() || "-+ #.*'".contains(each)) {
            conversion = characters.next();
        }
        match conversion {
            Some('%') => output.push('%'),
            Some('b') => {
                let argument =
                    arguments.next().map(|field| field.text.as_str()).unwrap_or_default();
                output.push_str(&ansi(argument));
            }
            Some('s' | 'd' | 'i' | 'u' | 'c' | 'x' | 'q') => {
                output.push_str(
                    arguments.next().map(|field| field.text.as_str()).unwrap_or_default(),
                );
            }
            Some(_) => {
                arguments.next();
                output.push(UNKNOWN);
            }
            None => {}
        }
    }
    output.push_str(&ansi(&literal));
}

/// The content of the files, or of standard input. What shortens or orders is taken as it is: more
/// is judged than would come out.
fn cat(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    let valued = words!("-n -c -d -f -k -t -b -w -s -r -H -l --lines --bytes -o -S -T -L");
    let files: Vec<Field> = operands(words, valued).into_iter().cloned().collect();
    let name = crate::path::name(&words[0].text);
    if matches!(name, "less" | "more" | "bat") {
        walker.pager_options(words)?;
    }
    if let Some(file) = value(words, &["-o", "--output"]).filter(|_| name == "sort") {
        walker.write(&Field::new(file));
    }
    if let Some(program) =
        value(words, &["--compress-program"]).filter(|_| name == "sort").map(str::to_owned)
    {
        walker.payload(&program, "sort --compress-program", &Flow::unknown())?;
    }
    if files.is_empty() || files.iter().all(|file| file.text == "-") {
        let mut flow = io.stdin.clone();
        if matches!(name, "cut" | "nl" | "strings") && !flow.text.is_empty() {
            flow.text = UNKNOWN.to_string();
        }
        return Ok(flow);
    }
    let mut flow = Flow::default();
    for file in &files {
        let content = if file.text == "-" { io.stdin.clone() } else { walker.read_file(file) };
        flow.taint = flow.taint.and(content.taint);
        flow.text.push_str(&content.text);
        walker.budget.steps(content.text.len())?;
    }
    if flow.text.len() > crate::limits::BYTES_MAX || (name == "cut" && !flow.text.is_empty()) {
        flow.text = UNKNOWN.to_string();
    }
    Ok(flow)
}

fn rev(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    let flow = cat(walker, words, io)?;
    let lines: Vec<String> = flow.text.lines().map(|line| line.chars().rev().collect()).collect();
    Ok(Flow { text: lines.join("\n"), taint: flow.taint })
}

fn tr(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    let sets = operands(words, &[]);
    walker.budget.steps(io.stdin.text.len())?;
    let Some(from) = sets.first().map(|set| characters(&set.text)) else {
        return Ok(io.stdin.clone());
    };
    let deletes = has(words, 'd', "delete");
    let to = sets.get(1).map(|set| characters(&set.text)).unwrap_or_default();
    if has(words, 'c', "complement") || has(words, 'C', "") {
        return Ok(Flow { text: UNKNOWN.to_string(), taint: io.stdin.taint });
    }
    let text = io.stdin.text.chars().filter_map(|character| {
        match from.iter().position(|each| *each == character) {
            Some(_) if deletes => None,
            Some(index) => to.get(index).or(to.last()).copied().or(Some(character)),
            None => Some(character),
        }
    });
    Ok(Flow { text: text.collect(), taint: io.stdin.taint })
}

/// The characters of a set of `tr`.
fn characters(set: &str) -> Vec<char> {
    let classes = [("[:upper:]", 'A'..='Z'), ("[:lower:]", 'a'..='z'), ("[:digit:]", '0'..='9')];
    if let Some((_, range)) = classes.iter().find(|(name, _)| *name == set) {
        return range.clone().collect();
    }
    let text: Vec<char> = ansi(set).chars().collect();
    let mut all = Vec::new();
    let mut at = 0;
    while at < text.len() {
        if text.get(at + 1) == Some(&'-')
            && at + 2 < text.len()
            && u32::from(text[at + 2]) < u32::from(text[at]) + 512
        {
            all.extend(text[at]..=text[at + 2]);
            at += 3;
        } else {
            all.push(text[at]);
            at += 1;
        }
    }
    all
}

fn basename(_walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    let rest = operands(words, &["-s"]);
    Ok(rest.first().map_or_else(Flow::default, |word| Flow {
        text: crate::path::name(&word.text).to_owned(),
        taint: word.taint,
    }))
}

fn dirname(_walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    let rest = operands(words, &[]);
    let Some(word) = rest.first() else { return Ok(Flow::default()) };
    let parts = word.text.trim_end_matches('/').rsplit_once('/');
    let folder = match parts {
        Some((folder, _)) => folder,
        None if word.is_known() => ".",
        None => return Ok(Flow { text: UNKNOWN.to_string(), taint: word.taint }),
    };
    Ok(Flow {
        text: if folder.is_empty() { "/".to_owned() } else { folder.to_owned() },
        taint: word.taint,
    })
}

/// The names that are asked for; what a folder holds is not known.
fn ls(_walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    let names: Vec<&str> = operands(words, &["-I", "-w", "-T"])
        .iter()
        .filter(|word| word.glob && !word.text.ends_with("/*"))
        .map(|word| word.text.as_str())
        .collect();
    Ok(if names.is_empty() { Flow::unknown() } else { Flow::new(&names.join("\n")) })
}

fn mktemp(_walker: &mut Walker<'_>, _words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    Ok(Flow::new("/tmp/tmp.made"))
}
