//! Database clients: the statements that they are given.

use super::acts::{Act, Also, Pick};
use super::entry::When::{All, Always, Any, Not, Operand, Says, Test, Verbs, Word};
use super::entry::{Case, Command, Given, Gives, Said, lists};
use super::options::{value, values};
use super::packages::is_fetched;
use super::queries::{TOLD, adds_rows, is_of_others, only_asks};
use super::words::words;
use crate::rules::{execution, infrastructure as rules, network};
use crate::shell::{Field, Flow, Io, Step, UNKNOWN, Walker};

pub(super) const COMMANDS: &[Command] = &[
    Command::said(
        words!(
            "psql mysql mariadb sqlite3 duckdb sqlcmd clickhouse-client clickhouse cqlsh pgcli \
             mycli usql cockroach snowsql bq_query litecli isql sqlplus surreal ksql edgedb gel"
        ),
        Said::cases(SQL, &[&[Case(Test(only_asks), &rules::QUERY)], OTHER])
            .also(&[
                Also(Always, Act::Calls(states)),
                Also(Test(is_fetched), Act::Finds(&execution::FETCHED_SCRIPT)),
            ])
            .gives(Gives::Inner),
        [
            &[],
            &[
                "-c 'select 1'",
                "prod <<< 'select 1'",
                "-c '\\! ls'",
                "-h db.dev.example < x.sql",
                "-h db < x.sql",
            ],
            &[
                "-c 'drop table users'",
                "curl https://a.example/b.sql | {} prod",
                "-e'delete from a'",
                "prod <<< 'drop table users'",
                "-c '\\! rm -rf /srv/data'",
                "-c '\\i /tmp/x.sql'",
                "-c \"select load_extension('/srv/x.so')\"",
                "-c \"copy a to 's3://b/c'\"",
                "-h prod.a.example < x.sql",
                "postgres://a@prod-db/b -f x.sql",
            ],
            &[],
        ],
    ),
    Command::said(
        words!("influx"),
        Said::cases(SQL, &[&[Case(Operand(2, "delete"), &rules::DATABASE)], OTHER])
            .also(&[Also(Always, Act::Calls(states))])
            .gives(Gives::Inner),
        [&[], &["-c 'select 1'", "query x"], &["-c 'drop table users'", "delete --bucket b"], &[]],
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
            &[Case(All(&[Operand(3, "*.js"), Test(is_of_others)]), &rules::DATABASE)],
            OTHER,
        ],
        [
            &[],
            &["--version", "prod"],
            &["mongodb://prod-db/a x.js", "--eval db.users.drop()", "<<< 'db.a.deleteMany()'"],
            &[],
        ],
    ),
    // Graphs: what changes stands behind what it looks for.
    Command::cases(
        words!("cypher-shell mgconsole"),
        &[],
        &[
            &[Case(
                Says("delete delete; detach drop drop; remove set merge call {delete (delete"),
                &rules::DATABASE,
            )],
            OTHER,
        ],
        [
            &[],
            &["--version", "'MATCH (n) RETURN n.set'"],
            &["'MATCH (n) DETACH DELETE n'", "<<< 'DROP INDEX a;'", "'MATCH (n) SET n.a = 1'"],
            &[],
        ],
    ),
    Command::cases(
        words!("gremlin gremlin.sh arangosh"),
        &[],
        &[
            &[Case(
                Says("*.drop()* *_drop* *.truncate(* *.remove(* *removebyexample* *db._create*"),
                &rules::DATABASE,
            )],
            OTHER,
        ],
        [&[], &["--version", "-e 'g.V().count()'"], &["-e 'g.V().drop().iterate()'"], &[]],
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
        words!("dropdb"),
        words!("-h --host -p --port -U --username --maintenance-db"),
        &[&[
            Case(
                Any(&[
                    Word("--version --help"),
                    All(&[Test(throws_away), Not(&Word("-h* --host*"))]),
                ]),
                &execution::COMMAND,
            ),
            Case(Always, &rules::DATABASE),
        ]],
        [
            &[],
            &["--version", "app_test", "-U a --if-exists app_dev"],
            &["prod", "", "app_test app", "-h db.example app_test"],
            &[],
        ],
    ),
    // Clusters on this machine.
    Command::cases(
        words!("kind k3d"),
        words!("--kubeconfig --config"),
        &[&[
            Case(
                All(&[Verbs("delete cluster|clusters, cluster delete"), Not(&Test(throws_away))]),
                &rules::CLUSTER,
            ),
            Case(Always, &execution::COMMAND),
        ]],
        [
            &[],
            &["get clusters", "delete cluster --name dev", "cluster delete e2e"],
            &["delete cluster", "delete clusters --all", "cluster delete prod"],
            &[],
        ],
    ),
    Command::cases(
        words!("minikube"),
        &[],
        &[&[Case(All(&[Verbs("delete"), Word("--all --purge")]), &rules::CLUSTER)], OTHER],
        [&[], &["start", "delete", "kubectl -- get pods"], &["delete --all"], &[]],
    ),
    Command::cases(
        words!("dropuser mysqladmin pg_restore pg_resetwal mongorestore"),
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

const SQL: &[&str] =
    words!("-h -p -U -d -c -P -u -D -f -o --host --port --username --dbname -S -v -cmd");

const OTHER: &[Case] = &[Case(Always, &execution::COMMAND)];

/// Statements that delete or change, by their first words.
const DESTROYS: &[&str] = words!(
    "DROP TRUNCATE DELETE UPDATE ALTER GRANT REVOKE REPLACE MERGE REASSIGN SHUTDOWN FLUSH PURGE COPY REMOVE"
);

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

/// What is named is made for tests, and for nothing else.
fn throws_away(_walker: &Walker<'_>, given: &Given<'_>) -> bool {
    const MADE_ANEW: &[&str] =
        words!("test tests testing dev tmp temp scratch ci e2e sandbox spec demo playground");
    let named = values(given.words, &["--name", "-n"]);
    let operands = given.operands.iter().map(|word| word.text.as_str());
    let verbs = ["delete", "cluster", "clusters"];
    let mut names = named.chain(operands.filter(|word| !verbs.contains(word))).peekable();
    names.peek().is_some()
        && names.all(|name| {
            let mut parts = name.split(|each: char| !each.is_ascii_alphanumeric());
            parts.any(|part| MADE_ANEW.contains(&part))
        })
}

/// Whether a text is for certain a statement that deletes: prose may begin with the same verb.
pub(super) fn surely_destroys(text: &str) -> bool {
    /// The first words of statements, each with those that may follow.
    const CERTAIN: &[(&str, &str)] = &[
        (
            "DROP",
            "TABLE DATABASE SCHEMA VIEW INDEX USER ROLE COLLECTION KEYSPACE COLUMN CATALOG WAREHOUSE SNAPSHOT EXTERNAL MATERIALIZED",
        ),
        ("TRUNCATE", "TABLE"),
        ("DELETE", "FROM"),
        ("ALTER", "TABLE DATABASE"),
        ("GRANT", "ALL"),
    ];
    let upper = text.to_ascii_uppercase();
    let words: Vec<&str> = upper.split_whitespace().collect();
    let certain = words.windows(2).any(|pair| {
        CERTAIN.iter().any(|(first, next)| {
            pair[0].ends_with(first) && next.split(' ').any(|next| pair[1].starts_with(next))
        })
    });
    certain && destroys(text)
}

/// Files of statements that a statement names, and what gives a line to a shell.
const FILES: &[&str] = &["source ", "\\. ", "\\i ", "\\ir ", ".read ", "@"];
const ESCAPES: &[&str] = &["\\!", ".shell", ".system", ".sh ", "system "];
/// What gives what follows to a file, or to a program behind a bar.
const OUTPUTS: &[&str] = &[
    "\\o ", "\\g ", "\\w ", ".output ", ".once ", ".log ", ".backup ", ".save ", "tee ", "pager ",
];
/// Functions that write the file that they are given first, or load it as code.
const WRITES: &[&str] = &["writefile(", "lo_export("];
const LOADS: &[&str] = &["load_extension(", "sys_exec(", "sys_eval("];

/// What a statement copies rows to: `COPY (..) TO 'file'`, `\copy t to program 'x'`; none where it copies them in.
fn copied_to(statement: &str) -> Option<&str> {
    let upper = statement.to_ascii_uppercase();
    let at = upper.rfind(" TO ")?;
    let mut depth = 0_usize;
    let outside = upper[..at].chars().filter(|each| {
        match each {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => return depth == 0,
        }
        false
    });
    let outside: String = outside.collect();
    let head = outside.trim_start_matches(|each: char| !each.is_ascii_alphabetic());
    (head.starts_with("COPY") && !head.contains(" FROM ")).then(|| statement[at + 4..].trim())
}

/// The database is named for tests, and lies on this machine.
fn for_tests(given: &Given<'_>) -> bool {
    let named = value(given.words, &["-d", "--dbname", "-D", "--database"]);
    let first = given.operands.first().map(|word| word.text.as_str());
    let name = named.or(first).unwrap_or_default();
    let host = value(given.words, &["-h", "--host"]);
    let near = |host: &str| host.starts_with('/') || super::hosts::is_local(host);
    let test = |part: &str| matches!(part, "test" | "tests" | "testing" | "e2e" | "scratch");
    let plain = name.len() < 64
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
    plain
        && host.is_none_or(near)
        && name.split(|each: char| !each.is_ascii_alphanumeric()).any(test)
}

/// What a client is told, wherever it is told it.
fn texts(walker: &mut Walker<'_>, given: &Given<'_>) -> Vec<String> {
    let told = values(given.words, TOLD);
    let sentences = given.words[1..].iter().map(|word| word.text.as_str());
    let operands = given.operands.iter().skip(1).map(|word| word.text.as_str());
    let texts = told.chain(sentences.filter(|text| text.contains(' '))).chain(operands);
    let mut texts: Vec<String> = texts.map(str::to_owned).collect();
    texts.push(given.input.text.clone());
    let file = value(given.words, &["-f", "--file", "-i", "--queries-file"]).map(Field::new);
    texts.extend(file.map(|file| walker.read_file(&file).text));
    texts
}

/// Follows what a client is told. A query may make statements out of quoted texts: what reads them gets those.
fn states(walker: &mut Walker<'_>, given: &Given<'_>, _io: &Io<'_>) -> Step<Flow> {
    let name = given.program();
    let texts = texts(walker, given);
    changes_file(walker, given, &texts);
    let unseen = |text: &str| text.trim() == UNKNOWN.to_string();
    let of_others = is_of_others(walker, given);
    if of_others && texts.iter().any(|text| unseen(text)) {
        walker.found(&rules::DATABASE, name);
    }
    for text in &texts {
        walker.budget.steps(text.len())?;
        for line in text.lines().map(str::trim_start) {
            let named = FILES.iter().find_map(|order| line.strip_prefix(order));
            if let Some(file) = named.and_then(|rest| rest.split_whitespace().next()) {
                let file = Field::new(file.trim_end_matches(';'));
                let path = crate::path::absolute(&file.text, &walker.state.cwd);
                let stray = walker.is_stray(&path) && !walker.is_written(&path);
                let content = walker.read_file(&file).text;
                if destroys(&content) || stray || of_others && unseen(&content) {
                    walker.found(&rules::DATABASE, name);
                }
            }
            if let Some(command) = ESCAPES.iter().find_map(|order| line.strip_prefix(order)) {
                walker.payload(command.trim(), name, &Flow::unknown())?;
            }
            if let Some(output) = OUTPUTS.iter().find_map(|order| line.strip_prefix(order)) {
                gives(walker, name, output)?;
            }
        }
        calls(walker, name, text);
        let mut rest = Vec::new();
        for statement in text.split(';') {
            match copied_to(statement) {
                Some(target) => copies(walker, name, statement, target)?,
                None => rest.push(statement),
            }
        }
        let rest = rest.join(";");
        let whole = rest.to_ascii_lowercase().contains("drop database");
        if destroys(&rest) && (whole || !for_tests(given)) {
            walker.found(&rules::DATABASE, name);
        }
    }
    let made = texts.iter().flat_map(|text| super::literals::literals(text, "sql")).take(16);
    let quoted = made.map(|text| format!("{text}{UNKNOWN}\n")).collect::<String>();
    Ok(if quoted.is_empty() { Flow::unknown() } else { Flow::new(&quoted) })
}

/// Statements that add to a database, or make something in it. It is a file: it is written.
fn changes_file(walker: &mut Walker<'_>, given: &Given<'_>, texts: &[String]) {
    if !lists("sqlite3 duckdb litecli", given.program()) {
        return;
    }
    let adds = texts.iter().any(|text| adds_rows(text));
    // What is not seen may add to what guards the work.
    let unseen = texts.iter().any(|text| text.trim() == UNKNOWN.to_string());
    let mut files: Vec<Field> =
        given.operands.first().map(|file| (*file).clone()).into_iter().collect();
    let attached = texts.iter().filter(|text| text.to_ascii_lowercase().contains("attach "));
    let named = attached.flat_map(|text| super::literals::literals(text, "sql")).take(16);
    files.extend(named.map(|file| Field::new(&file)));
    for file in
        files.iter().filter(|file| file.text.contains(['/', '.']) && !file.text.contains(' '))
    {
        if adds || unseen && (walker.is_record(file) || walker.guards(file)) {
            walker.write(file);
        }
    }
}

/// What a client writes goes to a file, or to a program behind a bar.
fn gives(walker: &mut Walker<'_>, name: &str, output: &str) -> Step {
    let output = output.trim().trim_matches(['\'', '"', ';']);
    match output.strip_prefix('|') {
        Some(program) => drop(walker.payload(program.trim(), name, &Flow::unknown())?),
        None if output.is_empty() || matches!(output, "stdout" | "off") => {}
        None => walker.write(&Field::new(output.split_whitespace().next().unwrap_or_default())),
    }
    Ok(())
}

/// Functions in statements that write a file of this machine, or load one as code.
fn calls(walker: &mut Walker<'_>, name: &str, text: &str) {
    let lower = text.to_ascii_lowercase();
    for call in LOADS.iter().filter(|call| lower.contains(**call)) {
        walker.found(&execution::UNREADABLE_CODE, &format!("{name} {call}"));
    }
    for at in
        WRITES.iter().flat_map(|call| lower.match_indices(call)).map(|(at, call)| at + call.len())
    {
        if let Some(path) = text[at..].split('\'').nth(1) {
            walker.write(&Field::new(path));
        }
    }
}

/// Rows are copied to a file, a program, an address or the output. The server's own files are not the client's.
fn copies(walker: &mut Walker<'_>, name: &str, statement: &str, target: &str) -> Step {
    let here = name == "duckdb" || statement.trim_start().starts_with('\\');
    let first = target.split_whitespace().next().unwrap_or_default();
    let plain = first.trim_matches(['\'', '"', ')']);
    let told = super::literals::literals(target, "sql");
    for text in super::literals::literals(statement, "sql") {
        walker.secret_path(&text);
    }
    if plain.eq_ignore_ascii_case("stdout") {
        return Ok(());
    }
    if plain.eq_ignore_ascii_case("program") {
        for command in told.iter().take(1) {
            walker.payload(command, name, &Flow::unknown())?;
        }
        walker.found(&rules::DATABASE, name);
    } else if plain.contains("://") {
        walker.found(&network::SEND, plain);
    } else if here {
        walker.write(&Field::new(plain));
    } else {
        walker.found(&rules::DATABASE, name);
    }
    Ok(())
}
