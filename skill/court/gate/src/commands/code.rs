//! Code in other languages: a scan for calls that delete, execute, fetch or reveal, with the literal
//! texts that they are given. No grammar: what looks like such a call counts. Not here: what the programs are that it
//! starts (see `starts`), and what happens to the files that it names (see `files`).

mod files;
mod starts;

use super::calls::{
    DECODES, DESTROYS, EVALUATES, EXECUTES, HOMES, NETWORK, REVEALS, REVEALS_ONE, SENDS, STORES,
    TELLS_TO_DELETE, TELLS_TO_START,
};
use super::decode::from_base64;
use super::literals::{joined, literals, reveals_all, reveals_secret};
use crate::rules::{execution, files as file_rules, infrastructure, secrets};
use crate::shell::{Step, Walker};

/// How sure a finding must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Evidence {
    /// A one-liner: a dangerous call is enough.
    Enough,
    /// A whole program: the call must have a literal that is dangerous.
    Required,
    /// One of a project's sources: the literal must be what the call is given.
    Together,
}

/// Calls whose lines tell what a program does, and those that read a file.
const TELLING: &[&[&str]] = &[
    EXECUTES,
    DESTROYS,
    EVALUATES,
    NETWORK,
    SENDS,
    &["open(", "read_text", "read_to_string", "readFile", "ReadFile", "File.read", "get_contents"],
];

/// Code as the scan looks at it.
struct Code<'c> {
    language: &'static str,
    /// Without comments; of a project's source only the lines that tell what it does.
    text: &'c str,
    /// The texts in it, and those that it is given.
    texts: &'c [String],
    evidence: Evidence,
}

impl Code<'_> {
    /// The first call of a table that is in the code.
    fn call(&self, table: &[&'static str]) -> Option<&'static str> {
        table.iter().find(|call| self.text.contains(**call)).copied()
    }

    fn has(&self, table: &[&'static str]) -> bool {
        self.call(table).is_some()
    }
}

/// Whether a program is started whose text is decoded where it is given: `system pack("H*", "..")`.
fn starts_decoded(code: &str) -> bool {
    const TURNS: &[&str] = &["map(chr", "reverse", "[::-1]"];
    if !DECODES.iter().chain(TURNS).any(|decodes| code.contains(decodes.trim_end())) {
        return false;
    }
    EXECUTES.iter().flat_map(|call| code.match_indices(call)).any(|(at, call)| {
        let mut depth = i32::from(call.ends_with('('));
        let mut opened = depth > 0;
        // What the call is given: up to its bracket, or to the end of the statement.
        let told = code[at + call.len()..].chars().take(160).take_while(|each| {
            depth += i32::from(*each == '(') - i32::from(*each == ')');
            opened |= depth > 0;
            depth >= i32::from(opened) && *each != ';'
        });
        let told: String = told.collect();
        DECODES.iter().chain(TURNS).any(|decodes| told.contains(decodes.trim_end()))
    })
}

impl Walker<'_> {
    /// Judges code.
    pub(crate) fn code(&mut self, language: &'static str, code: &str, evidence: Evidence) -> Step {
        self.budget.enter()?;
        self.budget.steps(code.len().saturating_mul(8))?;
        // Its end is a blank as well, for calls that have one.
        let whole = format!("{} ", super::effects::without_comments(code, language));
        let focus = super::focus::focused(&whole, TELLING);
        let texts = self.texts_of(&whole, &focus, language, evidence);
        self.budget.steps(texts.iter().map(|text| text.len() + 8).sum())?;
        let text = if evidence == Evidence::Together { &focus } else { &whole };
        let code = &Code { language, text, texts: &texts, evidence };
        if matches!(language, "vim" | "gdb") {
            self.escapes(language, code.text)?;
        }
        if language == "applescript" {
            self.tells(code);
        }
        self.printed(code)?;
        // In settings a list of patterns is no path.
        let lists = |text: &&String| language == "text" && text.contains(',') && text.contains('*');
        let named: Vec<String> = texts.iter().filter(|text| !lists(text)).cloned().collect();
        let secret = self.mentions_secrets(&named, code) | self.asks_a_store(code);
        self.starts_programs(code)?;
        self.destroys(code);
        self.evaluates(code)?;
        self.uses_network(code, secret);
        self.includes(code);
        self.shows_environment(code);
        if evidence == Evidence::Enough && super::frameworks::empties_tables(code.text) {
            self.found(&infrastructure::DATABASE, language);
        }
        let writes = matches!(
            language,
            "python"
                | "js"
                | "ruby"
                | "php"
                | "perl"
                | "lua"
                | "r"
                | "julia"
                | "lisp"
                | "c"
                | "any"
        );
        if writes && evidence == Evidence::Enough {
            self.overwrites(code.text, &texts);
            self.code_effects(code.text, &texts);
        }
        self.budget.leave();
        Ok(())
    }

    /// The texts of code, of its focus first: of very many not all are looked at. Then those that it is given,
    /// and those that it puts together.
    fn texts_of(
        &mut self,
        code: &str,
        focus: &str,
        language: &str,
        evidence: Evidence,
    ) -> Vec<String> {
        let mut texts = literals(focus, language);
        let whole = evidence != Evidence::Together;
        if whole {
            texts.extend(literals(code, language));
            // What it is given beside its text: arguments, lines of its input, variables.
            let variables = self.variables_of(code);
            texts.extend(std::mem::take(&mut self.given).into_iter().chain(variables));
        }
        let mut met = std::collections::HashSet::new();
        texts.retain(|text| met.insert(text.clone()));
        if whole {
            self.hidden_calls(code, &texts, evidence);
            for text in joined(code) {
                let calls = |table: &[&str]| table.iter().any(|call| text.contains(call));
                let evaluates = EVALUATES.iter().any(|call| code.contains(call));
                if evaluates && (calls(EXECUTES) || calls(DESTROYS)) {
                    self.found(&execution::CODE_EXECUTES, &text);
                }
                if !texts.contains(&text) {
                    texts.push(text);
                }
            }
        }
        texts
    }

    /// Whether a text is the path of a secret.
    fn mentions_secrets(&mut self, texts: &[String], code: &Code<'_>) -> bool {
        let mut secret = false;
        for text in texts {
            let text = text.replace("~/", &format!("{}/", self.context.home));
            // `homedir() + "/.npmrc"`, `join(homedir(), ".npmrc")`.
            let hidden = text.trim_start_matches('/');
            let is_hidden = hidden.starts_with('.') && (3..64).contains(&hidden.len());
            if is_hidden && code.has(HOMES) {
                secret |= self.secret_path(&format!("{}/{hidden}", self.context.home));
            }
            let path_like = text.contains('/')
                || text.starts_with('.')
                || text.contains("id_rsa")
                || text == "credentials";
            if path_like && text.len() < 256 {
                secret |= self.secret_path(&text);
            }
        }
        secret
    }

    /// A store of passwords is asked: that of the system, or of a browser.
    fn asks_a_store(&mut self, code: &Code<'_>) -> bool {
        if code.evidence != Evidence::Enough {
            return false;
        }
        let call = code.call(STORES);
        if let Some(call) = call {
            self.found(&secrets::SHOW, call);
        }
        call.is_some()
    }

    /// Code that is made when it runs.
    fn evaluates(&mut self, code: &Code<'_>) -> Step {
        let unseen = match code.evidence {
            Evidence::Enough => {
                code.has(EVALUATES) && (code.has(DECODES) || code.has(NETWORK))
                    || starts_decoded(code.text)
            }
            Evidence::Required => {
                super::reflection::evaluates_unseen(code.text, &[NETWORK, DECODES, &["://"]])
            }
            Evidence::Together => super::reflection::evaluates_unseen(code.text, &[NETWORK]),
        };
        if unseen {
            self.found(&execution::UNREADABLE_CODE, code.language);
        }
        // A text that is evaluated is code again.
        let evaluated = matches!(code.language, "python" | "js" | "ruby" | "php" | "perl")
            && code.has(&["eval(", "exec(", "Function(", "eval "])
            && !self.budget.is_deep();
        for text in code.texts.iter().filter(|text| evaluated && text.contains('(')).take(8) {
            self.code(code.language, text, code.evidence)?;
        }
        let decodes = code.has(DECODES);
        for text in code.texts.iter().filter(|text| decodes && text.len() >= 8) {
            if let Some(decoded) = from_base64(text) {
                self.try_shell(&decoded)?;
            }
        }
        Ok(())
    }

    /// Code from an address: `source("https://..")`, `include(download("https://.."))`.
    fn includes(&mut self, code: &Code<'_>) {
        const INCLUDES: &[&str] = &[
            "include(",
            "source(",
            "install(",
            "import(\"http",
            "import('http",
            "load(",
            "loadstring",
            "dofile",
            "fetchTarball",
            "fetchGit",
            "EVAL",
            "eval",
            "require(\"http",
            "install_github",
            "runScript",
            "exec(",
        ];
        let remote = |text: &String| text.contains("://") && !super::hosts::is_local(text);
        if code.evidence == Evidence::Enough && code.texts.iter().any(remote) && code.has(INCLUDES)
        {
            self.found(&execution::FETCHED_SCRIPT, code.language);
        }
    }

    /// What goes over a network, or comes from there.
    fn uses_network(&mut self, code: &Code<'_>, secret: bool) {
        let Some(call) = code.call(NETWORK) else { return };
        let texts = code.texts;
        let local = texts.iter().any(|text| text.contains("://") || text.contains("localhost"))
            && texts
                .iter()
                .filter(|text| text.contains("://"))
                .all(|text| super::hosts::is_local(text));
        let sends = code.has(SENDS) && !local;
        if texts.iter().any(|text| super::network::collects(text)) {
            self.found(&execution::CODE_NETWORK, call);
        }
        let socket = call.to_ascii_lowercase().contains("socket") || call.contains("inet");
        if secret || (code.has(REVEALS) && sends) {
            self.found(&secrets::EXFILTRATE, call);
        } else if !local
            && (sends || code.has(EVALUATES) || socket)
            && code.evidence == Evidence::Enough
        {
            self.found(&execution::CODE_NETWORK, call);
        }
    }

    /// What other applications are told.
    fn tells(&mut self, code: &Code<'_>) {
        let lower = code.text.to_lowercase();
        let told = |table: &[&'static str]| {
            table.iter().find(|order| lower.contains(&order.to_lowercase())).copied()
        };
        if let Some(order) = told(TELLS_TO_START) {
            self.found(&file_rules::WRITE_WIRING, order);
        } else if let Some(order) = told(TELLS_TO_DELETE) {
            self.found(&execution::CODE_DESTROYS, order);
        }
    }

    fn shows_environment(&mut self, code: &Code<'_>) {
        let shows = code.has(&[
            "print",
            "console.log",
            "puts",
            "echo",
            "say ",
            "dump",
            "stdout",
            "p ENV",
            "pp ",
        ]);
        let all = |word| reveals_all(code.text, word);
        let secret = || REVEALS_ONE.iter().any(|call| reveals_secret(code.text, call));
        let reveals = code.call(REVEALS).is_some_and(all);
        if code.evidence == Evidence::Enough && shows && (reveals || secret()) {
            self.found(&secrets::ENVIRONMENT, code.language);
        }
    }
}
