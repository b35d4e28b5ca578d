//! Shells other than bash. The gate reads a command as bash does; syntax that another shell interprets differently was not
//! judged. Not here: the meaning of a command.

/// The shell that runs commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Dialect {
    /// Bash, as the gate reads it.
    #[default]
    Bash,
    /// Zsh has additional syntax, builtins and variables that execute commands: `=ls`, `functions[ls]=...`, `*(e:...:)`.
    Zsh,
    /// A POSIX shell interprets some bash syntax differently: `((x))` executes `x`, `[[ a > b ]]` writes `b`.
    Sh,
}

/// Bash syntax that a POSIX shell interprets differently without an error.
const NOT_SH: &[&str] = &["[[", "&>", "|&", "<<<", "<(", ">(", "$'", "$\"", "function "];

/// First words of commands that zsh knows and bash does not, or that both interpret differently.
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
    /// The shell for the type that the model is given.
    pub(super) fn named(kind: &str) -> Self {
        match kind {
            "bash" => Self::Bash,
            "zsh" => Self::Zsh,
            _ => Self::Sh,
        }
    }

    /// Whether the shell may interpret a command differently from bash.
    pub(super) fn reads_otherwise(self, command: &str) -> bool {
        match self {
            Self::Bash => false,
            Self::Sh => {
                let is_arithmetic = |at: usize| command[..at].ends_with('$');
                NOT_SH.iter().any(|sign| command.contains(sign))
                    || command.match_indices("((").any(|(at, _)| !is_arithmetic(at))
            }
            // Apart from that, only plain command lines mean the same in both.
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
