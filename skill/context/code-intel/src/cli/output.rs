//! How answers are printed: JSON, or text with colours on a terminal. A closed pipe is no fault.

use std::io::{self, BufWriter, IsTerminal, Stdout, Write};

use host::Environment;
use serde::Serialize;
use serde_json::json;

use super::environment;
use super::error::{CliError, Exit};
use super::options::Options;
use crate::answer::{Answer, Item};

/// How answers are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Json,
    Plain,
    Coloured,
}

/// Where answers are printed.
pub(crate) struct Output {
    out: BufWriter<Stdout>,
    form: Form,
}

impl Output {
    pub(crate) fn standard(options: &Options, environment: &Environment) -> Self {
        let coloured = io::stdout().is_terminal() && environment::wants_colour(environment);
        let form = match (options.json, coloured) {
            (true, _) => Form::Json,
            (false, true) => Form::Coloured,
            (false, false) => Form::Plain,
        };
        Self { out: BufWriter::new(io::stdout()), form }
    }

    /// Whether programs read it.
    pub(crate) fn is_json(&self) -> bool {
        self.form == Form::Json
    }

    /// Prints a text for a model as it is; for programs as the field `context` of an object.
    pub(crate) fn context(&mut self, text: &str) -> Result<Exit, CliError> {
        let printed = if self.is_json() {
            self.line(&redact::visible_json(&json!({ "context": text }).to_string()))
        } else {
            text.lines().try_for_each(|line| self.line(line))
        };
        printed.map_err(CliError::Output)?;
        Ok(if text.is_empty() { Exit::Nothing } else { Exit::Found })
    }

    /// Prints an answer: as JSON, or with `text` for people.
    pub(crate) fn answer<I: Serialize>(
        &mut self,
        answer: &Answer<I>,
        text: impl Fn(&mut Self, &I) -> io::Result<()>,
    ) -> Result<Exit, CliError> {
        self.print(answer, text).map_err(CliError::Output)?;
        Ok(if answer.items.is_empty() { Exit::Nothing } else { Exit::Found })
    }

    fn print<I: Serialize>(
        &mut self,
        answer: &Answer<I>,
        text: impl Fn(&mut Self, &I) -> io::Result<()>,
    ) -> io::Result<()> {
        if self.form == Form::Json {
            let json = serde_json::to_string(answer)?;
            return writeln!(self.out, "{}", redact::visible_json(&json));
        }
        for item in &answer.items {
            text(self, item)?;
        }
        if answer.items.is_empty() {
            writeln!(self.out, "nothing found")?;
        }
        for limit in &answer.limits {
            let limit = self.dim(&format!("({limit})"));
            writeln!(self.out, "{limit}")?;
        }
        Ok(())
    }

    /// A place: `path:line symbol`, its reasons, its lines.
    pub(crate) fn item(&mut self, item: &Item) -> io::Result<()> {
        self.place(&item.path, item.start_line, item.symbol.as_deref())?;
        let why = self.dim(&format!("{:.2}  {}", item.score, item.why.join("; ")));
        writeln!(self.out, "    {why}")?;
        self.snippet(item.start_line, item.snippet.as_deref())
    }

    pub(crate) fn place(&mut self, path: &str, line: u32, symbol: Option<&str>) -> io::Result<()> {
        let line = if line > 0 { format!(":{line}") } else { String::new() };
        let path = self.paint("35", path);
        let symbol = symbol.map(|symbol| self.paint("1", symbol)).unwrap_or_default();
        writeln!(self.out, "{path}{line}  {symbol}")
    }

    pub(crate) fn snippet(&mut self, first: u32, snippet: Option<&str>) -> io::Result<()> {
        for (number, line) in (first.max(1)..).zip(snippet.unwrap_or_default().lines()) {
            let number = self.dim(&format!("{number:6}"));
            writeln!(self.out, "{number}  {}", redact::visible(line))?;
        }
        Ok(())
    }

    /// One line of text.
    pub(crate) fn line(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.out, "{}", redact::visible(line))
    }

    pub(crate) fn dim(&self, text: &str) -> String {
        self.paint("2", text)
    }

    fn paint(&self, code: &str, text: &str) -> String {
        let text = redact::visible_line(text);
        match self.form {
            Form::Coloured => format!("\x1b[{code}m{text}\x1b[0m"),
            Form::Json | Form::Plain => text.into_owned(),
        }
    }

    pub(crate) fn finish(&mut self) -> Result<(), CliError> {
        self.out.flush().map_err(CliError::Output)
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Prints an error with its causes; where that is impossible, nothing can be done.
pub(crate) fn complain(error: &CliError) {
    let text = format!("ci: {}", host::ErrorChain(error));
    let _ = writeln!(io::stderr(), "{}", redact::visible(&text));
}
