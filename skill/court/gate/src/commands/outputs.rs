//! Where any program is told to write: options that name an output, and operands of programs whose last one is
//! written. Only what guards or drives the work counts here; each handler says what else its program writes.

use super::options::operands;
use super::words::words;
use crate::judgement::{Extent, Source};
use crate::path::{self, Zone};
use crate::rules::files as rules;
use crate::shell::{Field, Walker};

/// Words of options that name an output.
const OPTIONS: &[&str] = words!(
    "o -target-dir -dest -dest-dir -destination -directory-prefix -log-file -logfile \
     -dump-header -cookie-jar -report-file -save -save-to -write-to -trace -trace-ascii \
     -prefix -install-dir -build-dir -artifacts-dir -metadata -stderr -etag-save -hsts \
     -libcurl -emit -export -recfile -backup-dir"
);

/// Programs whose option `-o` is no output, or whose words are not options.
const OTHERWISE: &[&str] = words!(
    "echo printf test [ grep egrep fgrep zgrep rg ag ssh scp sftp mount ps set shopt ls find \
     lsof install useradd chown sudo env read configure"
);

/// Programs that else only read, with the options by which they write a file.
const READERS: &[(&str, &[&str])] = &[
    ("cloc", &["--out", "--report-file", "--write-lang-def"]),
    ("dmidecode", &["--dump-bin"]),
    ("file", &["-C", "--compile"]),
    ("scc", &["-o", "--output"]),
    ("shuf", &["-o", "--output"]),
    ("tree", &["-o", "--output"]),
    ("xmllint", &["-o", "--output"]),
];

/// Programs whose last operand is written, and how many operands they have then.
const LAST: &[(&str, usize)] = &[
    ("uniq", 2),
    ("xxd", 2),
    ("split", 2),
    ("objcopy", 2),
    ("strip", 1),
    ("script", 1),
    ("ffmpeg", 1),
    ("convert", 2),
    ("magick", 2),
    ("sox", 2),
    ("pdftotext", 2),
    ("ps2pdf", 2),
    ("cjpeg", 2),
    ("iconv", 2),
    ("gs", 2),
    ("qemu-img", 3),
    ("ed", 1),
    ("red", 1),
    ("nano", 1),
    ("micro", 1),
    ("joe", 1),
    ("fold", 9),
    ("indent", 2),
    ("xmlstarlet", 3),
    ("mcookie", 9),
    ("logrotate", 1),
    ("crudini", 2),
    ("augtool", 1),
    ("prettier", 1),
];

impl Walker<'_> {
    /// Notes outputs that are settings, hooks or start-up files, or of the system.
    pub(super) fn outputs(&mut self, name: &str, words: &[Field]) {
        if OTHERWISE.contains(&name) {
            return;
        }
        for (index, word) in words.iter().enumerate().skip(1) {
            let Some(option) = word.text.strip_prefix('-') else { continue };
            let (option, value) = match option.split_once('=') {
                Some((option, value)) => (option, Some(value.to_owned())),
                None => (option, words.get(index + 1).map(|next| next.text.clone())),
            };
            let lower = option.to_ascii_lowercase();
            let names = matches!(name, "wget" | "aria2c")
                && !option.starts_with('-')
                && option.ends_with(['P', 'O'])
                || lower.trim_start_matches('-').starts_with("out")
                || OPTIONS.contains(&lower.as_str());
            if let Some(value) = value.filter(|_| names) {
                self.written_out(&Field::new(&value));
            } else if let Some(attached) =
                word.text.strip_prefix("-o").filter(|rest| rest.starts_with(['.', '/', '~']))
            {
                self.written_out(&Field::new(attached));
            }
        }
        let options =
            READERS.iter().find(|(program, _)| *program == name).map(|(_, options)| *options);
        for word in &words[1..] {
            let names = |option: &&str| {
                let rest = word.text.strip_prefix(*option);
                let is_short = !option.starts_with("--");
                rest.is_some_and(|rest| rest.is_empty() || is_short || rest.starts_with('='))
            };
            if options.unwrap_or_default().iter().any(names) {
                self.found(&rules::WRITE, &word.text);
            }
        }
        let shells = matches!(name, "sqlite3" | "psql" | "mysql" | "duckdb" | "mongosh");
        for word in words[1..].iter().filter(|_| shells) {
            for order in [
                ".output ", ".once ", ".backup ", ".log ", ".save ", "\\o ", "OUTFILE ", "outfile ",
            ] {
                if let Some((_, rest)) = word.text.split_once(order) {
                    let file = rest.split_whitespace().next().unwrap_or_default();
                    self.written_out(&Field::new(file.trim_matches(['\'', '"', ';'])));
                }
            }
        }
        if let Some((_, least)) = LAST.iter().find(|(program, _)| *program == name) {
            let valued: &[&str] = match name {
                "ed" | "red" | "nano" | "script" => &["-c", "-p", "-T"],
                _ => &["-b", "-l", "-n", "-c", "-s", "-f", "-t", "-T", "-I"],
            };
            let rest = operands(words, valued);
            let writes = name != "prettier"
                || words.iter().any(|word| matches!(word.text.as_str(), "--write" | "-w"));
            if rest.len() >= *least
                && writes
                && let Some(last) = rest.last()
            {
                let last = (*last).clone();
                self.streams(name, words);
                self.written_out(&last);
                // What is more is found there; a program that else only reads writes here.
                self.found(&rules::WRITE, &last.text);
            }
        }
    }

    fn written_out(&mut self, file: &Field) {
        let text = match file.text.strip_prefix('~') {
            Some(rest) if rest.starts_with('/') => format!("{}{rest}", self.context.home),
            _ => file.text.clone(),
        };
        let file = self.followed(&Field { text, ..file.clone() });
        self.target(&file.text, Extent::File, Source::Local);
        if self.is_record(&file) {
            self.found(&rules::WRITE_COURT, &file.text);
        } else {
            match self.zone(&file) {
                Zone::Persistence => self.found(&rules::WRITE_WIRING, &file.text),
                // New files in a temporary folder harm nothing.
                Zone::System
                    if path::is_temporary(&path::absolute(&file.text, &self.state.cwd)) => {}
                Zone::System | Zone::Root => self.found(&rules::WRITE_OUTSIDE, &file.text),
                Zone::Disk => self.found(&rules::DISK, &file.text),
                _ => {}
            }
        }
    }
}
