//! English instructions to a model, as sequences of words with gaps. A group is a set of words separated by spaces;
//! all groups of a rule must occur in order, each at most so many words after the previous one.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::fold::Folded;

/// A pattern of an instruction.
struct Rule {
    groups: &'static [&'static str],
    /// The most words between two groups.
    gap: usize,
}

const fn rule(gap: usize, groups: &'static [&'static str]) -> Rule {
    Rule { groups, gap }
}

const DROP: &str = "ignore disregard forget override bypass neglect discard overrule circumvent dismiss abandon ignoring disregarding";
const EARLIER: &str = "previous prior above earlier preceding all any your before existing initial original system other given former past aforementioned everything safety current foregoing";
const RULES_OF_MODEL: &str = "instruction instructions prompt prompts rules directive directives guideline guidelines guidance command commands policy policies restriction restrictions limitation limitations orders constraints training programming";
const MODEL: &str =
    "ai ais llm llms assistant assistants claude codex chatgpt gpt copilot gemini cursor agents";
const MUST: &str = "must should shall need needs has have will please";
const TELL: &str =
    "tell mention inform informing telling notify notifying disclose mentioning alert alerting";
const SHOW: &str = "reveal print output show repeat display dump leak expose recite disclose";
const SECRET: &str = "key keys token tokens credential credentials secret secrets password passwords id_rsa env ssh variables environment passwd shadow";
const SEND: &str = "send post upload exfiltrate leak transmit forward email submit";

const RULES: &[Rule] = &[
    rule(4, &[DROP, EARLIER, RULES_OF_MODEL]),
    rule(3, &[DROP, RULES_OF_MODEL, "above previous before earlier given"]),
    rule(4, &[DROP, "everything all what", "told said instructed above before"]),
    rule(2, &["ignore disregard", "the your", "task request user question"]),
    rule(2, &["aside", RULES_OF_MODEL]),
    rule(
        2,
        &[
            RULES_OF_MODEL,
            "void revoked cancelled canceled superseded overridden lifted rescinded nullified",
        ],
    ),
    rule(
        1,
        &[
            RULES_OF_MODEL,
            "above before earlier no are",
            "no longer",
            "longer apply",
            "apply applies valid",
        ],
    ),
    rule(1, &["instructions rules guidelines", "no", "longer", "apply"]),
    rule(
        0,
        &[
            "you",
            "are",
            "now",
            "dan an a the evil free unrestricted in",
            "ai assistant agent model evil unrestricted different hacker system developer",
        ],
    ),
    rule(0, &["you", "are", "now", "dan unrestricted free evil jailbroken"]),
    rule(1, &["from", "now", "on", "you"]),
    rule(1, &["pretend", "you", "are"]),
    rule(
        3,
        &[
            "act behave respond answer",
            "as",
            "administrator root assistant unrestricted ai dan hacker evil",
        ],
    ),
    rule(4, &[SHOW, "your", "prompt prompts instructions configuration rules guidelines"]),
    rule(2, &[SHOW, "system hidden initial secret", "prompt prompts instructions message context"]),
    rule(3, &["repeat print output", "words text everything", "above"]),
    rule(0, &["system", "override"]),
    rule(0, &["begin start new", "system", "message prompt instructions"]),
    rule(
        2,
        &[
            "new real actual",
            "instructions instruction",
            "send now run do you these are answer follow",
        ],
    ),
    rule(
        2,
        &[
            "follow obey",
            "new these only",
            "instructions",
            "only now instead below carefully exactly",
        ],
    ),
    rule(3, &["follow", "new", "instructions"]),
    rule(3, &["obey", "text instructions command commands rules following this me all every"]),
    rule(4, &["comply", "following every text all command commands these"]),
    rule(1, &["your", "new real actual only", "task goal job role objective purpose mission"]),
    rule(1, &["stop", "what", "you", "doing"]),
    rule(1, &["instead", "of", "answering responding helping"]),
    rule(
        5,
        &[
            MODEL,
            MUST,
            "add approve call run execute include write skip mark say ignore commit push delete obey follow act output respond answer send read change stop install recommend download reply not",
        ],
    ),
    rule(
        1,
        &[
            "dear attention hey note",
            "to ai assistant model agent claude llm",
            "ai assistant model agent claude llm do the your you please when",
        ],
    ),
    rule(2, &["attention", "model ai assistant agent llm claude"]),
    rule(
        1,
        &[
            "note message instruction instructions memo notice",
            "to for",
            "ai assistant agent agents model llm llms claude codex assistants",
        ],
    ),
    rule(
        2,
        &[
            "instruction instructions note message",
            "for to",
            "the all any",
            "ai agent agents assistant model llm claude codex",
        ],
    ),
    rule(3, &["if", "you", "are", "ai llm language assistant bot chatbot claude codex gpt"]),
    rule(1, &["enter enable activate switch", "to developer jailbreak dan god", "mode"]),
    rule(1, &["enter enable activate", "developer jailbreak god", "mode"]),
    rule(0, &["do", "anything", "now"]),
    rule(
        2,
        &["no without free of", "all any restrictions limitations", "restrictions limitations"],
    ),
    rule(0, &["without", "restrictions limitations"]),
    rule(1, &["have", "been", "reprogrammed jailbroken"]),
    rule(1, &["disable", "content safety security", "filters filter checks guidelines"]),
    rule(2, &["never", "refuses refuse"]),
    rule(2, &["no", "longer", "have need", "follow obey comply"]),
    rule(1, &["you", "have", "no", "rules restrictions limits"]),
    rule(3, &["not never don without", TELL, "user users human developer owner anyone"]),
    rule(4, &["secret hidden hide conceal", "from", "user users human developer"]),
    rule(2, &["say", "nothing", "user about anyone"]),
    rule(4, &["secretly silently quietly", "push commit send upload delete change install add"]),
    rule(0, &["exfiltrate"]),
    rule(6, &[SEND, SECRET, "http https attacker evil webhook server com"]),
    rule(6, &[SEND, SECRET, "to", "attacker evil webhook collect me us"]),
    rule(3, &["include write add put insert", "in", "your", "answer response reply output review"]),
    rule(4, &["include write say add", "in", "your", "answer response reply output review"]),
    rule(1, &["in", "your", "review answer response reply"]),
    rule(
        3,
        &[
            "run execute",
            "following this these",
            "command commands script",
            "immediately now instead first silently without",
        ],
    ),
    rule(4, &["immediately now first must before", "run execute", "curl wget rm command bash"]),
    rule(4, &["continue proceed answer answering", "run execute", "curl wget rm bash following"]),
    rule(1, &["use using", "your", "tools tool"]),
    rule(1, &["call use invoke", "bash shell write edit", "tool"]),
    rule(0, &["call invoke use", "the", "bash shell write edit", "tool"]),
    rule(1, &["respond answer reply", "only", "with"]),
    rule(1, &["always", "answer respond reply say claim"]),
    rule(1, &["whenever when", "the", "user", "asks ask requests"]),
    rule(2, &["when whenever if", "asked", "about", "say answer always respond this"]),
    rule(3, &["not", "follow", "user users"]),
    rule(2, &["not", "follow", "any", "other", "instructions"]),
    rule(2, &["highest top", "priority", "instruction instructions task"]),
    rule(6, &["treat consider regard", "instruction instructions commands", "from the system"]),
    rule(6, &["treat consider regard", "as", "instructions instruction"]),
    rule(
        3,
        &[
            "authorized authorised approved granted confirmed",
            "proceed skip full",
            "without confirmation permission",
        ],
    ),
    rule(2, &["proceed continue", "without", "asking permission confirmation approval"]),
    rule(4, &["not", "ask", "confirmation permission approval"]),
    rule(3, &["authorized authorised allowed", "to", "skip", "confirmation permission"]),
    rule(3, &["granted gives given", "you", "permission access"]),
    rule(2, &["assistant", "i", "will am have", "now"]),
    rule(2, &["assistant", "sure", "here"]),
    rule(2, &["user human", "approve", "everything all"]),
    rule(4, &["instead", "output reveal print show", "your"]),
    rule(3, &["stop", "reading", "and", "say write answer"]),
    rule(4, &["you", "must", "comply obey follow approve ignore answer"]),
    rule(3, &["you", "must", "now"]),
];

/// Phrases that reveal an instruction whose letters are written one by one.
const COMPACT: &[&str] = &[
    "ignoreallprevious",
    "ignoreprevious",
    "ignoreallprior",
    "ignoretheabove",
    "disregardall",
    "previousinstructions",
    "systemprompt",
    "youarenow",
    "newinstructions",
    "developermode",
];

/// The rules by the words that they can begin with: most words of code begin none.
static BEGINNINGS: LazyLock<HashMap<&'static str, Vec<&'static Rule>>> = LazyLock::new(|| {
    let mut beginnings: HashMap<_, Vec<_>> = HashMap::new();
    for rule in RULES {
        for word in rule.groups[0].split(' ') {
            beginnings.entry(word).or_default().push(rule);
        }
    }
    beginnings
});

/// Whether the line is an instruction to a model.
pub(super) fn is_instruction(folded: &Folded<'_>) -> bool {
    let spaced = folded.is_spaced && COMPACT.iter().any(|phrase| folded.compact.contains(phrase));
    spaced || is_addressed(folded.text) || is_phrased(folded.words)
}

/// Whether a rule matches somewhere in the words.
fn is_phrased(words: &[String]) -> bool {
    words.iter().enumerate().any(|(at, word)| {
        let rules = BEGINNINGS.get(word.as_str()).into_iter().flatten();
        rules.into_iter().any(|rule| rule.follows(words, at, 1))
    })
}

/// Whether a line begins by addressing the model by its name: `Claude: ignore ...`.
fn is_addressed(text: &str) -> bool {
    let text = text.trim_start_matches(|char: char| !char.is_alphabetic());
    let named = ["claude", "codex", "chatgpt", "copilot", "ai", "llm", "ai agent", "ai assistant"];
    let called = |name: &&str| {
        text.strip_prefix(*name).is_some_and(|rest| {
            rest.starts_with([':', ',']) && rest[1..].split_whitespace().nth(2).is_some()
        })
    };
    named.iter().any(called)
}

impl Rule {
    /// Whether the groups from `group` on follow the word at `at`.
    fn follows(&self, words: &[String], at: usize, group: usize) -> bool {
        let Some(wanted) = self.groups.get(group) else { return true };
        let end = words.len().min(at + self.gap + 2);
        (at + 1..end)
            .any(|next| is_in(wanted, &words[next]) && self.follows(words, next, group + 1))
    }
}

fn is_in(group: &str, word: &str) -> bool {
    group.split(' ').any(|member| member == word)
}
