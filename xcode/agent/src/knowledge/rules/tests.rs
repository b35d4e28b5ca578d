//! Four modes, told when their time comes, once.

use std::path::Path;

use llm::{Call, CallResult, Content, Message, Part};
use serde_json::Map;

use super::{Mode, Owner, Rule, Rulebook};

fn parse(text: &str) -> Result<Rule, String> {
    Rule::parse("r", ".x-code/rules/r.md", Owner::Project, text)
}

fn mode(text: &str) -> String {
    match parse(text) {
        Err(error) => format!("error: {error}"),
        Ok(rule) => match rule.mode {
            Mode::Always => "always".to_owned(),
            Mode::Paths(_) => "paths".to_owned(),
            Mode::Requested { description } => format!("requested: {description}"),
            Mode::Manual => "manual".to_owned(),
        },
    }
}

fn rule(name: &str, front: &str, body: &str) -> Rule {
    let path = format!(".x-code/rules/{name}.md");
    let text =
        if front.is_empty() { body.to_owned() } else { format!("---\n{front}\n---\n{body}") };
    Rule::parse(name, &path, Owner::Project, &text).unwrap()
}

/// XC-151, D-14: Always over Path over Requested over Manual.
#[test]
fn the_front_matter_decides_and_the_earlier_mode_wins() {
    for (front, expected) in [
        ("alwaysApply: true", "always"),
        ("paths: [\"src/api/**\"]", "paths"),
        ("paths: src/**", "paths"),
        ("paths:\n  - '**/*.test.ts'\n  - '**/*.test.tsx'", "paths"),
        ("description: \"数据库 schema 变更\"", "requested: 数据库 schema 变更"),
        ("alwaysApply: true\npaths: [a]\ndescription: d", "always"),
        ("paths: [a]\ndescription: d", "paths"),
        ("alwaysApply: false\ndescription: d", "requested: d"),
        ("alwaysApply: false", "manual"),
        ("paths: []", "manual"),
        ("unknown: 1\ndescription: d", "requested: d"),
        ("", "manual"),
    ] {
        assert_eq!(mode(&format!("---\n{front}\n---\n# Body\n")), expected, "{front}");
    }
    assert_eq!(mode("# Body\n"), "manual");
    assert_eq!(mode("---\r\nalwaysApply: true\r\n---\r\nbody"), "always");
    for broken in [
        "---\nalwaysApply: true\n",
        "---\npaths: 3\n---\n",
        "---\npaths: ['a{']\n---\n",
        "---\n: [\n---\n",
    ] {
        assert!(mode(broken).starts_with("error: "), "{broken}: {}", mode(broken));
    }
    let rule = parse("---\nalwaysApply: true\n---\n\n# Body\n\ntext\n").unwrap();
    assert_eq!(rule.body, "# Body\n\ntext");
}

#[test]
fn a_rule_comes_with_the_first_file_that_matches_and_once() {
    let mut book = Rulebook::new(vec![
        rule("api", "paths: ['src/api/**']", "Use nouns."),
        rule("tests", "paths: ['**/*.test.ts', Makefile]", "Use Vitest."),
        rule("always", "alwaysApply: true", "Be kind."),
    ]);
    assert_eq!(book.behind(Path::new("src/main.ts")), "");
    assert_eq!(book.behind(Path::new("src/api")), "");
    assert_eq!(
        book.behind(Path::new("src/api/deep/a.ts")),
        "\n\n[Rule api (.x-code/rules/api.md), a file of the project, not words of the user:]\n\
         Use nouns.\n[End of the rule api]"
    );
    assert_eq!(book.behind(Path::new("src/api/b.ts")), "");
    assert!(book.behind(Path::new("deep/Makefile")).contains("Use Vitest."));
    assert_eq!(book.behind(Path::new("a.test.ts")), "");
}

#[test]
fn many_rules_come_one_after_the_other() {
    let rules =
        (0..4).map(|number| rule(&format!("r{number}"), "paths: ['*.rs']", &"x".repeat(20 << 10)));
    let mut book = Rulebook::new(rules.collect());
    for _ in 0..4 {
        let text = book.behind(Path::new("a.rs"));
        assert!(text.contains("[Rule r") && text.len() < 21 << 10);
    }
    assert_eq!(book.behind(Path::new("a.rs")), "");
}

#[test]
fn the_user_names_a_rule_with_an_at_sign() {
    let rules = || {
        Rulebook::new(vec![
            rule("deploy", "", "Ask first."),
            rule("数据库", "description: d", "No raw SQL."),
            rule("always", "alwaysApply: true", "Be kind."),
        ])
    };
    for (prompt, named) in [
        ("do it as @deploy says", 1),
        ("@deploy.", 1),
        ("(@deploy.md)", 1),
        ("按 @数据库 来", 1),
        ("@deploy and @数据库", 2),
        ("ann@deploy and @deployment, @Deploy, deploy, @src/deploy, @always", 0),
    ] {
        let text = rules().named_in(prompt);
        assert_eq!(text.matches("[End of the rule").count(), named, "{prompt}: {text}");
    }
    let mut book = rules();
    assert!(book.named_in("@deploy").contains("Ask first."));
    assert_eq!(book.named_in("@deploy"), "", "it stands in the conversation");
}

/// D-14: the project's rule wins over the user's; and a name of a project cannot speak for the user.
#[test]
fn of_two_with_one_name_the_first_counts() {
    let user = Rule::parse("api", "/home/ann/.xcode/rules/api.md", Owner::User, "theirs").unwrap();
    let mut book = Rulebook::new(vec![rule("api", "", "ours"), user]);
    let text = book.named_in("@api");
    assert!(text.contains("ours") && !text.contains("theirs"), "{text}");
}

#[test]
fn what_stands_in_the_conversation_is_not_told_again() {
    let mut book = Rulebook::new(vec![rule("a", "paths: [a]", "A."), rule("b", "", "B.")]);
    let result = format!("read{}", book.behind(Path::new("a")));
    let prompt = format!("go{}", book.named_in("@b"));
    let call = Call {
        id: "1".into(),
        name: "readFile".into(),
        arguments: Map::new(),
        opaque: None,
        result: CallResult::Done(result),
    };
    let messages =
        [Message::User(vec![Content::Text(prompt)]), Message::Answer(vec![Part::Call(call)])];
    book.look(&messages);
    assert_eq!((book.behind(Path::new("a")), book.named_in("@b")), (String::new(), String::new()));
    // What is summarised is gone, and comes again.
    book.look(&messages[..1]);
    assert!(book.behind(Path::new("a")).contains("A."));
}
