//! `docs/SCREENS.md` is what the terminal shows: each key, command and dialog in both languages, as the state paints it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

use agent::{Ask, Change, Offer, Plan, PlanCheck, Question, TaskEnd, TaskView, Undone};
use contract::xc::{
    CallLevel, DecidedBy, EndReason, FailureClass, SessionSummary, Stream, Verdict, What,
};
use host::Environment;
use serde_json::json;

use super::{Talk, ask, opened, summary};
use crate::chat::event::Event;
use crate::chat::memory::{self, Memory};
use crate::chat::state::{Since, Work};
use crate::chat::{opening, tasks, undo};
use crate::cli::init;
use crate::config::{Config, Places};
use crate::exit::Exit;
use crate::knowing;
use crate::terminal::{Code, Key};
use crate::wizard;
use crate::words::{Language, UNDO_WOULD};

/// Where it lies, from this crate.
const PATH: &str = "../../docs/SCREENS.md";

/// Where it is set, the page is written anew.
const UPDATE: &str = "UPDATE_SCREENS";

/// A screen: what it is called, what leads to it, and the conversation that shows it.
type Screen = (&'static str, &'static str, fn(&mut Talk));

const SCREENS: [Screen; 39] = [
    (
        "The input",
        "What the program shows when it waits for you: the input and the status bar.",
        |_| {},
    ),
    (
        "The model works",
        "Enter queues a message, `/steer` or Ctrl+Enter says it before the next step; ↑ takes the newest back.",
        |talk| {
            work(talk);
            talk.say("then run the tests");
            talk.say("/steer use pnpm");
        },
    ),
    (
        "An answer comes",
        "Finished blocks are in the scrollback by now; what is not finished is below them.",
        |talk| {
            work(talk);
            talk.told(What::Text {
                delta: "It **adds** now:\n\n```sh\necho $(($1 + $2))\n```\n\nThe test".into(),
            });
        },
    ),
    ("A command runs", "Its last lines, as they come.", |talk| {
        work(talk);
        run(talk);
    }),
    ("A provider that fails is tried again", "", |talk| {
        work(talk);
        talk.told(What::Retry { class: FailureClass::RateLimited, after_ms: 2_500, attempt: 2 });
    }),
    (
        "Esc or Ctrl+C",
        "The turn ends as soon as it can; Ctrl+C once more within 2 s saves and leaves.",
        |talk| {
            work(talk);
            talk.ctrl_c();
        },
    ),
    ("Leaving", "Ctrl+C or Ctrl+D in the empty input, `/exit`: the summary is saved.", |talk| {
        let at = talk.now;
        talk.state.work = Work::Leaving(Since::now(at), Exit::Answered);
    }),
    ("May a command run?", "`Y`, `S`, `N`, `W`.", |talk| {
        work(talk);
        talk.take(Event::Asked(1, ask(None)));
    }),
    ("May a file be changed?", "`H` goes hunk by hunk.", |talk| {
        work(talk);
        talk.take(Event::Asked(1, edit(change(), "edit")));
    }),
    ("Hunk by hunk", "After `H`: `Y` or `N` for each.", |talk| {
        work(talk);
        talk.take(Event::Asked(1, edit(change(), "edit")));
        talk.printed();
        talk.code(Code::Char('h'));
    }),
    ("May a file be made?", "", |talk| {
        work(talk);
        let new = Change {
            path: "new.txt".into(),
            old: None,
            new: "one\ntwo\n".into(),
            is_divisible: false,
        };
        talk.take(Event::Asked(1, edit(new, "writeFile")));
    }),
    ("What is dangerous", "", |talk| {
        work(talk);
        let mut asked = ask(None);
        asked.input = json!({"command": "git push --force"});
        (asked.level, asked.is_grantable) = (CallLevel::L2, false);
        asked.reasons = vec!["History of the remote is replaced. (rule git.push-force)".into()];
        talk.take(Event::Asked(1, asked));
    }),
    ("No, with words for the model", "After `W`.", |talk| {
        work(talk);
        talk.take(Event::Asked(1, ask(None)));
        talk.printed();
        talk.code(Code::Char('w'));
        talk.typed("use pnpm");
    }),
    (
        "A question of the model",
        "↑ ↓ Enter, a digit, or words of your own in the last row.",
        |talk| {
            work(talk);
            let offer = |label: &str, description: &str| Offer {
                label: label.into(),
                description: description.into(),
            };
            let question = "Which database? / 数据库用哪个？".into();
            let offers = vec![offer("PostgreSQL", "relational"), offer("SQLite", "one file")];
            talk.take(Event::Question(1, Question { question, offers }));
        },
    ),
    ("A plan", "`exitPlanMode` puts the file before you.", |talk| {
        work(talk);
        let (path, text) =
            (".x-code/plans/add.md".into(), "# Plan\n\n1. Mend `add.sh`\n2. Run the test\n".into());
        talk.take(Event::Review(1, Plan { path, text, check: None }));
    }),
    ("A plan that the advisor checked", "With `plan.advisor`.", |talk| {
        work(talk);
        let (path, text) = (".x-code/plans/queue.md".into(), "# Plan\n\nOne outbox.\n".into());
        let risky = "**RISKY**: One writer is enough. - Nobody has counted.".into();
        let check = Some(PlanCheck::Assumptions(vec![risky]));
        talk.take(Event::Review(1, Plan { path, text, check }));
    }),
    ("Plan mode", "Shift+Tab or `/plan`; the status bar says it.", |talk| {
        if let Some(session) = &mut talk.state.session {
            session.is_planning = true;
        }
    }),
    ("A secret in a prompt", "", |talk| {
        talk.say("log in with planted-key-0123");
    }),
    ("The provider refused the key", "The key is masked while it is typed.", |talk| {
        work(talk);
        talk.told(What::Failure {
            class: FailureClass::Auth,
            message: "401: Incorrect API key provided".into(),
        });
        talk.ended(EndReason::Failed, 3);
    }),
    ("What a folder brings", "Before anything of it is loaded.", |talk| {
        talk.state.session = None;
        talk.state.work = Work::Opening;
        let parts = vec!["knowledge: AGENTS.md".into(), "MCP servers: .x-code/mcp.json".into()];
        talk.take(Event::Foreign("~/p".into(), parts));
    }),
    ("Open work of the last session", "Enter is yes.", |talk| {
        talk.take(Event::OpenWork(Box::new(summary())));
    }),
    (
        "A command of your own",
        "`!make`: it runs without a question and outside of the sandbox.",
        |talk| {
            talk.say("!make");
            talk.take(Event::CommandEnded(Some(2), "exit code: 2\nmake: *** No targets.".into()));
        },
    ),
    ("`/model`", "", |talk| {
        let models = ["deepseek:deepseek-chat", "anthropic:claude-sonnet-4-5"];
        talk.take(Event::Models(models.map(str::to_owned).into()));
    }),
    ("`/sessions`", "", |talk| {
        let one = SessionSummary { ended_at: "2026-11-22T20:15:00Z".into(), ..summary() };
        talk.take(Event::Sessions(vec![one]));
    }),
    ("`/usage` and `/context`", "", |talk| {
        work(talk);
        talk.told(What::Usage {
            input: 12_450,
            cached: 9_800,
            output: 3_200,
            cost_usd: Some(0.08),
        });
        talk.ended(EndReason::Answered, 0);
        talk.printed();
        talk.say("/usage");
        talk.take(Event::Room(15_650, 128_000));
    }),
    (
        "`/tasks`",
        "Commands that run in the background; `/tasks 1` shows what one printed.",
        |talk| {
            let task = |number, command: &str, end| TaskView {
                number,
                command: command.into(),
                ran: Duration::from_secs(65),
                end,
            };
            let all = [task(1, "npm run dev", None), task(2, "make -j2", Some(TaskEnd::Exited(2)))];
            let words = talk.state.words;
            talk.take(Event::Noted(all.iter().map(|task| tasks::listed(task, words)).collect()));
        },
    ),
    ("`/undo`", "What the last turn changed; `/undo yes` takes it back.", |talk| {
        let undone = Undone {
            restored: vec!["/w/src/a.rs".into()],
            removed: vec!["/w/new.rs".into()],
            left: vec![("/w/b.rs".into(), "it was changed since".into())],
        };
        let words = talk.state.words;
        let head = words.say(&UNDO_WOULD);
        talk.take(Event::Noted(undo::told(&undone, head, words, Path::new("/w"))));
    }),
    ("`/memory`", "What is remembered, with where and how old.", |talk| {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join(".xcode/memory");
        fs::create_dir_all(&home).unwrap();
        for closed in [folder.path().join(".xcode"), home.clone()] {
            fs::set_permissions(closed, fs::Permissions::from_mode(0o700)).unwrap();
        }
        // Not said before today on any day.
        fs::write(home.join("auto.md"), "### commands\n- [2999-01-01] test: pnpm test\n").unwrap();
        let places = agent::Places::new(folder.path(), folder.path().join("p"));
        let trust = agent::trust::Trust::look(&places);
        let words = talk.state.words;
        talk.take(Event::Noted(memory::lines(&places, &trust, &Memory::List, words)));
    }),
    ("`/compact`", "Behind it, what is to be kept.", |talk| {
        talk.say("/compact the names of the files");
        talk.told(What::Compacted { before: 41_200, after: 3_100 });
        talk.take(Event::Compacted(true));
    }),
    ("`/clear`", "", |talk| {
        talk.say("/clear");
        talk.take(opened("0199a213-81c0-7800-8aa1-bbab2a035a54"));
    }),
    ("`/session save`", "The model has some seconds for its words.", |talk| {
        talk.say("/session save");
        talk.take(Event::Summarised(true));
    }),
    ("`/diff`", "", |talk| {
        edited(talk);
        talk.say("/diff");
    }),
    ("`/copy`", "The last answer; `/copy code` takes its last block of code.", |talk| {
        edited(talk);
        talk.say("/copy");
    }),
    (
        "`/init`",
        "Fills in `.x-code` from what the project says of itself; `xc init` does the same.",
        |talk| {
            let folder = tempfile::tempdir().unwrap();
            let root = folder.path().join("p");
            fs::create_dir_all(&root).unwrap();
            fs::write(root.join("Cargo.toml"), "[package]\nname = \"adder\"\n").unwrap();
            let places = agent::Places::new(folder.path(), root);
            talk.say("/init");
            let lines = init::initialised(&places, talk.state.words).unwrap();
            talk.take(Event::Noted(lines));
        },
    ),
    ("`/permissions`", "The mode, and the rules of your settings.", |talk| {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join(".xcode");
        fs::create_dir_all(&folder).unwrap();
        let rules = json!({"permissions": {"allow": ["shell(cargo test)", "shell(make)"], "deny": ["shell(git push)"]}});
        fs::write(folder.join("config.json"), rules.to_string()).unwrap();
        let environment = Environment::default().with("HOME", home.path());
        let root = home.path().join("p");
        let places = Places { root: &root, named: None, language: None };
        let config = Config::read(&environment, places).unwrap();
        talk.say("/permissions");
        talk.take(Event::Noted(opening::rules(&config, talk.state.words)));
    }),
    ("`/trust`", "What waits for a yes; `/trust yes` says it.", |talk| {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().join("p");
        fs::create_dir_all(&root).unwrap();
        fs::write(root.join("AGENTS.md"), "Use pnpm.\n").unwrap();
        let trust = agent::trust::Trust::look(&agent::Places::new(home.path(), root));
        talk.say("/trust");
        talk.take(Event::Noted(vec![knowing::waiting(&trust, talk.state.words)]));
    }),
    ("Ctrl+R", "Search in earlier inputs of the project; Enter takes what was found.", |talk| {
        for text in ["make it add", "run the tests"] {
            talk.say(text);
            talk.ended(EndReason::Answered, 0);
        }
        talk.printed();
        talk.key(Key::ctrl('r'));
        talk.typed("add");
    }),
    ("Tab", "Behind `/` a command, behind `@` a path.", |talk| {
        talk.typed("/co");
    }),
    ("`/help`", "", |talk| {
        talk.say("/help");
    }),
];

/// A turn that changed a file.
fn edited(talk: &mut Talk) {
    work(talk);
    talk.state.session.as_mut().unwrap().changed.push("add.sh".to_owned());
    talk.ended(EndReason::Answered, 0);
    talk.printed();
}

fn work(talk: &mut Talk) {
    talk.say("make it add");
    talk.told(What::Prompt { text: "make it add".into() });
    talk.printed();
    talk.later(3_200);
}

fn run(talk: &mut Talk) {
    let id = || "c1".to_owned();
    talk.told(What::Call {
        id: id(),
        tool: "shell".into(),
        input: json!({"command": "sh test.sh"}),
    });
    let (verdict, level, by) = (Verdict::Allow, CallLevel::L1, DecidedBy::User);
    talk.told(What::Permission { id: id(), verdict, level, rule: None, by });
    talk.told(What::Output {
        id: id(),
        stream: Stream::Stdout,
        text: "running 3 tests\nok 1\n".into(),
    });
    talk.later(1_500);
}

fn change() -> Change {
    let text = |changed: &[usize]| {
        let line = |n: usize| {
            if changed.contains(&n) { format!("new {n}\n") } else { format!("line {n}\n") }
        };
        (1..=14).map(line).collect::<String>()
    };
    Change { path: "a.txt".into(), old: Some(text(&[])), new: text(&[2, 13]), is_divisible: true }
}

fn edit(change: Change, tool: &str) -> Box<Ask> {
    let reasons = vec!["A file of the project is written.".into()];
    Box::new(Ask { tool: tool.into(), reasons, ..*ask(Some(change)) })
}

/// What stands on the screen, without the spaces at the ends of rows.
fn shown(talk: &mut Talk) -> String {
    let text = talk.printed() + &talk.region();
    text.trim_start_matches('\n').lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

fn page() -> String {
    let mut page = "# What `xc` shows\n\nEach dialog and state of [the terminal](XCODE.md#at-the-terminal), 80 cells wide, in English \
                    and in Chinese. Colours are left out. This page is\nwritten by the test `the_screens_are_what_is_painted`; do not edit it: change \
                    the program, then run\n`UPDATE_SCREENS=1 cargo nextest run -p xc -E 'test(the_screens_are)'`.\n"
        .to_owned();
    page.push_str("\n## The first run\n\nWithout a key: provider, key, model. Ctrl+C, Ctrl+D or Esc leaves, and nothing is written.\n");
    for screen in
        [Language::En, Language::Zh].iter().flat_map(|words| wizard::tests::screens(*words))
    {
        page.push_str(&format!("\n```\n{}```\n", screen.trim_start_matches('\n')));
    }
    for (name, what, show) in SCREENS {
        page.push_str(&format!("\n## {name}\n"));
        if !what.is_empty() {
            page.push_str(&format!("\n{what}\n"));
        }
        for language in [Language::En, Language::Zh] {
            let mut talk = Talk::new(language);
            show(&mut talk);
            page.push_str(&format!("\n```\n{}```\n", shown(&mut talk)));
        }
    }
    page
}

#[test]
fn the_screens_are_what_is_painted() {
    let page = page();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PATH);
    if std::env::var_os(UPDATE).is_some() {
        fs::write(&path, &page).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    for (line, (is, ought)) in written.lines().zip(page.lines()).enumerate() {
        assert_eq!(is, ought, "docs/SCREENS.md:{}; {UPDATE}=1 writes it anew", line + 1);
    }
    assert_eq!(written, page, "{UPDATE}=1 writes docs/SCREENS.md anew");
}
