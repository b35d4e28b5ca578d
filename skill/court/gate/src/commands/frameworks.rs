//! Tasks of web frameworks and migration tools that empty a database: many programs, and what starts them, are told
//! them in the same words. Absent: commands with entries of their own.

use super::options::joined;
use super::tables::{PATTERN_FIRST, TAKES_TEXT};
use super::when::lists;
use crate::path;
use crate::rules::infrastructure;
use crate::shell::{Field, Step, Walker};

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

impl Walker<'_> {
    /// Notes a task that empties a database, and follows the code that a framework is given.
    pub(super) fn framework_tasks(&mut self, words: &[Field]) -> Step {
        let Some(program) = words.first().map(|word| path::name(&word.text)) else { return Ok(()) };
        if TAKES_TEXT.contains(&program) || PATTERN_FIRST.contains(&program) {
            return Ok(());
        }
        if TASKS.iter().any(|(task, _)| task.is_told(words)) {
            self.found(&infrastructure::DATABASE, &joined(words));
        }
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
