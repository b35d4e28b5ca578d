//! Compilers, linkers and runners of sources: what they make counts as the sources, when it is made and when it is
//! executed. Not here: what stands in the sources (see `written`).

use super::acts::{Act, Also, Pick};
use super::entry::When::Always;
use super::entry::{Case, Command, Gives, Said};
use super::languages::of_source;
use super::options::{first_operand, value};
use super::words::words;
use super::written::Role;
use crate::path::{absolute, name};
use crate::rules::execution;
use crate::shell::{Field, Flow, Io, Mode, Step, Walker};

/// Run a source at once: by a word, or always where there is none.
const RUNNERS: &[(&str, &[&str])] = &[
    ("tcc", &["-run"]),
    ("zig", &["run", "test", "build-exe"]),
    ("nim", &["r", "c", "e", "compile"]),
    ("crystal", &["run", "build", "spec"]),
    ("v", &["run"]),
    ("odin", &["run"]),
    ("swift", &[]),
    ("dotnet", &["script", "run", "fsi"]),
    ("dotnet-script", &[]),
    ("csi", &[]),
    ("fsharpi", &[]),
    ("rdmd", &[]),
    ("dmd", &["-run"]),
    ("dub", &["run"]),
    ("dart", &[]),
    ("flutter", &["run", "test"]),
    ("rust-script", &[]),
    ("cargo-script", &[]),
    ("kotlin", &[]),
    ("kotlinc", &["-script"]),
    ("java", &[]),
    ("scala", &[]),
    ("scala-cli", &[]),
    ("amm", &[]),
    ("runghc", &[]),
    ("runhaskell", &[]),
    ("stack", &["runghc", "script"]),
    ("jbang", &[]),
    ("go-script", &[]),
    ("yaegi", &[]),
    ("gorun", &[]),
    ("hare", &["run"]),
    ("gforth", &[]),
    ("racket", &[]),
    ("chez", &[]),
    ("chibi-scheme", &[]),
    ("janet", &[]),
    ("swipl", &[]),
    ("escript", &[]),
    ("vala", &[]),
    ("raku", &[]),
    ("wolframscript", &[]),
];

/// Make a program, or a part of one, out of sources.
const COMPILERS: &str = "rustc gcc g++ cc c++ clang clang++ cpp gfortran f77 f95 flang ifort gnatmake gnat gprbuild cobc \
    ghc swiftc zig tcc nim kotlinc scalac javac groovyc mcs csc gmcs vbc fsharpc valac fpc dmd ldc2 gdc ocamlc ocamlopt \
    ocamlfind crystal v odin hare elixirc erlc raco dart emcc em++ wat2wasm nasm yasm as fasm gccgo tinygo nvcc icc icx \
    dotnet cython nuitka pyinstaller cl musl-gcc gcj chezscheme mlton";

/// Put together what compilers made.
const LINKERS: &str = "ld ld.lld ld.gold ld.bfd lld mold gold ar jar";

/// Programs that start a compiler and keep what it makes.
pub(super) const COMMANDS: &[Command] = &[Command::said(
    words!("ccache sccache distcc"),
    Said::cases(&[], &[&[Case(Always, &execution::COMMAND)]])
        .also(&[Also(Always, Act::Command(Pick::From(0)))])
        .gives(Gives::Inner),
    [&[], &["gcc -c a.c"], &["-- rm -rf /srv/data"], &[]],
)];

fn listed(list: &str, name: &str) -> bool {
    list.split_ascii_whitespace().any(|each| each == name)
}

/// `x86_64-linux-gnu-gcc-13` is `gcc`.
fn tool(name: &str) -> &str {
    let bare = name.trim_end_matches(|each: char| each.is_ascii_digit() || each == '.');
    let bare = bare.strip_suffix('-').filter(|_| bare != name).unwrap_or(name);
    let last = bare.rsplit('-').next().unwrap_or(bare);
    let crossed =
        bare.matches('-').count() > 1 && (listed(COMPILERS, last) || listed(LINKERS, last));
    if crossed { last } else { bare }
}

impl Walker<'_> {
    /// A program that may compile, or run a source.
    pub(super) fn compiles(&mut self, name: &str, words: &[Field], io: &Io<'_>) -> Step {
        let name = tool(name);
        let runner = RUNNERS.iter().find(|(program, _)| *program == name);
        let compiler = listed(COMPILERS, name) || listed(LINKERS, name);
        if matches!(name, "make" | "gmake") {
            return self.made_by_rule(words);
        }
        if runner.is_none() && !compiler {
            return Ok(());
        }
        let mut sources: Vec<String> = words[1..]
            .iter()
            .filter(|word| of_source(&word.text).is_some())
            .map(|word| absolute(&word.text, &self.state.cwd))
            .collect();
        // `java -cp . app.Main` is what `app/Main.java` was made into.
        if name == "java" {
            let class = first_operand(words, &["-cp", "-classpath", "--class-path", "-jar", "-m"]);
            let class = words.get(class).map(|word| word.text.replace('.', "/"));
            sources.extend(class.map(|class| absolute(&format!("{class}.java"), &self.state.cwd)));
        }
        // `-` and `-xc -` read the source from a pipe.
        if words[1..].iter().any(|word| matches!(word.text.as_str(), "-" | "/dev/stdin")) {
            let file = Field::new(&format!("{}/.standard-input.c", self.state.cwd));
            let content = Flow { text: io.stdin.text.clone(), taint: io.stdin.taint };
            self.remember(&file, &content, Mode::Replace);
            sources.push(file.text);
        }
        // What was made before is made into something else.
        let parts = words[1..].iter().map(|word| absolute(&word.text, &self.state.cwd));
        let parts: Vec<String> =
            parts.filter_map(|part| self.state.built.get(&part)).flatten().cloned().collect();
        sources.extend(parts);
        sources.dedup();
        // What an option says is no source, as the address of a server in `--urls`.
        let remote = words.windows(2).any(|pair| {
            let told = pair[0].is_option() && pair[0].text.contains("url");
            pair[1].text.contains("://") && !pair[1].is_option() && !told
        });
        if remote && runner.is_some() {
            self.found(&execution::FETCHED_SCRIPT, name);
        }
        let runs = runner.is_some_and(|(_, verbs)| {
            verbs.is_empty() || words[1..].iter().any(|word| verbs.contains(&word.text.as_str()))
        });
        if runs {
            self.runs_written(&sources, name)?;
        } else {
            // It is executed later, perhaps by another call that only sees what was made.
            self.runs(&sources, name, &[], Role::Named)?;
        }
        if compiler {
            self.makes(words, &sources);
        }
        Ok(())
    }

    /// Notes what a compiler makes: what it is told, or what compilers call it by themselves.
    fn makes(&mut self, words: &[Field], sources: &[String]) {
        let told = value(words, &["-o", "--out", "--output", "-d"]).map(str::to_owned);
        let joined = words[1..].iter().find_map(|word| {
            let heads = ["-of=", "-out:", "/out:", "--out=", "--output=", "-femit-bin=", "-o"];
            heads
                .iter()
                .find_map(|head| word.text.strip_prefix(head))
                .filter(|rest| !rest.is_empty())
        });
        let mut made: Vec<String> = told.into_iter().chain(joined.map(str::to_owned)).collect();
        if made.is_empty() {
            made.push("a.out".to_owned());
            for source in sources {
                let stem = name(source);
                let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
                made.extend(["", ".o", ".exe", ".out", ".js"].map(|end| format!("{stem}{end}")));
            }
        }
        for made in made {
            let made = absolute(&made, &self.state.cwd);
            self.state.built.insert(made, sources.to_vec());
        }
    }

    /// `make m` makes `m` out of `m.c`, with no makefile.
    fn made_by_rule(&mut self, words: &[Field]) -> Step {
        for goal in words[1..].iter().filter(|word| !word.is_option() && !word.text.contains('=')) {
            let stem = goal.text.trim_end_matches(".o");
            let endings = ["c", "cc", "cpp", "C", "f", "p", "s", "S", "m", "r"];
            let source = |ending: &&str| absolute(&format!("{stem}.{ending}"), &self.state.cwd);
            let sources: Vec<String> = endings.iter().map(source).collect();
            let written: Vec<String> =
                sources.into_iter().filter(|source| self.is_written(source)).collect();
            if !written.is_empty() {
                self.runs(&written, "make", &[], Role::Named)?;
                let made = absolute(&goal.text, &self.state.cwd);
                self.state.built.insert(made, written);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::tool;

    #[test]
    fn compilers_are_known_with_their_version_and_target() {
        assert_eq!(tool("gcc-13"), "gcc");
        assert_eq!(tool("x86_64-linux-gnu-g++-12"), "g++");
        assert_eq!(tool("ocamlfind"), "ocamlfind");
        assert_eq!(tool("musl-gcc"), "musl-gcc");
        assert_eq!(tool("ldc2"), "ldc2");
    }
}
