//! Which files a program reads to know what to run: one entry for each runner. Not here: what is in the files
//! (see `written`).

mod javascript;
mod tools;

use super::words::words;

/// Where a runner looks for its files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Search {
    /// In its working folder.
    Here,
    /// There, and in the folders above.
    Upwards,
}

/// A program that executes what files say.
#[derive(Debug)]
pub(super) struct Runner {
    /// Its names.
    pub(super) programs: &'static [&'static str],
    /// Words of which one must be there; none if it always runs something.
    pub(super) verbs: &'static [&'static str],
    /// Files that it reads.
    pub(super) files: &'static [&'static str],
    /// Where it looks for them.
    pub(super) search: Search,
    /// Options that name another working folder.
    pub(super) folder: &'static [&'static str],
    /// Options that name such a file.
    pub(super) file: &'static [&'static str],
    /// Endings of the sources that it executes or loads.
    pub(super) sources: &'static [&'static str],
}

/// An entry whose fields are mostly empty.
const PLAIN: Runner = Runner {
    programs: &[],
    verbs: &[],
    files: &[],
    search: Search::Here,
    folder: &[],
    file: &[],
    sources: &[],
};

/// Build tools, package managers and test runners of all languages but JavaScript.
const RUNNERS: &[Runner] = &[
    Runner {
        programs: &["make", "gmake", "bmake"],
        files: &["GNUmakefile", "makefile", "Makefile", "BSDmakefile"],
        folder: &["-C", "--directory"],
        file: &["-f", "--file", "--makefile"],
        ..PLAIN
    },
    Runner {
        programs: &["just"],
        files: &["justfile", "Justfile", ".justfile"],
        search: Search::Upwards,
        folder: &["-d", "--working-directory"],
        file: &["-f", "--justfile"],
        ..PLAIN
    },
    Runner {
        programs: &["task", "go-task"],
        files: &["Taskfile.yml", "Taskfile.yaml", "Taskfile.dist.yml", "Taskfile.dist.yaml"],
        search: Search::Upwards,
        folder: &["-d", "--dir"],
        file: &["-t", "--taskfile"],
        ..PLAIN
    },
    Runner {
        programs: &["rake", "rails", "thor"],
        files: &["Rakefile", "rakefile", "Rakefile.rb", "Thorfile", "config/application.rb"],
        search: Search::Upwards,
        folder: &["-C", "--directory"],
        file: &["-f", "--rakefile"],
        sources: &["rake"],
        ..PLAIN
    },
    Runner {
        programs: &["ninja", "samu"],
        files: &["build.ninja"],
        folder: &["-C"],
        file: &["-f"],
        ..PLAIN
    },
    Runner { programs: &["meson"], files: &["meson.build"], folder: &["-C"], ..PLAIN },
    Runner {
        programs: &["scons"],
        files: &["SConstruct", "Sconstruct", "sconstruct", "SConscript"],
        folder: &["-C", "--directory"],
        file: &["-f", "--file"],
        ..PLAIN
    },
    Runner { programs: &["waf"], files: &["wscript"], ..PLAIN },
    Runner {
        programs: &["bazel", "bazelisk", "buck2"],
        files: &["WORKSPACE", "MODULE.bazel", ".bazelrc", "BUILD", "BUILD.bazel", "tools/bazel"],
        search: Search::Upwards,
        ..PLAIN
    },
    Runner { programs: &["mage"], files: &["magefile.go"], ..PLAIN },
    Runner {
        programs: &["cargo", "cross"],
        verbs: words!(
            "build b run r test t bench check c clippy nextest doc rustc install miri fix \
             xtask package publish rustdoc"
        ),
        files: &["build.rs", "Cargo.toml"],
        folder: &["-C"],
        file: &["--manifest-path", "--path"],
        sources: &["rs"],
        ..PLAIN
    },
    Runner {
        programs: &["cargo", "cross", "rustc", "rustup"],
        files: &[".cargo/config.toml", ".cargo/config", "rust-toolchain.toml"],
        search: Search::Upwards,
        folder: &["-C"],
        file: &["--config"],
        ..PLAIN
    },
    Runner {
        programs: &["go"],
        verbs: &["run", "build", "test", "install", "generate", "vet", "tool"],
        files: &["main.go"],
        folder: &["-C"],
        sources: &["go"],
        ..PLAIN
    },
    Runner {
        programs: &[
            "pytest", "py.test", "tox", "nox", "unittest", "coverage", "ward", "hatch", "pdm",
        ],
        files: words!(
            "conftest.py tests/conftest.py test/conftest.py pytest.ini pyproject.toml tox.ini \
             setup.cfg noxfile.py sitecustomize.py usercustomize.py"
        ),
        search: Search::Upwards,
        folder: &["--rootdir"],
        file: &["-c", "--config-file", "-f", "--noxfile", "--conf"],
        sources: &["py"],
        ..PLAIN
    },
    Runner {
        programs: &["pip", "pip3", "uv", "poetry", "build", "pipenv", "flit", "pipx"],
        verbs: &["install", "sync", "build", "wheel", "develop", "lock", "run", "add", "."],
        files: &["setup.py", "setup.cfg", "pyproject.toml", "pip.conf", "conftest.py"],
        folder: &["--directory", "--project", "-C"],
        file: &["-e", "--editable"],
        ..PLAIN
    },
    Runner {
        programs: &["poe", "poethepoet", "taskipy", "rye", "pixi", "invoke", "inv", "fab"],
        files: &["pyproject.toml", "pixi.toml", "tasks.py", "fabfile.py"],
        search: Search::Upwards,
        ..PLAIN
    },
    Runner {
        programs: &["python", "python3", "ipython"],
        files: &["sitecustomize.py", "usercustomize.py"],
        ..PLAIN
    },
    Runner {
        programs: &["cmake", "ctest", "cpack"],
        files: words!("CMakeLists.txt CMakePresets.json CMakeUserPresets.json CTestTestfile.cmake"),
        folder: &["-S", "--source", "--build", "--test-dir"],
        file: &["-C", "-P", "-D"],
        sources: &["cmake", "c", "cc", "cpp", "cxx"],
        ..PLAIN
    },
    Runner {
        programs: &["gradle", "gradlew"],
        files: words!(
            "build.gradle build.gradle.kts settings.gradle settings.gradle.kts init.gradle \
             gradle.properties gradle/wrapper/gradle-wrapper.properties"
        ),
        search: Search::Upwards,
        folder: &["-p", "--project-dir"],
        file: &["-b", "--build-file", "-I", "--init-script"],
        sources: &["java", "kt", "kts", "groovy", "scala"],
        ..PLAIN
    },
    Runner {
        programs: &["mvn", "mvnw", "ant"],
        files: words!(
            "pom.xml build.xml .mvn/extensions.xml .mvn/jvm.config .mvn/maven.config \
             .mvn/wrapper/maven-wrapper.properties"
        ),
        search: Search::Upwards,
        file: &["-f", "--file", "-buildfile"],
        sources: &["java", "kt", "groovy", "scala"],
        ..PLAIN
    },
    Runner {
        programs: &["composer"],
        files: &["composer.json"],
        folder: &["-d", "--working-dir"],
        ..PLAIN
    },
    Runner {
        programs: words!("bundle bundler rspec cucumber guard jekyll middleman cap"),
        files: words!(
            "Gemfile .rspec spec/spec_helper.rb spec/rails_helper.rb Guardfile Capfile \
             _config.yml"
        ),
        search: Search::Upwards,
        file: &["--gemfile", "-r", "--require"],
        sources: &["rb"],
        ..PLAIN
    },
    Runner { programs: &["gem"], verbs: &["build", "install"], sources: &["gemspec"], ..PLAIN },
    Runner {
        programs: &["mix", "iex", "rebar3"],
        files: &["mix.exs", ".iex.exs", "config/config.exs", "config/runtime.exs", "rebar.config"],
        sources: &["exs", "ex"],
        ..PLAIN
    },
    Runner {
        programs: &["sbt", "mill", "lein", "clj", "bb"],
        files: words!("build.sbt project/plugins.sbt build.sc project.clj deps.edn bb.edn"),
        sources: &["scala", "sc", "clj", "cljc", "java"],
        ..PLAIN
    },
    Runner {
        programs: &["swift", "zig"],
        files: &["Package.swift", "build.zig"],
        sources: &["swift", "zig"],
        ..PLAIN
    },
    Runner {
        programs: words!("phpunit pest paratest codecept behat infection"),
        files: &["phpunit.xml", "phpunit.xml.dist", "codeception.yml"],
        file: &["-c", "--configuration", "--bootstrap"],
        sources: &["php"],
        ..PLAIN
    },
    Runner {
        programs: &["dart", "flutter"],
        verbs: &["test", "run", "compile", "build", "drive"],
        files: &["pubspec.yaml", "build.yaml"],
        sources: &["dart"],
        ..PLAIN
    },
    Runner { programs: &["prove"], files: &[".proverc"], sources: &["t", "pl", "pm"], ..PLAIN },
    Runner { programs: &["busted"], files: &[".busted"], sources: &["lua"], ..PLAIN },
    Runner {
        programs: &["nimble", "crystal", "shards", "dub", "rdmd", "v", "odin", "gleam"],
        files: &["shard.yml", "dub.json", "dub.sdl", "gleam.toml"],
        sources: &["nim", "nimble", "nims", "cr", "d", "v", "odin", "gleam"],
        ..PLAIN
    },
    Runner {
        programs: &["dotnet", "msbuild"],
        files: &["Directory.Build.props", "Directory.Build.targets", "nuget.config"],
        search: Search::Upwards,
        sources: &["csproj", "fsproj", "targets", "props", "cs", "fs", "vb"],
        ..PLAIN
    },
    Runner {
        programs: &["stack", "cabal", "dune", "opam", "ghci"],
        files: &["Setup.hs", "stack.yaml", "dune", "dune-project", ".ghci"],
        sources: &["hs", "ml"],
        ..PLAIN
    },
];

/// All entries.
pub(super) fn all() -> impl Iterator<Item = &'static Runner> {
    RUNNERS.iter().chain(javascript::RUNNERS).chain(tools::RUNNERS)
}

/// The entries of a program.
pub(super) fn of(program: &str) -> impl Iterator<Item = &'static Runner> {
    all().filter(move |runner| runner.programs.contains(&program))
}

/// The hooks that a command of git runs.
pub(super) fn git_hooks(verb: &str) -> &'static [&'static str] {
    match verb {
        "commit" | "revert" => {
            words!("pre-commit prepare-commit-msg commit-msg post-commit post-rewrite pre-auto-gc")
        }
        "push" => &["pre-push"],
        "merge" | "pull" => {
            &["pre-merge-commit", "commit-msg", "post-merge", "post-checkout", "pre-rebase"]
        }
        "rebase" | "cherry-pick" => {
            &["pre-rebase", "post-rewrite", "post-checkout", "commit-msg", "post-commit"]
        }
        "checkout" | "switch" | "worktree" | "clone" => &["post-checkout"],
        "am" => &["applypatch-msg", "pre-applypatch", "post-applypatch"],
        "gc" => &["pre-auto-gc"],
        _ => &[],
    }
}
