//! What a program lets in, or is given unseen, whatever it is: doors that are opened to everybody, marks of downloads
//! that are taken away, passwords that are asked for by a verb, and statements for a machine that others work with or
//! for what guards the work. Not here: the verbs that destroy.

use crate::commands::entry::lists;
use crate::commands::options::{value, values};
use crate::commands::queries::{adds_rows, is_shared};
use crate::commands::words::words;
use crate::path::Zone;
use crate::rules::{execution, infrastructure, secrets};
use crate::shell::{Field, Io, UNKNOWN, Walker};

/// Verbs that make or change something.
const MAKES: &str = "create add update patch set put edit insert add-rule add-rules rules-update rule-create allow \
                     authorize open ch";

/// What says who may reach something.
const DOORS: &str = "firewalls firewall-rule firewall-rules firewall-policies nsg security-group security-groups \
                     security-list network-acl authorized-networks";

impl Walker<'_> {
    /// Notes what is opened, shown or fed unseen.
    pub(crate) fn lets_in(&mut self, name: &str, words: &[Field], io: &Io<'_>) {
        let operands = || words[1..].iter().filter(|word| !word.is_option());
        let verbs = || operands().take(6).map(|verb| verb.text.as_str());
        let to_all = words[1..].iter().any(|word| {
            let text = word.text.as_str();
            text.contains("0.0.0.0/0") || text.contains("::/0") || text.contains("allUsers")
        });
        let door = verbs().any(|verb| lists(DOORS, verb));
        if (to_all || door) && verbs().any(|verb| lists(MAKES, verb)) {
            self.found(&infrastructure::CLOUD, name);
        }
        // A container that has the machine's network, and starts with it.
        let network = value(words, &["--network", "--net"]) == Some("host");
        let stays =
            value(words, &["--restart"]).is_some_and(|when| lists("always unless-stopped", when));
        if network && stays {
            self.found(&infrastructure::CONTAINER_ESCAPE, name);
        }
        let takes = |word: &Field| {
            word.text
                .strip_prefix('-')
                .is_some_and(|letters| letters.len() < 4 && letters.contains('d'))
        };
        if words.iter().any(|word| word.text == "com.apple.quarantine") && words.iter().any(takes) {
            self.found(&execution::GUARD_OFF, name);
        }
        let asks = |verb: &str| lists("get show read view reveal", verb);
        let what = |noun: &str| lists("password passwords otp totp passphrase", noun);
        let mut pairs = verbs().zip(verbs().skip(1)).take(3);
        if pairs.any(|(verb, noun)| asks(verb) && what(noun)) {
            self.found(&secrets::SHOW, name);
        }
        self.feeds(name, words, io);
    }

    /// Statements that are not seen for a machine of others, and such that add to what guards the work.
    fn feeds(&mut self, name: &str, words: &[Field], io: &Io<'_>) {
        let file = words[1..].iter().any(|word| lists("*.sql *.cql", &word.text));
        if file || io.stdin.text.trim() == UNKNOWN.to_string() {
            let addresses = words[1..].iter().filter_map(|word| word.text.split_once("://"));
            let hosts = addresses.map(|(_, rest)| rest.split('/').next().unwrap_or_default());
            let hosts = hosts.map(|host| host.rsplit('@').next().unwrap_or_default());
            let mut hosts =
                values(words, words!("-h --host -S --server")).chain(hosts.filter(|_| file));
            if hosts.any(is_shared) {
                self.found(&infrastructure::DATABASE, name);
            }
        }
        let told = words[1..].iter().map(|word| word.text.as_str()).chain([io.stdin.text.as_str()]);
        if !told.filter(|text| text.contains(' ')).any(adds_rows) {
            return;
        }
        for word in words[1..].iter().filter(|word| !word.text.contains(' ')) {
            if self.is_record(word) || self.guards(word) {
                self.write(word);
            }
        }
    }

    /// Whether a file guards the work, by where it lies or by whose it is.
    pub(in crate::commands) fn guards(&self, file: &Field) -> bool {
        let court = |part: &str| matches!(part, "court" | "codex-bridge");
        match self.zone(file) {
            Zone::Persistence => true,
            Zone::InHome => file.text.split('/').any(court),
            _ => false,
        }
    }
}
