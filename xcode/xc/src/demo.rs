//! `xc demo`: runs the real `xc -p` on a small project with a failing test, against a scripted model in this
//! process. It prints what happens, and succeeds only if all expected results were seen. In a terminal, the
//! user can then run the same conversation interactively.
//!
//! It needs no account, and no network except loopback.

mod error;
mod project;
mod script;
mod stage;
mod terminal;

use host::streams;
use mock_model::MockModel;
use serde_json::Value;

pub(crate) use error::DemoError;
use project::Project;
pub(crate) use project::Traces;
use stage::{Ran, Stage, Until};

/// Runs all five steps, and offers the conversation if there is a terminal.
///
/// # Errors
/// [`DemoError`] for the first unexpected result.
pub(crate) async fn play(traces: Traces) -> Result<(), DemoError> {
    say("The model of this demo is scripted: no model is asked, and nothing leaves this machine.");
    let project = Project::make(traces).map_err(DemoError::Folder)?;
    let model = MockModel::local(script::nothing()).await.map_err(DemoError::Model)?;
    let stage = Stage::new(&project, &model)?;
    mend(&stage).await?;
    chinese(&stage).await?;
    denied(&stage).await?;
    killed_and_resumed(&stage).await?;
    say("");
    say(
        "All of it was seen: read, edited, tested, answered; asked in Chinese; a deletion denied; killed and resumed.",
    );
    say("The model was scripted. With a key it is a real one: ANTHROPIC_API_KEY=... xc -p '...'");
    if traces == Traces::Keep {
        say(&format!("The project is in {}", project.root().display()));
    }
    if terminal::is_there() && terminal::is_wanted().await {
        terminal::converse(&model, traces).await?;
    }
    Ok(())
}

/// Reads, runs the test, edits, runs it again, answers.
async fn mend(stage: &Stage<'_>) -> Result<(), DemoError> {
    step(1, "a project whose test fails");
    let before = stage.test()?;
    say(&format!("$ sh test.sh    exit code {}: {}", before.code, before.text.trim()));
    expect(before.code == 1, "a test that fails before")?;
    stage.model.set_script(script::mend());
    let ran = stage.xc(&["-p", "-t", script::MEND], Until::End).await?;
    answered(&ran, script::MENDED)?;
    let after = stage.test()?;
    say(&format!("$ sh test.sh    exit code {}: {}", after.code, after.text.trim()));
    expect(after.code == 0, "a test that passes after")?;
    for line in project::changed(stage.project).map_err(DemoError::Folder)? {
        say(&format!("    {line}"));
    }
    Ok(())
}

/// The same in Chinese, as JSON.
async fn chinese(stage: &Stage<'_>) -> Result<(), DemoError> {
    step(2, "a question in Chinese, answered as JSON");
    stage.model.set_script(script::chinese());
    let words = ["-p", "--output-format", "json", script::CHINESE];
    let ran = stage.xc(&words, Until::End).await?;
    let result: Value = serde_json::from_str(&ran.stdout)
        .map_err(|_| DemoError::NotSeen("one JSON object on standard output".to_owned()))?;
    expect(ran.code == Some(0) && result["answer"] == script::EXPLAINED, "an answer in Chinese")
}

/// A deletion that no option lets run.
async fn denied(stage: &Stage<'_>) -> Result<(), DemoError> {
    step(3, "a command that deletes work, even with -t");
    stage.model.set_script(script::denied());
    let ran = stage.xc(&["-p", "-t", script::CLEAN], Until::End).await?;
    answered(&ran, script::NOT_CLEANED)?;
    expect(ran.stderr.contains("denied"), "a denial on standard error")?;
    let notes = stage.project.root().join(project::NOTES);
    expect(notes.is_file(), "the file that was to be deleted")?;
    say(&format!("    {} is still there", project::NOTES));
    Ok(())
}

/// Kills the process with SIGKILL during a command, then resumes the session.
async fn killed_and_resumed(stage: &Stage<'_>) -> Result<(), DemoError> {
    step(4, "a run that is killed in the middle of a command (SIGKILL)");
    stage.model.set_script(script::long());
    let words = ["-p", "-t", "--output-format", "stream-json", script::LONG];
    let ran = stage.xc(&words, Until::Printed(script::BEGUN)).await?;
    expect(ran.code.is_none(), "a run that a signal ended")?;
    say("    killed while its command ran");

    step(5, "the same session goes on");
    stage.model.set_script(script::resumed());
    let asked = stage.model.request_count();
    let ran = stage.xc(&["-p", "--resume", script::GO_ON], Until::End).await?;
    answered(&ran, script::WENT_ON)?;
    let requests = stage.model.requests();
    let first = requests.get(usize::try_from(asked).unwrap_or(usize::MAX));
    let told = first.is_some_and(|request| {
        let body = String::from_utf8_lossy(&request.body);
        body.contains(script::LONG) && body.contains("may or may not have run")
    });
    expect(told, "the model told that its command may or may not have run")?;
    say("    the model was told that its command may or may not have run");
    Ok(())
}

fn answered(ran: &Ran, answer: &str) -> Result<(), DemoError> {
    let is_answer = ran.stdout.trim_end() == answer;
    expect(
        ran.code == Some(0) && is_answer,
        "the answer, alone on standard output, and exit code 0",
    )
}

fn expect(seen: bool, what: &str) -> Result<(), DemoError> {
    if seen { Ok(()) } else { Err(DemoError::NotSeen(what.to_owned())) }
}

fn step(number: u8, what: &str) {
    say(&format!("\n{number}. {what}"));
}

fn say(text: &str) {
    streams::print(text);
}
