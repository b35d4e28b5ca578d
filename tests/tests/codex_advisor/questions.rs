//! Files: only those of the project are read, and a file that is not a question is not shown.

use std::fs;
use std::os::unix::fs::symlink;

use tests::harness::StateDir;

use crate::fixture::{Advisor, question};

/// What must not come back.
const CANARY: &str = "kanarie";

/// What users have in files, each with the secret where a parser might quote it.
const FILES: [(&str, &str); 22] = [
    ("vault", "hvs.kanarieCAESIJ8sAbCdEfGhIjKl"),
    ("pat", "ghp_kanarie8901234567890123456789012345"),
    ("quoted", "\"kanarie\""),
    ("list", "[\"kanarie\", kanarie]"),
    ("number", "{\"kanarie\": 1e999999}"),
    ("broken", "{\"kanarie\": \"kanarie\" kanarie}"),
    ("twice", "{\"kanarie\": 1, \"kanarie\": 2}"),
    ("escape", "{\"a\": \"\\kanarie\"}"),
    ("yaml-twice", "kanarie: 1\nkanarie: 2\n"),
    ("yaml-alias", "a: *kanarie\n"),
    ("yaml-anchor", "a: &kanarie [*kanarie]\n"),
    ("yaml-tag", "a: !kanarie x\n"),
    ("yaml-handle", "a: !kanarie!x y\n"),
    ("yaml-directive", "%kanarie 1\n---\nx\n"),
    ("yaml-merge", "<<: kanarie\n"),
    ("yaml-tab", "kanarie:\n\tkanarie: x\n"),
    ("yaml-quote", "a: \"kanarie\\kanarie\n"),
    ("yaml-key", "? [kanarie]\n: x\n"),
    ("shadow", "root:*:1:0\nbackup:kanarie:20228:0:99999:7:::\n"),
    ("env", "API=kanarie\nexport B=\"kanarie\n"),
    ("kubeconfig", "current-context: kanarie\ncontexts: [kanarie]\nusers: {kanarie: kanarie}\n"),
    ("half", "problem: kanarie\nkanarie: kanarie\n"),
];

#[tokio::test]
async fn what_is_no_question_is_not_shown() {
    let folder = StateDir::new().unwrap();
    let advisor = Advisor::of(&folder).in_folder(&folder.work());
    for (name, content) in FILES {
        fs::write(folder.work().join(name), content).unwrap();
        let of_file = advisor.tell(&["ask", name], "").await;
        let of_input = advisor.tell(&["ask", "-"], content).await;
        for told in [of_file, of_input] {
            let said = format!("{}{}", told.stdout, told.stderr);
            assert!(!said.contains(CANARY), "{name}: {said}");
            assert!(told.failure(2).error.message.contains("question"), "{name}: {said}");
        }
    }
}

/// A question that is badly made is told what is wrong, but for secrets.
#[tokio::test]
async fn a_question_is_told_its_faults_without_its_secrets() {
    let folder = StateDir::new().unwrap();
    let advisor = Advisor::of(&folder);
    let text = "problem: x\ncandidate_plans: []\nphase: second\nproblems: y\n\
                context: [AKIAIOSFODNN7EXAMPLE]\nghp_kanarie890123456789012345678901234: 1\n";
    let failure = advisor.tell(&["ask"], text).await.failure(2);
    let told = serde_json::to_string(&failure).unwrap();
    assert!(
        told.contains("found the text `second`") && told.contains("did you mean `problem`"),
        "{told}"
    );
    assert!(!told.contains(CANARY), "{told}");
}

#[tokio::test]
async fn only_files_of_the_project_are_read() {
    let folder = StateDir::new().unwrap();
    let project = folder.work().join("project");
    fs::create_dir_all(project.join(".git")).unwrap();
    fs::write(project.join("q.yaml"), question("ok")).unwrap();
    fs::write(folder.work().join("outside.yaml"), question("ok")).unwrap();
    symlink("../outside.yaml", project.join("link.yaml")).unwrap();
    let advisor =
        Advisor::of(&folder).in_folder(&project).env("CODEX_BRIDGE_URL", "http://127.0.0.1:1");
    advisor.tell(&["ask", "q.yaml"], "").await.failure(3);
    for path in ["../outside.yaml", "link.yaml", "/etc/passwd", "/dev/stdin", "/proc/self/environ"]
    {
        let failure = advisor.tell(&["ask", path], "").await.failure(2);
        assert!(
            failure.error.message.contains("cannot be read"),
            "{path}: {}",
            failure.error.message
        );
    }
}
