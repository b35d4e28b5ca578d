//! The daemon under a real systemd, with the real Codex and a scripted model.

use std::fs;
use std::time::Duration;

use mock_model::{Hang, MockModel, Reply, Script};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tests::harness::{Client, wait_until};
use tokio::task::JoinSet;

use crate::fixture::{LIMIT, codex_of, gone, namespaces, of_run, question, record, run_in_turn};
use crate::machine::Machine;

const KEY: &str = "sk-proj-systemd0123456789abcdefgh";

const TOKEN: &str = "token-of-the-credential-store-0123456789";

/// Where the system service keeps its state.
const STATE: &str = "/var/lib/codex-bridge";

/// The system service on the scripted model, not yet started.
fn prepare(machine: &Machine, mock: &MockModel) {
    machine.install("codex-bridge.service");
    machine.write("/etc/credstore/codex-bridge.api-key", &format!("{KEY}\n"));
    machine.write("/etc/credstore/codex-bridge.token", &format!("{TOKEN}\n"));
    machine.run(&["chmod", "-R", "go=", "/etc/credstore"]);
    let config = format!(
        "listen = \"127.0.0.1:0\"\n[codex]\nbin = \"/opt/codex/bin/codex\"\nbase_url = \"{}\"\n",
        mock.base_url()
    );
    machine.write("/etc/codex-bridge/config.toml", &config);
    machine.run(&["systemctl", "daemon-reload"]);
}

async fn advised(client: &Client, question: &Value) -> Value {
    let answer = client.analyze(question).await.unwrap();
    assert_eq!(answer.status, 200, "{:#}", answer.body);
    answer.body
}

#[tokio::test(flavor = "multi_thread")]
async fn the_system_service_answers_and_survives_what_befalls_it() {
    let Some(machine) = Machine::boot().await else { return };
    let mock = MockModel::local(Reply::Advice).await.unwrap();
    prepare(&machine, &mock);

    // Type=notify: it answers when `start` returns.
    machine.run(&["systemctl", "start", "codex-bridge.service"]);
    let client = machine.client(STATE).await;
    assert_eq!(client.token(), TOKEN, "the token of the credential store");
    let ready = client.get("/readyz").await.unwrap();
    assert_eq!(ready.status, 200, "{:#}", ready.body);
    advised(&client, &question()).await;
    let authorization = mock.requests()[0].header("authorization").map(str::to_owned);
    assert_eq!(authorization, Some(format!("Bearer {KEY}")), "the key of the credential store");

    // No secret in the environment, no privilege, and files for nobody else.
    let pid = machine.main_pid();
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap();
    let environment = String::from_utf8_lossy(&environment).into_owned();
    assert!(environment.contains("CREDENTIALS_DIRECTORY="), "{environment}");
    assert!(!environment.contains(KEY) && !environment.contains(TOKEN), "{environment}");
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    assert!(status.contains("\nNoNewPrivs:\t1\n"), "{status}");
    assert!(status.contains("\nCapEff:\t0000000000000000\n"), "{status}");
    assert!(!status.contains("\nUid:\t0\t"), "{status}");
    let mode = machine.run(&["stat", "--dereference", "--format=%a", STATE]);
    assert_eq!(mode, "700");

    killed_during_a_run(&machine, &mock).await;
    restarted_under_load(&machine, &mock).await;
    stuck(&machine).await;
    misconfigured(&machine).await;
}

/// SIGKILL of the daemon alone: nothing of the run stays alive, and the service is back by itself.
async fn killed_during_a_run(machine: &Machine, mock: &MockModel) {
    let client = machine.client(STATE).await;
    mock.set_script(Reply::Hang(Hang::BeforeHeaders));
    let accepted = client.analyze_async(&question()).await.unwrap();
    assert_eq!(accepted.status, 202, "{accepted:?}");
    let run_id = run_in_turn(&client).await;
    // The advisor's unit allows no namespaces: the run guard is a sub-reaper, in the control group.
    let codex = codex_of(&run_id).unwrap();
    assert_eq!(namespaces(codex.pid), namespaces(machine.main_pid()));
    // A guard that is killed by itself: the daemon sweeps up, and begins anew.
    let guard = of_run(&run_id).into_iter().find(|each| each.command.contains(" __guard"));
    kill_process(Pid::from_raw(guard.unwrap().pid.cast_signed()).unwrap(), Signal::KILL).unwrap();
    let again = wait_until(LIMIT, || {
        codex_of(&run_id).is_some_and(|next| next.pid != codex.pid)
            && of_run(&run_id).iter().all(|each| each.pid != codex.pid)
    });
    assert!(again.await, "{:?}", of_run(&run_id));

    let before = machine.property("MainPID");
    machine.run(&["systemctl", "kill", "--signal=KILL", "--kill-who=main", "codex-bridge.service"]);
    gone(&run_id).await;
    machine.has("MainPID", |pid| pid != "0" && pid != before).await;
    machine.has("ActiveState", |state| state == "active").await;
    assert_eq!(machine.property("NRestarts"), "1");
    let client = machine.client(STATE).await;
    let record = record(&client, &run_id).await;
    assert_eq!(record["outcome"]["error"]["code"], "interrupted", "{record:#}");
    mock.set_script(Reply::Advice);
    advised(&client, &question()).await;
}

/// A restart while runs wait, work and end: each caller hears how its run ended, and it is on record.
async fn restarted_under_load(machine: &Machine, mock: &MockModel) {
    let client = machine.client(STATE).await;
    mock.set_script(Reply::Advice.after(Duration::from_millis(300)));
    let mut callers = JoinSet::new();
    for _ in 0..6 {
        let client = client.clone();
        callers.spawn(async move { client.analyze(&question()).await.unwrap() });
    }
    run_in_turn(&client).await;
    let before = machine.property("MainPID");
    machine.run(&["systemctl", "restart", "codex-bridge.service"]);
    assert_ne!(machine.property("MainPID"), before);
    let answers = callers.join_all().await;
    let next = machine.client(STATE).await;
    let mut advice = 0;
    for answer in &answers {
        let code = answer.body["error"]["code"].as_str();
        assert!(
            answer.status == 200 || matches!(code, Some("draining" | "overloaded")),
            "{answer:?}"
        );
        advice += u32::from(answer.status == 200);
        if let Some(run_id) = answer.body["meta"]["run_id"].as_str() {
            assert_eq!(record(&next, run_id).await["outcome"], answer.body);
            assert!(of_run(run_id).is_empty());
        }
    }
    assert!(advice > 0, "nothing that was in flight was let finish: {answers:?}");
    mock.set_script(Reply::Advice);
    advised(&next, &question()).await;
}

/// A daemon that stands still is noticed by its silence, ended and replaced.
async fn stuck(machine: &Machine) {
    machine.drop_in("watchdog", &["WatchdogSec=5s"]);
    machine.run(&["systemctl", "restart", "codex-bridge.service"]);
    machine.client(STATE).await;
    let before = machine.property("MainPID");
    machine.run(&["systemctl", "kill", "--signal=STOP", "--kill-who=main", "codex-bridge.service"]);
    machine.has("MainPID", |pid| pid != "0" && pid != before).await;
    machine.has("ActiveState", |state| state == "active").await;
    let journal = machine.journal();
    assert!(journal.contains("Watchdog timeout (limit 5s)!"), "{journal}");
    let client = machine.client(STATE).await;
    advised(&client, &question()).await;
}

/// What a restart does not mend is not restarted.
async fn misconfigured(machine: &Machine) {
    machine.drop_in("fault", &["Environment=CODEX_BRIDGE_MAX_RUNNING=many"]);
    let output = machine.command(&["systemctl", "restart", "codex-bridge.service"]);
    assert!(!output.status.success());
    machine.has("ActiveState", |state| state == "failed").await;
    assert_eq!(machine.property("ExecMainStatus"), "78");
    assert_eq!(machine.property("NRestarts"), "0");
    assert!(machine.journal().contains("limits.max_running"), "{}", machine.journal());
}

/// The unit's limit of memory: a run that goes over it ends alone, and where the kernel chooses the daemon, all of it
/// ends and comes back.
#[tokio::test(flavor = "multi_thread")]
async fn a_service_without_memory_loses_its_run_or_comes_back_and_leaves_nothing() {
    let Some(machine) = Machine::boot().await else { return };
    if let Err(why) = machine.limit_memory() {
        return skipping::impossible(&why);
    }
    let mock = MockModel::local(Reply::Advice).await.unwrap();
    prepare(&machine, &mock);
    machine.drop_in(
        "memory",
        &[
            "MemoryMax=256M",
            "Environment=CODEX_BRIDGE_CODEX_BIN=/opt/bin/fake-codex",
            "Environment=CODEX_BRIDGE_CODEX_ALLOW_UNPROVEN=true",
        ],
    );
    machine.run(&["systemctl", "start", "codex-bridge.service"]);
    let client = machine.client(STATE).await;
    let mut greedy = question();
    greedy["problem"] = json!("fake-codex: fill-memory /");
    let before = machine.property("MainPID");

    let answer = client.analyze(&greedy).await.unwrap();
    assert_eq!(answer.body["error"]["code"], "crashed", "{:#}\n{}", answer.body, machine.journal());
    gone(answer.body["meta"]["run_id"].as_str().unwrap()).await;
    assert_eq!(machine.property("MainPID"), before, "the daemon goes on");
    assert_eq!(machine.property("ActiveState"), "active");
    advised(&client, &question()).await;

    // Now the kernel is told to choose the daemon.
    greedy["problem"] = json!("fake-codex: fill-memory /run/fill-now");
    let accepted = client.analyze_async(&greedy).await.unwrap();
    assert_eq!(accepted.status, 202, "{accepted:?}");
    let run_id = run_in_turn(&client).await;
    for (pid, score) in [(machine.main_pid(), "1000"), (codex_of(&run_id).unwrap().pid, "0")] {
        fs::write(format!("/proc/{pid}/oom_score_adj"), score).unwrap();
    }
    machine.write("/run/fill-now", "");
    machine.has("NRestarts", |count| count != "0").await;
    machine.has("ActiveState", |state| state == "active").await;
    gone(&run_id).await;
    let client = machine.client(STATE).await;
    let record = record(&client, &run_id).await;
    assert_eq!(record["outcome"]["error"]["code"], "interrupted", "{record:#}");
    advised(&client, &question()).await;
}

/// systemd listens; the first caller starts the daemon. It has no Codex, and says so.
#[tokio::test(flavor = "multi_thread")]
async fn the_first_connection_starts_the_service() {
    let Some(machine) = Machine::boot().await else { return };
    let mock = MockModel::local(Reply::Advice).await.unwrap();
    prepare(&machine, &mock);
    machine.install("codex-bridge.socket");
    // An address of this test alone: the container shares the machine's network.
    let [_, high, low, _] = std::process::id().to_le_bytes().map(|byte| byte.max(1));
    let address = format!("127.77.{high}.{low}:4517");
    machine.write(
        "/etc/systemd/system/codex-bridge.socket.d/address.conf",
        &format!("[Socket]\nListenStream=\nListenStream={address}\n"),
    );
    machine.drop_in("nowhere", &["Environment=CODEX_BRIDGE_CODEX_BIN=/nowhere/codex"]);
    machine.run(&["systemctl", "start", "codex-bridge.socket"]);
    assert_eq!(machine.property("ActiveState"), "inactive");

    let client = Client::new(&address, TOKEN).unwrap();
    let health = client.get("/healthz").await.unwrap();
    assert_eq!(health.status, 200, "{health:?}\n{}", machine.journal());
    machine.has("ActiveState", |state| state == "active").await;
    let ready = client.get("/readyz").await.unwrap();
    assert_eq!(ready.status, 503, "{ready:?}");
    let checks = ready.body["checks"].as_array().unwrap();
    let codex = checks.iter().find(|check| check["name"] == "codex_found").unwrap();
    assert_eq!(codex["ok"], false);
    let said = format!("{} {}", codex["message"], codex["hint"]);
    assert!(said.contains("/nowhere/codex") && said.contains("codex.bin"), "{said}");
    let answer = client.analyze(&question()).await.unwrap();
    assert_eq!(answer.body["error"]["code"], "codex_not_found", "{answer:?}");

    // The socket outlives the service: a caller in between waits and is answered.
    machine.run(&["systemctl", "stop", "codex-bridge.service"]);
    let client = Client::new(&address, TOKEN).unwrap();
    assert_eq!(client.get("/healthz").await.unwrap().status, 200);
}

/// The opt-in: Codex reads the named folder through its own sandboxed shell, and writes nothing.
#[tokio::test(flavor = "multi_thread")]
async fn with_the_drop_in_codex_reads_a_workspace_through_its_sandbox() {
    let Some(machine) = Machine::boot().await else { return };
    let mock = MockModel::local(Reply::Advice).await.unwrap();
    prepare(&machine, &mock);
    machine.install("shell.conf");
    machine.drop_in("impatient", &["Environment=CODEX_BRIDGE_DRAIN_MS=500"]);
    machine.write("/srv/projects/shop/facts.txt", "the-fact-of-the-workspace\n");
    machine.run(&["systemctl", "daemon-reload"]);
    machine.run(&["systemctl", "start", "codex-bridge.service"]);
    let client = machine.client(STATE).await;
    let ready = client.get("/readyz").await.unwrap();
    assert_eq!(ready.status, 200, "{:#}\n{}", ready.body, machine.journal());

    let command = r#"{"cmd":"cat facts.txt; touch made && echo written-$((1+1))"}"#;
    let call = Reply::ToolCall { name: "exec_command".to_owned(), arguments: command.to_owned() };
    mock.set_script(Script::sequence([call], Reply::Advice));
    let mut question = question();
    question["workspace"] = json!("/srv/projects/shop");
    question["options"] = json!({ "model": "gpt-5.5" });
    advised(&client, &question).await;
    let seen = mock.requests().pop().unwrap().body;
    let seen = String::from_utf8_lossy(&seen).into_owned();
    assert!(seen.contains("the-fact-of-the-workspace"), "{seen}");
    assert!(!seen.contains("written-2"), "{seen}");
    assert!(!machine.path("/srv/projects/shop/made").exists());

    // Namespaces are allowed here, so each run has a PID namespace of its own.
    mock.set_script(Reply::Hang(Hang::BeforeHeaders));
    let accepted = client.analyze_async(&self::question()).await.unwrap();
    assert_eq!(accepted.status, 202, "{accepted:?}");
    let run_id = run_in_turn(&client).await;
    let codex = codex_of(&run_id).unwrap();
    assert!(namespaces(codex.pid) > namespaces(machine.main_pid()), "{codex:?}");
    machine.run(&["systemctl", "stop", "codex-bridge.service"]);
    assert!(of_run(&run_id).is_empty());
}

/// The installer, as root: a service that is enabled, runs and answers; and nothing of it afterwards.
#[tokio::test(flavor = "multi_thread")]
async fn the_installer_sets_the_system_service_up_and_takes_it_away() {
    let Some(machine) = Machine::boot().await else { return };
    let mock = MockModel::local(Reply::Advice).await.unwrap();
    prepare(&machine, &mock);
    for file in ["/usr/local/bin/codex-bridge", "/etc/systemd/system/codex-bridge.service"] {
        machine.run(&["rm", file]);
    }
    machine.run(&["mkdir", "/srv/programs"]);
    for (program, built) in [
        ("codex-bridge", "bridge-under-test"),
        ("codex-advisor", "advisor-under-test"),
        ("codex-auto", "auto-under-test"),
        ("auto-tool-orchestrator", "orchestrator-under-test"),
        ("context-inject", "inject-under-test"),
        ("ci", "ci-under-test"),
        ("xc", "xc-under-test"),
    ] {
        let (built, program) = (format!("/opt/bin/{built}"), format!("/srv/programs/{program}"));
        machine.run(&["ln", "-s", &built, &program]);
    }
    let installer = "/opt/source/deploy/install.sh";
    let install = ["env", "HOME=/root", installer, "--systemd", "--yes", "--from", "/srv/programs"];
    let said = machine.run(&install);
    assert!(said.contains("==> starting codex-bridge.service"), "{said}");
    assert_eq!(machine.property("ActiveState"), "active");
    assert_eq!(machine.property("UnitFileState"), "enabled");
    let client = machine.client(STATE).await;
    advised(&client, &question()).await;
    let said = machine.run(&install);
    assert!(said.contains("nothing to do"), "{said}");

    let said = machine.run(&["env", "HOME=/root", installer, "--systemd", "--uninstall", "--yes"]);
    assert!(said.contains("/var/lib/codex-bridge (history and token"), "{said}");
    assert_eq!(machine.property("ActiveState"), "inactive");
    assert_eq!(machine.property("LoadState"), "not-found");
    for path in ["/usr/local/bin/codex-bridge", "/usr/local/share/codex-bridge"] {
        assert!(!machine.path(path).exists(), "{path}");
    }
}

/// The same daemon as a service of a user, below a service manager without privileges.
#[tokio::test(flavor = "multi_thread")]
async fn the_service_of_a_user_answers_and_comes_back() {
    let Some(machine) = Machine::boot().await else { return };
    let mock = MockModel::local(Reply::Advice).await.unwrap();
    machine.run(&["useradd", "--create-home", "--uid", "4517", "asker"]);
    let home = "/home/asker";
    machine.write(
        &format!("{home}/.config/systemd/user/codex-bridge.service"),
        &crate::fixture::unit("user/codex-bridge.service"),
    );
    machine.write(&format!("{home}/.config/codex-bridge/api-key"), &format!("{KEY}\n"));
    machine.write(
        &format!("{home}/.config/codex-bridge/config.toml"),
        &format!(
            "listen = \"127.0.0.1:0\"\n[codex]\nbin = \"/opt/codex/bin/codex\"\n\
             api_key_file = \"api-key\"\nbase_url = \"{}\"\n",
            mock.base_url()
        ),
    );
    machine.run(&["mkdir", "--parents", &format!("{home}/.local/bin")]);
    let binary = format!("{home}/.local/bin/codex-bridge");
    machine.run(&["ln", "-s", "/opt/bin/bridge-under-test", &binary]);
    machine.run(&["chown", "-R", "asker:", home]);
    machine.run(&["chmod", "600", &format!("{home}/.config/codex-bridge/api-key")]);
    machine.run(&["systemctl", "start", "user@4517.service"]);
    let systemctl = |words: &[&str]| {
        let fixed = [
            "setpriv",
            "--reuid=4517",
            "--regid=4517",
            "--clear-groups",
            "env",
            "XDG_RUNTIME_DIR=/run/user/4517",
            "systemctl",
            "--user",
        ];
        machine.run(&[&fixed, words].concat())
    };
    systemctl(&["daemon-reload"]);
    systemctl(&["start", "codex-bridge.service"]);
    let state = format!("{home}/.local/state/codex-bridge");
    let client = machine.client(&state).await;
    let ready = client.get("/readyz").await.unwrap();
    assert_eq!(ready.status, 200, "{:#}", ready.body);
    advised(&client, &question()).await;

    mock.set_script(Reply::Hang(Hang::BeforeHeaders));
    let accepted = client.analyze_async(&question()).await.unwrap();
    assert_eq!(accepted.status, 202, "{accepted:?}");
    let run_id = run_in_turn(&client).await;
    let main_pid = || systemctl(&["show", "--value", "--property=MainPID", "codex-bridge.service"]);
    let before = main_pid();
    systemctl(&["kill", "--signal=KILL", "--kill-who=main", "codex-bridge.service"]);
    gone(&run_id).await;
    let back = wait_until(LIMIT, || !["0", &before].contains(&main_pid().as_str())).await;
    assert!(back, "{}", machine.journal());
    mock.set_script(Reply::Advice);
    let client = machine.client(&state).await;
    assert_eq!(record(&client, &run_id).await["outcome"]["error"]["code"], "interrupted");
    advised(&client, &question()).await;
}
