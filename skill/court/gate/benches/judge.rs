//! How long one judgement takes: the whole corpus, and commands of typical kinds.

use std::fs;
use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, criterion_group, criterion_main};
use gate::{Context, Judgement, NoDisk, Policy, ToolCall};
use serde_json::{Value, json};

const CONTEXT: Context<'static> = Context {
    cwd: "/home/dev/app",
    project: "/home/dev/app",
    home: "/home/dev",
    scratch: &[],
    protected: &[],
    disk: &NoDisk,
};

fn judge(input: &Value) -> Judgement {
    gate::judge(&ToolCall { name: "Bash", input }, &CONTEXT, Policy::Graded)
}

fn measure(criterion: &mut Criterion) {
    let typical = [
        ("git status", "git status --short"),
        ("pipeline", "grep -rn unwrap src | sort | uniq -c | sort -rn | head -20"),
        (
            "commit",
            "git add -A && git commit -m \"$(cat <<'E'\nfix: a thing\n\nIt was broken.\nE\n)\"",
        ),
        ("nested", "sudo timeout 5 bash -c \"echo cm0gLXJmIH4= | base64 -d | sh\""),
    ];
    for (name, command) in typical {
        let input = json!({ "command": command });
        criterion.bench_function(name, |bencher| bencher.iter(|| judge(black_box(&input))));
    }
    let corpus: Vec<Value> = ["attacks.jsonl", "benign.jsonl"]
        .iter()
        .map(|file| Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(file))
        .flat_map(|path| {
            fs::read_to_string(path)
                .expect("the corpus is there")
                .lines()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .map(|line| serde_json::from_str(&line).expect("the corpus is JSON"))
        .collect();
    criterion.bench_function("the corpus of 684", |bencher| {
        bencher.iter(|| corpus.iter().map(judge).count())
    });
}

criterion_group!(benches, measure);
criterion_main!(benches);
