//! Creates a model catalogue that offers the model no tools.
//!
//! The tools that codex sends depend in part on the model: with every feature disabled,
//! codex 0.169 still offers `apply_patch` to gpt-5.5 and a code executor to gpt-6. Therefore the catalogue
//! built into the executable is read, trimmed and passed back to it. If that fails,
//! those tools remain, and the read-only sandbox blocks their effects.

use std::time::Duration;

use serde_json::{Map, Value};
use supervise::{Bounds, Cause, Exit, Flow, Guard, Output, SpawnError};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::attempt::Installation;
use crate::home::{Home, HomeError, ShellAccess};
use crate::probe::{self, Surroundings};

/// How long codex may take to print its catalogue. It takes 15 ms (codex 0.169).
const TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum size of a catalogue. That of codex 0.169 has 745,260 bytes, in one line.
const CATALOG_MAX_BYTES: usize = 16 << 20;

/// The fields of a model that add tools if they are not null.
const TOOL_FIELDS: &[&str] = &["apply_patch_tool_type", "tool_mode", "multi_agent_version"];

/// Result of trimming the catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Models {
    /// No model gets a tool except the shell, if that is enabled.
    Trimmed {
        /// Number of models in the catalogue.
        count: usize,
    },
    /// Codex uses its own catalogue: it is too old to print it, or it rejected ours.
    Untrimmed {
        /// Why it was not trimmed.
        reason: String,
    },
}

/// Why trimming failed.
#[derive(Debug, thiserror::Error)]
pub enum ModelsError {
    /// Codex could not be started.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// The home could not be written.
    #[error(transparent)]
    Home(#[from] HomeError),
}

/// Trims the executable's catalogue, writes it to `home`, and checks that Codex accepts it; if
/// not, restores the home.
///
/// # Errors
/// [`ModelsError::Spawn`] and [`ModelsError::Home`].
///
/// # Cancel safety
/// Dropping the future kills the process; the home may then refer to an unchecked catalogue and
/// must be prepared again.
pub async fn trim(
    guard: &Guard,
    installation: &Installation,
    home: &Home,
) -> Result<Models, ModelsError> {
    let untrimmed = |reason: &str| Models::Untrimmed { reason: reason.to_owned() };
    let Some(printed) = print(guard, installation, home, &["debug", "models", "--bundled"]).await?
    else {
        return Ok(untrimmed("codex did not print its model catalogue"));
    };
    let Some((catalog, count)) = trimmed(&printed, home.shell()) else {
        return Ok(untrimmed("codex printed a model catalogue of an unknown form"));
    };
    home.use_models(&catalog)?;
    let accepted = print(guard, installation, home, &["debug", "models"]).await?;
    if accepted.is_some_and(|printed| tool_free(&printed, home.shell()) == Some(count)) {
        return Ok(Models::Trimmed { count });
    }
    home.use_own_models()?;
    Ok(untrimmed("codex did not accept the trimmed model catalogue"))
}

/// The single line that `codex arguments` prints, if it succeeds.
async fn print(
    guard: &Guard,
    installation: &Installation,
    home: &Home,
    arguments: &[&str],
) -> Result<Option<String>, SpawnError> {
    let surroundings = Surroundings { home: home.path(), temp_dir: None };
    let command = probe::command(&installation.binary, arguments, Some(surroundings));
    let bounds = Bounds { line_max: CATALOG_MAX_BYTES, ..Bounds::until(Instant::now() + TIMEOUT) };
    let mut printed = Vec::new();
    let ended = supervise::run(guard, command, bounds, &CancellationToken::new(), |output| {
        if let Output::Line(line) = output {
            printed.extend_from_slice(line);
        }
        Flow::Continue
    })
    .await?;
    let ended_well = ended.cause == Cause::Exited && ended.exit == Exit::Code(0);
    Ok(ended_well.then(|| String::from_utf8_lossy(&printed).into_owned()))
}

/// The catalogue without tools and without base instructions, which ours replace, and its number of models.
fn trimmed(printed: &str, shell: ShellAccess) -> Option<(String, usize)> {
    let mut catalog: Value = serde_json::from_str(printed).ok()?;
    let models = catalog.get_mut("models")?.as_array_mut()?;
    for model in models.iter_mut() {
        trim_model(model.as_object_mut()?, shell);
    }
    let count = models.len();
    (count > 0).then(|| (catalog.to_string(), count))
}

/// Only existing fields are changed: another version may have others.
fn trim_model(model: &mut Map<String, Value>, shell: ShellAccess) {
    let mut set = |field: &str, value: Value| {
        if let Some(present) = model.get_mut(field) {
            *present = value;
        }
    };
    for field in TOOL_FIELDS {
        set(field, Value::Null);
    }
    set("experimental_supported_tools", Value::Array(Vec::new()));
    if shell == ShellAccess::Off {
        set("shell_type", "disabled".into());
    }
    // 97 % of the catalogue, which every process would have to read.
    set("base_instructions", "".into());
    set("model_messages", Value::Null);
}

/// Number of models in a catalogue, if none of them adds a tool.
fn tool_free(printed: &str, shell: ShellAccess) -> Option<usize> {
    let catalog: Value = serde_json::from_str(printed).ok()?;
    let models = catalog.get("models")?.as_array()?;
    let is_free = |model: &Value| {
        let experimental = model.get("experimental_supported_tools").and_then(Value::as_array);
        TOOL_FIELDS.iter().all(|field| model.get(field).is_none_or(Value::is_null))
            && experimental.is_none_or(Vec::is_empty)
            && (shell == ShellAccess::ReadOnly
                || model.get("shell_type").is_none_or(|kind| kind == "disabled"))
    };
    models.iter().all(is_free).then_some(models.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &str = r#"{"models":[{"slug":"m","shell_type":"unified_exec","tool_mode":"code_mode_only","apply_patch_tool_type":"freeform","experimental_supported_tools":["clock"],"base_instructions":"You are","context_window":9}]}"#;

    #[test]
    fn tools_are_trimmed_and_nothing_else() {
        assert_eq!(tool_free(PRINTED, ShellAccess::Off), None);
        let (catalog, count) = trimmed(PRINTED, ShellAccess::Off).unwrap();
        assert_eq!(tool_free(&catalog, ShellAccess::Off), Some(1));
        assert_eq!(count, 1);
        expect_test::expect![[r#"{"models":[{"slug":"m","shell_type":"disabled","tool_mode":null,"apply_patch_tool_type":null,"experimental_supported_tools":[],"base_instructions":"","context_window":9}]}"#]]
            .assert_eq(&catalog);
    }

    #[test]
    fn the_shell_stays_where_it_is_switched_on() {
        let (catalog, _) = trimmed(PRINTED, ShellAccess::ReadOnly).unwrap();
        assert!(catalog.contains(r#""shell_type":"unified_exec""#));
        assert_eq!(tool_free(&catalog, ShellAccess::ReadOnly), Some(1));
        assert_eq!(tool_free(&catalog, ShellAccess::Off), None);
    }

    #[test]
    fn an_unknown_form_is_left_alone() {
        for printed in ["", "[]", r#"{"models":[]}"#, r#"{"models":[1]}"#, r#"{"models":{}}"#] {
            assert_eq!(trimmed(printed, ShellAccess::Off), None, "{printed}");
        }
    }
}
