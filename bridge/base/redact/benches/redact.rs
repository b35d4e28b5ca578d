//! What redaction costs: 12 kB of prose and code, without and with secrets, and the first call.

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use redact::Redactor;

/// The promise is about this many bytes.
const LENGTH: usize = 12_000;

const PARAGRAPH: &str = "\
We move the session store from one process to three. Today a login writes a row and keeps a copy in
memory; after the change every node reads the row and the copy goes away. The open question is what
happens to a request that arrives while its row is being written: do we wait, or answer 409 at once?

    pub async fn lease(&self, id: SessionId, deadline: Deadline) -> Result<Lease, LeaseError> {
        let mut attempts = 0;
        loop {
            match self.store.try_lease(id, self.node).await? {
                Some(lease) => return Ok(lease),
                None if deadline.passed() => return Err(LeaseError::Busy { id, attempts }),
                None => attempts += 1,
            }
            self.clock.sleep(BACKOFF * attempts).await;
        }
    }

The token bucket in front of it has a key per tenant, so a burst of one does not starve the others.
commit 4f1c2d9e8b7a6f5e4d3c2b1a0f9e8d7c6b5a4f3e  id 550e8400-e29b-41d4-a716-446655440000
";

fn plain() -> String {
    let mut text = PARAGRAPH.repeat(LENGTH / PARAGRAPH.len() + 1);
    text.truncate(text.floor_char_boundary(LENGTH));
    text
}

/// The same with ten secrets of ten kinds, joined here so that no file holds one whole.
fn with_secrets() -> String {
    let body = "Zk3vQ9xW7mB2nT5rY8cL1pD4sF6gH0jKaE";
    let secrets = [
        format!("export GITHUB_TOKEN={}{body}Xy", "ghp_"),
        format!("key {}{}", "AKIA", "Q3EGXV5RPN2TKZ7L"),
        format!("Authorization: Bearer {body}"),
        format!("postgres://app:{}@db.internal/main", "k8sF3vq92L"),
        format!("password = \"{}\"", "tr0ub4dor&3x"),
        format!("OPENAI_API_KEY={}{body}{body}", "sk-proj-"),
        format!("{}{}-{}-{body}", "xoxb-", "123456789012", "1234567890123"),
        format!("密码：{}", "Qw3rty!9"),
        format!("{}{body}{}", "npm_", "Q7"),
        format!("{}{body}.{body}.{body}", "eyJhbGciOiJIUzI1NiJ9."),
    ];
    let mut text = plain();
    for (index, secret) in secrets.iter().enumerate() {
        let at = text.floor_char_boundary(index * LENGTH / 10);
        let at = text[at..].find('\n').map_or(at, |length| at + length);
        text.insert_str(at, &format!("\n{secret}"));
    }
    text.truncate(text.floor_char_boundary(LENGTH));
    text
}

fn redaction(criterion: &mut Criterion) {
    let (plain, secrets) = (plain(), with_secrets());
    // The search and the patterns are made once in a process: measured here, before the rest.
    let first = timed(&plain);
    let first_with_secrets = timed(&secrets);
    let counts = Redactor::new().redact(&secrets).counts;
    eprintln!(
        "first call, no secret: {first:?}; first text with secrets after it: {first_with_secrets:?}"
    );
    eprintln!("found: {counts:?}");

    let redactor = Redactor::new();
    let exact = Redactor::with_values(vec!["an-exact-value-of-the-process".to_owned()]);
    criterion.bench_function("12 kB, no secret", |bencher| {
        bencher.iter(|| redactor.redact(black_box(&plain)));
    });
    criterion.bench_function("12 kB, ten secrets", |bencher| {
        bencher.iter(|| redactor.redact(black_box(&secrets)));
    });
    criterion.bench_function("12 kB, no secret, exact values", |bencher| {
        bencher.iter(|| exact.redact(black_box(&plain)));
    });
    criterion.bench_function("12 kB, clean", |bencher| {
        bencher.iter(|| redact::clean(black_box(&plain)));
    });
}

fn timed(text: &str) -> Duration {
    let start = Instant::now();
    black_box(Redactor::new().redact(black_box(text)));
    start.elapsed()
}

criterion_group!(benches, redaction);
criterion_main!(benches);
