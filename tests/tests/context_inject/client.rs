//! With the real Claude Code: what the model is shown, with every way in which the hook is registered.

/// Each test starts the real client, which takes most of a second of processor time and more.
mod real_client {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::path::{Path, PathBuf};
    use std::time::{Duration, Instant};

    use serde_json::{Value, json};
    use supervise::{HelperCommand, run_helper};
    use tests::claude::{Claude, Finished, claude_bin};
    use tests::harness::{StateDir, built};
    use tests::messages_api::{MessagesApi, Reply, Request, Script};

    use crate::fixture::{ABOUT_CODE, report, repository};

    /// How long the real tools may be asked again: each gives up early, whatever else the machine does.
    const PATIENCE: Duration = Duration::from_secs(100);

    /// The client with the folders of a test, our programs, and a stand-in for the orchestrator.
    struct Fixture {
        folder: StateDir,
        claude: Claude,
    }

    impl Fixture {
        /// `None` where there is no client.
        fn new(script: &str) -> Option<Self> {
            let executable = claude_bin()?;
            let folder = StateDir::new().unwrap();
            let programs = folder.work().join("programs");
            fs::create_dir(&programs).unwrap();
            for (name, program) in [
                ("ci", "ci-under-test"),
                ("codex-bridge", "bridge-under-test"),
                ("context-inject", "inject-under-test"),
            ] {
                symlink(built(program).unwrap(), programs.join(name)).unwrap();
            }
            let orchestrator = folder.work().join("orchestrator.sh");
            fs::write(&orchestrator, format!("#!/bin/sh\n{script}\n")).unwrap();
            fs::set_permissions(&orchestrator, fs::Permissions::from_mode(0o755)).unwrap();
            let claude = Claude::new(&executable, &folder)
                .unwrap()
                .env("CODEX_BRIDGE_BIN_DIR", programs)
                .env("CODEX_BRIDGE_STATE_DIR", folder.state())
                .env("CI_AUTO_TOOLS_ORCHESTRATOR_PATH", orchestrator);
            // A repository of its own: this test's folder lies within ours.
            repository(claude.project());
            Some(Self { folder, claude })
        }

        /// With an orchestrator that keeps each request, and finds this.
        fn finding(context: &str) -> Option<Self> {
            let report = report(context);
            Self::new(&format!(
                "dir=$(dirname \"$0\")/asked\nmkdir -p \"$dir\"\ncat >\"$dir/$$\"\ncat <<'E'\n{report}\nE"
            ))
        }

        /// The requests that the orchestrator got.
        fn asked(&self) -> Vec<Value> {
            let folder = self.folder.work().join("asked");
            let files = fs::read_dir(folder).into_iter().flatten().flatten();
            files
                .map(|file| serde_json::from_slice(&fs::read(file.path()).unwrap()).unwrap())
                .collect()
        }

        /// Runs `context-inject` as the user of this client does.
        fn inject(&self, args: &[&str]) {
            let home = self.claude.home();
            let told = run_helper(&HelperCommand {
                program: built("inject-under-test").unwrap(),
                args: args.iter().map(Into::into).collect(),
                env: vec![("HOME".into(), home.into())],
                current_dir: self.folder.work(),
                deadline: Instant::now() + Duration::from_secs(120),
                stdout_max: 1 << 20,
            });
            assert!(told.as_ref().is_ok_and(supervise::HelperOutput::is_success), "{told:?}");
        }

        /// What `context-inject verify` says beside this client.
        fn verify(&self, client: &Path) -> String {
            let path = format!("{}:/usr/bin:/bin", client.parent().unwrap().display());
            let told = run_helper(&HelperCommand {
                program: built("inject-under-test").unwrap(),
                args: vec!["verify".into()],
                env: vec![("HOME".into(), self.claude.home().into()), ("PATH".into(), path.into())],
                current_dir: self.folder.work(),
                deadline: Instant::now() + Duration::from_secs(120),
                stdout_max: 1 << 20,
            });
            String::from_utf8(told.unwrap().stdout).unwrap()
        }

        /// With the plugin that has the hook, and the advisor's beside it.
        fn with_plugin(mut self) -> Self {
            let top = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
            for plugin in ["skill/context/plugin", "skill/advisor/plugin"] {
                self.claude = self.claude.arg("--plugin-dir").arg(top.join(plugin));
            }
            self
        }

        /// One prompt; what the model was asked, and how the client ended.
        async fn prompt(&self, prompt: &str) -> (Vec<Request>, Finished) {
            let api =
                MessagesApi::start(Script::new().main(|_| Reply::text("done"))).await.unwrap();
            let finished = self.claude.clone().api(&api).prompt(prompt).await.unwrap();
            let result = finished.result().unwrap();
            assert_eq!(result["result"], "done", "{result:#}\n{}", finished.stderr);
            assert_eq!((&result["is_error"], finished.code), (&json!(false), Some(0)));
            (api.requests(), finished)
        }
    }

    /// The one block that the model was shown.
    fn block(request: &Request) -> String {
        let text = request.everything();
        let (open, close) = ("<repository-context>", "</repository-context>");
        assert_eq!(text.matches(open).count(), 1, "{text}");
        assert_eq!(text.matches(close).count(), 1, "{text}");
        let (start, end) = (text.find(open).unwrap(), text.find(close).unwrap());
        text[start..end + close.len()].to_owned()
    }

    /// Registered by the plugin, the user's settings and the project's, with more than the client takes.
    #[tokio::test]
    async fn the_context_reaches_the_model_once_fenced_and_below_the_cap() {
        let line = "- src/登录.py:1-5 `retry_login` 😀\n".repeat(500);
        let context = format!("<repository-context>\n{line}</repository-context>");
        assert!(context.encode_utf16().count() > 12_000);
        let Some(fixture) = Fixture::finding(&context) else { return };
        let project: PathBuf = fixture.claude.project().to_owned();
        fixture.inject(&["install"]);
        fixture.inject(&["install", "--project", project.to_str().unwrap()]);
        let fixture = fixture.with_plugin();
        let (requests, _) = fixture.prompt(ABOUT_CODE).await;
        let block = block(&requests[0]);
        let units = block.encode_utf16().count();
        assert!((8_900..=9_000).contains(&units), "{units}");
        assert!(
            block.ends_with("😀\n(more was found than the client takes)\n</repository-context>")
        );
        let text = requests[0].everything();
        assert!(!text.contains("persisted-output") && text.contains(ABOUT_CODE));
        let [asked] = fixture.asked().try_into().unwrap();
        assert_eq!((asked["prompt"].as_str(), &asked["cwd"]), (Some(ABOUT_CODE), &json!(project)));
        assert_eq!(asked["client"]["session_id"].as_str(), requests[0].session_id.as_deref());
    }

    #[tokio::test]
    async fn both_names_of_the_hook_work() {
        let context = fence::block("src/login.py");
        let Some(fixture) = Fixture::finding(&context) else { return };
        fixture.inject(&["install"]);
        let (requests, finished) = fixture.prompt(ABOUT_CODE).await;
        assert_eq!(block(&requests[0]), context);
        assert!(!finished.stdout.contains("[Limits] orchestrator"), "{}", finished.stdout);
        let settings = fixture.claude.home().join(".claude/settings.json");
        let text = fs::read_to_string(&settings).unwrap();
        let old_name = text.replace("context-inject-global.sh", "augment-context-global.sh");
        assert_ne!(text, old_name);
        fs::write(&settings, old_name).unwrap();
        assert_eq!(block(&fixture.prompt(ABOUT_CODE).await.0[0]), context);
        // A second registration of the same hook is not counted.
        fixture.inject(&["install"]);
        assert_eq!(block(&fixture.prompt(ABOUT_CODE).await.0[0]), context);
        fixture.inject(&["uninstall"]);
        assert!(!fixture.prompt(ABOUT_CODE).await.0[0].everything().contains("repository-context"));
        assert_eq!(fixture.asked().len(), 3);
    }

    /// Whatever the exit code, the client takes what is printed: the person is told, the model is not.
    #[tokio::test]
    async fn with_a_broken_orchestrator_the_prompt_arrives_untouched() {
        for (script, said) in [
            ("kill -SEGV $$", "orchestrator unavailable"),
            ("echo sorry", "orchestrator output invalid; fallback to empty context"),
            ("echo '{}'", "orchestrator output invalid; fallback to empty context"),
            ("sleep 1000", "orchestrator unavailable: no report in time"),
        ] {
            let Some(fixture) = Fixture::new(script) else { return };
            let mut fixture = fixture.with_plugin();
            fixture.claude = fixture.claude.env("CI_AUTO_TOOLS_BUDGET_WALL_MS", "400");
            let (requests, finished) = fixture.prompt(ABOUT_CODE).await;
            let text = requests[0].everything();
            assert!(text.contains(ABOUT_CODE), "{script}: {text}");
            for word in ["repository-context", "[Limits]", "orchestrator", "schema_version"] {
                assert!(!requests[0].news().contains(word), "{script}: {}", requests[0].news());
            }
            assert_eq!(requests.len(), 1, "{script}");
            let told = format!("[Limits] {said}");
            let record = transcript(&fixture);
            assert!(record.contains(&told), "{script}: {record}\n{}", finished.stdout);
        }
    }

    /// The numbers in each turn, a text in the first of those that have it; nothing of it for the model.
    #[tokio::test]
    async fn the_person_sees_one_line_and_what_is_less_in_the_real_client() {
        let limits = [
            "tier-2 disabled by default; set CI_AUTO_TOOLS_TIER_MAX=2 to enable",
            "tool timeout; degraded to plan-only: ci_search (no answer within 2000 ms)",
            "tool unavailable; skipped: ci_graph_rag (boom)",
            "budget exceeded; results truncated",
        ];
        let mut said = report(&fence::block("src/login.py"));
        let lines = limits.map(|line| format!("[Limits] {line}"));
        said["fused_context"]["for_user"]["limits_text"] = json!(lines.join("\n"));
        let Some(fixture) = Fixture::new(&format!("cat <<'E'\n{said}\nE")) else { return };
        let fixture = fixture.with_plugin();
        let script =
            Script::new().main(|_| Reply::text("done")).when(|_| true, |_| Reply::text("done"));
        let api = MessagesApi::start(script).await.unwrap();
        let finished =
            fixture.claude.clone().api(&api).messages(&[ABOUT_CODE, ABOUT_CODE]).await.unwrap();
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        let record = transcript(&fixture);
        let turns = record.matches(" · [Limits] 4").count();
        assert!(turns >= 2 && turns.is_multiple_of(2), "{record}");
        for line in &lines {
            assert_eq!(2 * record.matches(line).count(), turns, "{line}: {record}");
        }
        assert!(api.requests().iter().all(|request| !request.everything().contains("[Limits]")));
    }

    /// What the entry relies on is looked at in the client itself.
    #[test]
    fn verify_looks_at_the_client_that_is_installed() {
        let Some(fixture) = Fixture::new("exit 1") else { return };
        let said = fixture.verify(&claude_bin().unwrap());
        assert!(
            said.contains("ok    client        Claude Code 2.1.197, the proven version"),
            "{said}"
        );
        assert!(said.contains("ok    hook fields   as expected\n"), "{said}");
    }

    /// Clients that are newer, without our fields, or deaf to the answer.
    #[test]
    fn a_client_that_does_not_do_as_expected_is_told() {
        let Some(fixture) = Fixture::new("exit 1") else { return };
        let newer = "Claude Code 2.2.0 is newer than 2.1.197, the proven version";
        for (does, expected) in [
            ("exit 1", "ok    hook fields   could not be looked at: the client called no hook"),
            (
                "printf '{}' | \"$hook\"",
                "fail  hook fields   the hook's input has no `hook_event_name`",
            ),
            (
                "printf '{\"hook_event_name\":\"UserPromptSubmit\",\"session_id\":\"s\",\"transcript_path\":\"/t\",\
                 \"cwd\":\"/\",\"prompt\":\"%s\"}' \"$4\" | \"$hook\"",
                "fail  hook fields   the hook's `additionalContext` does not reach the model",
            ),
        ] {
            let client = fixture.folder.work().join("bin/claude");
            fs::create_dir_all(client.parent().unwrap()).unwrap();
            let script = format!(
                "#!/bin/sh\n[ \"$1\" = --version ] && echo '2.2.0 (Claude Code)' && exit\n\
                 hook=${{2%/*}}/hook.sh\n{does}\n"
            );
            fs::write(&client, script).unwrap();
            fs::set_permissions(&client, fs::Permissions::from_mode(0o755)).unwrap();
            let said = fixture.verify(&client);
            assert!(said.contains(newer) && said.contains(expected), "{does}: {said}");
        }
    }

    /// What the session's record holds.
    fn transcript(fixture: &Fixture) -> String {
        let mut folders = vec![fixture.claude.home().join(".claude/projects")];
        let mut text = String::new();
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                if entry.path().is_dir() {
                    folders.push(entry.path());
                } else {
                    text.push_str(&fs::read_to_string(entry.path()).unwrap_or_default());
                }
            }
        }
        text
    }

    /// A task in the background tells of its end through the same hook.
    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn the_clients_own_prompts_and_commands_are_skipped() {
        let context = fence::block("src/login.py");
        let Some(fixture) = Fixture::finding(&context) else { return };
        let fixture = fixture.with_plugin();
        let mark = fixture.claude.project().join("ended");
        let task = || {
            let input =
                json!({ "command": "touch ended", "description": "x", "run_in_background": true });
            Reply::tool("Bash", input)
        };
        // The model answers once the task has ended, so that its end is told after that.
        let ended = move || {
            let begun = Instant::now();
            tokio::task::block_in_place(|| {
                while !mark.exists() && begun.elapsed() < PATIENCE {
                    std::thread::yield_now();
                }
            });
            Reply::text("done")
        };
        let script = Script::new().main(move |_| task()).when(|_| true, move |_| ended());
        let api = MessagesApi::start(script).await.unwrap();
        let claude = fixture.claude.clone().api(&api).args(["--allowedTools", "Bash(touch *)"]);
        let finished = claude.prompt(ABOUT_CODE).await.unwrap();
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        let last = api.requests().pop().unwrap().everything();
        assert!(last.contains("<task-notification>"), "the task has told of its end: {last}");
        assert_eq!(last.matches("<repository-context>").count(), 1, "{last}");
        assert_eq!(fixture.asked().len(), 1);

        let (requests, _) = fixture.prompt("/codex-bridge:consult fix src/login.py").await;
        assert!(!requests[0].everything().contains("repository-context"));
        assert_eq!(fixture.asked().len(), 1);
    }

    #[tokio::test]
    async fn the_real_orchestrator_shows_the_model_the_code() {
        let Some(fixture) = Fixture::new("exit 1") else { return };
        let orchestrator = built("orchestrator-under-test").unwrap();
        let mut fixture = fixture.with_plugin();
        fixture.claude = fixture.claude.env("CI_AUTO_TOOLS_ORCHESTRATOR_PATH", orchestrator);
        let begun = Instant::now();
        loop {
            let (requests, _) = fixture.prompt(ABOUT_CODE).await;
            if requests[0].everything().contains("<repository-context>") {
                let block = block(&requests[0]);
                assert!(block.contains("src/login.py") && block.contains("retry_login"), "{block}");
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "{}", requests[0].everything());
        }
    }
}
