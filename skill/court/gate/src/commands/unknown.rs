//! Programs that are not known: judged by what they are told. Words that look like a dangerous command, statements
//! for a database, raw devices, folders that are deleted, and code. Verbs, orders, addresses and protections have files
//! of their own. Not here: names of programs; no rule here asks for one.

mod addresses;
mod meanings;
mod openings;
mod orders;
mod protections;
#[cfg(test)]
mod tests;
mod verbs;

use self::addresses::passed;
use super::code::Evidence;
use super::words::words;
use super::{databases, options, tables};
use crate::path::{self, Zone};
use crate::rules::{execution, files, infrastructure};
use crate::shell::{Field, Flow, Io, Step, UNKNOWN, Walker};

/// Parts of the names of options whose value is executed.
const EXECUTING: &[&str] =
    &["command", "exec", "hook", "shell", "rsh", "cmd", "wrapper", "on-download", "editor"];

/// Options whose value is a statement for a database.
const QUERIES: &[&str] = words!("-q -e -c -s --query --sql --command --execute --statement");

/// Read what a device says of itself.
const DEVICE_READERS: &[&str] = words!(
    "smartctl blkid findmnt udevadm lsblk pvs vgs lvs pvdisplay lvdisplay vgdisplay pvscan \
     sg_inq xfs_info dumpe2fs mdstat qemu-system-x86_64 fsck isoinfo sg_readcap ddrescue"
);

/// Options, and verbs, whose value is code.
const EVALUATING: &[&str] = words!(
    "e -eval eval -execute x c E -expr -expression -evaluate -execute-string -code code -script ne pe \
     -javascript.execute-string -batch-string"
);

/// Statements, in lower case, that delete in stores of many kinds.
const STATEMENTS: &[&str] = &[
    "deletemany(",
    "deleteone(",
    "dropdatabase(",
    ".drop(",
    "_drop(",
    "flushall",
    "flushdb",
    "detach delete",
    "remove table",
    "drop type",
    "drop collection",
    "drop table",
    "drop database",
    "drop schema",
    "delete from",
    "truncate ",
    ".reset()",
    "delete where",
    "removebyexample",
    "delete_all",
    "destroy_all",
    "&:destroy",
    "destroy!",
    "drop keyspace",
    "drop_collection",
    "delete_collection",
    "delete_many(",
    "delete_by_query",
];

impl Walker<'_> {
    /// A program of which nothing is known.
    pub(super) fn unknown_program(
        &mut self,
        name: &str,
        words: &[Field],
        io: &Io<'_>,
    ) -> Step<Flow> {
        self.suffixes(words, io)?;
        self.destructive_words(name, words);
        self.orders(name, words, io);
        self.lets_in(name, words, io);
        self.switches_off(name, words);
        self.deletes_by_options(name, words);
        let fetched = self.told_addresses(name, words, io);
        self.unknown_words(name, words)?;
        if words.len() == 1 || words[1..].iter().all(Field::is_option) {
            self.reads_code(io)?;
        }
        Ok(Flow { taint: passed(fetched, io), ..Flow::unknown() })
    }

    /// `cleaner --recursive --force ~/x`: what it is told is deleted.
    fn deletes_by_options(&mut self, name: &str, words: &[Field]) {
        let short = |letter: char| {
            words[1..].iter().any(|word| {
                word.text.len() <= 4
                    && !word.text.starts_with("--")
                    && word.text.starts_with('-')
                    && word.text.contains(letter)
            })
        };
        let long = |option: &str| words[1..].iter().any(|word| word.text == option);
        let whole =
            (short('r') || short('R') || long("--recursive")) && (short('f') || long("--force"));
        if !whole {
            return;
        }
        for word in words[1..].iter().filter(|word| !word.is_option()) {
            let path = word.text.starts_with(['/', '~', '.']) || word.text.contains('/');
            let far = matches!(
                self.zone(word),
                Zone::Root
                    | Zone::System
                    | Zone::Home
                    | Zone::InHome
                    | Zone::Project
                    | Zone::Outside
                    | Zone::Persistence
            );
            if path && far && !word.text.contains("://") {
                self.found(&files::DELETE_OUTSIDE, &format!("{name} {}", word.text));
            }
        }
    }

    /// Code that a program is given on its input, for all that is known.
    fn reads_code(&mut self, io: &Io<'_>) -> Step {
        let text = io.stdin.text.as_str();
        if text.is_empty() || text.len() > 4096 || text.contains(UNKNOWN) {
            return Ok(());
        }
        if databases::surely_destroys(text) || destroys_data(text) {
            self.found(&infrastructure::DATABASE, "its input");
        }
        self.code("any", text, Evidence::Required)
    }

    /// Unknown wrappers: any suffix of the words that is a dangerous command counts.
    pub(super) fn suffixes(&mut self, words: &[Field], io: &Io<'_>) -> Step {
        for start in 1..words.len().min(12) {
            let name = path::name(&words[start].text);
            let telling = tables::DANGEROUS.contains(&name) || name.starts_with("mkfs.");
            if telling && words.len() > start + 1 && words[start].is_known() {
                let findings = self.findings.len();
                self.via.push(format!("{} (perhaps)", words[0].text.replace(UNKNOWN, "?")));
                // What no shell reads is a text like any other: it stays a finding.
                let opaque = self.opaque.clone();
                self.run(&words[start..], io)?;
                self.opaque = opaque;
                self.via.pop();
                let dangerous = self.findings[findings..]
                    .iter()
                    .any(|found| found.level >= crate::level::Level::L2);
                if dangerous {
                    self.found(&execution::LOOKS_WRAPPED, name);
                }
                return Ok(());
            }
        }
        Ok(())
    }

    /// What else an unknown program may be told to do.
    pub(super) fn unknown_words(&mut self, name: &str, words: &[Field]) -> Step {
        for (index, word) in words.iter().enumerate().skip(1) {
            self.budget.steps(word.text.len())?;
            if matches!(word.text.as_str(), "/MIR" | "/PURGE") {
                self.found(&files::DELETE_OUTSIDE, name);
            }
            let device = word.text.starts_with("/dev/") && self.zone(word) == Zone::Disk;
            let reads = DEVICE_READERS.contains(&name)
                || name.ends_with("fsck") && options::has(words, 'n', "");
            if device && !reads {
                self.found(&execution::SYSTEM, &format!("{name} {}", word.text));
            }
            // Prose may speak of it; a query is told to be one, or is written in capitals.
            let query = QUERIES.contains(&words[index - 1].text.as_str())
                || !word.text.split(' ').take(2).any(|part| part.contains(char::is_lowercase));
            if query && word.text.contains(' ') && databases::surely_destroys(&word.text) {
                self.found(&infrastructure::DATABASE, name);
            }
        }
        if matches!(name, "fzf" | "sk") {
            self.chooser_keys(words)?;
        }
        let last = words.last().filter(|_| words.len() > 1);
        if last.is_some_and(|word| is_shell_path(&word.text)) {
            self.found(&execution::LOOKS_WRAPPED, name);
        }
        self.executed_values(name, words)
    }

    /// Keys of a chooser that start a command.
    fn chooser_keys(&mut self, words: &[Field]) -> Step {
        for word in &words[1..] {
            for call in ["execute(", "execute-silent(", "become(", "reload("] {
                if let Some((_, text)) = word.text.split_once(call) {
                    let text = text.rsplit_once(')').map_or(text, |(text, _)| text).to_owned();
                    self.try_shell(&text.replace("{}", &UNKNOWN.to_string()))?;
                }
            }
        }
        Ok(())
    }

    /// Options whose value is executed, by their names.
    fn executed_values(&mut self, name: &str, words: &[Field]) -> Step {
        for (index, word) in words.iter().enumerate().skip(1).take(32) {
            let Some(option) = word.text.strip_prefix('-') else { continue };
            let next = || words.get(index + 1).map_or("", |word| word.text.as_str());
            // `--eval:text` of Nim.
            let (option, value) = option.split_once(['=', ':']).unwrap_or_else(|| (option, next()));
            // `-'call "rm"'` of PicoLisp: the option itself is code.
            if option.contains(' ') && option.contains('"') {
                self.evaluated_text(name, option, false, true)?;
            }
            let executes = EXECUTING.iter().any(|part| option.contains(part));
            let evaluates = EVALUATING.contains(&option) && !name.contains("grep");
            let tainted = words.get(index + 1).is_some_and(|next| next.taint.network);
            self.evaluated_text(name, value, executes, evaluates)?;
            if evaluates && tainted {
                self.found(&execution::FETCHED_SCRIPT, name);
            }
        }
        let verb = words.get(1).is_some_and(|word| {
            matches!(word.text.as_str(), "eval" | "exec" | "query" | "sql" | "runner")
        });
        for word in words.iter().skip(2).filter(|word| verb && !word.is_option()).take(4) {
            self.evaluated_text(name, &word.text, false, true)?;
        }
        Ok(())
    }

    /// A text that is executed, by what its option is called.
    fn evaluated_text(&mut self, name: &str, text: &str, executes: bool, evaluates: bool) -> Step {
        if !executes && !evaluates || text == "." {
            return Ok(());
        }
        let first = text.split_whitespace().next().unwrap_or_default();
        if is_shell_path(first) {
            self.found(&execution::LOOKS_WRAPPED, name);
        }
        self.try_shell(text)?;
        if evaluates && text.contains(['(', ' ', '"', '\'']) {
            if destroys_data(text) {
                self.found(&infrastructure::DATABASE, name);
            }
            self.code("any", text, Evidence::Enough)?;
        }
        Ok(())
    }
}

/// Whether a text has a statement or a call that deletes in a store.
fn destroys_data(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    STATEMENTS.iter().any(|statement| lower.contains(statement))
}

/// A shell by its whole path.
pub(super) fn is_shell_path(text: &str) -> bool {
    ["/bin/", "/usr/bin/", "/usr/local/bin/"]
        .iter()
        .any(|folder| text.strip_prefix(folder).is_some_and(super::shells::is_shell))
}
