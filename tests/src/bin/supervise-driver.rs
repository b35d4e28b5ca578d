//! A process that runs the stand-in for codex behind a guard, to be killed by a test.
//! Arguments: isolation (or `probe`), mark, CODEX_HOME, mode. Prints how the run ended. In the mode `standby` it keeps a
//! guard without a task until it is killed.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use host::environment::RUN;
use supervise::{Bounds, Command, Flow, Guard, Isolation};
use tokio_util::sync::CancellationToken;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().collect();
    let [_, isolation, mark, home, mode] = args.as_slice() else {
        anyhow::bail!("usage: supervise-driver ISOLATION MARK HOME MODE");
    };
    let beside = |name: &str| -> anyhow::Result<PathBuf> {
        Ok(std::env::current_exe()?.with_file_name(name))
    };
    let guard = Guard::new(beside("guard")?).with_marker(RUN);
    let guard = match isolation.as_str() {
        "pid_namespace" => guard.with_isolation(Isolation::PidNamespace),
        "subreaper" => guard.with_isolation(Isolation::Subreaper),
        _ => guard,
    };
    if mode == "standby" {
        let _standby = guard.stand_by(mark);
        return std::future::pending().await;
    }
    let command = Command {
        program: beside("fake-codex")?,
        args: ["exec", "--json", "-"].map(Into::into).into(),
        env: vec![("CODEX_HOME".into(), home.into()), (RUN.into(), mark.into())],
        current_dir: "/".into(),
        stdin: format!("fake-codex: {mode}\n").into_bytes(),
    };
    let bounds = Bounds::until(tokio::time::Instant::now() + Duration::from_secs(60));
    let never = CancellationToken::new();
    let ended = supervise::run(&guard, command, bounds, &never, |_| Flow::Continue).await?;
    let isolation = guard.isolation().await.as_str();
    writeln!(std::io::stdout(), "{isolation} {:?} {:?}", ended.cause, ended.exit)?;
    Ok(())
}
