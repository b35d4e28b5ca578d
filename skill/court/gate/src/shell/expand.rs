//! Expansion of words: braces, tilde, parameters, substitutions, splitting. Not here: pathnames; a
//! pattern stays a pattern.

use std::rc::Rc;

use super::Step;
use super::brace::{self, Atom};
use super::state::{File, Value};
use super::walk::{Flow, Walker};
use crate::field::{Field, UNKNOWN};
use crate::path::name;
use crate::syntax::{Direction, Indirect, Part, Quoted, Script, Word};

/// The fields of one word while they are made.
struct FieldBuilder<'f> {
    /// Those that are complete, after those of the words before.
    fields: &'f mut Vec<Field>,
    /// The one that is being made, and whether it is one yet.
    field: Field,
    exists: bool,
    /// `"$@"` without a parameter is no field, though it stands in quotes.
    vanishes: bool,
}

impl FieldBuilder<'_> {
    fn character(&mut self, character: char) {
        self.field.text.push(character);
        self.field.glob |= matches!(character, '*' | '?' | '[');
        self.exists = true;
    }

    /// Completes the field, if it is one.
    fn end(&mut self) {
        if std::mem::take(&mut self.exists) {
            self.fields.push(std::mem::take(&mut self.field));
        }
    }
}

impl Walker<'_> {
    /// All fields of several words.
    pub(crate) fn expand_all(&mut self, words: &[Word]) -> Step<Vec<Field>> {
        let mut fields = Vec::new();
        for word in words {
            fields.extend(self.expand(word)?);
        }
        Ok(fields)
    }

    /// The fields that a word becomes.
    pub(crate) fn expand(&mut self, word: &Word) -> Step<Vec<Field>> {
        self.budget.steps(word.pieces.len() + 1)?;
        let mut atoms = Vec::new();
        for piece in &word.pieces {
            match &piece.part {
                Part::Text(text) if piece.quoted == Quoted::No => {
                    self.budget.steps(text.len())?;
                    atoms.extend(text.chars().map(Atom::Plain));
                }
                _ => atoms.push(Atom::Piece(piece)),
            }
        }
        let Some(words) = brace::expand(atoms, &mut self.budget)? else {
            return Ok(vec![Field::unknown()]);
        };
        let mut fields = Vec::new();
        for atoms in words {
            self.fields(&atoms, &mut fields)?;
        }
        Ok(fields)
    }

    /// A word as one text, as in an assignment or a here-document: without splitting.
    pub(crate) fn text_of(&mut self, word: &Word) -> Step<Value> {
        let mut value = Value::default();
        for (index, piece) in word.pieces.iter().enumerate() {
            self.budget.steps(1)?;
            match &piece.part {
                Part::Text(text)
                    if index == 0 && piece.quoted == Quoted::No && text.starts_with('~') =>
                {
                    let length = text.find('/').unwrap_or(text.len());
                    value.text.push_str(&self.tilde(&text[1..length]));
                    value.text.push_str(&text[length..]);
                }
                Part::Text(text) => value.text.push_str(text),
                part => {
                    let values = self.part(part)?;
                    self.join(&mut value, &values)?;
                }
            }
            if value.text.len() > crate::limits::BYTES_MAX {
                value.text = UNKNOWN.to_string();
            }
        }
        self.budget.steps(value.text.len() / 8)?;
        Ok(value)
    }

    fn join(&mut self, value: &mut Value, values: &[Value]) -> Step {
        for (index, each) in values.iter().enumerate() {
            if index > 0 {
                value.text.push(' ');
            }
            self.budget.steps(each.text.len() / 8)?;
            value.text.push_str(&each.text);
            value.taint = value.taint.and(each.taint);
        }
        Ok(())
    }

    fn fields(&mut self, atoms: &[Atom<'_>], fields: &mut Vec<Field>) -> Step {
        let mut made =
            FieldBuilder { fields, field: Field::default(), exists: false, vanishes: false };
        for atom in self.after_tilde(atoms, &mut made) {
            match atom {
                Atom::Plain(character) => made.character(*character),
                Atom::Piece(piece) => match (&piece.part, piece.quoted) {
                    (Part::Text(text), _) => {
                        self.budget.steps(text.len() / 8 + 1)?;
                        made.field.text.push_str(text);
                        made.exists = true;
                    }
                    (part, Quoted::Yes) => self.quoted(part, &mut made)?,
                    (part, Quoted::No) => {
                        for (index, value) in self.part(part)?.iter().enumerate() {
                            if index > 0 {
                                made.end();
                            }
                            self.split(value, &mut made)?;
                        }
                    }
                },
            }
        }
        if !(made.vanishes && made.field.text.is_empty()) {
            made.end();
        }
        if field_bytes(fields) > crate::limits::BYTES_MAX * 4 {
            return Err(crate::limits::Limit::Bytes);
        }
        Ok(())
    }

    /// A tilde at the beginning is the home folder of the login behind it; gives what follows.
    fn after_tilde<'a, 'p>(
        &self,
        atoms: &'a [Atom<'p>],
        made: &mut FieldBuilder<'_>,
    ) -> &'a [Atom<'p>] {
        let Some((Atom::Plain('~'), rest)) = atoms.split_first() else { return atoms };
        let of_login = |atom: &&Atom<'_>| matches!(atom, Atom::Plain(each) if *each != '/');
        let length = rest.iter().take_while(of_login).count();
        let login: String = rest[..length]
            .iter()
            .filter_map(|atom| if let Atom::Plain(each) = atom { Some(*each) } else { None })
            .collect();
        made.field.text = self.tilde(&login);
        made.exists = true;
        &rest[length..]
    }

    /// What stands in quotes is not split.
    fn quoted(&mut self, part: &Part, made: &mut FieldBuilder<'_>) -> Step {
        let values = self.part(part)?;
        // `"$@"` and `"${a[@]}"` are a field for each element.
        let several = is_several(part) || values.len() > 1 && is_indirect(part);
        if several && values.is_empty() {
            made.vanishes = true;
            return Ok(());
        }
        made.exists = true;
        for (index, value) in values.iter().enumerate() {
            if index > 0 && several {
                made.end();
                made.exists = true;
            } else if index > 0 {
                made.field.text.push_str(&self.between());
            }
            made.field.text.push_str(&value.text);
            made.field.taint = made.field.taint.and(value.taint);
            self.budget.steps(value.text.len() / 8 + 1)?;
        }
        Ok(())
    }

    /// Splits an unquoted value at blanks into fields.
    fn split(&mut self, value: &Value, made: &mut FieldBuilder<'_>) -> Step {
        self.budget.steps(value.text.len() + 1)?;
        let separators = self.separators();
        for character in value.text.chars() {
            if separators.contains(character) {
                made.end();
            } else {
                made.character(character);
                made.field.taint = made.field.taint.and(value.taint);
            }
        }
        Ok(())
    }

    /// What `IFS` holds.
    pub(crate) fn separators(&self) -> String {
        let set = self.state.variables.get("IFS");
        set.map_or_else(|| " \t\r\n".to_owned(), |variable| variable.values[0].text.clone())
    }

    fn tilde(&self, login: &str) -> String {
        match login {
            "" => self.context.home.to_owned(),
            "+" => self.state.cwd.clone(),
            "-" => self.state.old_cwd.clone(),
            "root" => "/root".to_owned(),
            _ if login == name(self.context.home) => self.context.home.to_owned(),
            _ if login.chars().all(|each| each.is_ascii_alphanumeric() || "_-.".contains(each)) => {
                format!("/home/{login}")
            }
            _ => format!("~{login}"),
        }
    }

    /// What a part other than text gives.
    fn part(&mut self, part: &Part) -> Step<Vec<Value>> {
        match part {
            Part::Text(text) => Ok(vec![Value::new(text)]),
            Part::Parameter(parameter) => self.parameter(parameter),
            Part::Arithmetic(word) => {
                let value = self.arithmetic_of(word)?;
                let number = value.text.trim().parse::<i64>();
                Ok(vec![
                    number.map_or_else(
                        |_| Value::unknown(),
                        |number| Value::new(&number.to_string()),
                    ),
                ])
            }
            Part::Command(script) => {
                let mut output = self.substitution(script)?;
                let length = output.text.trim_end_matches('\n').len();
                output.text.truncate(length);
                Ok(vec![output])
            }
            Part::Process(script, direction) => {
                self.process(script, *direction).map(|value| vec![value])
            }
        }
    }

    /// What stands between the elements of `"${a[*]}"`: the first sign of IFS.
    fn between(&self) -> String {
        let known = self.state.variables.get("IFS").and_then(|ifs| ifs.values.first());
        let first = |ifs: &Value| ifs.text.chars().next().map(String::from).unwrap_or_default();
        known.map_or_else(|| " ".to_owned(), first)
    }

    /// The output of `$(...)`. What it changes in the shell does not last.
    pub(crate) fn substitution(&mut self, script: &Rc<Script>) -> Step<Flow> {
        // `$(< file)` reads the file.
        let before = self.scope();
        let input = self.input.clone();
        let output = self.script(script, &input);
        self.restore(before);
        output
    }

    /// `<(...)` is a file with the command's output; `>(...)` one that the command reads.
    fn process(&mut self, script: &Rc<Script>, direction: Direction) -> Step<Value> {
        let before = self.scope();
        let input = if direction == Direction::To { Flow::unknown() } else { Flow::default() };
        let output = self.script(script, &input)?;
        self.restore(before);
        let path = format!("/dev/fd/{}", 63 + self.state.files.len());
        if direction == Direction::From {
            let file = File { content: output.text, taint: output.taint };
            self.state.files.insert(path.clone(), file);
        }
        Ok(Value { text: path, taint: output.taint })
    }
}

fn is_several(part: &Part) -> bool {
    let Part::Parameter(parameter) = part else { return false };
    parameter.name == "@" || parameter.index.as_deref() == Some("@")
}

fn is_indirect(part: &Part) -> bool {
    matches!(part, Part::Parameter(parameter) if parameter.indirect == Indirect::Yes)
}

fn field_bytes(fields: &[Field]) -> usize {
    fields.iter().rev().take(64).map(|field| field.text.len()).sum()
}
