//! Where package managers fetch from: settings that lead them elsewhere or take their checks away, and extensions of
//! tools from anywhere. Not here: what they install (see `packages`), and files of settings (see `later`).

use super::entry::Given;
use super::entry::When::{self, All, Any, Not, Operands, Value, Verbs, Word};
use super::words::words;
use crate::rules::{Rule, environment, infrastructure};
use crate::shell::{Field, Flow, Walker};

/// What leads programs elsewhere.
struct Source {
    programs: &'static [&'static str],
    when: When,
    rule: &'static Rule,
}

/// Each with an example of it, and one that is left alone.
static SOURCES: &[(Source, [&str; 2])] = &[
    (
        Source {
            programs: words!("pip pip3"),
            when: All(&[Verbs("config set"), Word("*trusted-host *proxy *.cert *no-verify*")]),
            rule: &environment::ROUTE,
        },
        ["pip config set global.trusted-host a.example", "pip config set global.timeout 60"],
    ),
    (
        Source {
            programs: words!("conda mamba micromamba"),
            when: All(&[
                Verbs("install|create|update"),
                Value(&["-c", "--channel"], "*"),
                Not(&Value(
                    &["-c", "--channel"],
                    "conda-forge bioconda defaults main r pytorch* nvidia* anaconda intel huggingface rapidsai* fastai",
                )),
            ]),
            rule: &infrastructure::FOREIGN_PACKAGE,
        },
        ["conda install -c someone a", "conda install -c conda-forge a"],
    ),
    (
        Source {
            programs: words!("composer"),
            when: All(&[
                Verbs("config"),
                Operands(3),
                Word("repo.* repositories repositories.* secure-http disable-tls cafile capath"),
                Not(&Any(&[Word("--unset"), Verbs("* * path"), Verbs("* secure-http true|1")])),
            ]),
            rule: &environment::ROUTE,
        },
        [
            "composer config -g repo.packagist composer http://a.example",
            "composer config repositories.lib path ../lib",
        ],
    ),
    (
        Source {
            programs: words!("bundle bundler"),
            when: All(&[
                Verbs("config"),
                Word("mirror.* *ssl_verify_mode *disable_checksum_validation"),
            ]),
            rule: &environment::ROUTE,
        },
        [
            "bundle config set mirror.https://rubygems.org http://a.example",
            "bundle config set --local path vendor",
        ],
    ),
    (
        Source {
            programs: words!("gem"),
            when: All(&[
                Verbs("sources|source"),
                Word("--add* -a* --remove* -r*"),
                Not(&Any(&[Value(&["--add", "-a"], "https://rubygems.org*"), Word("--help")])),
            ]),
            rule: &environment::ROUTE,
        },
        ["gem sources --add http://a.example", "gem sources --list"],
    ),
    (
        Source {
            programs: words!("conda mamba micromamba"),
            when: All(&[
                Verbs("config"),
                Word("--add --append --prepend --set"),
                Any(&[
                    All(&[
                        Word("*://*"),
                        Not(&Word("https://conda.anaconda.org* https://repo.anaconda.com*")),
                    ]),
                    Word("channel_alias ssl_verify safety_checks"),
                ]),
            ]),
            rule: &environment::ROUTE,
        },
        [
            "conda config --add channels http://a.example/x",
            "conda config --add channels conda-forge",
        ],
    ),
    (
        Source {
            programs: words!("poetry"),
            when: Any(&[
                All(&[
                    Verbs("source add"),
                    Word("*://*"),
                    Not(&Word("*pypi.org* *download.pytorch.org*")),
                ]),
                All(&[Verbs("config repositories.*|certificates.*"), Operands(3)]),
            ]),
            rule: &environment::ROUTE,
        },
        [
            "poetry source add x http://a.example/simple",
            "poetry config virtualenvs.in-project true",
        ],
    ),
    (
        Source {
            programs: words!("pdm"),
            when: All(&[Verbs("config pypi.*|*.url|*.verify_ssl|*.ca_certs"), Operands(3)]),
            rule: &environment::ROUTE,
        },
        ["pdm config pypi.url http://a.example/simple", "pdm config python.use_venv true"],
    ),
    (
        Source {
            programs: words!("mvn mvnw"),
            when: Any(&[
                Word("-Dmaven.wagon.http.ssl.insecure=true -Dmaven.wagon.http.ssl.allowall=true"),
                Value(&["-s", "--settings", "-gs", "--global-settings"], "/tmp/* /var/tmp/* *://*"),
            ]),
            rule: &environment::ROUTE,
        },
        ["mvn -s /tmp/x.xml package", "mvn -s ci/settings.xml package"],
    ),
    (
        Source {
            programs: words!("dotnet"),
            when: All(&[
                Verbs("nuget add|update|remove|disable source*"),
                Not(&Word("https://api.nuget.org/*")),
            ]),
            rule: &environment::ROUTE,
        },
        [
            "dotnet nuget add source http://a.example/index.json -n x",
            "dotnet nuget add source https://api.nuget.org/v3/index.json",
        ],
    ),
    (
        Source {
            programs: words!("cpanm cpan luarocks"),
            when: All(&[
                Any(&[Value(&["--mirror", "-M", "--from", "--server", "--only-server"], "*://*")]),
                Not(&Word("*cpan.org* *luarocks.org*")),
            ]),
            rule: &infrastructure::FOREIGN_PACKAGE,
        },
        ["luarocks install --server=http://a.example x", "luarocks install busted"],
    ),
    (
        Source {
            programs: words!("nix-channel"),
            when: All(&[
                Word("--add"),
                Not(&Word("https://nixos.org/* https://channels.nixos.org/*")),
            ]),
            rule: &environment::ROUTE,
        },
        ["nix-channel --add http://a.example/x", "nix-channel --list"],
    ),
    (
        Source {
            programs: words!("add-apt-repository apt-add-repository apt-key yum-config-manager"),
            when: Not(&Word("--help -h --list -L list")),
            rule: &infrastructure::SYSTEM_PACKAGE,
        },
        ["add-apt-repository -y ppa:x/y", "apt-key list"],
    ),
    (
        Source {
            programs: words!("asdf mise rtx"),
            when: Verbs("plugin|plugins add|install|link * *://*|git@*, plugin-add * *://*"),
            rule: &infrastructure::FOREIGN_PACKAGE,
        },
        ["asdf plugin add x https://a.example/x.git", "asdf plugin add nodejs"],
    ),
    (
        Source {
            programs: words!("helm"),
            when: Verbs("plugin install|add"),
            rule: &infrastructure::FOREIGN_PACKAGE,
        },
        ["helm plugin install https://a.example/x", "helm plugin list"],
    ),
    (
        Source {
            programs: words!("gh"),
            when: All(&[Verbs("extension|extensions|ext install"), Not(&Verbs("* * github/*|."))]),
            rule: &infrastructure::FOREIGN_PACKAGE,
        },
        ["gh extension install someone/gh-x", "gh extension list"],
    ),
    (
        Source {
            programs: words!("fisher omf zinit antigen"),
            when: Verbs("install|load|light|bundle|snippet"),
            rule: &infrastructure::FOREIGN_PACKAGE,
        },
        ["fisher install someone/x", "fisher list"],
    ),
];

/// Lists of locked packages with their addresses.
const LOCKS: &[&str] = words!(
    "package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml poetry.lock uv.lock pdm.lock \
     Pipfile.lock Cargo.lock Gemfile.lock Gemfile composer.lock bun.lock"
);

impl Walker<'_> {
    /// Notes what leads a package manager elsewhere.
    pub(super) fn leads_elsewhere(&mut self, name: &str, words: &[Field]) {
        let rows = SOURCES.iter().filter(|(source, _)| source.programs.contains(&name));
        for (source, _) in rows {
            let input = Flow::default();
            let given = Given::new(words, &[], &input);
            if source.when.holds(self, &given) {
                let told = given.told();
                self.found(source.rule, &told);
            }
        }
        self.relocks(name, words);
    }

    /// Addresses that are put into lists of locked packages in their place.
    fn relocks(&mut self, name: &str, words: &[Field]) {
        let edits = matches!(name, "sed" | "gsed" | "perl" | "ruby" | "sd")
            && words[1..]
                .iter()
                .any(|word| name == "sd" || word.text.starts_with('-') && word.text.contains('i'));
        let listed = |word: &&Field| LOCKS.contains(&crate::path::name(&word.text));
        let Some(list) = words.iter().skip(1).find(listed).filter(|_| edits) else { return };
        let foreign = |text: &str| {
            let mut hosts = text.split("://").skip(1);
            hosts.any(|rest| {
                !super::later::is_usual(&format!("//{rest}")) && !super::hosts::is_local(rest)
            })
        };
        let told = words[1..].iter().find(|word| foreign(&word.text));
        if told.is_some_and(|word| list.text != "Gemfile" || word.text.contains("source ")) {
            let list = list.text.clone();
            self.found(&environment::ROUTE, &list);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::SOURCES;
    use crate::context::tests::CONTEXT;
    use crate::{Policy, ToolCall};

    #[test]
    fn each_row_is_shown_by_what_leads_elsewhere_and_what_does_not() {
        for (source, [leads, stays]) in SOURCES {
            for (example, leads) in [(leads, true), (stays, false)] {
                let input = json!({ "command": example });
                let call = ToolCall { name: "Bash", input: &input };
                let judgement = crate::judge(&call, &CONTEXT, Policy::Graded);
                let found = judgement.findings.iter().any(|each| each.rule.id == source.rule.id);
                assert_eq!(found, leads, "{example}");
            }
        }
    }
}
