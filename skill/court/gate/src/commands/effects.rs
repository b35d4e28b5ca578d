//! What else code in other languages does: it writes to places, and starts bare shells. And what is no call at all:
//! comments, and words within texts.

use super::calls::{EVALUATES, EXECUTES};
use super::literals::is_path;
use super::words::texts;
use crate::path::Zone;
use crate::rules::{execution, files};
use crate::shell::{Field, Flow, Step, Walker};

/// Calls that change the file that they are given.
const CHANGES: &[&str] = texts!(
    "rename(@rename @link @symlink @appendFile@renameSync@.replace(\"/@chmod(@chmodSync@\
     lchmod(@chown(@chownSync@symlink(@symlinkSync@link(@linkSync@copyfile(@copyFileSync@\
     copyFile(@copy(@copy2(@copytree(@move(@.touch()@sysopen(@openSync(@writeLines(@\
     writeFileSync@IO.copy_stream@cp(@cpSync(@cp_r(@mv(@utime(@os.open(@file.copy(@\
     file.rename(@Sys.chmod(@ftruncate@File.open("
);

/// Of these only the last path is changed.
const COPIES: &[&str] = &[
    "copyfile(",
    "copyFileSync",
    "copyFile(",
    "copy(",
    "copy2(",
    "copytree(",
    "IO.copy_stream",
    "cp(",
    "cpSync(",
    "cp_r(",
    "file.copy(",
];

impl Walker<'_> {
    /// Notes what code changes outside the project.
    pub(super) fn code_effects(&mut self, code: &str, texts: &[String]) {
        if let Some(call) = CHANGES.iter().find(|call| calls(code, call)) {
            let paths: Vec<&String> = texts
                .iter()
                .filter(|text| is_path(text) || text.starts_with("$ENV{HOME}"))
                .collect();
            let from = if COPIES.contains(call) { paths.len().saturating_sub(1) } else { 0 };
            for text in paths.into_iter().skip(from) {
                let file = Field::new(&self.home_path(code, text));
                if self.holds_records(&file) && *call != "File.open(" {
                    self.found(&files::WRITE_COURT, &file.text);
                }
                let told = matches!(
                    self.zone(&file),
                    Zone::System
                        | Zone::InHome
                        | Zone::Persistence
                        | Zone::Disk
                        | Zone::Home
                        | Zone::Root
                ) || self.holds_wiring(&file);
                // Opened for reading: nothing is written.
                let reads = matches!(*call, "openSync(" | "File.open(" | "os.open(" | "sysopen(")
                    && !["'w", "\"w", "'a", "\"a", "O_W", "O_RDWR", "O_CREAT", "O_TRUNC", "r+"]
                        .iter()
                        .any(|mode| code.contains(mode));
                if told && !reads {
                    self.found(&files::WRITE_OUTSIDE, &file.text);
                }
            }
        }
        // A shell that reads text which is not known here.
        let bare = |text: &String| {
            let mut words = text.split_whitespace();
            words.next().is_some_and(super::unknown::is_shell_path)
                && words.all(|word| matches!(word, "-i" | "-p" | "-s" | "<&0" | "1>&0" | "2>&0"))
        };
        if texts.len() <= 2
            && texts.iter().any(bare)
            && EXECUTES.iter().any(|call| code.contains(call))
        {
            self.found(&execution::CODE_EXECUTES, "a bare shell");
        }
    }
}

impl Walker<'_> {
    /// A path in code, with the home folder in its place.
    pub(super) fn home_path(&self, code: &str, text: &str) -> String {
        const HOMES: &[&str] = &[
            "$ENV{HOME}",
            "${HOME}",
            "$HOME",
            "#{Dir.home}",
            "#{ENV['HOME']}",
            "#{ENV[\"HOME\"]}",
        ];
        let home = self.context.home;
        let text = text.trim_start_matches('>').trim();
        for name in HOMES {
            if let Some(rest) = text.strip_prefix(name) {
                return format!("{home}{rest}");
            }
        }
        // `${os.homedir()}/x`, `${Deno.env.get("HOME")}/x`.
        let filled = text.strip_prefix("${").and_then(|text| text.split_once('}'));
        if let Some((name, rest)) = filled
            && (name.contains("HOME") || name.contains("homedir"))
        {
            return format!("{home}{rest}");
        }
        let added =
            super::calls::HOMES.iter().any(|name| code.contains(name)) || code.contains("HOME");
        match text.strip_prefix('~') {
            Some(rest) => format!("{home}{rest}"),
            None if added && text.starts_with("/.") => format!("{home}{text}"),
            None => text.to_owned(),
        }
    }
}

impl Walker<'_> {
    /// Editors and debuggers start a shell with `!`.
    pub(super) fn escapes(&mut self, language: &str, code: &str) -> Step {
        for line in code.lines() {
            let line = line
                .trim_start_matches([':', ' ', '+'])
                .trim_start_matches("silent")
                .trim_start_matches(['!', ' ']);
            let whole = code.lines().find(|whole| whole.contains(line)).unwrap_or_default();
            let text = if language == "vim" {
                whole.split_once('!').map(|(_, text)| text).filter(|_| {
                    whole
                        .trim_start_matches([':', ' ', '%', 'r', 'w', '.', ',', '$'])
                        .starts_with('!')
                        || whole.contains("silent !")
                        || whole.contains("silent! !")
                        || whole.contains(":!")
                        || whole.trim_start().starts_with("au") && whole.contains(" !")
                })
            } else {
                whole
                    .trim_start()
                    .strip_prefix("shell ")
                    .or_else(|| whole.trim_start().strip_prefix("!"))
                    .or_else(|| line.strip_prefix("platform shell "))
                    .or_else(|| line.strip_prefix("make "))
            };
            if let Some(text) = text {
                let text = text.trim_end_matches('|').to_owned();
                self.found(&execution::CODE_EXECUTES, language);
                self.payload(&text, language, &Flow::unknown())?;
            }
            for call in [
                "system(",
                "python ",
                "py3 ",
                "py ",
                "lua ",
                "perl ",
                "pyfile ",
                "term ",
                "terminal ",
                "writefile(",
                "libcall(",
                "os.execute",
                "io.popen",
                "vim.system",
                "jobstart(",
            ] {
                if language == "vim" && line.contains(call)
                    || (language == "gdb" && call == "python " && line.starts_with(call))
                {
                    self.found(&execution::CODE_EXECUTES, call);
                }
            }
            let written = ["w! ", "w ", "wq ", "write ", "write! ", "saveas "]
                .iter()
                .find_map(|order| line.trim_start_matches('%').strip_prefix(order))
                .filter(|file| language == "vim" && !file.starts_with('!'));
            if let Some(file) = written {
                self.write(&Field::new(file.trim_start_matches(">>").trim()));
            }
            if language == "vim" && empties_buffer(line) {
                self.found(&execution::CODE_DESTROYS, line);
            }
            if language == "vim" && (line.starts_with("source ") || line.starts_with("so ")) {
                self.found(&execution::UNREADABLE_CODE, line);
            }
        }
        Ok(())
    }
}

/// Whether an order of vi deletes every line, of one file or of each that is open.
fn empties_buffer(line: &str) -> bool {
    const EACH: &[&str] = &["argdo", "bufdo", "windo", "tabdo", "cdo", "cfdo", "ldo"];
    const ALL: &[&str] =
        &["%d", "1,$d", "g/./d", "%g/./d", "g/^/d", "%g/^/d", "v/^$/d", "normal ggdG", "norm ggdG"];
    let each = EACH.iter().find_map(|order| line.strip_prefix(order));
    let order = each.unwrap_or(line).trim_start_matches(['!', ' ', ':']);
    let order = order.strip_prefix("silent").unwrap_or(order).trim_start_matches(['!', ' ']);
    order.starts_with("%d")
        || ALL.iter().any(|all| {
            order
                .strip_prefix(all)
                .is_some_and(|rest| !rest.starts_with(|each: char| each.is_alphanumeric()))
        })
}

/// Whether a call stands in code by its whole name: `move(` is not in `remove(`.
fn calls(code: &str, call: &str) -> bool {
    code.match_indices(call).any(|(at, _)| {
        call.starts_with('.')
            || !code[..at].ends_with(|each: char| each.is_ascii_alphanumeric() || each == '_')
    })
}

/// Whether a dangerous call is only talked about: it stands within texts, and nothing evaluates those.
pub(super) fn only_said(code: &str, call: &str, language: &str) -> bool {
    if !matches!(language, "python" | "js" | "ruby" | "lua") || call.starts_with(['\'', '"']) {
        return false;
    }
    let bare = outside_texts(code);
    let evaluates = |table: &[&str]| table.iter().any(|call| bare.contains(call));
    !bare.contains(call)
        && !bare.contains('[')
        && !evaluates(EVALUATES)
        && !evaluates(EXECUTES)
        && !["getattr", ".send", "import", "require", "open(", "write", "%q", "$("]
            .iter()
            .any(|word| bare.contains(word))
}

/// Code with its texts emptied.
fn outside_texts(code: &str) -> String {
    let mut bare = String::with_capacity(code.len());
    let mut open = None;
    let mut characters = code.chars();
    while let Some(character) = characters.next() {
        match open {
            Some(quote) if character == quote => {
                bare.push(character);
                open = None;
            }
            Some(_) if character == '\\' => drop(characters.next()),
            Some(_) => {}
            None => {
                bare.push(character);
                if matches!(character, '"' | '\'' | '`') {
                    open = Some(character);
                }
            }
        }
    }
    bare
}

/// Code without the lines that are only a comment.
pub(super) fn without_comments(code: &str, language: &str) -> String {
    let mark = match language {
        "python" | "ruby" | "perl" | "r" | "julia" => "#",
        "js" | "c" | "go" | "rust" => "//",
        "lua" => "--",
        "lisp" => ";",
        _ => return code.to_owned(),
    };
    let kept = |line: &&str| {
        let line = line.trim_start();
        !line.starts_with(mark) || line.starts_with("#!") || line.starts_with("--[")
    };
    code.split_inclusive('\n').filter(kept).collect()
}
