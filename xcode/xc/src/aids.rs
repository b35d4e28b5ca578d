//! The optional tools beside those for files and commands: code context, the web, and the advisor.

use std::path::Path;
use std::sync::Arc;

use agent::{
    Advisor, Code, KnownHosts, SystemNetwork, Tool, Web, advisor_tool, code_tools, web_tools,
};
use host::Environment;
use redact::Redactor;

use crate::cli::args::RunArgs;
use crate::config::{AdvisorMode, Config};

/// The tools, and the code context that is added to each prompt.
pub(crate) struct Aids {
    /// In the order in which they are listed to the model.
    pub(crate) tools: Vec<Arc<dyn Tool>>,
    pub(crate) code: Option<Code>,
    /// Checks plans.
    pub(crate) plan_advisor: Option<Advisor>,
}

impl Aids {
    /// Sets up what the settings ask for and this machine has.
    ///
    /// # Cancel safety
    /// Cancel safe: nothing is lost when the future is dropped.
    pub(crate) async fn find(
        environment: &Environment,
        config: &Config,
        args: &RunArgs,
        root: &Path,
        known: &KnownHosts,
        secrets: &[String],
    ) -> Self {
        let redactor = Redactor::with_values(secrets.to_vec());
        let mut tools = web_tools(web(config, known, &redactor));
        let is_wanted = config.aids.context.value && !args.no_context;
        let code = is_wanted.then(|| Code::of(environment.clone(), root.to_owned())).flatten();
        tools.extend(code.iter().flat_map(code_tools));
        let deadline = config.aids.deadline.value;
        let advisor = || Advisor::new(environment.clone(), deadline, redactor.clone());
        let advisor = match config.aids.advisor.value {
            AdvisorMode::Off => None,
            AdvisorMode::On => Some(advisor()),
            AdvisorMode::Auto => {
                let advisor = advisor();
                advisor.answers().await.is_ok().then_some(advisor)
            }
        };
        tools.extend(advisor.map(advisor_tool));
        let plan_advisor = config
            .aids
            .plan
            .value
            .then(|| Advisor::new(environment.clone(), deadline, redactor.clone()));
        Self { tools, code, plan_advisor }
    }
}

/// The client for the web.
fn web(config: &Config, known: &KnownHosts, redactor: &Redactor) -> Web {
    Web {
        network: Arc::new(SystemNetwork),
        known: known.clone(),
        timeout: config.web.timeout.value,
        max_bytes: usize::try_from(config.web.max_bytes.value).unwrap_or(usize::MAX),
        redactor: redactor.clone(),
        search_key: config.search_key.clone(),
        language: config.language.value.into(),
    }
}
