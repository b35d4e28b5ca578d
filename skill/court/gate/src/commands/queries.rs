//! What statements for a database only ask, and whose database a client is told. Not here: the statements that destroy
//! (see `databases`).

use super::entry::{Given, lists};
use super::hosts::{is_local, is_production};
use super::options::values;
use super::words::words;
use crate::path::is_secret_word;
use crate::shell::{UNKNOWN, Walker};

/// Options that are followed by statements.
pub(super) const TOLD: &[&str] = words!("-cmd -c --command -e --execute -q --query -Q --eval -B");

/// Functions that read, and words before a parenthesis.
const READING: &str = "count sum min max avg now version coalesce lower upper length date_trunc to_char extract age \
    round abs floor ceil current_setting current_database pg_size_pretty pg_database_size pg_relation_size \
    pg_total_relation_size pg_table_size pg_indexes_size pg_is_in_recovery pg_last_xact_replay_timestamp array_agg \
    string_agg json_agg row_number rank concat substr substring trim replace cast date datetime strftime in and or not \
    from where exists select over values as on any all by then when distinct group_concat ifnull nullif";

/// Whether a client is told statements that only ask, and nothing else.
pub(super) fn only_asks(_walker: &Walker<'_>, given: &Given<'_>) -> bool {
    let file = values(given.words, words!("-f --file -i --queries-file -o --output -L")).next();
    let sentences = given.operands.iter().skip(1).map(|word| word.text.as_str());
    let attached = given.words[1..].iter().filter_map(|word| {
        let letters = word.text.strip_prefix('-')?.strip_suffix('c')?;
        letters.bytes().all(|each| b"AtXqx".contains(&each)).then_some(word)
    });
    let attached = attached.filter_map(|word| {
        let at = given.words.iter().position(|other| std::ptr::eq(other, word))?;
        given.words.get(at + 1).map(|told| told.text.as_str())
    });
    let mut told = values(given.words, TOLD)
        .chain(sentences.filter(|text| text.contains(' ') || text.starts_with('.')))
        .chain(attached)
        .peekable();
    told.peek().is_some() && file.is_none() && given.input.text.is_empty() && told.all(asks)
}

/// Whether a text only asks: `select count(*) from orders`, `\dt`.
fn asks(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let first = |statement: &str| {
        let statement = statement.trim();
        let word = statement.split_whitespace().next().unwrap_or_default();
        statement.is_empty()
            || lists("select show describe desc explain", word)
            || lists("\\d* \\l \\l+ \\conninfo .tables .schema .databases .indexes", word)
    };
    let calls = lower.match_indices('(').all(|(at, _)| {
        let name = lower[..at].trim_end();
        let name = name.rsplit(|each: char| !each.is_ascii_alphanumeric() && each != '_').next();
        name.is_none_or(|name| name.is_empty() || lists(READING, name))
    });
    let mut words = lower.split(|each: char| !each.is_ascii_alphanumeric() && each != '_');
    let telling = |word: &str| {
        is_secret_word(word)
            || lists(
                "analyze into outfile dumpfile update pg_shadow pg_authid authentication_string",
                word,
            )
    };
    !lower.contains([UNKNOWN, '`', '|', '!'])
        && calls
        && lower.split(';').all(first)
        && !words.any(telling)
}

/// Whether a client is told a database that others work with: by the name of its machine, which is not this one and
/// not named for trying things out.
pub(super) fn is_of_others(walker: &Walker<'_>, given: &Given<'_>) -> bool {
    let named = values(given.words, words!("-h --host -S --server -H")).map(str::to_owned);
    let texts = given.words[1..].iter().map(|word| word.text.as_str());
    let within = texts.flat_map(|text| {
        let address = text
            .split_once("://")
            .map(|(_, rest)| rest.split(['/', '?']).next().unwrap_or_default());
        let address = address.map(|host| host.rsplit('@').next().unwrap_or_default());
        let mut settings = text.split_whitespace();
        let setting = settings
            .find_map(|part| part.strip_prefix("host=").or_else(|| part.strip_prefix("service=")));
        [address, setting].into_iter().flatten()
    });
    let set = ["PGHOST", "MYSQL_HOST"].into_iter().filter_map(|name| walker.state.variable(name));
    let set = set.flat_map(|variable| variable.values.iter().map(|value| value.text.clone()));
    let first = given.operands.first().filter(|_| given.program() == "cqlsh");
    let first = first.map(|word| word.text.clone());
    let mut hosts = named.chain(within.map(str::to_owned)).chain(set).chain(first);
    hosts.any(|host| is_shared(&host))
}

/// Whether a text has a statement that adds to a database, or makes something in it.
pub(super) fn adds_rows(text: &str) -> bool {
    const ADDS: &str =
        "insert create replace update delete drop alter .import .restore vacuum reindex";
    text.split([';', '\n']).any(|statement| {
        let word = statement.split_whitespace().next().unwrap_or_default();
        lists(ADDS, &word.to_ascii_lowercase())
    })
}

/// Whether a machine is one that others work with.
pub(super) fn is_shared(host: &str) -> bool {
    const TRYING: &str = "dev develop development test tests testing staging stage qa ci e2e sandbox demo local \
                          localhost docker scratch preview svc lan";
    let host = host.split(':').next().unwrap_or_default();
    let number = host.bytes().all(|each| each.is_ascii_digit() || each == b'.');
    let mut parts = host.split(|each: char| !each.is_ascii_alphanumeric());
    let trying = parts.any(|part| lists(TRYING, &part.to_ascii_lowercase()));
    !is_local(host)
        && !host.starts_with('/')
        && !host.contains(UNKNOWN)
        && !number
        && !trying
        && (host.contains('.') || is_production(host))
}
