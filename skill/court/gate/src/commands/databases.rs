//! Database clients: the statements that they are given.

use super::acts::{Act, Also, Pick};
use super::entry::When::{All, Always, Any, Not, Says, Word};
use super::entry::{Case, Command, Said};
use super::options::{operands, value};
use super::words::words;
use crate::rules::{execution, infrastructure as rules};
use crate::shell::{Field, Flow, Io, Step, UNKNOWN, Walker};

pub(super) const COMMANDS: &[Command] = &[
    Command::code(
        words!(
            "psql mysql mariadb sqlite3 duckdb sqlcmd clickhouse-client clickhouse cqlsh pgcli \
             mycli usql cockroach snowsql bq_query litecli isql influx sqlplus"
        ),
        sql,
        [&[], &["-c 'select 1'"], &["-c 'drop table users'"], &[]],
    ),
    Command::cases(
        words!("mongo mongosh"),
        &[],
        &[
            &[Case(
                Says(
                    "*drop* *deletemany* *deleteone* *remove(* *updatemany* *updateone* \
                     *findoneanddelete* *bulkwrite* *insertmany* *renamecollection* \
                     *shutdownserver* *replaceone*",
                ),
                &rules::DATABASE,
            )],
            OTHER,
        ],
        [&[], &["--version", "prod"], &["--eval db.users.drop()", "<<< 'db.a.deleteMany()'"], &[]],
    ),
    Command::cases(
        words!("redis-cli valkey-cli keydb-cli"),
        &[],
        &[
            &[Case(
                Any(&[
                    Says(
                        "flushall flushdb del unlink shutdown debug rename eval replicaof slaveof \
                         script migrate hdel swapdb module",
                    ),
                    All(&[Says("config"), Not(&Says("get"))]),
                ]),
                &rules::DATABASE,
            )],
            OTHER,
        ],
        [
            &[],
            &["get a", "-h cache CONFIG GET dir"],
            &["flushall", "-n 2 DEL a", "config set dir /srv", "<<< flushall"],
            &[],
        ],
    ),
    Command::cases(
        words!("dropdb dropuser mysqladmin pg_restore pg_resetwal mongorestore"),
        &[],
        &[&[
            Case(
                Word("ping status version --version processlist -l --list --help"),
                &execution::COMMAND,
            ),
            Case(Always, &rules::DATABASE),
        ]],
        [&[], &["--version", "-l"], &["prod", ""], &[]],
    ),
    Command::cases(words!("createdb"), &[], &[OTHER], [&[], &["prod"], &[], &[]]),
    Command::said(
        words!("pg_dump pg_dumpall mysqldump mongodump"),
        Said::cases(&[], &[OTHER]).also(&[Also(
            Always,
            Act::Writes(Pick::Values(words!("-f --file -r --result-file -o --out"))),
        )]),
        [&[], &["prod", "-f dump.sql prod"], &["--file=/etc/x prod"], &[]],
    ),
];

const OTHER: &[Case] = &[Case(Always, &execution::COMMAND)];

/// Statements that delete or change, by their first words.
const DESTROYS: &[&str] = &[
    "DROP",
    "TRUNCATE",
    "DELETE",
    "UPDATE",
    "ALTER",
    "GRANT",
    "REVOKE",
    "REPLACE",
    "MERGE",
    "REASSIGN",
    "SHUTDOWN",
    "FLUSH",
    "PURGE",
    "COPY",
    "VACUUM FULL",
];

/// Whether a text has a statement that deletes or changes. Quoted texts and comments do not count.
pub(super) fn destroys(text: &str) -> bool {
    let mut plain = String::with_capacity(text.len());
    let mut quote = None;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (Some(open), _) if character == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"' | '`') => quote = Some(character),
            (None, '-') if characters.peek() == Some(&'-') => {
                characters.by_ref().take_while(|each| *each != '\n').for_each(drop);
            }
            (None, '/') if characters.peek() == Some(&'*') => {
                let mut before = ' ';
                for each in characters.by_ref() {
                    if before == '*' && each == '/' {
                        break;
                    }
                    before = each;
                }
                plain.push(' ');
            }
            _ => plain.push(character.to_ascii_uppercase()),
        }
    }
    plain.split(';').any(|statement| {
        let statement = statement.trim_start_matches(|each: char| !each.is_ascii_alphabetic());
        let first: String = statement.chars().take_while(char::is_ascii_alphabetic).collect();
        DESTROYS.contains(&first.as_str())
            || (matches!(first.as_str(), "WITH" | "DO" | "BEGIN" | "EXPLAIN")
                && ["DELETE FROM", "UPDATE ", "DROP ", "TRUNCATE "]
                    .iter()
                    .any(|word| statement.contains(word)))
            || statement.contains("XP_CMDSHELL")
            || statement.contains("PG_TERMINATE_BACKEND")
            || statement.contains("LO_EXPORT")
            || statement.contains("INTO OUTFILE")
    })
}

/// Whether a text is for certain a statement that deletes: prose may begin with the same verb.
pub(super) fn surely_destroys(text: &str) -> bool {
    const CERTAIN: &[&str] = &[
        "DROP TABLE",
        "DROP DATABASE",
        "DROP SCHEMA",
        "DROP VIEW",
        "DROP INDEX",
        "DROP USER",
        "DROP ROLE",
        "DROP COLLECTION",
        "DROP KEYSPACE",
        "TRUNCATE TABLE",
        "DELETE FROM",
        "DROP COLUMN",
        "ALTER TABLE",
        "ALTER DATABASE",
        "GRANT ALL",
        "DROP CATALOG",
        "DROP WAREHOUSE",
        "DROP SNAPSHOT",
        "DROP EXTERNAL",
        "DROP MATERIALIZED",
    ];
    let upper = text.to_ascii_uppercase();
    let upper = upper.split_whitespace().collect::<Vec<_>>().join(" ");
    CERTAIN.iter().any(|statement| upper.contains(statement)) && destroys(text)
}

fn sql(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    let name = crate::path::name(&words[0].text).to_owned();
    let mut texts: Vec<String> = Vec::new();
    for option in
        ["-c", "--command", "-e", "--execute", "-q", "--query", "-Q", "-cmd", "--eval", "-B"]
    {
        // The same option may be given again and again.
        for (index, word) in words.iter().enumerate().skip(1) {
            let given = if word.text == option {
                words.get(index + 1).map(|word| word.text.clone())
            } else {
                word.text
                    .strip_prefix(option)
                    .and_then(|rest| {
                        if option.starts_with("--") {
                            rest.strip_prefix('=')
                        } else if option.len() == 2 && !rest.is_empty() {
                            Some(rest)
                        } else {
                            None
                        }
                    })
                    .map(str::to_owned)
            };
            texts.extend(given);
        }
    }
    let rest = operands(
        words,
        words!("-h -p -U -d -c -P -u -D -f -o --host --port --username --dbname -S -v -cmd"),
    );
    if matches!(name.as_str(), "sqlite3" | "duckdb" | "litecli") {
        texts.extend(rest.iter().skip(1).map(|word| word.text.clone()));
    }
    texts.extend(
        words[1..].iter().filter(|word| word.text.contains(' ')).map(|word| word.text.clone()),
    );
    texts.push(io.stdin.text.clone());
    if let Some(file) = value(words, &["-f", "--file", "-i"]).map(Field::new) {
        texts.push(walker.read_file(&file).text);
    }
    let deletes = name == "influx" && rest.iter().take(2).any(|word| word.text == "delete");
    let mut rule = if deletes { &rules::DATABASE } else { &execution::COMMAND };
    for text in &texts {
        walker.budget.steps(text.len())?;
        for line in text.lines() {
            let line = line.trim_start();
            // A statement may name a file of statements.
            let named = ["source ", "\\. ", "\\i ", "\\ir ", ".read ", "@"]
                .iter()
                .find_map(|order| line.strip_prefix(order));
            if let Some(file) = named.and_then(|rest| rest.split_whitespace().next()) {
                let file = Field::new(file.trim_end_matches(';'));
                let path = crate::path::absolute(&file.text, &walker.state.cwd);
                let stray = walker.is_stray(&path) && !walker.is_written(&path);
                if destroys(&walker.read_file(&file).text) || stray {
                    rule = &rules::DATABASE;
                }
            }
            let escape = line
                .strip_prefix("\\!")
                .or_else(|| line.strip_prefix(".shell"))
                .or_else(|| line.strip_prefix(".system"))
                .or_else(|| line.strip_prefix(".sh "))
                .or_else(|| line.strip_prefix("\\copy").and(Some("")))
                .or_else(|| line.strip_prefix("system "));
            if let Some(command) = escape {
                let command = command.trim().to_owned();
                walker.payload(&command, &name, &Flow::unknown())?;
            }
        }
        if destroys(text) {
            rule = &rules::DATABASE;
        }
    }
    walker.found(rule, &name);
    // A query may make statements out of quoted texts: what reads them gets those.
    let made: Vec<String> =
        texts.iter().flat_map(|text| super::literals::literals(text, "sql")).take(16).collect();
    let quoted = made.iter().map(|text| format!("{text}{UNKNOWN}\n")).collect::<String>();
    Ok(if quoted.is_empty() { Flow::unknown() } else { Flow::new(&quoted) })
}
