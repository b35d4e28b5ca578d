//! The arguments and their help texts.

use std::path::PathBuf;

use clap::builder::Styles;
use clap::builder::styling::AnsiColor;
use clap::{Arg, ArgAction, ArgMatches, Args, FromArgMatches, Parser, Subcommand, value_parser};
use clap_complete::Shell;

use crate::config::{Flags, Key};

/// A local HTTP bridge to Codex: ask a second model for advice, get JSON back.
#[derive(Debug, Parser)]
#[command(
    name = "codex-bridge",
    version = release::VERSION,
    styles = STYLES,
    arg_required_else_help = true,
    disable_help_subcommand = true,
    max_term_width = 100,
    after_help = "\
Examples:
  codex-bridge serve                       start the daemon on 127.0.0.1:4517
  codex-bridge stop                        stop it
  codex-bridge doctor                      check the setup and suggest fixes
  codex-bridge config                      show every setting and where it comes from

Exit codes: 0 done, 1 failed, 2 wrong command line, 75 another instance uses the state folder,
78 unusable configuration, 98 address in use."
)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Command,
}

/// Bold headings, and colours from the terminal's palette only.
const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Run the daemon in the foreground
    ///
    /// It logs to standard error, writes its address to `<state_dir>/address`, and ends on SIGTERM
    /// or SIGINT: runs in flight may finish for `limits.drain_ms`, a second signal ends them at
    /// once. Under systemd (Type=notify) and pm2 (wait_ready) it says when it is ready.
    #[command(after_help = "\
Examples:
  codex-bridge serve
  codex-bridge serve --listen 127.0.0.1:0 --log-format json
  codex-bridge serve --set limits.max_running=4 --set session.ttl='2 days'")]
    Serve(ServeArgs),

    /// Stop the daemon of your state folder, and wait until it has ended
    ///
    /// It is found by what it left in its state folder, and proven to be that process. Runs in flight
    /// may finish for `limits.drain_ms`; a second `stop` ends them at once. A daemon of systemd or pm2
    /// is left to them, with the command that stops it. Exit code 0 where it has stopped or did not
    /// run, 1 where it still runs.
    #[command(after_help = "\
Examples:
  codex-bridge stop
  codex-bridge stop --timeout 60 --json")]
    Stop(StopArgs),

    /// Open the daemon's pages in your browser
    ///
    /// They show what runs, what was asked and answered, and what it cost. The daemon makes a link that
    /// is good once, for a minute, under a host name of its own; a button on the page that it leads to
    /// signs the browser in. Where there is no browser, the link is printed.
    #[command(after_help = "\
Examples:
  codex-bridge open
  codex-bridge open --print
  codex-bridge open --revoke               sign every browser out")]
    Open(OpenArgs),

    /// Play both rounds of a consultation with the real Codex and show what happens
    ///
    /// It needs no account: Codex talks to a scripted model on loopback, which says so in every
    /// answer. A daemon of its own runs while it lasts, in a state folder of its own that is
    /// removed at the end.
    #[command(after_help = "\
Examples:
  codex-bridge demo
  codex-bridge demo --window               and look at it in your browser
  codex-bridge demo --live                 with your own Codex sign-in")]
    Demo(DemoArgs),

    /// Check the setup and suggest fixes
    ///
    /// It looks at the configuration, the state folder, the token, Codex and its sign-in, what this
    /// machine allows, and the running daemon. Exit code 1 where something must be mended.
    #[command(after_help = "\
Examples:
  codex-bridge doctor
  codex-bridge doctor --json | jq '.findings[] | select(.level != \"ok\")'")]
    Doctor(DoctorArgs),

    /// Show every setting with its value and where it comes from
    ///
    /// A flag wins over an environment variable, which wins over the file, which wins over the
    /// default. Secrets are masked. All faults are reported together, with exit code 78.
    #[command(after_help = "\
Examples:
  codex-bridge config
  codex-bridge config --json | jq '.settings.\"limits.max_running\"'
  codex-bridge config --default > ~/.config/codex-bridge/config.toml")]
    Config(ConfigArgs),

    /// Print the token that every caller has to send
    ///
    /// It is made at first use and kept in `<state_dir>/token`, readable by you alone. It is good for the
    /// advisor; `/orchestrate`, which plays turns of your own Codex, takes only the other one, in
    /// `<state_dir>/token-orchestrate`.
    #[command(after_help = "\
Examples:
  curl -H \"Authorization: Bearer $(codex-bridge token)\" http://127.0.0.1:4517/runs
  codex-bridge token --rotate              then restart the daemon
  codex-bridge token --orchestrate         what codex-auto sends")]
    Token(TokenArgs),

    /// Let another program use the bridge
    #[command(
        arg_required_else_help = true,
        disable_help_subcommand = true,
        after_help = "\
Examples:
  codex-bridge setup claude-code --dry-run
  codex-bridge setup claude-code"
    )]
    Setup(SetupArgs),

    /// Print a JSON Schema of the interface, or the names of all
    #[command(after_help = "\
Examples:
  codex-bridge schema                      list the names
  codex-bridge schema advisor-input")]
    Schema(SchemaArgs),

    /// Print the OpenAPI 3.1 document of the interface
    #[command(after_help = "\
Examples:
  codex-bridge openapi > openapi.json")]
    Openapi,

    /// Serve the advisor as MCP tools on standard input and output
    ///
    /// For MCP clients, which start it themselves. It asks the running daemon, as every client does;
    /// without one each call says so. Standard output is the protocol's, the log goes to standard error,
    /// and it ends when standard input does, cancelling the runs that it waits for.
    #[command(after_help = "\
Examples:
  codex-bridge mcp
  codex-bridge mcp --url http://127.0.0.1:4517
  claude mcp add codex-bridge -- codex-bridge mcp

A client's entry in JSON, with a time limit that lets a run end (in milliseconds):
  {\"mcpServers\": {\"codex-bridge\":
    {\"command\": \"codex-bridge\", \"args\": [\"mcp\"], \"timeout\": 600000}}}")]
    Mcp(McpArgs),

    /// Print the completion script of a shell
    #[command(after_help = "\
Examples:
  codex-bridge completions bash > ~/.local/share/bash-completion/completions/codex-bridge
  codex-bridge completions zsh  > ~/.zfunc/_codex-bridge
  codex-bridge completions fish > ~/.config/fish/completions/codex-bridge.fish")]
    Completions(CompletionsArgs),

    /// Print the manual pages, for who packages them
    #[command(
        hide = true,
        after_help = "\
Examples:
  codex-bridge manual | man -l -"
    )]
    Manual,
}

#[derive(Debug, Args)]
pub(super) struct ServeArgs {
    /// End when standard input is closed, and remove the state folder, which must be new or empty
    ///
    /// For a program that starts a daemon for itself alone: however that program ends, the daemon
    /// ends its runs at once and leaves nothing behind.
    #[arg(long)]
    pub(super) attached: bool,

    /// Leave the session, the terminal and the open files of the program that starts this one
    #[arg(long, conflicts_with = "attached")]
    pub(super) detached: bool,

    #[command(flatten)]
    pub(super) settings: SettingsArgs,
}

#[derive(Debug, Args)]
pub(super) struct StopArgs {
    /// How long to wait for its end [default: limits.drain_ms and 10 s]
    #[arg(long, value_name = "SECONDS", value_parser = value_parser!(u64).range(0..=86_400))]
    pub(super) timeout: Option<u64>,

    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,

    #[command(flatten)]
    pub(super) settings: SettingsArgs,
}

#[derive(Debug, Args)]
pub(super) struct OpenArgs {
    /// Print the link, and open nothing
    #[arg(long)]
    pub(super) print: bool,

    /// Use the daemon's address, for a browser that does not resolve the window's own name
    ///
    /// Cookies know no ports: the browser then gives the session's cookie to every other server that it
    /// asks at that address, too.
    #[arg(long)]
    pub(super) address: bool,

    /// Sign every browser out, and end every open link
    #[arg(long, conflicts_with_all = ["print", "address"])]
    pub(super) revoke: bool,

    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,

    #[command(flatten)]
    pub(super) settings: SettingsArgs,
}

#[derive(Debug, Args)]
pub(super) struct DemoArgs {
    /// Ask your own model through your Codex sign-in; this uses your plan
    #[arg(long)]
    pub(super) live: bool,

    /// Show both runs in your browser afterwards, until Ctrl+C
    #[arg(long)]
    pub(super) window: bool,

    /// Keep the demo's state folder
    #[arg(long)]
    pub(super) keep: bool,

    /// Show the daemon's log on standard error
    #[arg(long)]
    pub(super) verbose: bool,

    #[command(flatten)]
    pub(super) settings: SettingsArgs,
}

#[derive(Debug, Args)]
pub(super) struct DoctorArgs {
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,

    #[command(flatten)]
    pub(super) settings: SettingsArgs,
}

#[derive(Debug, Args)]
pub(super) struct ConfigArgs {
    /// Print JSON
    #[arg(long, conflicts_with = "default")]
    pub(super) json: bool,

    /// Print the default file with its comments instead
    #[arg(long)]
    pub(super) default: bool,

    #[command(flatten)]
    pub(super) settings: SettingsArgs,
}

#[derive(Debug, Args)]
pub(super) struct TokenArgs {
    /// Make a new token; callers and a running daemon keep the old one until they restart
    #[arg(long)]
    pub(super) rotate: bool,

    /// Print the path of the token file instead of the token
    #[arg(long)]
    pub(super) path: bool,

    /// The token that is good for `/orchestrate` as well
    #[arg(long)]
    pub(super) orchestrate: bool,

    #[command(flatten)]
    pub(super) settings: SettingsArgs,
}

#[derive(Debug, Args)]
pub(super) struct SetupArgs {
    #[command(subcommand)]
    pub(super) target: SetupTarget,
}

#[derive(Debug, Subcommand)]
pub(super) enum SetupTarget {
    /// Let Claude Code ask the advisor without asking you
    ///
    /// It adds the rules that the skill needs, for `codex-advisor ask -`, `wait` and `runs`, to
    /// `permissions.allow` of your Claude Code settings, and takes the wider rule of earlier
    /// versions out. A settings file that Claude Code would not take is refused and left alone; one
    /// that is changed is copied first.
    #[command(after_help = "\
Examples:
  codex-bridge setup claude-code --dry-run
  codex-bridge setup claude-code
  codex-bridge setup claude-code --remove")]
    ClaudeCode(ClaudeCodeArgs),
}

#[derive(Debug, Args)]
pub(super) struct ClaudeCodeArgs {
    /// Take the rules out again
    #[arg(long)]
    pub(super) remove: bool,

    /// Say what would change, and change nothing
    #[arg(long)]
    pub(super) dry_run: bool,

    /// The settings file [default: $CLAUDE_CONFIG_DIR/settings.json, else ~/.claude/settings.json]
    #[arg(long, value_name = "FILE")]
    pub(super) settings: Option<PathBuf>,

    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct SchemaArgs {
    /// The schema's name; without it, all names
    pub(super) name: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct McpArgs {
    /// Where the daemon is: http://HOST:PORT or unix:PATH
    ///
    /// Else CODEX_BRIDGE_URL, else the address that the daemon left in its state folder, else
    /// http://127.0.0.1:4517.
    #[arg(long, value_name = "URL")]
    pub(super) url: Option<String>,

    /// The file that holds the daemon's token
    ///
    /// Else CODEX_BRIDGE_TOKEN, else the file `token` in the daemon's state folder. Like that one it has
    /// to be yours and closed to others, and holds 32 to 512 letters, digits and signs of `-._~+/=`.
    #[arg(long, value_name = "FILE")]
    pub(super) token_file: Option<PathBuf>,

    /// Accept an address on another machine; the token then travels in the clear
    #[arg(long)]
    pub(super) allow_remote: bool,

    /// The level or filter of the log on standard error
    #[arg(long, value_name = "LEVEL", default_value = "warn")]
    pub(super) log_level: String,
}

#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell
    pub(super) shell: Shell,
}

/// The settings that can be given as flags; `--set` reaches every other.
#[derive(Debug)]
pub(super) struct SettingsArgs(Flags);

impl From<SettingsArgs> for Flags {
    fn from(args: SettingsArgs) -> Self {
        args.0
    }
}

impl Args for SettingsArgs {
    fn augment_args(command: clap::Command) -> clap::Command {
        let named = Key::ALL.iter().filter_map(|key| {
            let (flag, value_name) = key.flag()?;
            Some(Arg::new(flag).long(flag).value_name(value_name).help(sentence(key.what())))
        });
        command
            .next_help_heading("Settings")
            .arg(
                Arg::new("config")
                    .long("config")
                    .value_name("FILE")
                    .value_parser(value_parser!(PathBuf))
                    .help("The configuration file [default: $XDG_CONFIG_HOME/codex-bridge/config.toml]"),
            )
            .arg(
                Arg::new("allow-remote")
                    .long("allow-remote")
                    .action(ArgAction::SetTrue)
                    .help("Accept an address that other machines can reach"),
            )
            .args(named)
            .arg(
                Arg::new("set")
                    .long("set")
                    .value_name("KEY=VALUE")
                    .action(ArgAction::Append)
                    .help("Any setting by its name in the file; can be repeated"),
            )
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for SettingsArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let word = |flag| matches.get_one::<String>(flag).cloned();
        let named = |key: &Key| Some((*key, word(key.flag()?.0)?));
        Ok(Self(Flags {
            config: matches.get_one("config").cloned(),
            allow_remote: matches.get_flag("allow-remote"),
            named: Key::ALL.iter().filter_map(named).collect(),
            assignments: matches.get_many("set").into_iter().flatten().cloned().collect(),
        }))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The phrase with a capital first letter, as in clap's own help texts.
fn sentence(phrase: &str) -> String {
    let mut letters = phrase.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
