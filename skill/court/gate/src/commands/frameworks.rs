//! Tasks of web frameworks and migration tools that empty a database: many programs, and what starts them, are told
//! them in the same words. Not here: commands with entries of their own.

use super::databases::{destroys, surely_destroys};
use super::options::joined;
use super::tables::{PATTERN_FIRST, TAKES_TEXT};
use super::when::lists;
use crate::path;
use crate::rules::infrastructure;
use crate::shell::{Field, Io, Step, Walker};

/// How many words of a command may begin a task.
const WORDS_MAX: usize = 8;

/// Words that tell a task. Lists are as in [`lists`].
enum Task {
    /// They stand one behind another, the command's name not among them; all but the first in any case of letters.
    Row(&'static [&'static str]),
    /// One of them stands anywhere.
    Word(&'static str),
    /// One of the second stands behind the program, which is the command.
    Of(&'static str, &'static str),
    /// The same of a program that may stand behind others: `npx prisma`.
    Within(&'static str, &'static str),
}

/// Each task with an example, which is its test.
const TASKS: &[(Task, &str)] = &[
    (
        Task::Row(&[
            "db:drop db:reset db:wipe db:purge db:drop:all db:migrate:undo:all db:truncate_all",
        ]),
        "bundle exec rails db:drop",
    ),
    (
        Task::Row(&["migrate:fresh migrate:reset ecto.drop ecto.reset schema:drop"]),
        "php artisan migrate:fresh",
    ),
    (
        Task::Row(&[
            "database db schema migrate migrations",
            "drop reset destroy wipe nuke purge clean fresh refresh",
        ]),
        "npx prisma migrate reset",
    ),
    (Task::Row(&["downgrade", "base"]), "alembic downgrade base"),
    (Task::Row(&["*:rollback", "--all"]), "npx knex migrate:rollback --all"),
    (Task::Row(&["*manage.py", "flush reset_db sqlflush clear_db"]), "python app/manage.py flush"),
    (Task::Word("--accept-data-loss dropAll drop-all"), "bunx prisma db push --accept-data-loss"),
    (Task::Of("flyway", "clean"), "flyway -configFiles=a clean"),
    (Task::Within("prisma", "--force-reset"), "npx prisma db push --force-reset"),
];

/// Programs that take code: the program, the word before the code, the language.
const CODE: &[(&str, &str, &str)] = &[("rails", "runner r", "ruby")];

impl Task {
    /// Whether the words of a command tell it.
    fn is_told(&self, words: &[Field]) -> bool {
        let text = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
        let some = |from: usize, list: &str| (from..words.len()).any(|at| lists(list, text(at)));
        match self {
            Self::Row(row) => (1..words.len().min(WORDS_MAX)).any(|from| {
                row.iter().enumerate().all(|(at, list)| match at {
                    0 => lists(list, text(from)),
                    _ => lists(list, &text(from + at).to_ascii_lowercase()),
                })
            }),
            Self::Word(list) => words.len() > 1 && some(0, list),
            Self::Of(program, list) => text(0) == *program && some(1, list),
            Self::Within(program, list) => {
                let before = words.len().min(WORDS_MAX).saturating_sub(1);
                words[..before].iter().any(|word| path::name(&word.text) == *program)
                    && some(1, list)
            }
        }
    }
}

/// Consoles that take lines of code or statements: the program, the word that starts one, the language; none where it
/// is that of the database.
const CONSOLES: &[(&str, &str, Option<&str>)] = &[
    ("rails", "c console", Some("ruby")),
    ("rails", "db dbconsole", None),
    ("manage.py", "shell shell_plus", Some("python")),
    ("manage.py", "dbshell", None),
    ("artisan", "tinker", Some("php")),
    ("artisan", "db", None),
    ("flask", "shell", Some("python")),
    ("iex", "*", Some("ruby")),
    ("heroku", "pg:psql psql", None),
    ("wp", "db", None),
    ("drush", "sql-cli sqlc", None),
    ("prisma", "execute", None),
];

/// Parts of calls by which a framework empties a table or a database, in lower case.
const EMPTIES: &[&str] = &[
    "delete_all",
    "destroy_all",
    "drop_all(",
    "::truncate(",
    "->truncate(",
    ".all().delete()",
    ".destroy({where",
    ".destroy({ where",
    ".deletemany({})",
    ".deletemany()",
    ".dropdatabase(",
    "dropschema(",
    "drop_database(",
    "find_each(&:destroy",
    ".sync({force",
    ".sync({ force",
];

/// Whether code empties a table or a database through a framework.
pub(super) fn empties_tables(code: &str) -> bool {
    let lower = code.to_ascii_lowercase();
    EMPTIES.iter().any(|call| lower.contains(call))
}

impl Walker<'_> {
    /// Whether a framework is told that it is a test that it works for: `RAILS_ENV=test`, `--env=testing`.
    pub(super) fn is_for_tests(&self, words: &[Field]) -> bool {
        const NAMES: &[&str] = &["RAILS_ENV", "RACK_ENV", "MIX_ENV", "NODE_ENV", "APP_ENV"];
        let test = |value: &str| matches!(value, "test" | "testing");
        let told = words.iter().any(|word| {
            word.text.split_once('=').is_some_and(|(name, value)| {
                test(value) && (NAMES.contains(&name) || name == "--env")
            })
        });
        let set = |name: &&str| {
            self.state.variable(name).is_some_and(|variable| {
                variable.values.iter().all(|value| test(value.text.as_str()))
            })
        };
        let elsewhere = self.state.variable("DATABASE_URL").is_some()
            || words.iter().any(|word| word.text.starts_with("DATABASE_URL="));
        if elsewhere {
            return false;
        }
        told || NAMES.iter().any(set) || {
            let mut pairs = words.windows(2);
            pairs.any(|pair| matches!(pair[0].text.as_str(), "--env" | "-e") && test(&pair[1].text))
        }
    }

    /// What a console of a framework is given on its input.
    fn console(&mut self, words: &[Field], io: &Io<'_>) -> Step {
        let text = io.stdin.text.as_str();
        if text.is_empty() || words.len() < 2 {
            return Ok(());
        }
        for (program, verbs, language) in CONSOLES {
            let mut told = words.windows(2).take(WORDS_MAX);
            let is_told = told
                .any(|pair| path::name(&pair[0].text) == *program && lists(verbs, &pair[1].text));
            if !is_told {
                continue;
            }
            match language {
                Some(language) => self.inline(language, text)?,
                None if surely_destroys(text) || destroys(text) => {
                    self.found(&infrastructure::DATABASE, &joined(words));
                }
                None => {}
            }
        }
        Ok(())
    }

    /// Notes a task that empties a database, and follows the code that a framework is given.
    pub(super) fn framework_tasks(&mut self, words: &[Field], io: &Io<'_>) -> Step {
        let Some(program) = words.first().map(|word| path::name(&word.text)) else { return Ok(()) };
        if TAKES_TEXT.contains(&program) || PATTERN_FIRST.contains(&program) {
            return Ok(());
        }
        if TASKS.iter().any(|(task, _)| task.is_told(words)) && !self.is_for_tests(words) {
            self.found(&infrastructure::DATABASE, &joined(words));
        }
        self.console(words, io)?;
        for (program, verbs, language) in CODE {
            let at = words.iter().position(|word| lists(verbs, &word.text));
            if let Some(at) = at.filter(|at| *at > 0 && path::name(&words[at - 1].text) == *program)
                && let Some(code) = words.get(at + 1)
            {
                self.inline(language, &code.text)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::TASKS;
    use crate::shell::Field;

    /// No task is told by the example of another alone, so none can be taken away unseen.
    #[test]
    fn every_task_has_an_example_that_it_alone_knows() {
        for (at, (task, example)) in TASKS.iter().enumerate() {
            let words: Vec<Field> = example.split(' ').map(Field::new).collect();
            assert!(task.is_told(&words), "{example}");
            let others = TASKS.iter().enumerate().filter(|(other, _)| *other != at);
            assert!(
                !others.map(|(_, (other, _))| other).any(|other| other.is_told(&words)),
                "{example}"
            );
            assert!(!task.is_told(&words[..1]), "{example}");
        }
    }
}
