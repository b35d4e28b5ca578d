//! Interpreters and editors: where the code is that they are given.

use super::code::Evidence;
use super::entry::Command;
use super::options::{first_operand, has_word, value};
use crate::path::name;
use crate::rules::{execution, network};
use crate::shell::{Field, Flow, Io, Step, UNKNOWN, Walker};

/// An interpreter: its language, the options that take code, and those that take another word.
struct Interpreter {
    names: &'static [&'static str],
    language: &'static str,
    code: &'static [&'static str],
    valued: &'static [&'static str],
}

const INTERPRETERS: &[Interpreter] = &[
    Interpreter {
        names: &[
            "python", "python2", "python3", "pypy", "pypy3", "ipython", "jython", "py", "pythonw",
        ],
        language: "python",
        code: &["-c"],
        valued: &["-W", "-X", "-Q"],
    },
    Interpreter {
        names: &["node", "nodejs", "iojs"],
        language: "js",
        code: &["-e", "--eval", "-p", "--print", "-pe"],
        valued: &["-r", "--require", "--import", "--loader", "-C"],
    },
    Interpreter {
        names: &["ts-node", "tsx", "esno"],
        language: "js",
        code: &["-e", "--eval", "-p", "--print"],
        valued: &["-r", "-P", "-O"],
    },
    Interpreter {
        names: &["perl", "perl5", "raku"],
        language: "perl",
        code: &["-e", "-E"],
        valued: &["-I"],
    },
    Interpreter {
        names: &["ruby", "jruby", "irb", "crystal", "pry"],
        language: "ruby",
        code: &["-e"],
        valued: &["-I", "-r", "-C"],
    },
    Interpreter {
        names: &["php", "php8", "php7"],
        language: "php",
        code: &["-r", "-B", "-R", "-E"],
        valued: &["-d", "-c"],
    },
    Interpreter {
        names: &["lua", "luajit", "lua5.4", "lua5.3"],
        language: "lua",
        code: &["-e"],
        valued: &["-l"],
    },
    Interpreter { names: &["Rscript", "R", "r"], language: "r", code: &["-e"], valued: &[] },
    Interpreter {
        names: &["julia"],
        language: "julia",
        code: &["-e", "-E", "--eval", "--print"],
        valued: &["-p", "-t", "-L"],
    },
    Interpreter { names: &["osascript"], language: "applescript", code: &["-e"], valued: &["-l"] },
    Interpreter {
        names: &["tclsh", "wish", "expect"],
        language: "tcl",
        code: &["-c"],
        valued: &[],
    },
    Interpreter {
        names: &[
            "scala", "kotlin", "jshell", "erl", "ghc", "runghc", "ocaml", "guile", "racket",
            "sbcl", "clojure", "clj", "bb", "swipl", "gst", "octave", "matlab", "java",
        ],
        language: "c",
        code: &["-e", "--eval", "-eval", "-c", "-noshell", "-g"],
        valued: &["-cp", "-classpath", "-jar"],
    },
    Interpreter {
        names: &["groovy", "elixir", "iex"],
        language: "script",
        code: &["-e", "--eval"],
        valued: &["-cp", "-r"],
    },
    Interpreter {
        names: &["awk", "gawk", "mawk", "nawk"],
        language: "awk",
        code: &["-e", "--source"],
        valued: &["-F", "-v", "-f", "--field-separator", "--assign", "-i", "-l"],
    },
    Interpreter {
        names: &["emacs", "emacsclient"],
        language: "lisp",
        code: &["--eval", "-eval", "-e"],
        valued: &["-l", "-f", "-L"],
    },
    Interpreter {
        names: &["gdb", "lldb"],
        language: "gdb",
        code: &["-ex", "--ex", "-iex", "-o", "--eval-command", "-eval-command", "--one-line", "-O"],
        valued: &["-x", "-p", "-c", "-s"],
    },
    Interpreter {
        names: &["vim", "vi", "nvim", "ex", "view", "rvim", "gvim", "vimdiff"],
        language: "vim",
        code: &["-c", "--cmd"],
        valued: &["-u", "-S", "-s", "-w", "-T", "-i"],
    },
    Interpreter { names: &["ed", "red"], language: "vim", code: &[], valued: &["-p"] },
    Interpreter { names: &["m4"], language: "c", code: &[], valued: &["-D", "-I"] },
];

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

fn interpreter(name: &str) -> Option<&'static Interpreter> {
    // `python3.12` is `python3`.
    let bare = name
        .split_once('.')
        .filter(|(head, tail)| {
            head.starts_with("python") && tail.bytes().all(|byte| byte.is_ascii_digit())
        })
        .map_or(name, |(head, _)| head);
    INTERPRETERS.iter().find(|interpreter| interpreter.names.contains(&bare))
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
        let local = super::network::is_local(&address) && !address.starts_with("0.0.0.0");
        walker.found(if local { &execution::COMMAND } else { &network::EXPOSE }, &address);
        return Ok(Flow::unknown());
    }
    if program == "java"
        && let Some(at) = words.iter().position(|word| word.text == "-jar")
    {
        walker.destructive_words(&program, words.get(at + 1..).unwrap_or_default());
    }
    let mut codes = codes(words, interpreter);
    if codes.iter().any(|code| code.text == "httpd") && words.iter().any(|word| word.text == "-run")
    {
        walker.found(&network::EXPOSE, "ruby -run");
    }
    // `crystal eval code`, and the shells of web frameworks.
    let at = words.iter().position(|word| {
        matches!(word.text.as_str(), "eval" | "runner" | "shell" | "tinker" | "shell_plus")
    });
    if let Some(at) = at.filter(|at| *at <= 2 && codes.is_empty()) {
        codes.extend(
            words[at + 1..].iter().filter(|word| word.text.contains(['(', '.', '`', ':'])).cloned(),
        );
    }
    if interpreter.language == "awk" {
        return awk(walker, words, interpreter, codes, io);
    }
    if codes.is_empty()
        && interpreter.language == "python"
        && let Some(module) = value(words, &["-m"]).map(str::to_owned)
    {
        return python_module(walker, words, &module, io);
    }
    if !codes.is_empty() {
        walker.found(&execution::CODE, &program);
        let silent: String = codes.iter().map(|code| code.text.as_str()).collect();
        let last = codes.last().map_or("", |code| code.text.as_str());
        let rest = words.iter().rposition(|word| word.text.ends_with(last)).map_or(0, |at| at + 1);
        for code in &codes {
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
        if interpreter.language == "perl" && in_place(words) {
            let blanks = super::sed::empties_lines(&silent)
                || matches!(
                    silent.replace(' ', "").trim_end_matches(';'),
                    "$_=\"\"" | "$_=''" | "undef$_"
                );
            let empties = blanks
                || !silent.contains("print")
                    && !silent.contains("say")
                    && words[1..].iter().take_while(|word| word.is_option()).any(|word| {
                        !word.text.contains('p') && word.text.len() < 6 && word.text.contains('n')
                    });
            for file in super::options::operands(words, &["-e", "-E", "-I"])
                .into_iter()
                .cloned()
                .collect::<Vec<_>>()
            {
                if empties && walker.keeps(&file) {
                    walker.found(&crate::rules::files::EMPTY, &file.text);
                }
                walker.write(&file);
            }
        }
        walker.via.push(program);
        let result = loaded(walker, words, io);
        walker.via.pop();
        result?;
        return Ok(Flow { text: UNKNOWN.to_string(), taint: io.stdin.taint });
    }
    loaded(walker, words, io)?;
    if matches!(interpreter.language, "vim" | "lisp") {
        walker.found(&execution::CODE, &program);
        // `ex -s` says nothing, `vim -s` reads a file of keys.
        let silent = matches!(program.as_str(), "ex" | "ed" | "red");
        let valued: Vec<&str> = interpreter
            .valued
            .iter()
            .copied()
            .filter(|option| !silent || *option != "-s")
            .collect();
        for file in super::options::operands(words, &valued) {
            let file = file.clone();
            walker.read_file(&file);
            if interpreter.language == "vim" && saves(words, &io.stdin.text) {
                walker.write(&file);
            }
        }
        if !io.stdin.text.is_empty() {
            let code = io.stdin.text.clone();
            walker.code(interpreter.language, &code, Evidence::Enough)?;
        }
        return Ok(Flow::unknown());
    }
    let at = first_operand(words, interpreter.valued);
    match words.get(at).cloned() {
        Some(file)
            if file.text != "-" && file.text != "/dev/stdin" && interpreter.language != "gdb" =>
        {
            let from_process = file.text.starts_with("/dev/fd/");
            let arguments = words[at + 1..].to_vec();
            if from_process && file.taint.network {
                walker.found(&execution::FETCHED_SCRIPT, &program);
                return Ok(Flow::unknown());
            }
            walker.execute(&file, &program, &arguments, io)
        }
        _ => {
            if io.stdin.text.is_empty() {
                walker.found(&execution::CODE, &program);
                return Ok(Flow::unknown());
            }
            let code = Field { text: io.stdin.text.clone(), glob: false, taint: io.stdin.taint };
            walker.found(&execution::CODE, &program);
            walker.code_from(interpreter.language, &code)?;
            Ok(Flow::unknown())
        }
    }
}

/// The codes that options give.
fn codes(words: &[Field], interpreter: &Interpreter) -> Vec<Field> {
    let mut codes = Vec::new();
    for (index, word) in words.iter().enumerate().skip(1) {
        for option in interpreter.code {
            let next = words.get(index + 1);
            if word.text == *option {
                codes.extend(next.cloned());
            } else if let Some(rest) = word.text.strip_prefix(option) {
                if option.starts_with("--") {
                    if let Some(code) = rest.strip_prefix('=') {
                        codes.push(Field { text: code.to_owned(), ..word.clone() });
                    }
                } else if !rest.is_empty()
                    && !word.text.starts_with("--")
                    && interpreter.language != "c"
                {
                    codes.push(Field { text: rest.to_owned(), ..word.clone() });
                }
            } else if option.len() == 2
                && word.text.len() > 2
                && word.text.len() < 8
                && word.text.starts_with('-')
                && !word.text.starts_with("--")
                && word.text.ends_with(&option[1..])
                && word.text[1..].bytes().all(|byte| byte.is_ascii_alphanumeric())
                && matches!(interpreter.language, "perl" | "ruby" | "python" | "js" | "vim")
            {
                // `-ne`, `-lpe`: the last of several.
                codes.extend(next.cloned());
            } else if option.len() == 2
                && matches!(interpreter.language, "perl" | "ruby" | "python")
                && word.text.starts_with('-')
                && !word.text.starts_with("--")
                && let Some((letters, code)) = word.text[1..].split_once(&option[1..])
                && letters.len() < 4
                && !letters.is_empty()
                && !code.is_empty()
                && code.contains(|each: char| !each.is_ascii_alphanumeric())
                && letters.bytes().all(|byte| b"IBEsSuvOqwnplac0".contains(&byte))
            {
                // `-Ic'code'`, `-we'code'`.
                codes.push(Field { text: code.to_owned(), ..word.clone() });
            }
        }
        if interpreter.language == "vim" && word.text.starts_with('+') && word.text.len() > 1 {
            codes.push(Field { text: word.text[1..].to_owned(), ..word.clone() });
        }
    }
    codes
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
    for option in ["-r", "--require", "--import", "--loader", "-S", "-x", "-l"] {
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
            let bound = value(rest, &["--bind", "-b"]).is_some_and(super::network::is_local);
            walker.found(if bound { &execution::COMMAND } else { &network::EXPOSE }, module);
            Ok(Flow::unknown())
        }
        "smtpd" | "pdb" | "code" => {
            walker.found(&execution::COMMAND, module);
            Ok(Flow::unknown())
        }
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
    for code in codes {
        let told: Vec<Field> = told.iter().filter(|word| word.text != code.text).cloned().collect();
        walker.gives(&told, io.stdin);
        walker.code_from("awk", &code)?;
    }
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
