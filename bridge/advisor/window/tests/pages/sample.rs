//! Demo data for every page. Each text of others goes through one function, so that a test can put
//! other texts in all their places.

use std::str::FromStr;

use contract::advice::{
    Advice, Alternative, AssumptionCheck, AssumptionStatus, CodexMeta, Confidence, Dimension,
    DriverKind, Meta, Recommendation, RedactionCount, Report, Tradeoff, Usage as Tokens,
};
use contract::court::{self, AnchorKind, Standing};
use contract::event::{Entry, Event, EventName, LastEvent, Progress as Step};
use contract::failure::{Failure, FailureCode, Violation};
use contract::input::{AdvisorInput, CandidatePlan, Options, Phase};
use contract::orchestrate::kept::Kept;
use contract::orchestrate::report::{Report as ContextReport, ToolError};
use contract::run::{ModelStage, RunKind, RunState};
use window::Waiting;
use window::view::*;

/// The present of the demo: 2026-11-22 10:39:56 UTC.
pub(crate) const NOW_MS: i64 = 1_795_343_996_000;

/// What happens to each text of others.
pub(crate) type Texts<'a> = &'a dyn Fn(&str) -> String;

fn id<T: FromStr<Err: std::fmt::Debug>>(number: u16) -> T {
    format!("01a1fda6-f300-70d4-a048-a4aa7bce{number:04x}").parse().expect("a UUID")
}

fn some(texts: Texts<'_>, text: &str) -> Option<String> {
    Some(texts(text))
}

fn all(texts: Texts<'_>, list: &[&str]) -> Vec<String> {
    list.iter().map(|text| texts(text)).collect()
}

fn row(number: u16, problem: Option<String>, texts: Texts<'_>) -> Row {
    Row {
        run_id: id(number),
        session_id: id(0x1000 + number),
        kind: RunKind::Analyze,
        round: 1,
        state: RunState::Succeeded,
        code: None,
        problem,
        workspace: some(texts, "shop"),
        model: some(texts, "gpt-5.2-codex"),
        created_ms: NOW_MS - i64::from(number) * 1_900_000,
        duration_ms: Some(74_000 + u64::from(number) * 3_100),
        tokens: Some(tokens(number)),
    }
}

fn tokens(number: u16) -> Tokens {
    let number = u64::from(number);
    Tokens {
        input_tokens: 18_240 + number * 911,
        cached_input_tokens: 9_600 + number * 310,
        output_tokens: 2_912 + number * 57,
        reasoning_output_tokens: 1_400,
    }
}

/// Runs that have not ended: one that thinks, one that writes with all that is known, one that waits.
pub(crate) fn live(texts: Texts<'_>) -> Vec<LiveRun> {
    let problem = "Should the import run as one transaction, or in batches with a cursor?";
    let thinking = LiveRun {
        row: Row {
            state: RunState::Running,
            duration_ms: None,
            tokens: None,
            created_ms: NOW_MS - 96_000,
            ..row(1, some(texts, problem), texts)
        },
        last: Some(Entry::Progress(Step::Thinking {
            events: 411,
            chars: None,
            parts: None,
            title: None,
        })),
        progress: Some(Progress {
            stage: ModelStage::Thinking,
            events: 412,
            elapsed_ms: 94_000,
            silent_ms: Some(3_000),
            last: Some(LastEvent::Delta),
            chars: None,
            title: None,
            field: None,
        }),
        driver: some(texts, "exec"),
        attempt: Some(1),
    };
    let problem = "Retry policy for the payment webhook: where does the idempotency key live?";
    let writing = LiveRun {
        row: Row { round: 2, ..Row { created_ms: NOW_MS - 41_000, ..thinking.row.clone() } },
        progress: Some(Progress {
            stage: ModelStage::Writing,
            chars: Some(1_874),
            title: some(texts, "Comparing the two plans"),
            field: some(texts, "alternatives"),
            ..thinking.progress.clone().expect("set above")
        }),
        driver: some(texts, "app-server"),
        attempt: Some(2),
        ..thinking.clone()
    };
    let writing = LiveRun {
        row: Row { run_id: id(2), problem: some(texts, problem), ..writing.row },
        ..writing
    };
    let queued = LiveRun {
        row: Row {
            run_id: id(3),
            state: RunState::Queued,
            model: None,
            problem: some(texts, "把会话存到 Redis 还是继续用签名的 Cookie？"),
            ..thinking.row.clone()
        },
        last: None,
        progress: None,
        driver: None,
        attempt: None,
    };
    vec![thinking, writing, queued]
}

/// So many runs that have ended, in every way.
pub(crate) fn rows(texts: Texts<'_>, count: u16) -> Vec<Row> {
    let problems = [
        "Cut the monolith's checkout into a service, or keep it and draw module boundaries?",
        "Is optimistic locking enough for the seat reservation?",
        "缓存失效策略：按键失效还是整体换代？",
        "Which of the two schemas lets us rename a field without downtime?",
        "Move the nightly report to a stream, or make the batch shorter?",
    ];
    let each = |number: u16| {
        let problem = some(texts, problems[usize::from(number) % problems.len()]);
        let usual = row(number + 4, problem, texts);
        match number % 7 {
            1 => Row { round: 2, ..usual },
            2 => Row {
                state: RunState::Failed,
                code: Some(FailureCode::RateLimited),
                tokens: None,
                ..usual
            },
            4 => Row { kind: RunKind::Orchestrate, ..usual },
            5 => Row { state: RunState::Cancelled, code: Some(FailureCode::Cancelled), ..usual },
            6 => Row {
                state: RunState::Interrupted,
                code: Some(FailureCode::Interrupted),
                problem: None,
                workspace: None,
                model: None,
                duration_ms: None,
                tokens: None,
                ..usual
            },
            _ => usual,
        }
    };
    (0..count).map(each).collect()
}

pub(crate) fn now(texts: Texts<'_>) -> Now {
    Now {
        live: live(texts),
        queue: Queue { running: 2, max_running: 2, queued: 1, max_queued: 8 },
        recent: rows(texts, 20),
        condition: Condition { failed: Vec::new(), codex: some(texts, "0.169.0") },
        version: 17,
    }
}

pub(crate) fn now_unwell(texts: Texts<'_>) -> Now {
    let failed = all(texts, &["sign_in", "state_space"]);
    let queue = Queue { running: 0, max_running: 2, queued: 0, max_queued: 8 };
    let condition = Condition { failed, codex: None };
    Now { live: Vec::new(), queue, recent: Vec::new(), condition, version: 18 }
}

pub(crate) fn runs(texts: Texts<'_>) -> Runs {
    Runs {
        filter: Filter {
            q: texts("checkout"),
            model: texts("gpt-5.2-codex"),
            ..Filter::read("state=failed&from=2026-11-01&page=2&code=nothing")
        },
        rows: rows(texts, 20),
        total: Some(1_234),
        has_next: true,
        models: all(texts, &["gpt-5.2-codex", "gpt-5.2"]),
    }
}

pub(crate) fn runs_empty(_: Texts<'_>) -> Runs {
    let filter = Filter::read("");
    Runs { filter, rows: Vec::new(), total: Some(0), has_next: false, models: Vec::new() }
}

fn input(texts: Texts<'_>, phase: Phase) -> AdvisorInput {
    let plan = |name: &str, description: &str| CandidatePlan {
        name: texts(name),
        description: texts(description),
        assumptions: all(texts, &["The team keeps both deployments for a quarter"]),
        suspicions: all(texts, &["The order table is read in more places than we know"]),
    };
    AdvisorInput {
        problem: texts(
            "Cut the monolith's checkout into a service, or keep it and draw module boundaries?",
        ),
        context: texts(
            "Rails 7, one PostgreSQL 16, 40 engineers.\nThe checkout changes weekly, the catalogue monthly.\nDeploys take 35 minutes; `bin/ci` runs 22 of them.",
        ),
        candidate_plans: vec![
            plan(
                "service",
                "Move checkout behind HTTP, with its own database; orders are told by an outbox.",
            ),
            plan(
                "modules",
                "Keep one process; packwerk draws the boundary, and the tables get an owner.",
            ),
        ],
        questions_for_codex: all(
            texts,
            &["Which of them is easier to take back after three months?"],
        ),
        non_goals: all(texts, &["Another language or framework"]),
        phase,
        session_id: None,
        workspace: None,
        options: Options::default(),
    }
}

fn advice(texts: Texts<'_>, phase: Phase) -> Advice {
    let last = phase == Phase::Final;
    let (questions, plan, confidence, check): (&[&str], _, _, _) = match last {
        false => (
            &[
                "How many places write to the orders table?",
                "Is 35 minutes the build or the rollout?",
            ],
            "service",
            Confidence::Low,
            "The order table has one writer",
        ),
        true => (
            &["How many places write to the orders table today?"],
            "modules",
            Confidence::High,
            "The order table has one writer",
        ),
    };
    let alternative = |name: &str, description: &str| Alternative {
        name: texts(name),
        description: texts(description),
        pros: all(texts, &["Can be taken back in a day", "Needs no second on-call rota"]),
        cons: all(texts, &["One slow test suite stays one slow test suite"]),
        applicable_when: texts("the boundary is not settled yet"),
    };
    let changed = match last {
        false => alternative(
            "strangler",
            "Route one order type through a new service, the rest stays where it is",
        ),
        true => alternative(
            "strangler",
            "Route one order type through a new service, all the rest stays",
        ),
    };
    Advice {
        clarifying_questions: all(texts, questions),
        assumption_check: vec![
            AssumptionCheck {
                text: texts(check),
                status: AssumptionStatus::Risky,
                comment: texts("Refunds and the nightly export write to it, too."),
            },
            AssumptionCheck {
                text: texts(if last {
                    "Two deployments are kept for a quarter"
                } else {
                    "The catalogue is stable"
                }),
                status: AssumptionStatus::Plausible,
                comment: texts("The last four changes were texts."),
            },
            AssumptionCheck {
                text: texts("An outbox needs no ordering"),
                status: AssumptionStatus::Invalid,
                comment: texts("A cancellation may overtake its order."),
            },
        ],
        alternatives: vec![
            alternative(
                "modules first",
                "Draw the boundary in one process, measure the calls across it",
            ),
            changed,
        ],
        tradeoffs: vec![
            Tradeoff {
                dimension: Dimension::Risk,
                notes: texts(
                    "service: two databases must agree; modules: a boundary that nobody enforces.",
                ),
            },
            Tradeoff {
                dimension: Dimension::Performance,
                notes: texts("service: 2 ms a call; modules: none."),
            },
        ],
        recommendation: Recommendation {
            preferred_plan: texts(plan),
            reason: texts(
                "The boundary is what is hard, and `modules` finds it at a tenth of the price.\nA service can follow once the calls across it are counted.",
            ),
            confidence,
        },
        followup_suggestions: all(texts, &["Count the writers of `orders` for a week"]),
        raw_text: texts("Draw the boundary before you move it."),
    }
}

fn meta(texts: Texts<'_>, phase: Phase) -> Meta {
    Meta {
        run_id: id(20),
        session_id: id(0x1020),
        round: 1,
        rounds_left: 1,
        phase,
        attempts: 1,
        duration_ms: 74_000,
        queue_ms: 12,
        codex: CodexMeta {
            driver: Some(DriverKind::Exec),
            version: some(texts, "0.169.0"),
            model: some(texts, "gpt-5.2-codex"),
            thread_id: None,
        },
        usage: Some(tokens(1)),
        limits: Vec::new(),
        redactions: Vec::new(),
    }
}

fn facts(texts: Texts<'_>) -> Facts {
    Facts {
        driver: some(texts, "exec"),
        codex_version: some(texts, "0.169.0"),
        thread_id: some(texts, "01a1fda6-f55a-77d1-bd56-73bdadde599b"),
        attempts: Some(1),
        queue_ms: Some(12),
        first_event_ms: Some(2_340),
        limits: all(texts, &["the model was not chosen: Codex's own default answered"]),
        redactions: vec![RedactionCount { kind: texts("aws_access_key_id"), count: 1 }],
    }
}

fn timeline(texts: Texts<'_>) -> Vec<Moment> {
    let item = Step::Item { item: texts("command_execution"), subject: some(texts, "bin/ci") };
    let entries = [
        Entry::Queued { session_id: id(0x1020), round: 1, kind: RunKind::Analyze },
        Entry::Started { queue_ms: 12 },
        Entry::Progress(Step::Attempt { attempt: 1 }),
        Entry::Thread { thread_id: id(0x2020) },
        Entry::Progress(Step::Waiting { elapsed_ms: 0 }),
        Entry::Progress(Step::Thinking { events: 3, chars: None, parts: None, title: None }),
        Entry::Retry { code: FailureCode::RateLimited, pause_ms: 5_000 },
        Entry::Progress(item),
        Entry::Progress(Step::Message { text: texts("I look at the tests first."), more: false }),
        Entry::Progress(Step::Writing { events: 980, chars: None, field: None }),
        Entry::Progress(Step::Quiet { silent_ms: 11_000, last: LastEvent::KeepAlive }),
        Entry::Progress(Step::Answered),
    ];
    let moment = |(place, entry): (usize, Entry)| Moment {
        at_ms: (place > 0)
            .then(|| NOW_MS - 38_000_000 + 6_100 * i64::try_from(place).expect("few")),
        event: Event { seq: Some(place as u64 + 1), name: entry.name(), data: entry.data() },
    };
    let mut moments: Vec<Moment> = entries.into_iter().enumerate().map(moment).collect();
    let data = serde_json::Value::Null;
    let event = Event { seq: Some(13), name: EventName::Report, data };
    moments.push(Moment { at_ms: None, event });
    moments
}

pub(crate) fn run(texts: Texts<'_>) -> Run {
    let report =
        Report { advice: advice(texts, Phase::Initial), meta: meta(texts, Phase::Initial) };
    let input = input(texts, Phase::Initial);
    Run {
        row: row(20, Some(input.problem.clone()), texts),
        asked: Asked::Advice(Box::new(input)),
        ended: Ended::Advice(Box::new(report)),
        progress: None,
        facts: facts(texts),
        timeline: timeline(texts),
        version: 17,
    }
}

pub(crate) fn run_live(texts: Texts<'_>) -> Run {
    let live = live(texts).swap_remove(1);
    let (row, progress) = (live.row, live.progress);
    Run { row, progress, ended: Ended::Not, facts: Facts::default(), ..run(texts) }
}

pub(crate) fn run_failed(texts: Texts<'_>) -> Run {
    let details = vec![
        Violation::new(texts("/tradeoffs"), texts("expected a weighing of every plan, found none"))
            .with_hint(texts("name each candidate plan")),
    ];
    let failure =
        Failure::new(FailureCode::BadOutput, texts("the answer breaks the contract in 1 place"))
            .with_details(details)
            .with_summary(texts("Here is what I think:\n\n1. It depends."));
    let run = run(texts);
    let row = Row { state: RunState::Failed, code: Some(FailureCode::BadOutput), ..run.row };
    Run { row, ended: Ended::Failure(Box::new(failure)), timeline: Vec::new(), ..run }
}

pub(crate) fn run_turn(texts: Texts<'_>) -> Run {
    let run = run(texts);
    Run {
        row: Row { kind: RunKind::Orchestrate, ..run.row },
        asked: Asked::Turn(texts("Make the failing test pass, and say what was wrong.")),
        ended: Ended::Turn(texts("The clock was read twice.\n\n```diff\n-now()\n+at\n```")),
        ..run
    }
}

pub(crate) fn run_bare(texts: Texts<'_>) -> Run {
    let row =
        Row { problem: None, model: None, tokens: None, workspace: None, ..row(21, None, texts) };
    Run {
        row,
        asked: Asked::NotKept,
        ended: Ended::NotKept,
        progress: None,
        facts: Facts::default(),
        timeline: Vec::new(),
        version: 17,
    }
}

pub(crate) fn session(texts: Texts<'_>) -> Session {
    let first = run(texts);
    let report = Report { advice: advice(texts, Phase::Final), meta: meta(texts, Phase::Final) };
    let second = Run {
        row: Row { run_id: id(22), round: 2, ..first.row.clone() },
        ended: Ended::Advice(Box::new(report)),
        ..first.clone()
    };
    let failed = run_failed(texts);
    let failed = Run { row: Row { run_id: id(23), round: 2, ..failed.row }, ..failed };
    Session {
        session_id: id(0x1020),
        created_ms: NOW_MS - 39_000_000,
        expires_ms: NOW_MS + 47_000_000,
        rounds_left: 0,
        runs: vec![first, failed, second],
    }
}

pub(crate) fn session_open(texts: Texts<'_>) -> Session {
    let session = session(texts);
    Session { runs: session.runs.into_iter().take(1).collect(), rounds_left: 1, ..session }
}

pub(crate) fn usage(texts: Texts<'_>) -> Usage {
    let last: jiff::civil::Date = "2026-11-22".parse().expect("a date");
    let day = |back: u64| {
        let busy = (back * 7 + 3) % 11;
        let idle = back % 7 > 4;
        Day {
            date: last.saturating_sub(jiff::Span::new().days(i64::try_from(back).expect("few"))),
            succeeded: if idle { 0 } else { busy + 2 },
            input_errors: u64::from(back.is_multiple_of(9)),
            bridge_failures: u64::from(back == 12) * 4,
            codex_failures: if idle { 0 } else { busy / 4 },
            cancelled: u64::from(back % 5 == 1),
            tokens: (!idle).then(|| tokens(u16::try_from(busy * 40).expect("few"))),
        }
    };
    Usage {
        days: 30,
        per_day: (0..30).rev().map(day).collect(),
        latency: vec![
            Latency {
                stage: Stage::Queue,
                count: 211,
                p50_ms: Some(3),
                p90_ms: Some(41),
                p99_ms: Some(12_400),
            },
            Latency {
                stage: Stage::FirstEvent,
                count: 190,
                p50_ms: Some(1_900),
                p90_ms: Some(4_210),
                p99_ms: Some(22_000),
            },
            Latency { stage: Stage::Whole, count: 0, p50_ms: None, p90_ms: None, p99_ms: None },
        ],
        spend: Spend::Priced {
            amounts: vec![Amount { currency: texts("USD"), millionths: 12_340_000 }],
            unpriced: all(texts, &["gpt-5.2"]),
        },
        plan: vec![
            PlanWindow {
                minutes: Some(300),
                used_percent: 43,
                resets_ms: Some(NOW_MS + 5_400_000),
                reported_ms: NOW_MS - 60_000,
            },
            PlanWindow {
                minutes: Some(10_080),
                used_percent: 91,
                resets_ms: None,
                reported_ms: NOW_MS - 60_000,
            },
        ],
    }
}

pub(crate) fn usage_unknown(_: Texts<'_>) -> Usage {
    Usage {
        days: 7,
        per_day: Vec::new(),
        latency: Vec::new(),
        spend: Spend::NoPrice,
        plan: Vec::new(),
    }
}

pub(crate) fn health(texts: Texts<'_>) -> Health {
    let check = |name: &str, level, message: &str, mend: Option<&str>| Check {
        name: texts(name),
        level,
        message: texts(message),
        mend: mend.map(texts),
    };
    Health {
        checks: vec![
            check(
                "configuration",
                Level::Ok,
                "in order; there is no file, so the defaults count",
                None,
            ),
            check("codex_found", Level::Ok, "/usr/local/bin/codex", None),
            check(
                "sign_in",
                Level::Fail,
                "codex is not signed in",
                Some(
                    "run `codex login`, or name a variable that holds a key with `codex.api_key_env`",
                ),
            ),
            check(
                "isolation",
                Level::Warn,
                "no user namespaces: a sub-reaper is used",
                Some("allow unprivileged user namespaces"),
            ),
            check("clock", Level::Skip, "not looked at, because sign_in failed", None),
        ],
        version: texts("0.1.0"),
        address: texts("127.0.0.1:4517"),
        started_ms: NOW_MS - 86_400_000,
    }
}

fn prompt(texts: Texts<'_>) -> Prompt {
    const RUN: &str =
        include_str!("../../../../../schemas/examples/valid/orchestrator-report-run.json");
    let mut report: ContextReport = serde_json::from_str(RUN).expect("a report");
    report.client.name = texts("claude-code");
    report.inputs.prompt = texts("where are tokens checked?");
    report.inputs.repo_root = some(texts, "/home/ann/shop");
    report.inputs.signals.iter_mut().for_each(|signal| signal.matched = texts("where are"));
    for tool in &mut report.tool_plan.tools {
        (tool.tool, tool.reason) = (texts("ci_search"), texts("the prompt asks for a place"));
    }
    for result in &mut report.tool_results {
        (result.tool, result.summary) = (texts("ci_search"), texts("3 places in 2 files"));
        result.error = Some(ToolError { message: texts("one was clamped"), code: None });
        result.truncated = true;
    }
    let fused = &mut report.fused_context;
    fused.for_user.limits_text = texts("[Limits] two more places did not fit");
    fused.for_model.additional_context = texts("src/token.rs:12 `fn check`");
    Prompt { id: "20261122-103956-3f2a9c".to_owned(), kept: Kept { elapsed_ms: 41, report } }
}

pub(crate) fn context(texts: Texts<'_>) -> Context {
    let mut silent = prompt(texts);
    "20261122-103001-77aa01".clone_into(&mut silent.id);
    silent.kept.report.fused_context.for_model.additional_context.clear();
    silent.kept.report.tool_plan.tools.clear();
    Context::List(vec![prompt(texts), silent], texts("/home/ann/.local/state/codex-bridge/context"))
}

/// What waits in four projects; a page names three.
pub(crate) fn waits(texts: Texts<'_>) -> Vec<Waiting> {
    let roots = [("/home/dev/shop", 2), ("/home/dev/billing", 1), ("/srv/infra", 4), ("/tmp/x", 1)];
    let waiting = |(n, (root, count)): (usize, &(&str, usize))| Waiting {
        key: format!("{n:032}"),
        root: texts(root),
        count: *count,
    };
    roots.iter().enumerate().map(waiting).collect()
}

pub(crate) fn projects(texts: Texts<'_>) -> Projects {
    let mut unseen = project(texts).summary;
    unseen.figures = None;
    Projects::List(Box::new(court::Projects {
        folder: texts("/home/ann/.local/state/codex-bridge/court"),
        approver: project(texts).approver,
        projects: vec![project(texts).summary, unseen],
        left_out: 3,
    }))
}

fn no_projects(texts: Texts<'_>) -> Projects {
    let Projects::List(mut list) = projects(texts) else { unreachable!("it is a list") };
    list.projects.clear();
    list.approver.standing = Standing::Absent;
    Projects::List(list)
}

pub(crate) fn project(texts: Texts<'_>) -> court::Project {
    let anchor = |kind, content: &str, own| court::Anchor {
        id: texts("risk_8"),
        kind,
        content: texts(content),
        at_ms: 1_795_343_000_000,
        own,
    };
    let request = |id: &str, call: &str, approved_until_ms: Option<u64>| court::Request {
        id: id.to_owned(),
        digest: "ab12".repeat(16),
        tool: texts("Bash"),
        call: texts(call),
        cwd: texts("/home/ann/shop"),
        level: texts("L2"),
        rules: all(texts, &["git.force", "git.push"]),
        files: all(texts, &["/home/ann/shop/Makefile"]),
        agent: approved_until_ms.map(|_| texts("agent-7")),
        session_id: texts("0b6f7c1e"),
        at_ms: 1_795_343_100_000,
        approved_until_ms,
        explained: texts("Level L2: denied until it is reviewed"),
    };
    court::Project {
        approver: court::Approver {
            standing: Standing::Own,
            fingerprint: some(texts, "12ab-34cd-56ef-7890"),
            why: None,
        },
        summary: court::Summary {
            key: "0123456789abcdef0123456789abcdef".to_owned(),
            root: texts("/home/ann/shop"),
            seen_ms: 1_795_343_200_000,
            figures: Some(court::Figures {
                phase: Some(court::Phase {
                    task: texts("move the cart"),
                    current: texts("build"),
                    accepted: false,
                }),
                risks: 1,
                tasks: 0,
                decisions: 2,
                waiting: 1,
                degraded: all(texts, &["git tells what changed: no repository"]),
            }),
        },
        anchors: vec![
            anchor(AnchorKind::Risk, "an L3 call was refused: `rm -rf /`", true),
            anchor(AnchorKind::Task, "look for callers (explorer)", true),
            anchor(AnchorKind::Decision, "keep the cart in its own crate", false),
        ],
        anchors_left_out: 4,
        requests: vec![
            request("R3", "git push --force origin main", None),
            request("R2", "rm -rf docs && echo `date`", Some(1_795_343_900_000)),
        ],
        requests_left_out: 1,
        packets: vec![court::Packet {
            seq: 12,
            at_ms: 1_795_343_150_000,
            calls: 4,
            statement: texts("The cart is moved and its tests pass."),
        }],
    }
}

fn bare_project(texts: Texts<'_>) -> Projects {
    let project = court::Project {
        approver: court::Approver {
            standing: Standing::Broken,
            fingerprint: None,
            why: some(texts, "approver.pub is gone"),
        },
        anchors: Vec::new(),
        anchors_left_out: 0,
        requests: Vec::new(),
        requests_left_out: 0,
        packets: Vec::new(),
        ..project(texts)
    };
    Projects::One(Box::new(project), some(texts, "request `R3` was altered"))
}

/// Every page by a name, in the language of the frame.
pub(crate) fn pages(
    texts: Texts<'_>,
    frame: &window::Frame<'_>,
    guest: &window::Frame<'_>,
) -> Vec<(&'static str, String)> {
    let refused = |why| Refused { why }.html(guest);
    vec![
        ("now", now(texts).html(frame)),
        ("now-unwell", now_unwell(texts).html(frame)),
        ("runs", runs(texts).html(frame)),
        ("runs-empty", runs_empty(texts).html(frame)),
        ("run", run(texts).html(frame)),
        ("run-live", run_live(texts).html(frame)),
        ("run-failed", run_failed(texts).html(frame)),
        ("run-turn", run_turn(texts).html(frame)),
        ("run-bare", run_bare(texts).html(frame)),
        ("session", session(texts).html(frame)),
        ("session-open", session_open(texts).html(frame)),
        ("usage", usage(texts).html(frame)),
        ("usage-unknown", usage_unknown(texts).html(frame)),
        ("context", context(texts).html(frame)),
        ("context-empty", Context::List(Vec::new(), texts("/state/context")).html(frame)),
        ("context-hidden", Context::Hidden.html(frame)),
        ("context-one", Context::One(Box::new(prompt(texts))).html(frame)),
        ("projects", projects(texts).html(frame)),
        ("projects-empty", no_projects(texts).html(frame)),
        ("projects-hidden", Projects::Hidden.html(frame)),
        ("projects-of-service", Projects::OfService.html(frame)),
        ("projects-unasked", Projects::Unasked(texts("court is not there")).html(frame)),
        ("project", Projects::One(Box::new(project(texts)), None).html(frame)),
        ("project-bare", bare_project(texts).html(frame)),
        ("health", health(texts).html(frame)),
        ("enter", Enter { code: texts("0123456789abcdef") }.html(guest)),
        ("left", Left.html(guest)),
        ("sign-in", refused(Refusal::SignIn)),
        ("code", refused(Refusal::Code)),
        ("forbidden", refused(Refusal::Forbidden)),
        ("not-found", refused(Refusal::NotFound)),
        ("too-many", refused(Refusal::TooMany)),
        ("fault", refused(Refusal::Fault)),
    ]
}
