//! Variables that make another program execute something or look elsewhere.

use super::entry::lists;
use super::git_settings;
use super::variables::{
    AT_HOME, CONFIGURES, HELPER, LOADER, LOADS, ROUTE, SEARCH, START_UP, TRUSTED,
};
use super::words::words;
use crate::path::{absolute, within};
use crate::rules::{environment as rules, execution};
use crate::shell::{Step, UNKNOWN, Value, Walker};

/// A value that is not among the harmless ones.
const UNKNOWN_VALUE: &str = "?";

/// Whether packages come from a registry that is neither one of the usual ones nor here.
fn is_foreign_registry(text: &str) -> bool {
    let usual = ["registry.npmjs.org", "registry.yarnpkg.com", "index.crates.io"];
    !usual.iter().any(|host| text.contains(host)) && !super::hosts::is_local(text)
}

/// Whether a variable of a route leads to another host than usual.
fn leads_elsewhere(upper: &str, text: &str) -> bool {
    let usual = ["direct", "off", "https://proxy.golang.org,direct", "unix:///var/run/docker.sock"];
    let is_usual = if upper == "GOSUMDB" {
        text.starts_with("sum.golang.org")
    } else {
        usual.contains(&text) || upper.ends_with("_PROXY") && is_near(text)
    };
    !is_usual && !text.is_empty() && !super::hosts::is_local(text)
}

impl Walker<'_> {
    /// A variable is set for what follows.
    pub(crate) fn environment(&mut self, name: &str, value: &Value) -> Step {
        self.budget.steps(value.text.len() + 64)?;
        let upper = name.to_ascii_uppercase();
        let text = value.text.trim();
        let rule = if LOADER.contains(&upper.as_str()) && !text.is_empty() {
            Some(&rules::LOADER)
        } else if START_UP.contains(&upper.as_str()) {
            self.starts(&upper, text).then_some(&rules::START_UP)
        } else if upper.ends_with("_REGISTRY") && text.contains("://") {
            is_foreign_registry(text).then_some(&rules::ROUTE)
        } else if CONFIGURES.iter().any(|name| upper.ends_with(name)) {
            self.configures(text, value).then_some(&rules::HELPER)
        } else if upper.starts_with("COURT_") && upper != "COURT_PRINT_REVIEW" {
            Some(&execution::UNGUARDED)
        } else if upper.starts_with("BASH_FUNC_") {
            Some(&rules::START_UP)
        } else if is_helper(&upper) {
            self.helps(&upper, text).then_some(&rules::HELPER)
        } else if SEARCH.contains(&upper.as_str()) {
            self.searches(&upper, text).then_some(&rules::SEARCH_PATH)
        } else if ROUTE.contains(&upper.as_str()) {
            leads_elsewhere(&upper, text).then_some(&rules::ROUTE)
        } else {
            None
        };
        if let Some(rule) = rule {
            self.found(rule, &format!("{name}={}", value.text.replace(UNKNOWN, "?")));
            let command = matches!(rule.id, "environment.start-up" | "environment.helper");
            if command && text.contains([' ', ';', '|', '$']) && !text.starts_with('-') {
                let text = text.trim_start_matches('|').to_owned();
                // It may be no shell at all: that it is set has been said already.
                let opaque = self.opaque.clone();
                self.payload(&text, name, &Value::unknown())?;
                self.opaque = opaque;
            }
        }
        Ok(())
    }

    /// A home folder for one command: it reads its settings there.
    pub(crate) fn at_home(&mut self, name: &str, value: &Value, command: &str) {
        let program = crate::path::name(command);
        let reads = AT_HOME.contains(&program) || matches!(program, "bash" | "sh");
        let shared = ["/tmp/", "/dev/shm/", "/var/tmp/"];
        let text = value.text.as_str();
        let path = absolute(text, &self.state.cwd);
        let wrote = self.wrote().iter().any(|file| {
            within(file, &path)
                && path != self.context.project
                && file[path.len()..].starts_with("/.")
        });
        let named = shared.iter().any(|folder| text.starts_with(folder))
            && !text.contains("/tmp.")
            && !text.contains(UNKNOWN)
            && AT_HOME.contains(&program);
        if name == "HOME" && reads && (named || wrote) {
            self.found(&rules::HELPER, &format!("{name}={text}"));
        }
    }

    /// Settings that lie where anybody may have put them, come from elsewhere, or were written before.
    fn configures(&self, text: &str, value: &Value) -> bool {
        let shared = ["/tmp/", "/dev/shm/", "/var/tmp/"];
        let made = text.contains("/tmp.") || text.contains(UNKNOWN);
        let path = absolute(text, &self.state.cwd);
        value.taint.network
            || text.starts_with("/dev/fd/")
            || shared.iter().any(|folder| text.starts_with(folder)) && !made
            || self.wrote().iter().any(|file| {
                within(file, &path) && crate::path::name(file).starts_with('.') || *file == path
            }) && path.len() > 1
                && !text.is_empty()
    }

    fn starts(&self, name: &str, text: &str) -> bool {
        match name {
            "PS0" | "PS1" | "PS2" | "PS4" | "MAILPATH" => {
                text.contains("$(") || text.contains('`') || text.contains(UNKNOWN)
            }
            "MAKEFLAGS" | "GNUMAKEFLAGS" => {
                text.contains("eval")
                    || text.contains("SHELL")
                    || text.contains("-f")
                    || text.contains("-C")
            }
            "NODE_OPTIONS" | "JAVA_TOOL_OPTIONS" | "_JAVA_OPTIONS" | "JDK_JAVA_OPTIONS"
            | "MAVEN_OPTS" | "GRADLE_OPTS" | "RUBYOPT" => {
                text.contains(UNKNOWN)
                    || LOADS.iter().any(|option| {
                        text.split([' ', '=', ':']).any(|part| {
                            part == *option
                                || part.trim_start_matches('-') == *option
                                || (option.len() > 3 && part.contains(*option))
                                || (part.starts_with(*option)
                                    && option.len() == 2
                                    && name == "RUBYOPT")
                        })
                    })
            }
            "PYTHONBREAKPOINT" => !matches!(text, "" | "0" | "ipdb.set_trace" | "pdb.set_trace"),
            "ENV" => text.contains(['/', UNKNOWN, '$', '`']),
            "PYTHONINSPECT" => false,
            "TERMINFO" => !within(text, "/usr"),
            _ => !text.is_empty(),
        }
    }

    fn helps(&self, name: &str, text: &str) -> bool {
        if git_settings::HARMLESS.contains(&text) {
            return false;
        }
        match name {
            _ if lists(COMPILERS, name) => !is_compiler(text),
            "SHELL" | "CONFIG_SHELL" | "MAKESHELL" => {
                !lists("bash sh zsh fish dash", crate::path::name(text)) || text.starts_with("/tmp")
            }
            "GIT_CONFIG_COUNT" => text.parse::<u32>().is_err(),
            _ if name.starts_with("GIT_CONFIG_KEY_") => {
                text.contains(UNKNOWN)
                    || text.to_ascii_lowercase().starts_with("alias.")
                    || git_settings::executes(text, UNKNOWN_VALUE)
            }
            _ if name.starts_with("GIT_CONFIG_VALUE_") => text.starts_with('!'),
            "GOFLAGS" => {
                ["toolexec", "overlay", "insecure"].iter().any(|option| text.contains(option))
            }
            "GOTOOLCHAIN" => text.contains('/'),
            "LESS" | "MORE" | "MANOPT" => text.contains('!') || text.contains("+!"),
            "FZF_DEFAULT_OPTS" => text.contains("execute") || text.contains("preview"),
            "FZF_DEFAULT_COMMAND" => {
                !["rg ", "fd ", "git ls-files"].iter().any(|head| text.starts_with(head))
            }
            "GIT_SSH_COMMAND" => {
                !text.starts_with("ssh ") || text.to_ascii_lowercase().contains("command")
            }
            "GIT_CONFIG_GLOBAL" | "GIT_CONFIG_SYSTEM" => text != "/dev/null",
            "BROWSER" => !lists("none firefox chromium google-chrome w3m lynx echo", text),
            _ => !text.is_empty(),
        }
    }

    fn searches(&self, name: &str, text: &str) -> bool {
        let home = self.context.home;
        text.split([':', ';']).any(|entry| {
            // What the variable held before stays what it was.
            if entry.chars().all(|each| each == UNKNOWN) && !entry.is_empty() {
                return false;
            }
            if name == "PATH" && (entry.is_empty() || entry == ".") {
                return true;
            }
            let path = absolute(entry, &self.state.cwd);
            if TRUSTED.iter().any(|folder| within(&path, folder)) {
                return false;
            }
            let base = crate::path::name(&path);
            let in_home = within(&path, home);
            let in_project = within(&path, self.context.project);
            if name != "PATH" {
                return !(in_project || in_home && !path.contains("/.cache/"));
            }
            let tool = matches!(base, "bin" | ".bin" | "sbin" | "shims" | "Scripts" | "libexec");
            let outputs =
                words!("target/debug target/release /node_modules/.bin /venv/ /.venv/ /vendor/bin");
            let known = in_project
                && (outputs.iter().any(|output| path.contains(output))
                    || matches!(base, "bin" | "scripts"));
            !(known || in_home && !in_project && tool)
        })
    }
}

/// Variables that name a compiler, or a part of one.
const COMPILERS: &str =
    "CC CXX LD AR RUSTC RUSTDOC RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER CARGO_BUILD_RUSTC_WRAPPER";

/// Whether a value names a compiler that is known, where programs lie.
fn is_compiler(text: &str) -> bool {
    let program = text.split(' ').next().unwrap_or_default();
    let base = crate::path::name(program);
    let trusted = !program.contains('/') || TRUSTED.iter().any(|folder| within(program, folder));
    trusted
        && lists(
            "g++ c++ cc ld lld ar rustc sccache ccache icc icx xlc tcc rustdoc mold clippy-driver \
             *gcc* *clang*",
            base,
        )
}

/// A proxy of one's own network: a bare name, or an address that no other network has.
fn is_near(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.rsplit('@').next().unwrap_or_default();
    let host = host.split([':', '/']).next().unwrap_or_default();
    !host.contains('.') && host.contains("proxy")
        || host.starts_with("10.")
        || host.starts_with("192.168.")
        || [".internal", ".local", ".corp", ".lan", ".intranet"]
            .iter()
            .any(|ending| host.ends_with(ending))
}

fn is_helper(name: &str) -> bool {
    let by_ending = words!(
        "PAGER EDITOR _ASKPASS _BROWSER _SSH_COMMAND _EXTERNAL_DIFF _RSH _WRAPPER _RUNNER \
         _PASSWORD_COMMAND _PASSCOMMAND"
    );
    HELPER.contains(&name)
        || by_ending.iter().any(|ending| name.ends_with(ending))
        || name.starts_with("GIT_CONFIG_KEY_")
        || name.starts_with("GIT_CONFIG_VALUE_")
}

#[cfg(test)]
mod tests {
    use super::is_helper;

    #[test]
    fn endings_say_what_helps() {
        assert!(is_helper("MY_PAGER") && is_helper("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER"));
        assert!(!is_helper("RUST_LOG"));
    }
}
