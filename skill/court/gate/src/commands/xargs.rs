//! `xargs` and `parallel`: commands made from what is read.

use super::entry::Command;
use super::options::{first_operand, joined, value};
use super::words::words;
use crate::shell::{Field, Flow, Io, Step, UNKNOWN, Walker};

pub(super) const COMMANDS: &[Command] = &[
    Command::code(words!("xargs gxargs"), xargs, [&["ls", "rm -rf"], &[], &[], &[]]),
    Command::code(words!("parallel"), parallel, [&["ls ::: a"], &[], &["rm -rf ::: /srv"], &[]]),
];

/// Most words that are read for one command; more count as unknown.
const WORDS_MAX: usize = 64;

fn xargs(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    let valued = words!(
        "-a -d -E -I -L -n -P -s --arg-file --delimiter --max-args --max-procs --max-lines \
         --process-slot-var"
    );
    let at = first_operand(words, valued).min(words.len());
    let options = &words[..at];
    let mut command: Vec<Field> = words[at..].to_vec();
    if command.is_empty() {
        return Ok(io.stdin.clone());
    }
    let from_file = value(options, &["-a", "--arg-file"]).map(str::to_owned);
    let stdin = match from_file {
        Some(file) => walker.read_file(&Field::new(&file)),
        None => io.stdin.clone(),
    };
    let separator = if options.iter().any(|word| word.text.contains('0')) { '\0' } else { '\n' };
    // `-i` and `--replace` alone stand for `{}`.
    let alone = |word: &Field| matches!(word.text.as_str(), "-i" | "--replace");
    let replaced = if options.iter().any(alone) {
        Some("{}".to_owned())
    } else {
        value(options, &["-I", "--replace", "-i"]).map(str::to_owned)
    };
    // With a mark to replace, each line is one item.
    let by_line = replaced.is_some();
    let mut read: Vec<Field> = stdin
        .text
        .split(|character: char| {
            character == separator || (!by_line && character.is_ascii_whitespace())
        })
        .filter(|text| !text.is_empty())
        .take(WORDS_MAX + 1)
        .map(|text| Field {
            glob: text.contains(['*', '?']),
            taint: stdin.taint,
            text: text.trim_matches(['\'', '"']).to_owned(),
        })
        .collect();
    if read.len() > WORDS_MAX {
        read.truncate(WORDS_MAX);
        read.push(Field::unknown());
    }
    walker.via.push("xargs".to_owned());
    let nothing = Flow::default();
    let io = Io { stdin: &nothing };
    let output = match replaced {
        Some(mark) if !mark.is_empty() && command.iter().any(|word| word.text.contains(&mark)) => {
            if read.is_empty() {
                read.push(Field::unknown());
            }
            as_code(walker, &command, &mark, &read)?;
            let mut output = Flow::default();
            for each in read.iter().take(16) {
                let made = command.iter().map(|word| Field {
                    text: word.text.replace(&mark, &each.text),
                    ..word.clone()
                });
                let made: Vec<Field> =
                    made.map(|word| Field { glob: word.glob || each.glob, ..word }).collect();
                output = walker.run(&made, &io)?;
            }
            output
        }
        _ => {
            // `xargs sh -c` reads each word as a script.
            let open = command.last().is_some_and(|word| word.text == "-c");
            if open && super::shells::is_shell(&command[0].text) {
                for each in read.iter().take(16) {
                    walker.try_script(&each.text)?;
                }
                walker.try_script(&stdin.text)?;
                if read.is_empty() {
                    read.push(Field::unknown());
                }
            }
            command.extend(read);
            walker.run(&command, &io)?
        }
    };
    walker.via.pop();
    Ok(Flow { text: UNKNOWN.to_string(), taint: output.taint })
}

/// What is read becomes the text of a shell: `xargs -I{} sh -c {}`.
fn as_code(walker: &mut Walker<'_>, command: &[Field], mark: &str, read: &[Field]) -> Step {
    let code = command.windows(2).any(|pair| pair[0].text.ends_with('c') && pair[1].text == mark);
    if code && super::shells::is_shell(&command[0].text) && read.iter().any(|each| !each.is_known())
    {
        walker.found(&crate::rules::execution::UNREADABLE_CODE, "xargs");
    }
    Ok(())
}

impl Walker<'_> {
    /// Follows a text as a script, if it is one.
    fn try_script(&mut self, text: &str) -> Step {
        let text = text.trim().trim_matches(['\'', '"']);
        if text.contains(' ') { self.try_shell(text) } else { Ok(()) }
    }
}

fn parallel(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    let valued = words!(
        "-j -a -n -N -I --jobs --timeout --delay --joblog --results -S --retries -d --colsep \
         -C"
    );
    let at = first_operand(words, valued).min(words.len());
    let end = words[at..]
        .iter()
        .position(|word| matches!(word.text.as_str(), ":::" | "::::" | ":::+"))
        .map_or(words.len(), |index| at + index);
    let values: Vec<Field> = if end < words.len() {
        words[end + 1..]
            .iter()
            .filter(|word| !word.text.starts_with(":::"))
            .take(16)
            .cloned()
            .collect()
    } else {
        io.stdin.text.lines().take(16).map(Field::new).collect()
    };
    let mut made = words[at..end].to_vec();
    // `parallel sh -c 'text'`: parallel quotes nothing, so that the shell sees the words again.
    if super::shells::is_shell(made.first().map_or("", |word| &word.text))
        && let Some(text) = made.iter().position(|word| word.text == "-c").map(|at| at + 1)
    {
        let script = made.get(text).map(|word| word.text.clone()).unwrap_or_default();
        made = if script.is_empty() { Vec::new() } else { vec![Field::new(&script)] };
    }
    let template = joined(&made);
    walker.via.push("parallel".to_owned());
    let values = if values.is_empty() { vec![Field::unknown()] } else { values };
    // `{1} {2}`: with each list of its own, the first of each is one command.
    if (1..=4).any(|at| template.contains(&format!("{{{at}}}"))) && end < words.len() {
        let lists: Vec<&[Field]> =
            words[end + 1..].split(|word| word.text.starts_with(":::")).collect();
        let most = lists.iter().map(|list| list.len()).max().unwrap_or_default().min(16);
        for row in 0..most {
            let mut text = template.clone();
            for (at, list) in lists.iter().enumerate() {
                let each = list.get(row).or(list.last()).map_or("", |word| word.text.as_str());
                text = text.replace(&format!("{{{}}}", at + 1), each);
            }
            walker.payload(&text, "parallel", &Flow::default())?;
        }
    }
    for each in values {
        let text = if template.is_empty() {
            each.text.clone()
        } else if template.contains('{') {
            template.replace("{}", &each.text).replace("{.}", &each.text).replace("{/}", &each.text)
        } else {
            format!("{template} {}", each.text)
        };
        walker.payload(&text, "parallel", &Flow::default())?;
    }
    walker.via.pop();
    Ok(Flow::unknown())
}
