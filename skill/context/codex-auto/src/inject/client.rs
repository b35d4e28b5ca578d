//! Checks the installed client: its version, compared with the tested one, and, by one prompt that is only sent
//! to this machine, whether its hook provides and accepts what the entry needs.

mod listener;

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use claude_hooks::answer::Informed;
use claude_hooks::client::{PROGRAM, PROVEN, version_of};
use claude_hooks::{Answer, Call, Context, Event, Unreadable};
use host::environment::{self, Environment};
use host::find_program;
use serde_json::json;
use supervise::{HelperCommand, run_helper};
use tempfile::TempDir;

use self::listener::Listener;
use super::verify::Check;

/// The prompt of the check.
const PROMPT: &str = "context-inject looks at its hook";
/// The hook's answer, which must be shown to the model.
const MARK: &str = "context-inject-9b1e7c40";
/// Timeout of the client. It takes a second (2.1.197); the rest allows for a busy machine.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum size of its output, in bytes. The output is not used.
const PRINTED_MAX: usize = 1 << 20;

/// How the client used the hook.
enum Seen {
    /// It did not call it.
    Nothing,
    /// Its input could not be parsed.
    Unreadable(Unreadable),
    /// Its input was not the prompt.
    Otherwise,
    /// The answer was not shown to the model.
    Unheard,
    /// Everything is as the entry needs it.
    Whole {
        /// Whether prompts have ids.
        has_id: bool,
    },
}

/// The checks; they do not fail if no client is installed.
pub(super) fn checks(environment: &Environment) -> Vec<Check> {
    let path = environment.get(environment::PATH).unwrap_or_default();
    let home = environment.folder(environment::HOME).unwrap_or_else(|| "/".into());
    let Some(program) = find_program(PROGRAM, path) else {
        return vec![Check::ok("client", "Claude Code is not on the PATH: not looked at")];
    };
    let version = match version_of(&program, path, &home) {
        Ok(version) => Check::ok("client", version.told()),
        Err(error) => Check::ok("client", format!("{}: {error}", program.display())),
    };
    vec![version, hook_fields(&program, environment)]
}

fn hook_fields(program: &Path, environment: &Environment) -> Check {
    let name = "hook fields";
    let mend = format!(
        "use Claude Code {PROVEN}, or take the hook out with `context-inject uninstall`; prompts go through either way"
    );
    match look(program, environment) {
        Err(error) => Check::ok(name, format!("could not be looked at: {error}")),
        Ok(Seen::Nothing) => Check::ok(name, "could not be looked at: the client called no hook"),
        Ok(Seen::Unreadable(error)) => Check::fail(name, error.to_string(), mend),
        Ok(Seen::Otherwise) => Check::fail(name, "the hook's input has another prompt", mend),
        Ok(Seen::Unheard) => {
            Check::fail(name, "the hook's `additionalContext` does not reach the model", mend)
        }
        Ok(Seen::Whole { has_id: true }) => Check::ok(name, "as expected"),
        Ok(Seen::Whole { has_id: false }) => {
            Check::ok(name, "as expected, without `prompt_id`: equal prompts count as one for 5 s")
        }
    }
}

/// Has the client send one prompt, with its own home folder and hook, to a local listener.
fn look(program: &Path, environment: &Environment) -> io::Result<Seen> {
    let folder = tempfile::tempdir()?;
    let (hook, settings) = hook(&folder)?;
    let listener = Listener::start(MARK)?;
    let address = format!("http://{}", listener.address());
    let home = folder.path().join("home");
    fs::create_dir_all(&home)?;
    let path = environment.get(environment::PATH).unwrap_or_default().to_owned();
    let env: Vec<(OsString, OsString)> = vec![
        ("PATH".into(), path),
        ("HOME".into(), home.clone().into()),
        ("CLAUDE_CONFIG_DIR".into(), home.join(".claude").into()),
        ("TMPDIR".into(), folder.path().into()),
        ("ANTHROPIC_API_KEY".into(), "none".into()),
        ("ANTHROPIC_BASE_URL".into(), address.into()),
        ("CLAUDE_CODE_MAX_RETRIES".into(), "0".into()),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC".into(), "1".into()),
        ("DISABLE_TELEMETRY".into(), "1".into()),
        ("DISABLE_ERROR_REPORTING".into(), "1".into()),
        ("DISABLE_AUTOUPDATER".into(), "1".into()),
    ];
    let args = ["--settings".into(), settings.into_os_string(), "-p".into(), PROMPT.into()];
    let told = run_helper(&HelperCommand {
        program: program.to_owned(),
        args: args.into(),
        env,
        current_dir: folder.path().to_owned(),
        deadline: Instant::now() + TIMEOUT,
        stdout_max: PRINTED_MAX,
    });
    // The exit code does not matter, because the request is refused.
    told.map_err(io::Error::other)?;
    let is_heard = listener.stop();
    let input = match fs::read(hook.with_extension("in")) {
        Ok(input) => input,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Seen::Nothing),
        Err(error) => return Err(error),
    };
    Ok(match Call::parse(&input) {
        Err(error) => Seen::Unreadable(error),
        Ok(Call { event: Event::UserPromptSubmit { prompt }, prompt_id, .. })
            if prompt == PROMPT =>
        {
            if is_heard {
                Seen::Whole { has_id: prompt_id.is_some() }
            } else {
                Seen::Unheard
            }
        }
        Ok(_) => Seen::Otherwise,
    })
}

/// A hook that saves its input and prints the mark, and settings that register it.
fn hook(folder: &TempDir) -> io::Result<(PathBuf, PathBuf)> {
    let hook = folder.path().join("hook.sh");
    fs::write(&hook, "#!/bin/sh\ncat >\"${0%.sh}.in\"\ncat \"${0%.sh}.out\"\n")?;
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o700))?;
    let mut answer = Vec::new();
    let context = Context::fit(MARK, MARK.len()).0;
    Answer::context(Informed::UserPromptSubmit, &context).write(&mut answer)?;
    fs::write(hook.with_extension("out"), answer)?;
    let settings = folder.path().join("settings.json");
    let entry = json!({ "type": "command", "command": hook, "args": [] });
    let hooks = json!({ "hooks": { "UserPromptSubmit": [{ "hooks": [entry] }] } });
    fs::write(&settings, hooks.to_string())?;
    Ok((hook, settings))
}
