//! Orders that a program is given as one text: the value of an option, a text behind a host, lines of its input. Each
//! is judged as if the program were told its words one by one. Not here: code and statements (see `unknown`).

use super::meanings::{is_strong, is_weak};
use super::verbs::Told;
use crate::commands::tables::DANGEROUS;
use crate::commands::words::words;
use crate::shell::{Field, Io, UNKNOWN, Walker};

/// Options whose value is an order.
const ORDERING: &[&str] = words!(
    "-c -e -x -command --command -cmd --cmd -exec --exec --execute -eval --eval --run --batch \
     -batch --commands"
);

/// Verbs under which the input is read for orders.
const READS: &[&str] = words!("shell console cli repl batch admin ctl prompt interactive");

/// How many orders of one text are looked at, and words of each.
const ORDERS_MAX: usize = 16;
const WORDS_MAX: usize = 8;

/// Longest text that is read for orders, in bytes.
const BYTES_MAX: usize = 4096;

impl Walker<'_> {
    /// Notes what the orders say that a program is given as texts.
    pub(super) fn orders(&mut self, name: &str, words: &[Field], io: &Io<'_>) {
        for pair in words.windows(2).take(24) {
            let [before, text] = [pair[0].text.as_str(), pair[1].text.as_str()];
            let value = text.split_once('=').filter(|(option, _)| ORDERING.contains(option));
            if let Some((_, value)) = value {
                self.ordered(name, value);
            } else if text.contains(' ') && (ORDERING.contains(&before) || is_host(before)) {
                self.ordered(name, text);
            }
        }
        let mut operands = words[1..].iter().filter(|word| !word.is_option());
        let first = operands.next().map_or("shell", |word| word.text.as_str());
        if READS.contains(&first) && operands.next().is_none() {
            self.ordered(name, &io.stdin.text);
        }
    }

    /// Judges each order of a text.
    fn ordered(&mut self, name: &str, text: &str) {
        if text.len() > BYTES_MAX || text.contains([UNKNOWN, '(']) {
            return;
        }
        for order in text.split([';', '\n']).take(ORDERS_MAX) {
            let parts = order.split_whitespace().take(WORDS_MAX);
            let plain = |part: &str| part.trim_matches(['/', '.', ':', ',', '"', '\'']).to_owned();
            let mut told = vec![Field::new(name)];
            told.extend(parts.map(|part| Field::new(&plain(part))));
            let Some(verb) = told.get_mut(1) else { continue };
            // `collection.delete`.
            verb.text = verb.text.replace('.', ":");
            let is_program = (self.knows)(&verb.text) || DANGEROUS.contains(&verb.text.as_str());
            // `erase` and `clear` are programs, too.
            if is_program && !is_strong(&verb.text) && !is_weak(&verb.text) {
                continue;
            }
            let told = Told::new(&told);
            let found = told.as_ref().and_then(|told| told.surely().or_else(|| told.perhaps()));
            if let Some((rule, what)) = found {
                self.found(rule, &format!("{name} {what}"));
            }
        }
    }
}

/// Whether a word names a machine: an address of four numbers, or a user at a host.
fn is_host(word: &str) -> bool {
    let numbers = word.split('.').filter(|part| part.parse::<u8>().is_ok()).count();
    numbers == 4
        || word.split_once('@').is_some_and(|(user, host)| !user.is_empty() && !host.contains('/'))
}
