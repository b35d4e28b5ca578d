//! Rust: a queue, two kinds of job behind a trait, a command table.

use super::*;

const FILES: &[(&str, &str)] = &[
    (
        "src/main.rs",
        "mod job;
mod queue;

use job::{Copy, Job, Print};
use queue::Queue;

type Action = fn(&str) -> usize;

fn main() {
    let mut queue = Queue::new();
    fill(&mut queue);
    let done = drain(&mut queue);
    let action = choose(\"count\");
    report(done + action(\"words\"));
}

fn fill(queue: &mut Queue) {
    queue.push(Box::new(Print::new(\"a\")));
    queue.push(Box::new(Copy { from: \"a\".into() }));
}

fn drain(queue: &mut Queue) -> usize {
    let mut done = 0;
    while let Some(job) = queue.pop() {
        job.run();
        done += 1;
    }
    done
}

fn choose(name: &str) -> Action {
    match name {
        \"count\" => count,
        _ => zero,
    }
}

fn count(text: &str) -> usize {
    text.len()
}

fn zero(_: &str) -> usize {
    0
}

fn report(done: usize) {
    let line = render(done);
    emit(&line);
}

fn render(done: usize) -> String {
    format!(\"{done}\")
}

fn emit(line: &str) {
    drop(line.to_owned());
}
",
    ),
    (
        "src/queue.rs",
        "use crate::job::Job;

pub struct Queue {
    jobs: Vec<Box<dyn Job>>,
}

impl Queue {
    pub fn new() -> Self {
        Self { jobs: Vec::new() }
    }

    pub fn push(&mut self, job: Box<dyn Job>) {
        self.reserve();
        self.jobs.push(job);
    }

    pub fn pop(&mut self) -> Option<Box<dyn Job>> {
        self.jobs.pop()
    }

    fn reserve(&mut self) {
        if self.is_full() {
            self.jobs.reserve(8);
        }
    }

    fn is_full(&self) -> bool {
        self.jobs.len() == self.jobs.capacity()
    }
}
",
    ),
    (
        "src/job.rs",
        "pub trait Job {
    fn run(&self);
}

pub struct Print {
    text: String,
}

pub struct Copy {
    pub from: String,
}

impl Print {
    pub fn new(text: &str) -> Self {
        Self { text: trim(text).to_owned() }
    }
}

impl Job for Print {
    fn run(&self) {
        show(&self.text);
    }
}

impl Job for Copy {
    fn run(&self) {
        let lines: Vec<&str> = self.from.lines().map(trim).collect();
        lines.iter().for_each(|line| show(line));
    }
}

fn trim(text: &str) -> &str {
    text.trim()
}

fn show(text: &str) {
    drop(text.to_owned());
}
",
    ),
];

/// Written down by hand. What `run` is called on is known at run time only: both implementations are.
const CALLS: &[&str] = &[
    "main -> Queue::new",
    "main -> fill",
    "main -> drain",
    "main -> choose",
    "main -> report",
    // Through the variable `action`.
    "main -> count",
    "fill -> Queue::push",
    "fill -> Print::new",
    "drain -> Queue::pop",
    "drain -> Print::run",
    "drain -> Copy::run",
    "report -> render",
    "report -> emit",
    "Queue::push -> Queue::reserve",
    "Queue::reserve -> Queue::is_full",
    "Print::new -> trim",
    "Print::run -> show",
    // Passed to `map`.
    "Copy::run -> trim",
    "Copy::run -> show",
];

#[test]
fn calls_of_rust_are_found() {
    check(FILES, CALLS, 80, 89);
}
