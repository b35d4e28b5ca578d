//! The shell's own commands: folders, variables, aliases, traps.

use std::rc::Rc;

use super::entry::{Command, Gives, Said};
use super::options::{has, operands, value};
use super::words::words;
use crate::path::absolute;
use crate::rules::{execution, secrets};
use crate::shell::{Field, Flow, Io, Step, UNKNOWN, Value, Walker};

pub(super) const COMMANDS: &[Command] = &[
    Command::code(words!("cd pushd chdir"), cd, [&["src"], &[], &[], &[]]),
    Command::code(words!("pwd"), pwd, [&[""], &[], &[], &[]]),
    Command::code(
        words!("export declare typeset readonly local"),
        declare,
        [&["A=1"], &[], &["-p"], &[]],
    ),
    Command::code(words!("unset"), unset, [&["A"], &[], &[], &[]]),
    Command::code(words!("let"), arithmetic, [&["a=1+2"], &[], &[], &[]]),
    Command::code(words!("test ["), test, [&["-f src/main.rs"], &[], &[], &[]]),
    Command::code(words!("wait"), wait, [&[""], &[], &[], &[]]),
    Command::code(words!("set"), set, [&["-e"], &[], &[""], &[]]),
    Command::code(words!("alias"), alias, [&["ll='ls -l'"], &[], &[], &[]]),
    Command::code(
        words!("trap"),
        trap,
        [&[], &["'rm -f /tmp/x.lock' EXIT"], &["'rm -rf /srv' EXIT"], &[]],
    ),
    Command::code(words!("read"), read, [&["-r line"], &[], &[], &[]]),
    Command::code(words!("mapfile readarray"), map_file, [&["-t lines"], &[], &[], &[]]),
    Command::code(words!("enable"), enable, [&["-n echo"], &[], &["-f ./lib.so x"], &[]]),
    Command::code(words!("complete bind"), callback, [&["-e"], &[], &[], &[]]),
    Command::code(words!("compgen"), callback, [&[], &[], &["-e"], &[]]),
    Command::said(
        words!("shopt unalias disown bg fg suspend caller logout"),
        Said::cases(&[], &[]).gives(Gives::Nothing),
        [&["-s nullglob"], &[], &[], &[]],
    ),
];

fn cd(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    let target = match operands(words, &[]).first() {
        Some(word) if word.text == "-" => walker.state.old_cwd.clone(),
        Some(word) if word.text.is_empty() => walker.state.cwd.clone(),
        Some(word) if word.is_known() && !word.glob => absolute(&word.text, &walker.state.cwd),
        Some(_) => UNKNOWN.to_string(),
        None => walker.context.home.to_owned(),
    };
    walker.state.old_cwd = std::mem::replace(&mut walker.state.cwd, target);
    Ok(Flow::default())
}

fn pwd(walker: &mut Walker<'_>, _words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    Ok(Flow::new(&walker.state.cwd))
}

fn declare(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    let shown = operands(words, &[]);
    let prints =
        has(words, 'p', "") || words.len() == 1 || (shown.is_empty() && has(words, 'x', ""));
    if prints
        && shown.is_empty()
        && !words.iter().any(|word| word.text == "-f" || word.text == "-F")
    {
        walker.found(&secrets::ENVIRONMENT, &words[0].text);
        let mut flow = Flow::unknown();
        flow.taint.secret = true;
        return Ok(flow);
    }
    // A function is shown: its text is not known here.
    if has(words, 'f', "") || has(words, 'p', "") {
        return Ok(Flow::unknown());
    }
    let (integer, refers) = (has(words, 'i', ""), has(words, 'n', ""));
    for word in shown {
        let name = word.text.split('=').next().unwrap_or_default();
        walker.element(name)?;
        let name = name.split('[').next().unwrap_or_default().trim_end_matches('+');
        if integer {
            walker.state.integers.insert(name.to_owned());
        }
        if refers {
            let to = word.text.split_once('=').map_or("", |(_, to)| to);
            walker.element(to)?;
            if to != name {
                walker.state.references.insert(name.to_owned(), to.to_owned());
            }
            continue;
        }
        if let Some((_, text)) = word.text.split_once('=') {
            // An array in quotes is read once more.
            if text.starts_with('(') {
                walker.subscripts(text)?;
            }
            let mut value = Value { text: text.to_owned(), taint: word.taint };
            // Attributes change the value, or let the name stand for another variable.
            if has(words, 'l', "") {
                value.text = value.text.to_lowercase();
            } else if has(words, 'u', "") {
                value.text = value.text.to_uppercase();
            }
            walker.environment(name, &value)?;
            walker.bind(name, value)?;
        }
    }
    Ok(Flow::default())
}

fn unset(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    for word in operands(words, &[]) {
        walker.element(&word.text)?;
        walker.state.references.remove(&word.text);
        walker.state.set(&word.text, Value::default());
        walker.state.functions.remove(&word.text);
    }
    Ok(Flow::default())
}

/// `let`: each word is arithmetic.
fn arithmetic(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    for word in &words[1..] {
        walker.arithmetic(&word.text)?;
    }
    Ok(Flow::default())
}

/// `test -v` reads the subscript of the name that it is given.
fn test(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    for pair in words.windows(2).filter(|pair| matches!(pair[0].text.as_str(), "-v" | "-R")) {
        walker.element(&pair[1].text)?;
    }
    Ok(Flow::unknown())
}

/// `wait -p` gives a variable the process that ended.
fn wait(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    if let Some(name) = value(words, &["-p", "-np"]).map(str::to_owned) {
        walker.bind(&name, Value::unknown())?;
    }
    Ok(Flow::default())
}

fn set(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    if words.len() == 1 {
        walker.found(&secrets::ENVIRONMENT, "set");
        let mut flow = Flow::unknown();
        flow.taint.secret = true;
        return Ok(flow);
    }
    let mut at = 1;
    let mut explicit = false;
    while let Some(word) = words.get(at) {
        if word.text == "--" {
            explicit = true;
            at += 1;
            break;
        }
        if !word.text.starts_with(['-', '+']) {
            break;
        }
        at += if matches!(word.text.as_str(), "-o" | "+o") || word.text.ends_with('o') {
            2
        } else {
            1
        };
    }
    if explicit || at < words.len() {
        let values = words[at.min(words.len())..]
            .iter()
            .map(|word| Value { text: word.text.clone(), taint: word.taint });
        walker.state.positional = Some(Rc::new(values.collect()));
    }
    Ok(Flow::default())
}

/// An alias is text that will be executed: it counts as if it were.
fn alias(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    for word in &words[1..] {
        if let Some((name, text)) = word.text.split_once('=') {
            walker.state.aliases.insert(name.to_owned(), text.to_owned());
            walker.payload(text, "alias", &Flow::unknown())?;
        }
    }
    Ok(Flow::default())
}

fn trap(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    if let Some(text) = operands(words, &[]).first().map(|word| word.text.clone())
        && operands(words, &[]).len() > 1
        && text != "-"
        && !text.is_empty()
    {
        walker.payload(&text, "trap", &Flow::unknown())?;
    }
    Ok(Flow::default())
}

fn read(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    let valued = ["-d", "-i", "-n", "-N", "-p", "-t", "-u", "-a"];
    // In a loop it reads every line.
    let lines: Vec<Value> = io
        .stdin
        .text
        .lines()
        .take(16)
        .map(|line| Value { text: line.trim().to_owned(), taint: io.stdin.taint })
        .collect();
    let lines = if lines.is_empty() {
        vec![Value { text: UNKNOWN.to_string(), taint: io.stdin.taint }]
    } else {
        lines
    };
    let names: Vec<String> =
        operands(words, &valued).iter().map(|word| word.text.clone()).collect();
    let names = if names.is_empty() { vec!["REPLY".to_owned()] } else { names };
    let separators = walker.separators();
    for (index, name) in names.iter().enumerate() {
        walker.element(name)?;
        let values: Vec<Value> = lines
            .iter()
            .map(|line| {
                let last = index + 1 == names.len();
                let text = part(&line.text, index, last && index > 0, &separators);
                let text = if names.len() == 1 { line.text.clone() } else { text };
                Value { text, taint: line.taint }
            })
            .collect();
        for value in &values {
            walker.assigned(name, &value.text)?;
            walker.environment(name, value)?;
        }
        walker.state.set(name, Value::default());
        if let Some(variable) = walker.state.variables.get_mut(name) {
            variable.values = values;
        }
    }
    let clustered =
        words.windows(2).find(|pair| pair[0].is_option() && pair[0].text.ends_with('a'));
    if let Some(name) = clustered.map(|pair| pair[1].text.clone()) {
        let line = io.stdin.text.lines().next().unwrap_or_default();
        let mut elements = Vec::new();
        for text in split(line, &separators) {
            walker.assigned(&name, text)?;
            elements.push(Value { text: text.to_owned(), taint: io.stdin.taint });
        }
        walker.state.set_array(&name, elements);
    }
    Ok(Flow::default())
}

/// The fields of a line.
fn split<'a>(line: &'a str, separators: &str) -> Vec<&'a str> {
    if separators.trim().is_empty() && !separators.is_empty() {
        line.split_whitespace().collect()
    } else {
        line.split(|each| separators.contains(each)).collect()
    }
}

/// One field of a line, or all from there on.
fn part(line: &str, index: usize, rest: bool, separators: &str) -> String {
    let fields = split(line, separators);
    let joiner = separators.chars().next().unwrap_or(' ').to_string();
    match fields.get(index..) {
        Some(fields) if rest => fields.join(&joiner),
        Some([field, ..]) => (*field).to_owned(),
        _ => String::new(),
    }
}

fn map_file(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    let valued = ["-d", "-n", "-O", "-s", "-u", "-C", "-c"];
    if let Some(text) = value(words, &["-C"]).map(str::to_owned) {
        walker.payload(&text, "mapfile -C", &Flow::unknown())?;
    }
    let name = operands(words, &valued)
        .first()
        .map_or_else(|| "MAPFILE".to_owned(), |word| word.text.clone());
    let opened = walker.state.opened.last().cloned().filter(|_| io.stdin.text.is_empty());
    let stdin = opened.unwrap_or_else(|| io.stdin.clone());
    let elements =
        stdin.text.lines().take(64).map(|line| Value { text: line.to_owned(), taint: stdin.taint });
    let elements: Vec<Value> = elements.collect();
    for element in &elements {
        walker.assigned(&name, &element.text)?;
    }
    walker.state.set_array(&name, elements);
    Ok(Flow::default())
}

/// `enable -f library` loads code into the shell.
fn enable(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    if has(words, 'f', "") {
        walker.found(&execution::UNREADABLE_CODE, "enable -f");
    }
    Ok(Flow::default())
}

/// Commands that name another to be called later.
fn callback(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    if words[0].text == "compgen" && has(words, 'e', "") {
        walker.found(&secrets::ENVIRONMENT, "compgen -e");
    }
    // A list of words is expanded like any text.
    if let Some(text) = value(words, &["-W"]).map(str::to_owned) {
        walker.expanded(&text, "-W")?;
    }
    for option in ["-C", "-x", "-F"] {
        if let Some(text) = value(words, &[option]).map(str::to_owned) {
            let text = text.split_once(':').map_or(text.as_str(), |(_, text)| text).to_owned();
            walker.payload(&text, &words[0].text.clone(), &Flow::unknown())?;
        }
    }
    Ok(Flow::default())
}
