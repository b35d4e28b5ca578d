//! Build tools and typesetters: the commands and the code that they are told beside their files. Not here: what stands in
//! their files (see `runner_files` and `written`).

use super::acts::{Act, Also, Pick};
use super::entry::When::{Always, Word};
use super::entry::{Case, Command, Given, Said};
use super::packages::RELEASES;
use super::words::words;
use crate::rules::execution;
use crate::shell::{Field, Flow, Io, Step, Walker};

pub(super) const COMMANDS: &[Command] = &[
    Command::said(
        words!("cmake"),
        Said::cases(&[], &[RELEASES, OTHER]).also(&[Also(Word("-E"), Act::Calls(does_to_files))]),
        [
            &[],
            &["build", "-E make_directory a", "-E rm -rf build", "-E copy a b"],
            &[
                "publish",
                "-E rm -rf src",
                "-E remove_directory src",
                "-E env A=1 rm -rf src",
                "-E copy /dev/null .git/config",
            ],
            &[],
        ],
    ),
    Command::said(
        words!("gradle gradlew mvn mvnw ant"),
        Said::cases(&[], &[RELEASES, OTHER]).also(&[
            Also(Always, Act::Stray(Pick::Values(FILES))),
            Also(Word("-Dexec.* -Djvm=* -Dcmd=*"), Act::Calls(executes)),
        ]),
        [
            &[],
            &["build", "-f app/a.xml", "exec:java -Dexec.mainClass=a.B -Dexec.args='--port 1'"],
            &[
                "publish",
                "x:release:perform",
                "-f /tmp/a.xml",
                "exec:exec -Dexec.executable=rm -Dexec.args='-rf src'",
                "test -Djvm=/tmp/x",
            ],
            &[],
        ],
    ),
    Command::said(
        words!("tex latex pdftex pdflatex xetex xelatex luatex lualatex luahbtex platex uplatex"),
        Said::cases(words!("-output-directory -jobname -fmt"), &[OTHER]).also(&[
            Also(Always, Act::Calls(typesets)),
            Also(Word("--luaonly"), Act::Stray(Pick::Nth(0))),
        ]),
        [
            &[],
            &["a.tex", "-shell-escape a.tex", "'\\def\\a{b}\\input{a}'"],
            &[
                "'\\immediate\\write18{rm -rf src}\\end'",
                "'\\directlua{os.execute(\"rm -rf src\")}'",
                "--luaonly /tmp/a.lua",
            ],
            &[],
        ],
    ),
    Command::said(
        words!("latexmk"),
        Said::cases(words!("-outdir -auxdir -jobname -r"), &[OTHER]).also(&[
            Also(Always, Act::Calls(typesets_by)),
            Also(Always, Act::Code("perl", Pick::Values(&["-e"]))),
        ]),
        [
            &[],
            &["-pdf a.tex", "-pdflatex='pdflatex %O %S' a.tex"],
            &["-pdflatex='sh -c \"rm -rf src\"' a.tex", "-e 'system(\"rm -rf src\")' a.tex"],
            &[],
        ],
    ),
];

const OTHER: &[Case] = &[Case(Always, &execution::COMMAND)];

/// Options that name a file of the build's.
const FILES: &[&str] =
    words!("-f --file -b --build-file -I --init-script -c --settings-file -buildfile");

/// What `cmake -E` does like the programs of a system, whichever system it is.
const LIKE: &[(&str, &[&str])] = &[
    ("rm", &["rm"]),
    ("remove", &["rm"]),
    ("remove_directory", &["rm", "-rf"]),
    ("copy", &["cp"]),
    ("copy_if_different", &["cp"]),
    ("copy_directory", &["cp", "-r"]),
    ("rename", &["mv"]),
    ("create_symlink", &["ln", "-s"]),
    ("create_hardlink", &["ln"]),
    ("env", &["env"]),
    ("time", &["time"]),
    ("chdir", &["env", "-C"]),
    ("tar", &["tar"]),
];

fn does_to_files(walker: &mut Walker<'_>, given: &Given<'_>, io: &Io<'_>) -> Step<Flow> {
    let told = given.words.iter().skip_while(|word| word.text != "-E").skip(1);
    let told: Vec<&Field> = told.collect();
    let Some((verb, rest)) = told.split_first() else { return Ok(Flow::default()) };
    let Some((_, program)) = LIKE.iter().find(|(name, _)| *name == verb.text) else {
        return Ok(Flow::default());
    };
    let mut words: Vec<Field> = program.iter().map(|word| Field::new(word)).collect();
    words.extend(rest.iter().map(|word| (*word).clone()));
    walker.via.push("cmake".to_owned());
    let output = walker.run(&words, io)?;
    walker.via.pop();
    Ok(output)
}

/// Properties that name a program which the build starts.
fn executes(walker: &mut Walker<'_>, given: &Given<'_>, _io: &Io<'_>) -> Step<Flow> {
    let value = |keys: &[&str]| {
        let told = given.words.iter();
        told.flat_map(|word| keys.iter().find_map(|key| word.text.strip_prefix(key))).next()
    };
    let program = value(&["-Dexec.executable=", "-Djvm=", "-Dcmd="]);
    if let Some(program) = program {
        let arguments = value(&["-Dexec.args=", "-Dexec.commandlineArgs="]).unwrap_or_default();
        let text = format!("{program} {arguments}");
        return walker.payload(&text, given.program(), &Flow::unknown());
    }
    Ok(Flow::default())
}

/// What a text for a typesetter executes.
fn typesets(walker: &mut Walker<'_>, given: &Given<'_>, _io: &Io<'_>) -> Step<Flow> {
    for word in &given.words[1..] {
        walker.budget.steps(word.text.len())?;
        if let Some(command) = braced(&word.text, "write18") {
            walker.payload(command, "write18", &Flow::unknown())?;
        }
        if let Some(code) = braced(&word.text, "directlua") {
            walker.inline("lua", code)?;
        }
    }
    Ok(Flow::default())
}

/// Options of `latexmk` that say how the typesetter is started: `-pdflatex='sh x %O %S'`.
fn typesets_by(walker: &mut Walker<'_>, given: &Given<'_>, _io: &Io<'_>) -> Step<Flow> {
    for word in &given.words[1..] {
        if let Some((option, text)) = word.text.split_once('=')
            && option.starts_with('-')
            && option.ends_with("latex")
        {
            walker.payload(text, "latexmk", &Flow::unknown())?;
        }
    }
    Ok(Flow::default())
}

/// What stands in the braces behind an order.
fn braced<'a>(text: &'a str, order: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(order)?;
    let rest = rest.trim_start().strip_prefix('{')?;
    let mut depth = 1_usize;
    let end = rest.char_indices().find(|(_, each)| {
        match each {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    });
    Some(&rest[..end.map_or(rest.len(), |(at, _)| at)])
}
