//! Files that code deletes or opens for writing, by the paths among its texts. Not here: other changes (see `effects`).

use super::super::calls::{DESTROYS, HOMES, deletes_around, removes, removes_path};
use super::super::effects::only_said;
use super::super::literals::{is_path, is_pattern};
use super::{Code, Evidence};
use crate::path::Zone;
use crate::rules::{execution, files as file_rules};
use crate::shell::{Field, Flow, UNKNOWN, Walker};

/// Calls that make a temporary folder of the code's own.
const TEMPORARY: &[&str] =
    &["mkdtemp(", "TemporaryDirectory(", "mkdtempSync(", "Dir.mktmpdir", "tempdir("];

/// Calls that open or write a file.
const OPENS: &[&str] = &[
    "open(",
    "open ",
    "writeFile",
    "writeTextFile",
    "File.write",
    "write_text",
    "file_put_contents",
    "fopen",
    "createWriteStream",
    "copyFile",
    "Path(",
    "write(",
    "appendFile",
];

/// Modes and calls that say that it is written.
const WRITES: &[&str] = &[
    "'w'",
    "\"w\"",
    "'a'",
    "\"a\"",
    "'wb'",
    "\"wb\"",
    "'w+'",
    "writeFile",
    "writeTextFile",
    "write_text",
    "write_bytes",
    "File.write",
    "file_put_contents",
    "createWriteStream",
    "'>",
    "\">",
    "appendFile",
];

/// Calls that open a database that is a file.
const DATABASES: &[&str] = &[
    "sqlite3.connect(",
    "duckdb.connect(",
    "new Database(",
    "DatabaseSync(",
    "SQLite3::Database",
    "sqlite:",
    "SQLite3(",
    "better-sqlite3",
    "node:sqlite",
    "bun:sqlite",
];

/// Calls that delete a folder with all that is in it.
const TREES: &[&str] = &[
    "rmtree(",
    "rm_rf(",
    "rm_rf ",
    "rm_r(",
    "rm_rf!(",
    "remove_dir_all(",
    "os.RemoveAll(",
    "remove_tree(",
    "remove_all(",
    "emptyDirSync(",
    "deleteDirectory(",
    "rmdirRecurse(",
    "rimraf(",
    "rimraf.sync(",
];

/// The same where they are told to.
const RECURSIVE: &[&str] = &["rmSync(", "fs.rm(", "rm("];

/// Whether code gives a text, as it stands or by a name, to a call that deletes a folder with all that is in it.
fn deletes_tree(code: &str, text: &str, by_name: &[&str]) -> bool {
    let quoted = ['\'', '"', '`'].map(|quote| format!("{quote}{text}{quote}"));
    if by_name.iter().any(|value| quoted.iter().any(|text| value.contains(text))) {
        return true;
    }
    let given = |call: &&str| {
        ['\'', '"', '`'].iter().any(|quote| code.contains(&format!("{call}{quote}{text}{quote}")))
    };
    TREES.iter().any(&given) || code.contains("recursive") && RECURSIVE.iter().any(given)
}

/// What stands on the right of the names that calls are given that delete a folder: `x = 'a'`, `for x in ['a', 'b']`, and
/// one step further, `for x in NAMES`. Only texts and lists of texts count: what code works out is not known.
fn given_by_name(code: &str) -> Vec<&str> {
    let is_name = |each: char| each.is_ascii_alphanumeric() || each == '_';
    let name = |text: &str| text.len() - text.trim_start_matches(is_name).len();
    let calls = TREES.iter().chain(RECURSIVE.iter().filter(|_| code.contains("recursive")));
    let told =
        calls.flat_map(|call| code.match_indices(call).map(|(at, call)| &code[at + call.len()..]));
    let mut names: Vec<&str> = told.map(|rest| &rest[..name(rest)]).take(NAMES_MAX).collect();
    let mut values = Vec::new();
    let mut next = 0;
    while let Some(wanted) = names.get(next).copied().filter(|_| next < NAMES_MAX) {
        next += 1;
        for (at, _) in code.match_indices(wanted).filter(|_| !wanted.is_empty()).take(NAMES_MAX) {
            let rest = code[at + wanted.len()..].trim_start_matches([' ', '|']);
            let bound = ["= ", "=", "in ", "of "].iter().find_map(|by| rest.strip_prefix(by));
            let whole =
                !code[..at].ends_with(is_name) && !code[at + wanted.len()..].starts_with(is_name);
            let Some(value) = bound.filter(|_| whole) else { continue };
            let value = value.lines().next().unwrap_or_default().trim_start();
            let named = &value[..name(value)];
            match value.starts_with(['\'', '"', '`', '[', '(']) {
                true => values.push(value),
                false if named.is_empty() || names.contains(&named) => {}
                // A call works it out.
                false if value[named.len()..].starts_with(['(', '.']) => {}
                false => names.push(named),
            }
        }
    }
    values
}

/// Most names that are followed, and most places of each.
const NAMES_MAX: usize = 16;

/// The paths that code puts together out of parts: `Path.home() / '.claude' / 'x'`, `join(home, '.ssh', 'x')`. Where
/// the home folder is named, they count as in it, too: what stands before the parts is not worked out.
fn paths_of_parts(code: &str, home: &str) -> Vec<String> {
    let at_home = HOMES.iter().any(|name| code.contains(name));
    let mut paths = Vec::new();
    let (mut path, mut end) = (String::new(), 0);
    for (at, part) in quoted(code).take(PARTS_MAX) {
        let between = &code[end..at];
        let joins = between.len() <= 4 && matches!(between.trim(), "," | "/");
        if joins && !path.is_empty() {
            path.push('/');
        } else {
            paths.push(std::mem::take(&mut path));
        }
        path.push_str(part);
        end = at + part.len() + 2;
    }
    paths.push(path);
    let named = |path: &String| {
        let plain = |each: char| each.is_ascii_alphanumeric() || "._-/".contains(each);
        path.contains('.') && path.len() > 3 && path.chars().all(plain)
    };
    paths.retain(named);
    let below = |path: &String| format!("{home}/{}", path.trim_start_matches('/'));
    let homes: Vec<String> = paths.iter().filter(|_| at_home).map(below).collect();
    // A single text is looked at as it stands.
    paths.retain(|path| path.contains('/'));
    paths.extend(homes);
    paths
}

/// The texts in code between quotes that stand on one line, each with where its quote opens.
fn quoted(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let at = from + code[from..].find(['\'', '"'])?;
        let quote = &code[at..=at];
        let length = code[at + 1..].find([quote.chars().next()?, '\n'])?;
        from = at + length + 2;
        Some((at, &code[at + 1..at + 1 + length]))
    })
}

/// How code names its arguments.
const ARGUMENTS: &[&str] =
    &["argv", "ARGV", "os.Args", "env::args", "fileinput", "commandArgs", "$@", "stdin"];

/// Most parts of paths that are looked at in one code.
const PARTS_MAX: usize = 64;

impl Walker<'_> {
    /// A call that deletes.
    pub(super) fn destroys(&mut self, code: &Code<'_>) {
        // A pattern or a printed text in awk, or in a filter, is no call.
        let bare = (code.language == "c").then(|| removes(code.text)).flatten();
        let bare =
            bare.or_else(|| (code.language == "any").then(|| removes_path(code.text)).flatten());
        let call = code.call(DESTROYS).or(bare).filter(|_| code.language != "awk");
        let Some(call) = call.filter(|call| !only_said(code.text, call, code.language)) else {
            return;
        };
        let named = code.texts.iter().any(|text| is_path(text));
        if named || !code.has(TEMPORARY) {
            self.deletes(call, code);
        }
        let wide = code.evidence != Evidence::Together && deletes_around(code.text);
        // A program that deletes what it is told, and is told what is only known when it runs.
        let told = code.evidence == Evidence::Required
            && code.has(ARGUMENTS)
            && code.texts.iter().any(|text| text.ends_with(UNKNOWN));
        if wide || told || code.has(HOMES) {
            self.found(&execution::CODE_DESTROYS, call);
        }
    }

    fn deletes(&mut self, call: &str, code: &Code<'_>) {
        let evidence = code.evidence;
        let by_name = match evidence {
            Evidence::Required => given_by_name(code.text),
            _ => Vec::new(),
        };
        let paths: Vec<Field> = code
            .texts
            .iter()
            .filter(|text| {
                let named = is_path(text) || is_pattern(text) || self.is_output(text);
                named || evidence == Evidence::Required && deletes_tree(code.text, text, &by_name)
            })
            .map(|text| {
                let text =
                    text.replacen('~', self.context.home, usize::from(text.starts_with('~')));
                Field { glob: text.contains('*'), text, ..Field::default() }
            })
            .collect();
        let harmless = |place: Zone| matches!(place, Zone::Scratch | Zone::Nowhere);
        let dangerous: Vec<&Field> = paths
            .iter()
            .filter(|path| {
                let place = self.zone(path);
                match evidence {
                    Evidence::Enough => !harmless(place),
                    Evidence::Required => {
                        !harmless(place)
                            && (place != Zone::InProject
                                || deletes_tree(code.text, &path.text, &by_name))
                    }
                    Evidence::Together => !harmless(place) && place != Zone::InProject,
                }
            })
            .collect();
        let what = dangerous.first().map_or(call, |path| &path.text).to_owned();
        let opaque = paths.is_empty()
            && evidence == Evidence::Enough
            && (!matches!(call, "delete(" | "unlink " | "system ")
                || (code.language == "perl" && call == "unlink ")
                || code.language == "vim");
        if !dangerous.is_empty() || opaque {
            self.found(&execution::CODE_DESTROYS, &what);
        }
    }

    /// The bare name of what a build makes.
    fn is_output(&self, text: &str) -> bool {
        let plain = |each: char| each.is_ascii_alphanumeric() || "._-".contains(each);
        !text.is_empty() && text.chars().all(plain) && self.zone(&Field::new(text)) == Zone::Scratch
    }

    /// Files whose paths code puts together out of parts.
    fn writes_parts(&mut self, code: &str) {
        for path in paths_of_parts(code, self.context.home) {
            let file = Field::new(&path);
            if self.is_record(&file) {
                self.found(&file_rules::WRITE_COURT, &path);
            } else if self.zone(&file) == Zone::Persistence {
                self.found(&file_rules::WRITE_WIRING, &path);
            }
        }
    }

    /// Databases that are files, and get rows or tables.
    fn fills(&mut self, code: &str, texts: &[String]) {
        if !DATABASES.iter().any(|call| code.contains(call)) {
            return;
        }
        let adds = |text: &String| {
            let first = text.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
            matches!(first.as_str(), "insert" | "create" | "replace" | "update" | "delete" | "drop")
        };
        if texts.iter().any(adds) {
            for text in texts.iter().filter(|text| is_path(text) && !text.contains(' ')) {
                self.write(&Field::new(&self.home_path(code, text)));
            }
        }
    }

    /// Files that code opens for writing.
    pub(super) fn overwrites(&mut self, code: &str, texts: &[String]) {
        self.fills(code, texts);
        if !OPENS.iter().any(|call| code.contains(call))
            || !WRITES.iter().any(|mode| code.contains(mode))
        {
            return;
        }
        // What is put into them, as far as it stands in the code.
        let content: Vec<&str> = texts
            .iter()
            .filter(|text| !is_path(text) && text.len() > 2)
            .map(String::as_str)
            .collect();
        let content = Flow::new(&content.join("\n"));
        let never_written =
            !code.contains("write") && !code.contains("print") && !code.contains("dump");
        let is_file = |text: &str| {
            text.len() < 80
                && text.trim_matches('.').contains('.')
                && text.chars().all(|each| each.is_ascii_alphanumeric() || "._-".contains(each))
        };
        self.writes_parts(code);
        // A tilde alone is where something begins, and no file.
        let at_home = |text: &str| {
            text.starts_with("${") && (text.contains("HOME") || text.contains("homedir("))
        };
        let named =
            |text: &&String| (is_path(text) || is_file(text) || at_home(text)) && *text != "~";
        for text in texts.iter().filter(named) {
            let starts = crate::path::starts_python(text);
            if starts && ["site.", "site-packages", "sysconfig"].iter().any(|at| code.contains(at))
            {
                self.found(&file_rules::WRITE_WIRING, text);
            }
            let file = Field::new(&self.home_path(code, text));
            let blank = ["'", "\""].iter().any(|quote| {
                let empty = format!("{text}{quote},");
                code.split_once(&empty)
                    .is_some_and(|(_, rest)| rest.trim_start().starts_with(&quote.repeat(2)))
            });
            if blank && self.keeps(&file) {
                self.found(&file_rules::EMPTY, &file.text);
            }
            let truncated = code.contains("'w')") || code.contains("\"w\")");
            if truncated && never_written && self.keeps(&file) {
                self.found(&file_rules::EMPTY, &file.text);
            }
            self.write(&file);
            self.remember(&file, &content, crate::shell::Mode::Replace);
        }
    }
}
