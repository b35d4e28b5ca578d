//! Shells that are not bash. The gate reads a command as bash does; what another shell reads otherwise was not judged.
//! Absent: what a command means.

/// The shell that runs commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Dialect {
    /// The one that the gate reads.
    #[default]
    Bash,
    /// It has syntax, builtins and variables of its own that execute: `=ls`, `functions[ls]=...`, `*(e:...:)`.
    Zsh,
    /// It takes some of bash's syntax for something else: `((x))` executes `x`, `[[ a > b ]]` writes `b`.
    Sh,
}

/// Signs of bash that a plain shell reads otherwise without an error.
const NOT_SH: &[&str] = &["[[", "&>", "|&", "<<<", "<(", ">(", "$'", "$\"", "function "];

/// What zsh takes as the first word of a command and bash does not know, or reads in its own way.
const OF_ZSH: &[&str] = &[
    "-",
    ".",
    "add-zsh-hook",
    "alias",
    "always",
    "autoload",
    "bindkey",
    "compdef",
    "coproc",
    "declare",
    "disable",
    "emulate",
    "enable",
    "eval",
    "export",
    "fc",
    "float",
    "foreach",
    "functions",
    "hash",
    "history",
    "integer",
    "local",
    "nocorrect",
    "noglob",
    "print",
    "private",
    "r",
    "readonly",
    "rehash",
    "repeat",
    "sched",
    "select",
    "set",
    "setopt",
    "source",
    "syserror",
    "sysopen",
    "sysread",
    "syswrite",
    "trap",
    "typeset",
    "unalias",
    "unfunction",
    "unhash",
    "unsetopt",
    "vared",
    "where",
    "zargs",
    "zcompile",
    "zformat",
    "zle",
    "zmodload",
    "zmv",
    "zparseopts",
    "zpty",
    "zregexparse",
    "zselect",
    "zsh",
    "zsocket",
    "zstat",
    "zstyle",
    "zsystem",
    "ztcp",
];

impl Dialect {
    /// By the type that the model is told.
    pub(super) fn named(kind: &str) -> Self {
        match kind {
            "bash" => Self::Bash,
            "zsh" => Self::Zsh,
            _ => Self::Sh,
        }
    }

    /// Whether the shell may read a command otherwise than bash does.
    pub(super) fn reads_otherwise(self, command: &str) -> bool {
        match self {
            Self::Bash => false,
            Self::Sh => {
                let is_arithmetic = |at: usize| command[..at].ends_with('$');
                NOT_SH.iter().any(|sign| command.contains(sign))
                    || command.match_indices("((").any(|(at, _)| !is_arithmetic(at))
            }
            // Of all else only plain lines mean the same in both.
            Self::Zsh => gate::plain_line(command).is_none_or(|commands| {
                commands.iter().any(|words| {
                    let first = words.first().map(String::as_str).unwrap_or_default();
                    OF_ZSH.contains(&first)
                        || first.starts_with(['-', '%'])
                        || first.starts_with("zf_")
                        || words.iter().any(|word| word.starts_with('='))
                })
            }),
        }
    }
}
