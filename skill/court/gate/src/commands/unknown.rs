//! Programs that are not known: judged by what they are told. Words that look like a dangerous command,
//! verbs that destroy, statements for a database, raw devices, and options whose value is executed.

use super::words::words;
use super::{databases, options, tables};
use crate::path::{self, Zone};
use crate::rules::{execution, infrastructure};
use crate::shell::{Field, Io, Step, UNKNOWN, Walker};

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

impl Walker<'_> {
    /// Unknown wrappers: any suffix of the words that is a dangerous command counts.
    pub(super) fn suffixes(&mut self, words: &[Field], io: &Io<'_>) -> Step {
        for start in 1..words.len().min(12) {
            let name = path::name(&words[start].text);
            let telling = tables::DANGEROUS.contains(&name) || name.starts_with("mkfs.");
            if telling && words.len() > start + 1 && words[start].is_known() {
                let findings = self.findings.len();
                self.via.push(format!("{} (perhaps)", words[0].text.replace(UNKNOWN, "?")));
                self.run(&words[start..], io)?;
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

    /// Unknown programs that are told to destroy: by the verb alone, or by a weaker verb with force or
    /// behind a noun (`tool volume delete x`).
    pub(super) fn destructive_words(&mut self, name: &str, words: &[Field]) {
        let given = words.get(1..).unwrap_or_default();
        let rest: Vec<&str> = options::operands(words, &[])
            .into_iter()
            .take(3)
            .map(|word| word.text.as_str())
            .collect();
        let forces = given.iter().any(|word| tables::FORCES.contains(&word.text.as_str()));
        let strong = |verb: &&str| {
            tables::DESTROY_VERBS.contains(verb)
                || verb.split_once([':', '-']).is_some_and(|(head, tail)| {
                    tables::DESTROY_VERBS.contains(&head) || tables::DESTROY_VERBS.contains(&tail)
                })
        };
        let weak = |verb: &&str| tables::REMOVE_VERBS.contains(verb);
        let destroys = rest.iter().any(strong)
            || rest.first().is_some_and(|verb| {
                let verb = verb.to_ascii_lowercase();
                (verb == "delete" && rest.len() > 1)
                    || ["unregister", "deregister", "dropall", "delete-"]
                        .iter()
                        .any(|head| verb.starts_with(head))
            })
            || given.iter().any(|word| {
                matches!(word.text.as_str(), "/MIR" | "/PURGE" | "--prune" | "--purge" | "--delete")
            })
            || told_by_name(name)
                && !words
                    .iter()
                    .any(|word| matches!(word.text.as_str(), "--help" | "--list" | "--dry-run"))
            || rest.iter().take(3).any(|verb| {
                verb.split_once(['-', '_']).is_some_and(|(head, _)| {
                    matches!(head, "delete" | "destroy" | "purge" | "remove" | "forget" | "revoke")
                })
            })
            || (rest.len() > 2 && matches!(rest[0], "delete" | "remove" | "rm"))
            || (forces && rest.iter().any(weak))
            || (rest.len() > 2 && rest.get(1).is_some_and(weak) && rest[0] != "pub")
            || given.iter().any(|word| {
                word.text.starts_with("--delete-all") || word.text.starts_with("--remove-all")
            });
        if destroys {
            self.found(&infrastructure::CLOUD, name);
        }
    }

    /// What else an unknown program may be told to do.
    pub(super) fn unknown_words(&mut self, name: &str, words: &[Field]) -> Step {
        for (index, word) in words.iter().enumerate().skip(1) {
            self.budget.steps(word.text.len())?;
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
            let (option, value) = option.split_once('=').unwrap_or_else(|| (option, next()));
            let executes = EXECUTING.iter().any(|part| option.contains(part));
            let evaluates = matches!(option, "e" | "-eval" | "eval" | "-execute" | "x");
            if executes || evaluates {
                let first = value.split_whitespace().next().unwrap_or_default();
                if is_shell_path(first) {
                    self.found(&execution::LOOKS_WRAPPED, name);
                }
                self.try_shell(value)?;
            }
            if evaluates && value.contains('(') {
                self.code("text", value, super::code::Evidence::Enough)?;
            }
        }
        Ok(())
    }
}

/// A program whose name says that it destroys: `kafka-delete-records`.
fn told_by_name(name: &str) -> bool {
    name.split(['-', '_'])
        .any(|part| matches!(part, "delete" | "destroy" | "purge" | "wipe" | "dropdb"))
}

/// A shell by its whole path.
pub(super) fn is_shell_path(text: &str) -> bool {
    ["/bin/", "/usr/bin/", "/usr/local/bin/"]
        .iter()
        .any(|folder| text.strip_prefix(folder).is_some_and(super::shells::is_shell))
}
