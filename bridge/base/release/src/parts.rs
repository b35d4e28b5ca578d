//! The other parts of a release, with the versions that they report.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use host::own_program;
use serde_json::Value;
use supervise::{HelperCommand, run_helper};

use crate::{PROGRAMS, REINSTALL, VERSION};

/// How long a program may take to print its version: a few milliseconds on an idle machine.
const ANSWER_LIMIT: Duration = Duration::from_secs(3);
/// The longest output that is accepted as a version, in bytes.
const ANSWER_MAX: usize = 256;
/// The largest list of plugins that is read, in bytes.
const LIST_MAX_BYTES: u64 = 4 << 20;
/// The list of plugins, below the folder of Claude Code's settings (Claude Code 2.1).
const LIST: &str = "plugins/installed_plugins.json";
/// The end of our plugins' names: the name of our marketplace.
const MARKETPLACE: &str = "@codex-bridge";

/// The command that updates a plugin, without its name (Claude Code 2.1).
const UPDATE_PLUGIN: &str =
    "run `claude plugin marketplace update codex-bridge && claude plugin update";

/// A part of the release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The name of a program, or of a plugin with its marketplace.
    pub name: String,
    /// The version that it reports; `None` if there is no valid one.
    pub version: Option<String>,
}

impl Part {
    /// Whether it belongs to the same release as this program.
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.version.as_deref() == Some(VERSION)
    }
}

/// The kind of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A program beside this one.
    Program,
    /// A plugin in Claude Code.
    Plugin,
}

/// A part of another release, with the fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stray {
    /// Its kind.
    pub kind: Kind,
    /// Its name, and both versions.
    pub message: String,
    /// What to do.
    pub mend: String,
}

impl Stray {
    fn of(kind: Kind, part: &Part) -> Self {
        let (what, mend) = match kind {
            Kind::Program => ("program", REINSTALL.to_owned()),
            Kind::Plugin => ("plugin", format!("{UPDATE_PLUGIN} {}`", part.name)),
        };
        let its = match &part.version {
            Some(version) => format!("is {version}"),
            None => "does not tell its version".to_owned(),
        };
        let message = format!("the {what} {} {its}, this is {VERSION}", part.name);
        Self { kind, message, mend }
    }
}

/// Checks whether the programs beside this one and the plugins in Claude Code belong to this release: returns what was
/// checked, in one line, or what differs.
///
/// # Errors
/// Each part that differs.
pub fn compare(settings: Option<&Path>) -> Result<String, Vec<Stray>> {
    judge(&programs(), &settings.map(plugins).unwrap_or_default())
}

fn judge(programs: &[Part], plugins: &[Part]) -> Result<String, Vec<Stray>> {
    let of_kind = |kind: Kind, parts: &[Part]| -> Vec<Stray> {
        let differ = parts.iter().filter(|part| !part.is_same());
        differ.map(|part| Stray::of(kind, part)).collect()
    };
    let strays = [of_kind(Kind::Program, programs), of_kind(Kind::Plugin, plugins)].concat();
    if !strays.is_empty() {
        return Err(strays);
    }
    let names: Vec<&str> = programs.iter().chain(plugins).map(|part| part.name.as_str()).collect();
    Ok(if names.is_empty() {
        format!("{VERSION}; no other program or plugin of ours is beside it")
    } else {
        format!("{VERSION}, as {}", names.join(", "))
    })
}

/// The programs of the release beside this one, in the order of [`PROGRAMS`]. Each is run once
/// to print its version. Missing ones are left out: the court is optional.
#[must_use]
pub fn programs() -> Vec<Part> {
    let own = std::env::current_exe().unwrap_or_default();
    let others = PROGRAMS.iter().filter(|name| !own.ends_with(name));
    let found = others.filter_map(|name| Some((*name, own_program(name, None)?)));
    found.map(|(name, path)| Part { name: name.to_owned(), version: asked(path) }).collect()
}

/// The version that a program prints for `--version`, after its name.
fn asked(program: PathBuf) -> Option<String> {
    let told = run_helper(&HelperCommand {
        program,
        args: vec!["--version".into()],
        env: Vec::new(),
        current_dir: "/".into(),
        deadline: Instant::now() + ANSWER_LIMIT,
        stdout_max: ANSWER_MAX,
    });
    let told = told.ok().filter(supervise::HelperOutput::is_success)?;
    let text = String::from_utf8(told.stdout).ok()?;
    let (_, version) = text.trim_end().rsplit_once(' ')?;
    plausible(version)
}

/// Our plugins that are installed in Claude Code. `settings` is the folder of its settings, such as
/// `~/.claude`. A list that is absent or cannot be parsed counts as empty.
#[must_use]
pub fn plugins(settings: &Path) -> Vec<Part> {
    let mut text = String::new();
    let Ok(list) = File::open(settings.join(LIST)) else { return Vec::new() };
    if list.take(LIST_MAX_BYTES).read_to_string(&mut text).is_err() {
        return Vec::new();
    }
    let list: Value = serde_json::from_str(&text).unwrap_or_default();
    let Some(plugins) = list["plugins"].as_object() else { return Vec::new() };
    let ours = plugins.iter().filter(|(name, _)| name.ends_with(MARKETPLACE));
    // One entry for each scope: the user's, and those of projects.
    let each = ours.flat_map(|(name, scopes)| {
        let scopes = scopes.as_array().map(Vec::as_slice).unwrap_or_default();
        scopes.iter().map(move |scope| Part {
            name: name.clone(),
            version: scope["version"].as_str().and_then(plausible),
        })
    });
    each.collect()
}

/// The text, if it can be a version: nothing that would have to be masked or cut.
fn plausible(text: &str) -> Option<String> {
    let usual = |char: char| char.is_ascii_alphanumeric() || ".+-~".contains(char);
    let is_version = (1..=80).contains(&text.len())
        && text.starts_with(|char: char| char.is_ascii_digit())
        && text.chars().all(usual);
    is_version.then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn listed(text: &str) -> Vec<(String, Option<String>)> {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("plugins")).unwrap();
        fs::write(folder.path().join(LIST), text).unwrap();
        plugins(folder.path()).into_iter().map(|part| (part.name, part.version)).collect()
    }

    #[test]
    fn the_plugins_of_ours_are_found_in_the_clients_list() {
        let text = r#"{"version": 2, "plugins": {
            "codex-bridge@codex-bridge": [{"scope": "user", "version": "0.1.0-dev.837.gcccbce2"}],
            "court@codex-bridge": [{"version": "0.1.0"}, {"version": "\u001b[2J"}, {}],
            "lint@others": [{"version": "9.9.9"}]
        }}"#;
        let court = "court@codex-bridge".to_owned();
        let expected = vec![
            ("codex-bridge@codex-bridge".to_owned(), Some("0.1.0-dev.837.gcccbce2".to_owned())),
            (court.clone(), Some("0.1.0".to_owned())),
            (court.clone(), None),
            (court, None),
        ];
        assert_eq!(listed(text), expected);
    }

    #[test]
    fn what_is_of_another_release_is_named_with_both_versions() {
        let part = |name: &str, version: Option<&str>| Part {
            name: name.to_owned(),
            version: version.map(str::to_owned),
        };
        let same = [part("ci", Some(VERSION)), part("court", Some(VERSION))];
        let plugin = part("court@codex-bridge", Some(VERSION));
        let line = format!("{VERSION}, as ci, court, court@codex-bridge");
        assert_eq!(judge(&same, &[plugin]), Ok(line));
        let old =
            [part("ci", Some("0.0.1")), part("court", None), part("codex-auto", Some(VERSION))];
        let plugin = part("court@codex-bridge", Some("0.0.2"));
        let strays = judge(&old, &[plugin]).unwrap_err();
        let messages: Vec<&str> = strays.iter().map(|stray| stray.message.as_str()).collect();
        assert_eq!(
            messages,
            [
                format!("the program ci is 0.0.1, this is {VERSION}"),
                format!("the program court does not tell its version, this is {VERSION}"),
                format!("the plugin court@codex-bridge is 0.0.2, this is {VERSION}"),
            ]
        );
        assert!(strays[2].mend.ends_with("claude plugin update court@codex-bridge`"), "{strays:?}");
    }

    #[test]
    fn a_list_of_another_form_has_none() {
        for text in ["", "[]", "{", r#"{"plugins": []}"#, r#"{"plugins": {"a@codex-bridge": 1}}"#] {
            assert_eq!(listed(text), [], "{text}");
        }
        assert_eq!(plugins(Path::new("/nonexistent")), []);
    }

    #[test]
    fn only_a_version_is_taken_for_one() {
        for (text, is_version) in [
            ("0.1.0", true),
            ("1.2.3+12.gabcdef0.dirty", true),
            ("0.1.0~dev", true),
            ("v1", false),
            ("", false),
            ("1 2", false),
            ("1\n2", false),
        ] {
            assert_eq!(plausible(text).is_some(), is_version, "{text:?}");
        }
        assert!(plausible(VERSION).is_some(), "our own");
        assert!(plausible(&"1".repeat(81)).is_none());
    }
}
