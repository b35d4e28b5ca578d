//! The definitions of `enterPlanMode` and `exitPlanMode` for the model. Not here: running them, which the loop does.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};

use crate::action::Action;
use crate::tool::{Outcome, Running, Tool};

/// The name of the tool that begins plan mode.
pub(crate) const ENTER: &str = "enterPlanMode";

/// The name of the tool that submits the plan for review.
pub(crate) const EXIT: &str = "exitPlanMode";

/// The two tools; the descriptions are those of the original specification.
#[must_use]
pub fn plan_tools() -> [Arc<dyn Tool>; 2] {
    let enter = PlanTool {
        name: ENTER,
        description: "Enter plan mode for exploring the codebase and designing an implementation plan.\n\
                      Use proactively for non-trivial tasks: new features, multi-file changes, architectural \
                      decisions, unclear requirements.\n\
                      Skip for: single-line fixes, obvious bugs, specific user instructions.",
    };
    let exit = PlanTool {
        name: EXIT,
        description: "Signal that the plan is complete and ready for user review. The system will read the plan \
                      file and present it to the user.",
    };
    [Arc::new(enter), Arc::new(exit)]
}

struct PlanTool {
    name: &'static str,
    description: &'static str,
}

impl Tool for PlanTool {
    fn definition(&self) -> llm::Tool {
        llm::Tool {
            name: self.name.to_owned(),
            description: self.description.to_owned(),
            schema: json!({ "type": "object", "properties": {}, "additionalProperties": false }),
        }
    }

    /// Not concurrent: it changes how the following calls are judged.
    fn is_reading(&self) -> bool {
        false
    }

    fn action(&self, _: &Map<String, Value>) -> Action {
        Action::Nothing
    }

    fn run<'a>(&'a self, _: Running<'a>) -> BoxFuture<'a, Outcome> {
        Box::pin(async { Outcome::error("Only a session carries this out.") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_described_in_the_words_of_the_seed() {
        let tools = plan_tools().map(|tool| tool.definition());
        let told = tools.map(|llm::Tool { name, description, schema }| {
            jsonschema::validator_for(&schema).unwrap();
            format!("{name}: {description}")
        });
        insta::assert_snapshot!(told.join("\n\n"));
    }
}
