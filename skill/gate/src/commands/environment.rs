//! Variables that make another program execute something or look elsewhere.

use super::{Walker, git_settings};
use crate::path::{absolute, within};
use crate::rules::environment as rules;
use crate::shell::{Step, UNKNOWN, Value};

/// Load code into every program.
const LOADER: &[&str] = &[
    "LD_PRELOAD",
    "LD_AUDIT",
    "LD_DEBUG_OUTPUT",
    "DYLD_INSERT_LIBRARIES",
    "DYLD_FRAMEWORK_PATH",
    "GCONV_PATH",
    "LOCPATH",
    "GLIBC_TUNABLES",
    "GTK_MODULES",
    "QT_PLUGIN_PATH",
    "OPENSSL_CONF",
    "OPENSSL_ENGINES",
    "LD_PROFILE_OUTPUT",
    "PERL5DB",
];

/// Name code that runs when a program starts.
const START_UP: &[&str] = &[
    "BASH_ENV",
    "ENV",
    "PROMPT_COMMAND",
    "PS0",
    "PS1",
    "PS2",
    "PS4",
    "PYTHONSTARTUP",
    "PYTHONINSPECT",
    "PYTHONBREAKPOINT",
    "PERL5OPT",
    "RUBYOPT",
    "NODE_OPTIONS",
    "NODE_REPL_EXTERNAL_MODULE",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "MAVEN_OPTS",
    "GRADLE_OPTS",
    "ZDOTDIR",
    "INPUTRC",
    "VIMINIT",
    "EXINIT",
    "SHELLOPTS",
    "BASHOPTS",
    "PHPRC",
    "PHP_INI_SCAN_DIR",
    "LUA_INIT",
    "R_PROFILE",
    "R_PROFILE_USER",
    "JULIA_DEPOT_PATH",
    "ERL_AFLAGS",
    "ELIXIR_ERL_OPTIONS",
    "DOTNET_STARTUP_HOOKS",
    "RUST_GDB",
    "GDBINIT",
    "PYTHONUSERBASE",
    "MAKEFLAGS",
    "MAKEFILES",
    "GNUMAKEFLAGS",
    "TERMINFO",
];

/// Name a program that another program runs.
const HELPER: &[&str] = &[
    "PAGER",
    "EDITOR",
    "VISUAL",
    "BROWSER",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_EXTERNAL_DIFF",
    "GIT_PROXY_COMMAND",
    "GIT_ASKPASS",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "LESSOPEN",
    "LESSCLOSE",
    "LESSEDIT",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC",
    "RUSTDOC",
    "CARGO_BUILD_RUSTC_WRAPPER",
    "CC",
    "CXX",
    "LD",
    "AR",
    "SHELL",
    "CONFIG_SHELL",
    "MAKESHELL",
    "TAR_OPTIONS",
    "RSYNC_RSH",
    "CVS_RSH",
    "SVN_SSH",
    "HG",
    "FCEDIT",
    "TEXEDIT",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_EXEC_PATH",
    "GIT_TEMPLATE_DIR",
    "GIT_HOOKS_PATH",
    "GIT_CONFIG",
    "COMPOSER_HOME",
    "ANSIBLE_CONFIG",
    "KUBE_EDITOR",
    "KUBERNETES_EXEC_INFO",
    "DOCKER_CONFIG",
    "GOFLAGS",
    "GOTOOLCHAIN",
    "RUSTFLAGS_WRAPPER",
    "RIPGREP_CONFIG_PATH",
    "FZF_DEFAULT_COMMAND",
    "FZF_DEFAULT_OPTS",
    "LESSKEY",
    "LESSKEYIN",
    "LESSKEY_CONTENT",
    "NPM_CONFIG_SCRIPT_SHELL",
    "NPM_CONFIG_NODE_OPTIONS",
    "CURL_HOME",
    "WGETRC",
    "SYSTEMD_PAGER",
    "SYSTEMD_EDITOR",
    "MANPAGER",
    "PSQL_PAGER",
    "PSQL_EDITOR",
    "AWS_PAGER",
    "GH_PAGER",
    "BAT_PAGER",
    "DELTA_PAGER",
    "GIT_PAGER",
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "GH_EDITOR",
    "SUDO_EDITOR",
    "CARGO_TARGET_RUNNER",
    "NPM_CONFIG_GIT",
    "NPM_CONFIG_EDITOR",
    "NPM_CONFIG_PREFIX",
    "CARGO_HOME_BIN",
    "GCC_EXEC_PREFIX",
    "COMPILER_PATH",
    "PYTHONEXECUTABLE",
    "MANOPT",
    "LESS",
    "MORE",
    "NULLCMD",
    "READNULLCMD",
];

/// Where programs or modules are searched for.
const SEARCH: &[&str] = &[
    "PATH",
    "PYTHONPATH",
    "PYTHONHOME",
    "NODE_PATH",
    "PERL5LIB",
    "PERLLIB",
    "RUBYLIB",
    "CLASSPATH",
    "GEM_PATH",
    "GEM_HOME",
    "LUA_PATH",
    "LUA_CPATH",
    "CDPATH",
    "GOPATH_BIN",
    "FPATH",
    "MANPATH_BIN",
    "TCLLIBPATH",
    "R_LIBS",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
];

/// Lead traffic or settings elsewhere.
const ROUTE: &[&str] = &[
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NODE_TLS_REJECT_UNAUTHORIZED",
    "NODE_EXTRA_CA_CERTS",
    "SSL_CERT_FILE",
    "CURL_CA_BUNDLE",
    "REQUESTS_CA_BUNDLE",
    "GIT_SSL_NO_VERIFY",
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "UV_INDEX_URL",
    "NPM_CONFIG_REGISTRY",
    "ANTHROPIC_BASE_URL",
    "OPENAI_BASE_URL",
    "OPENAI_API_BASE",
    "GOPROXY",
    "GONOSUMDB",
    "GONOSUMCHECK",
    "DOCKER_HOST",
    "KUBECONFIG_URL",
    "PYTHONHTTPSVERIFY",
    "HOSTALIASES",
    "RES_OPTIONS",
    "CARGO_REGISTRIES_CRATES_IO_INDEX",
    "AWS_ENDPOINT_URL",
    "HISTFILE_REMOTE",
    "GIT_HTTP_PROXY",
];

/// Name settings, or code that is loaded with them.
const CONFIGURES: &[&str] = &[
    "GIT_DIR",
    "GIT_COMMON_DIR",
    "CARGO_HOME",
    "_GEMFILE",
    "_USERCONFIG",
    "_GLOBALCONFIG",
    "_LOAD_PATH",
    "XDG_CONFIG_HOME",
    "XDG_CONFIG_DIRS",
    "GNUPGHOME",
    "GRADLE_USER_HOME",
    "COMPOSER_HOME",
];

/// Folders that programs may always be searched for in.
const TRUSTED: &[&str] = &["/usr", "/bin", "/sbin", "/opt", "/nix", "/snap", "/run/current-system"];

/// Options of interpreters that load nothing.
const LOADS: &[&str] = &[
    "require",
    "-r",
    "--import",
    "loader",
    "-javaagent",
    "-agentlib",
    "-agentpath",
    "-M",
    "-I",
    "-m",
    "--inspect",
    "--eval",
    "-e",
    "-d",
    "OnOutOfMemoryError",
    "-C",
    "OnError",
    "-f",
    "SHELL=",
];

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
            let usual = ["registry.npmjs.org", "registry.yarnpkg.com", "index.crates.io"];
            let known =
                usual.iter().any(|host| text.contains(host)) || super::network::is_local(text);
            (!known).then_some(&rules::ROUTE)
        } else if CONFIGURES.iter().any(|name| upper.ends_with(name)) {
            // Settings that lie where anybody may have put them.
            ["/tmp/", "/dev/shm/", "/var/tmp/"]
                .iter()
                .any(|folder| text.starts_with(folder))
                .then_some(&rules::HELPER)
        } else if upper.starts_with("BASH_FUNC_") {
            Some(&rules::START_UP)
        } else if is_helper(&upper) {
            self.helps(&upper, text).then_some(&rules::HELPER)
        } else if SEARCH.contains(&upper.as_str()) {
            self.searches(&upper, text).then_some(&rules::SEARCH_PATH)
        } else if ROUTE.contains(&upper.as_str()) {
            let local = text.is_empty()
                || super::network::is_local(text)
                || matches!(
                    text,
                    "direct"
                        | "off"
                        | "https://proxy.golang.org,direct"
                        | "unix:///var/run/docker.sock"
                );
            (!local).then_some(&rules::ROUTE)
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

    fn starts(&self, name: &str, text: &str) -> bool {
        match name {
            "PS0" | "PS1" | "PS2" | "PS4" => {
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
            "CC"
            | "CXX"
            | "LD"
            | "AR"
            | "RUSTC"
            | "RUSTDOC"
            | "RUSTC_WRAPPER"
            | "RUSTC_WORKSPACE_WRAPPER"
            | "CARGO_BUILD_RUSTC_WRAPPER" => {
                let program = text.split(' ').next().unwrap_or_default();
                let base = crate::path::name(program);
                let known = [
                    "gcc",
                    "g++",
                    "cc",
                    "c++",
                    "clang",
                    "clang++",
                    "ld",
                    "lld",
                    "ar",
                    "rustc",
                    "sccache",
                    "ccache",
                    "musl-gcc",
                    "rustdoc",
                    "mold",
                    "clippy-driver",
                ];
                let trusted =
                    !program.contains('/') || TRUSTED.iter().any(|folder| within(program, folder));
                !(trusted
                    && (known.contains(&base) || base.contains("gcc") || base.contains("clang")))
            }
            "SHELL" | "CONFIG_SHELL" | "MAKESHELL" => {
                !matches!(crate::path::name(text), "bash" | "sh" | "zsh" | "fish" | "dash")
                    || text.starts_with("/tmp")
            }
            "GOFLAGS" => text.contains("toolexec") || text.contains("overlay"),
            "GOTOOLCHAIN" => text.contains('/'),
            "LESS" | "MORE" | "MANOPT" => text.contains('!') || text.contains("+!"),
            "FZF_DEFAULT_OPTS" => text.contains("execute") || text.contains("preview"),
            "FZF_DEFAULT_COMMAND" => {
                !(text.starts_with("rg ")
                    || text.starts_with("fd ")
                    || text.starts_with("git ls-files"))
            }
            "GIT_SSH_COMMAND" => {
                !text.starts_with("ssh ") || text.to_ascii_lowercase().contains("command")
            }
            "GIT_CONFIG_GLOBAL" | "GIT_CONFIG_SYSTEM" => text != "/dev/null",
            "BROWSER" => !matches!(
                text,
                "none" | "firefox" | "chromium" | "google-chrome" | "w3m" | "lynx" | "echo"
            ),
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
            let outputs = [
                "target/debug",
                "target/release",
                "/node_modules/.bin",
                "/venv/",
                "/.venv/",
                "/vendor/bin",
            ];
            let known = in_project
                && (outputs.iter().any(|output| path.contains(output))
                    || matches!(base, "bin" | "scripts"));
            !(known || in_home && !in_project && tool)
        })
    }
}

fn is_helper(name: &str) -> bool {
    let by_ending = [
        "PAGER",
        "EDITOR",
        "_ASKPASS",
        "_BROWSER",
        "_SSH_COMMAND",
        "_EXTERNAL_DIFF",
        "_RSH",
        "_WRAPPER",
        "_RUNNER",
    ];
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
