//! Interpreters and editors: where the code is that they are given. Not here: their names and options (see `table`).

mod table;

use self::table::{INTERPRETERS, Interpreter, interpreter};
use super::code::Evidence;
use super::entry::Command;
use super::options::{first_operand, has_word, value};
use crate::path::name;
use crate::rules::{execution, network};
use crate::shell::{Field, Flow, Io, Step, UNKNOWN, Walker};

/// What the library `un` of Ruby does like the programs of these names.
const TASKS: &[&str] = &["rm", "rmdir", "mv", "cp", "ln", "install", "chmod", "touch", "mkdir"];

pub(super) const COMMANDS: &[Command] = &commands();

const fn commands() -> [Command; INTERPRETERS.len()] {
    let plain = Command::code(&[], interpret, [&["--version"], &[], &[], &[]]);
    let mut commands = [plain; INTERPRETERS.len()];
    let mut at = 0;
    while at < commands.len() {
        commands[at].names = INTERPRETERS[at].names;
        at += 1;
    }
    commands
}

fn interpret(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    let program = name(&words[0].text).to_owned();
    let Some(interpreter) = interpreter(&program) else { return Ok(Flow::unknown()) };
    let versions = ["--version", "-V", "-v", "--help", "-h"];
    if words.len() == 2 && versions.contains(&words[1].text.as_str()) {
        return Ok(Flow::unknown());
    }
    if interpreter.language == "php"
        && let Some(address) = value(words, &["-S"]).map(str::to_owned)
    {
        let local = super::hosts::is_local(&address) && !address.starts_with("0.0.0.0");
        walker.found(if local { &execution::COMMAND } else { &network::EXPOSE }, &address);
        return Ok(Flow::unknown());
    }
    if program == "java"
        && let Some(at) = words.iter().position(|word| word.text == "-jar")
    {
        walker.destructive_words(&program, words.get(at + 1..).unwrap_or_default());
    }
    let mut codes = codes(words, interpreter);
    if words.iter().any(|word| word.text == "-run") {
        if codes.iter().any(|code| code.text == "httpd") {
            walker.found(&network::EXPOSE, "ruby -run");
        }
        // `ruby -run -e rm -- -r src` is `rm -r src`.
        let told = words.iter().position(|word| word.text == "--").map(|at| &words[at + 1..]);
        let verb = codes.iter().find(|code| TASKS.contains(&code.text.as_str()));
        if let Some(verb) = verb.cloned() {
            let command = [vec![verb], told.unwrap_or_default().to_vec()].concat();
            return walker.run(&command, io);
        }
    }
    if codes.is_empty() {
        codes = codes_of_verb(words);
    }
    match interpreter.language {
        "awk" => return awk(walker, words, interpreter, codes, io),
        "python" if codes.is_empty() => {
            if let Some(module) = value(words, &["-m"]).map(str::to_owned) {
                return python_module(walker, words, &module, io);
            }
        }
        _ => {}
    }
    if !codes.is_empty() {
        return evaluated(walker, words, interpreter, &codes, io);
    }
    loaded(walker, words, io)?;
    match interpreter.language {
        "vim" | "lisp" => edited(walker, words, interpreter, io),
        _ => script(walker, words, interpreter, io),
    }
}

/// Code that is given as an argument.
fn evaluated(
    walker: &mut Walker<'_>,
    words: &[Field],
    interpreter: &Interpreter,
    codes: &[Field],
    io: &Io<'_>,
) -> Step<Flow> {
    let program = name(&words[0].text).to_owned();
    walker.found(&execution::CODE, &program);
    let last = codes.last().map_or("", |code| code.text.as_str());
    let rest = words.iter().rposition(|word| word.text.ends_with(last)).map_or(0, |at| at + 1);
    for code in codes {
        walker.gives(&words[rest..], io.stdin);
        walker.code_from(interpreter.language, code)?;
    }
    // Beside the code that these are told to evaluate they load files.
    let loads = words[rest..].iter().chain(&words[1..rest]).find(|word| {
        matches!(interpreter.language, "c" | "lisp")
            && super::languages::of_source(&word.text).is_some()
    });
    if let Some(file) = loads.cloned()
        && walker.is_written(&crate::path::absolute(&file.text, &walker.state.cwd))
    {
        walker.execute(&file, &program, &[], io)?;
    }
    if interpreter.language == "gdb" {
        walker.attached(words, codes);
    }
    changes_files(walker, words, interpreter, codes);
    walker.via.push(program);
    let result = loaded(walker, words, io);
    walker.via.pop();
    result?;
    Ok(Flow { text: UNKNOWN.to_string(), taint: io.stdin.taint })
}

/// The files that code is told to change in place, or an editor to write.
fn changes_files(
    walker: &mut Walker<'_>,
    words: &[Field],
    interpreter: &Interpreter,
    codes: &[Field],
) {
    let whole: Vec<&str> = codes.iter().map(|code| code.text.as_str()).collect();
    let whole = whole.join("\n");
    let mut valued = [interpreter.code, interpreter.valued].concat();
    // `ex -s` and `vim -es` say nothing, `vim -s` reads a file of keys.
    let silent = |word: &Field| matches!(word.text.as_str(), "-e" | "-E" | "-es" | "-Es");
    if matches!(name(&words[0].text), "ex" | "ed" | "red") || words.iter().any(silent) {
        valued.retain(|option| *option != "-s");
    }
    let writes = match interpreter.language {
        "perl" | "ruby" => in_place(words),
        "vim" => saves(words, ""),
        "lisp" => {
            ["save-buffer", "write-file", "write-region"].iter().any(|call| whole.contains(call))
        }
        _ => false,
    };
    if !writes {
        return;
    }
    let empties = matches!(interpreter.language, "perl" | "ruby") && empties_files(words, &whole);
    let files = super::options::operands(words, &valued);
    for file in files.into_iter().filter(|file| !file.text.starts_with('+')) {
        if empties {
            walker.empties(file);
        }
        walker.write(file);
        if interpreter.language == "perl" {
            super::sed::puts_in(walker, file, &whole);
        }
    }
}

/// Whether code of Perl or Ruby that changes files in place leaves nothing in them.
fn empties_files(words: &[Field], code: &str) -> bool {
    let blanks = super::sed::empties_lines(code)
        || matches!(code.replace(' ', "").trim_end_matches(';'), "$_=\"\"" | "$_=''" | "undef$_");
    let prints = ["print", "say", "puts", "$<"].iter().any(|call| code.contains(call));
    blanks
        || !prints
            && words[1..].iter().take_while(|word| word.is_option()).any(|word| {
                !word.text.contains('p') && word.text.len() < 6 && word.text.contains('n')
            })
}

/// An editor: the files that it opens, and the orders that it reads.
fn edited(
    walker: &mut Walker<'_>,
    words: &[Field],
    interpreter: &Interpreter,
    io: &Io<'_>,
) -> Step<Flow> {
    let program = name(&words[0].text);
    walker.found(&execution::CODE, program);
    // `ex -s` says nothing, `vim -s` reads a file of keys.
    let silent = matches!(program, "ex" | "ed" | "red");
    let valued = interpreter.valued.iter().copied().filter(|option| !silent || *option != "-s");
    let valued: Vec<&str> = valued.collect();
    for file in super::options::operands(words, &valued) {
        walker.read_file(file);
        if interpreter.language == "vim" && saves(words, &io.stdin.text) {
            walker.write(file);
        }
    }
    if !io.stdin.text.is_empty() {
        let code = io.stdin.text.clone();
        walker.code(interpreter.language, &code, Evidence::Enough)?;
    }
    Ok(Flow::unknown())
}

/// A file of code, or the code that is piped in.
fn script(
    walker: &mut Walker<'_>,
    words: &[Field],
    interpreter: &Interpreter,
    io: &Io<'_>,
) -> Step<Flow> {
    let program = name(&words[0].text);
    let at = first_operand(words, interpreter.valued);
    let is_file = |file: &&Field| {
        !matches!(file.text.as_str(), "-" | "/dev/stdin") && interpreter.language != "gdb"
    };
    if let Some(file) = words.get(at).filter(is_file) {
        if file.text.starts_with("/dev/fd/") && file.taint.network {
            walker.found(&execution::FETCHED_SCRIPT, program);
            return Ok(Flow::unknown());
        }
        // Some load their script from wherever its address leads (deno, julia, jshell, groovy).
        if file.text.contains("://") {
            walker.found(&execution::FETCHED_SCRIPT, program);
        }
        return walker.execute(file, program, &words[at + 1..], io);
    }
    walker.found(&execution::CODE, program);
    if !io.stdin.text.is_empty() {
        let code = Field { text: io.stdin.text.clone(), glob: false, taint: io.stdin.taint };
        walker.code_from(interpreter.language, &code)?;
    }
    Ok(Flow::unknown())
}

/// The codes that options give.
fn codes(words: &[Field], interpreter: &Interpreter) -> Vec<Field> {
    let mut codes = Vec::new();
    for (index, word) in words.iter().enumerate().skip(1) {
        let next = words.get(index + 1);
        let given = |option: &&str| code_of_option(option, word, next, interpreter.language);
        codes.extend(interpreter.code.iter().filter_map(given));
        if interpreter.language == "vim" && word.text.starts_with('+') && word.text.len() > 1 {
            codes.push(Field { text: word.text[1..].to_owned(), ..word.clone() });
        }
    }
    codes
}

/// The code that a word gives as this option, or the next word does.
fn code_of_option(
    option: &str,
    word: &Field,
    next: Option<&Field>,
    language: &str,
) -> Option<Field> {
    let text = word.text.as_str();
    let given = |code: &str| Some(Field { text: code.to_owned(), ..word.clone() });
    if text == option {
        return next.cloned();
    }
    if let Some(rest) = text.strip_prefix(option) {
        if option.starts_with("--") {
            return rest.strip_prefix('=').and_then(given);
        }
        return given(rest).filter(|_| !text.starts_with("--") && language != "c");
    }
    let letters = text.strip_prefix('-').filter(|letters| !letters.starts_with('-'))?;
    let letter = option.strip_prefix('-').filter(|letter| letter.len() == 1)?;
    // `-ne`, `-lpe`: the last of several.
    if letters.ends_with(letter)
        && (2..7).contains(&letters.len())
        && letters.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && matches!(language, "perl" | "ruby" | "python" | "js" | "vim")
    {
        return next.cloned();
    }
    // `-Ic'code'`, `-we'code'`.
    let (before, code) = letters.split_once(letter)?;
    let attached = matches!(language, "perl" | "ruby" | "python")
        && (1..4).contains(&before.len())
        && before.bytes().all(|byte| b"IBEsSuvOqwnplac0".contains(&byte))
        && code.contains(|each: char| !each.is_ascii_alphanumeric());
    given(code).filter(|_| attached)
}

/// The codes of `crystal eval code`, and of the shells of web frameworks.
fn codes_of_verb(words: &[Field]) -> Vec<Field> {
    let verbs = ["eval", "runner", "shell", "tinker", "shell_plus"];
    let at = words.iter().position(|word| verbs.contains(&word.text.as_str()));
    let Some(at) = at.filter(|at| *at <= 2) else { return Vec::new() };
    let is_code = |word: &&Field| word.text.contains(['(', '.', '`', ':']);
    words[at + 1..].iter().filter(is_code).cloned().collect()
}

/// Whether an editor is told to write its file: by a command, a script or its input.
fn saves(words: &[Field], input: &str) -> bool {
    const ORDERS: &[&str] =
        &["w", "w!", "wq", "wq!", "x", "x!", "xit", "xa", "wa", "wqa", "up", "update", "ZZ"];
    let order = |text: &str| ORDERS.contains(&text.trim_start_matches([':', '+', ' ']).trim_end());
    let told = words.iter().flat_map(|word| word.text.split(['|', '\n']));
    told.chain(input.lines()).any(order)
}

fn in_place(words: &[Field]) -> bool {
    words[1..].iter().take_while(|word| word.is_option()).any(|word| {
        !word.text.starts_with("--")
            && word.text[1..].split('e').next().is_some_and(|options| {
                options.contains('i')
                    && !word.text.starts_with("-I")
                    && !word.text.starts_with("-M")
            })
    })
}

/// Files that options load.
fn loaded(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step {
    for option in ["-r", "--require", "--import", "--loader", "-S", "-x", "-l", "--load"] {
        if let Some(file) = value(words, &[option]).map(Field::new) {
            let path = crate::path::absolute(&file.text, &walker.state.cwd);
            let named = file.text.contains('/');
            if walker.is_written(&path) || named && walker.is_stray(&path) {
                let program = name(&words[0].text).to_owned();
                walker.execute(&file, &program, &[], io)?;
            }
        }
    }
    Ok(())
}

/// Modules of Python that do more than read.
fn python_module(
    walker: &mut Walker<'_>,
    words: &[Field],
    module: &str,
    io: &Io<'_>,
) -> Step<Flow> {
    let at = words.iter().position(|word| word.text.starts_with("-m")).unwrap_or(0)
        + usize::from(words.iter().any(|word| word.text == "-m"));
    let rest = &words[at.min(words.len() - 1)..];
    let mut command = rest.to_vec();
    command[0].text = module.to_owned();
    walker.implied(module, &command)?;
    let package = module.split('.').next().unwrap_or_default();
    if walker.is_installed(package) || walker.is_installed(&package.replace('_', "-")) {
        walker.found(&crate::rules::infrastructure::FOREIGN_PACKAGE, module);
    }
    match module {
        "pip" | "pytest" | "tox" | "uv" | "twine" | "nox" => walker.run(&command, io),
        "timeit" | "cProfile" | "profile" | "trace" => {
            walker.found(&execution::CODE, module);
            for word in rest.iter().skip(1).filter(|word| word.text.contains('(')) {
                let code = word.clone();
                walker.code_from("python", &code)?;
            }
            Ok(Flow::unknown())
        }
        "json.tool" | "venv" | "unittest" | "compileall" | "py_compile" | "this" | "site"
        | "sysconfig" | "platform" | "doctest" | "ast" | "dis" | "tokenize" | "calendar"
        | "build" | "mypy" | "ruff" | "black" | "flake8" | "coverage" => {
            walker.found(&execution::COMMAND, module);
            Ok(Flow::unknown())
        }
        "zipfile" | "tarfile" if has_word(rest, &["-e", "--extract"]) => {
            let folder = rest.last().filter(|_| rest.len() > 3);
            let folder = folder.cloned().unwrap_or_else(|| Field::new("."));
            walker.unpacks(&folder);
            Ok(Flow::unknown())
        }
        "http.server" | "SimpleHTTPServer" | "CGIHTTPServer" | "pyftpdlib" | "twisted" => {
            let near = |host: &str| super::hosts::is_local(host) && !host.starts_with("0.0.0.0");
            let bound = value(rest, &["--bind", "-b"]).is_some_and(near);
            walker.found(if bound { &execution::COMMAND } else { &network::EXPOSE }, module);
            Ok(Flow::unknown())
        }
        "smtpd" | "pdb" | "code" => {
            walker.found(&execution::COMMAND, module);
            Ok(Flow::unknown())
        }
        "pyrasite" => walker.run(&command, io),
        _ => {
            walker.found(&execution::COMMAND, module);
            let file = Field::new(&format!("{}.py", module.replace('.', "/")));
            let path = crate::path::absolute(&file.text, &walker.state.cwd);
            if walker.is_written(&path) {
                return walker.execute(&file, "python", &[], io);
            }
            Ok(Flow::unknown())
        }
    }
}

fn awk(
    walker: &mut Walker<'_>,
    words: &[Field],
    interpreter: &Interpreter,
    mut codes: Vec<Field>,
    io: &Io<'_>,
) -> Step<Flow> {
    let at = first_operand(words, interpreter.valued);
    if let Some(file) = value(words, &["-f", "--file"]).map(Field::new) {
        let program = name(&words[0].text).to_owned();
        let path = crate::path::absolute(&file.text, &walker.state.cwd);
        if walker.is_written(&path) {
            walker.execute(&file, &program, &[], io)?;
        }
    } else if codes.is_empty() {
        codes.extend(words.get(at).cloned());
    }
    let told: Vec<Field> = words[1..]
        .iter()
        .map(|word| match word.text.split_once('=') {
            Some((_, value)) => Field { text: value.to_owned(), ..word.clone() },
            None => word.clone(),
        })
        .collect();
    let in_place = value(words, &["-i", "--include"]).is_some_and(|it| it.starts_with("inplace"));
    // What the code does not print is lost.
    let prints =
        |code: &Field| code.text.contains("print") || code.text.trim_end().ends_with(['1', '/']);
    for file in super::options::operands(words, interpreter.valued).into_iter().skip(1) {
        if in_place && !codes.is_empty() && !codes.iter().any(prints) {
            walker.empties(file);
        }
        if in_place {
            walker.write(file);
        }
    }
    // Its rules run for every line.
    walker.looping += 1;
    for code in codes {
        let told: Vec<Field> = told.iter().filter(|word| word.text != code.text).cloned().collect();
        walker.gives(&told, io.stdin);
        walker.code_from("awk", &code)?;
    }
    walker.looping -= 1;
    Ok(Flow { text: UNKNOWN.to_string(), taint: io.stdin.taint })
}

impl Walker<'_> {
    /// Code that is given on the command line or read from a pipe.
    fn code_from(&mut self, language: &'static str, code: &Field) -> Step {
        if code.taint.network {
            let rule =
                if self.as_root { &execution::FETCHED_AS_ROOT } else { &execution::FETCHED_SCRIPT };
            self.found(rule, language);
        }
        if code.text.trim().chars().all(|each| each == UNKNOWN) && !code.text.trim().is_empty() {
            self.found(&execution::UNREADABLE_CODE, language);
            return Ok(());
        }
        self.code(language, &code.text, Evidence::Enough)
    }
}
