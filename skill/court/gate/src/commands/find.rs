//! `find` and its kin: what is found, and what is done with it.

use super::acts::{Act, Also, Pick};
use super::entry::When::{Always, Value};
use super::entry::{Case, Command, READS, Said};
use super::erase::Reach;
use super::options::{operands, value};
use super::words::words;
use crate::path::Zone;
use crate::rules::execution;
use crate::shell::{Field, Flow, Io, Step, UNKNOWN, Walker};

/// Options that name a program.
const RG_STARTS: &[&str] = words!("--pre --hostname-bin");

pub(super) const COMMANDS: &[Command] = &[
    Command::code(words!("find gfind bfs"), find, [&[". -name a"], &[], &[". -delete"], &[]]),
    Command::code(words!("fd fdfind"), fd, [&["a"], &[], &["a -x rm"], &[]]),
    // ripgrep starts these programs for each file.
    Command::said(
        words!("rg"),
        Said::cases(
            RG_STARTS,
            &[&[Case(Value(RG_STARTS, "*"), &execution::CODE_EXECUTES), Case(Always, READS)]],
        )
        .also(&[Also(Always, Act::Shell(Pick::Values(RG_STARTS)))]),
        [&["a"], &[], &["--pre ./x a", "--hostname-bin=./x a"], &[]],
    ),
];

/// Tests that leave most files out.
const NARROWS: &[&str] = words!(
    "-name -iname -path -ipath -wholename -regex -iregex -mtime -mmin -atime -amin -ctime \
     -cmin -newer -user -uid -group -size -empty -perm -inum -samefile"
);

/// The one of them that takes no word.
const BARE: &str = "-empty";
/// Other tests that take the next word.
const ARGUED: &[&str] = &["-type", "-maxdepth", "-mindepth", "-printf"];

fn takes_a_word(test: &str) -> bool {
    ARGUED.contains(&test) || (NARROWS.contains(&test) && test != BARE)
}

fn find(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    let mut at = 1;
    while words.get(at).is_some_and(|word| {
        matches!(word.text.as_str(), "-H" | "-L" | "-P") || word.text.starts_with("-O")
    }) {
        at += 1;
    }
    let start = at;
    while words.get(at).is_some_and(|word| !word.text.starts_with(['-', '(', '!'])) {
        at += 1;
    }
    let mut roots: Vec<Field> = words[start..at].to_vec();
    if roots.is_empty() {
        roots.push(Field::new("."));
    }
    let tests = &words[at..];
    let found = results(&roots, tests);
    let narrow = tests.iter().any(|test| NARROWS.contains(&test.text.as_str()));
    let shared: Vec<String> = roots
        .iter()
        .filter(|root| !narrow && matches!(walker.zone(root), Zone::System | Zone::Root))
        .map(|root| root.text.clone())
        .collect();
    walker.via.push("find".to_owned());
    let mut index = 0;
    while index < tests.len() {
        let deletes = match tests[index].text.as_str() {
            "-delete" => true,
            "-exec" | "-execdir" => tests[index + 1..]
                .iter()
                .take(3)
                .any(|word| matches!(crate::path::name(&word.text), "rm" | "unlink" | "shred")),
            _ => false,
        };
        // All of a folder that others use too, as of `/tmp`.
        for root in shared.iter().filter(|_| deletes) {
            walker.found(&crate::rules::files::DELETE_OUTSIDE, root);
        }
        if takes_a_word(&tests[index].text) {
            index += 2;
            continue;
        }
        match tests[index].text.as_str() {
            "-delete" => {
                let empty = tests.iter().any(|test| test.text == BARE);
                for each in found.iter().filter(|_| empty) {
                    walker.found(&crate::rules::files::DELETE, &each.text);
                }
                for each in found.iter().filter(|_| !empty) {
                    let place = walker.zone(each);
                    let reach = if place == Zone::Scratch { Reach::File } else { Reach::Tree };
                    walker.delete(each, reach);
                }
            }
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let rest = &tests[index + 1..];
                let length = rest
                    .iter()
                    .position(|word| matches!(word.text.as_str(), ";" | "+"))
                    .unwrap_or(rest.len());
                exec(walker, &rest[..length], &found)?;
                index += length;
            }
            "-fprint" | "-fprintf" | "-fls" | "-fprint0" => {
                if let Some(file) = tests.get(index + 1) {
                    walker.write(file);
                }
            }
            _ => {}
        }
        index += 1;
    }
    walker.via.pop();
    let text: Vec<&str> = found.iter().map(|field| field.text.as_str()).collect();
    Ok(Flow { text: text.join("\n"), taint: Default::default() })
}

/// What the search may give: the roots with the names that are asked for.
fn results(roots: &[Field], tests: &[Field]) -> Vec<Field> {
    let mut names = Vec::new();
    let mut negated = false;
    for (index, test) in tests.iter().enumerate() {
        match test.text.as_str() {
            "!" | "-not" => negated = true,
            "-name" | "-iname" => {
                if let Some(name) = tests.get(index + 1).filter(|_| !negated) {
                    names.push(name.text.clone());
                }
                negated = false;
            }
            "-path" | "-wholename" | "-type" | "-empty" | "-regex" => negated = false,
            _ => {}
        }
    }
    // The outputs of .NET, both at once.
    if names.iter().any(|name| name == "obj") {
        names.retain(|name| name != "bin");
    }
    // Names of the court's records are looked for where they lie.
    for record in ["court.toml", "reviews.json", "ledger.jsonl"] {
        if names.iter().any(|name| name == record) {
            names.push(format!(".court/{record}"));
        }
    }
    if names.is_empty() {
        names.push(UNKNOWN.to_string());
    }
    let each = |root: &Field, name: &String| Field {
        text: format!("{}/{name}", root.text.trim_end_matches('/')),
        glob: name.contains(['*', '?', '[']) || root.glob,
        taint: root.taint,
    };
    roots.iter().flat_map(|root| names.iter().map(move |name| each(root, name))).take(64).collect()
}

fn exec(walker: &mut Walker<'_>, command: &[Field], found: &[Field]) -> Step {
    let nothing = Flow::default();
    for each in found {
        let words: Vec<Field> = command
            .iter()
            .map(|word| Field {
                text: word.text.replace("{}", &each.text),
                glob: word.glob || (word.text.contains("{}") && each.glob),
                taint: word.taint,
            })
            .collect();
        walker.run(&words, &Io { stdin: &nothing })?;
    }
    Ok(())
}

/// Options of `fd` that take the next word.
const FD_VALUED: &[&str] = words!(
    "-e --extension -t --type -d --max-depth -E --exclude -S --size -o --owner -j --threads -c --color \
     --changed-within --changed-before --base-directory"
);

fn fd(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    let at = words
        .iter()
        .position(|word| matches!(word.text.as_str(), "-x" | "-X" | "--exec" | "--exec-batch"));
    if let Some(at) = at {
        walker.via.push("fd".to_owned());
        let mut command: Vec<Field> = words[at + 1..].to_vec();
        if !command.iter().any(|word| word.text.contains('{')) {
            command.push(Field::new("{}"));
        }
        let told = operands(&words[..at], FD_VALUED);
        let ending = value(&words[..at], &["-e", "--extension"]);
        let root = told.get(1).map_or(".", |root| root.text.trim_end_matches('/'));
        let found = match ending {
            Some(ending) if told.len() < 3 => {
                Field { glob: true, ..Field::new(&format!("{root}/*.{ending}")) }
            }
            _ => Field::new(&format!("./{UNKNOWN}")),
        };
        exec(walker, &command, &[found])?;
        walker.via.pop();
    }
    Ok(Flow::new(&format!("./{UNKNOWN}")))
}
