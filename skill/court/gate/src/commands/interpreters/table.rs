//! The table of interpreters and editors. Not here: what their code does.

/// An interpreter: its language, the options that take code, and those that take another word.
pub(super) struct Interpreter {
    pub(super) names: &'static [&'static str],
    pub(super) language: &'static str,
    pub(super) code: &'static [&'static str],
    pub(super) valued: &'static [&'static str],
}

pub(super) const INTERPRETERS: &[Interpreter] = &[
    Interpreter {
        names: &[
            "python", "python2", "python3", "pypy", "pypy3", "ipython", "jython", "py", "pythonw",
            "hy",
        ],
        language: "python",
        code: &["-c"],
        valued: &["-W", "-X", "-Q"],
    },
    Interpreter {
        names: &["node", "nodejs", "iojs", "zx"],
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
            "sbcl", "clojure", "clj", "bb", "swipl", "gst", "octave", "matlab", "java", "gforth",
            "janet",
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

/// The interpreter of this name.
pub(super) fn interpreter(name: &str) -> Option<&'static Interpreter> {
    // `python3.12` is `python3`.
    let bare = name
        .split_once('.')
        .filter(|(head, tail)| {
            head.starts_with("python") && tail.bytes().all(|byte| byte.is_ascii_digit())
        })
        .map_or(name, |(head, _)| head);
    INTERPRETERS.iter().find(|interpreter| interpreter.names.contains(&bare))
}
