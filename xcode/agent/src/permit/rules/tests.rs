//! Rules of a configuration: what they cover, and their faults.

use super::{Rule, RuleList, Rules};

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn words(command: &str) -> Vec<String> {
    command.split(' ').map(str::to_owned).collect()
}

#[test]
fn all_faults_are_told_together_with_place_and_what_is_right() {
    let faults = Rules::parse(
        &texts(&["shell(npm test)", "npm test", "rule(files.mode)"]),
        &texts(&["shel(x)", "edit()", "edit(../x)", "edit([)"]),
        &texts(&[
            "shell(a | b)",
            "mcp(,x)",
            "fetch(https://a/b)",
            "rule(files.mod)",
            "shell(-x)",
            "rule(x)",
        ]),
    )
    .unwrap_err();
    let told: Vec<String> = faults.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn a_command_is_meant_by_its_first_words() {
    let rule = |text| Rule::parse(RuleList::Deny, text).unwrap();
    for (text, command, covers, touches) in [
        ("shell(npm test)", "npm test", true, true),
        ("shell(npm test)", "npm test -- --x", true, true),
        ("shell(npm test)", "npm tests", false, false),
        ("shell(npm test)", "npm", false, false),
        ("shell(npm test)", "npm --silent test", false, true),
        ("shell(git push)", "git -C x push", false, true),
        ("shell(git push)", "git --git-dir=x -c a=b push", false, true),
        ("shell(git push)", "/usr/bin/git push", false, true),
        ("shell(git push)", "git commit -m push", false, false),
        ("shell(git push)", "git \u{e000}", false, true),
        ("shell(curl)", "curl -s x", true, true),
        ("shell(*)", "anything", true, true),
    ] {
        let (rule, words) = (rule(text), words(command));
        let told = (rule.covers_command(&words), rule.touches_command(&words));
        assert_eq!(told, (covers, touches), "{text} {command}");
    }
    // Many options cost no more than their number.
    let many = format!("git {}x", "-a ".repeat(5_000));
    assert!(!rule("shell(git push)").touches_command(&words(&many)));
}
