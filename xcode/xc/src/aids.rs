//! What helps the model beside the tools for files and commands: the eyes on the code, the web, and the advisor.

use std::path::Path;
use std::sync::Arc;

use agent::{
    Advisor, Code, KnownHosts, NoKeyLanguage, SystemNetwork, Tool, Web, advisor_tool, code_tools,
    web_tools,
};
use host::Environment;
use redact::Redactor;

use crate::cli::args::RunArgs;
use crate::config::{AdvisorMode, Config};

/// Where the language of texts is read, the first that says something.
const LANGUAGE: [&str; 3] = ["LC_ALL", "LC_MESSAGES", "LANG"];

/// The tools, and what looks into the code before each prompt.
pub(crate) struct Aids {
    /// In the order in which the model is told of them.
    pub(crate) tools: Vec<Arc<dyn Tool>>,
    pub(crate) code: Option<Code>,
}

impl Aids {
    /// What the settings want, and what is there.
    ///
    /// # Cancel safety
    /// Nothing is lost by dropping it.
    pub(crate) async fn find(
        environment: &Environment,
        config: &Config,
        args: &RunArgs,
        root: &Path,
        known: &KnownHosts,
        secrets: &[String],
    ) -> Self {
        let redactor = Redactor::with_values(secrets.to_vec());
        let mut tools = web_tools(web(environment, config, known, &redactor));
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
        Self { tools, code }
    }
}

/// How the web is reached.
fn web(environment: &Environment, config: &Config, known: &KnownHosts, redactor: &Redactor) -> Web {
    let said = |name: &&str| environment.text(name).filter(|value| !value.is_empty());
    let is_chinese = LANGUAGE.iter().find_map(said).is_some_and(|value| value.starts_with("zh"));
    Web {
        network: Arc::new(SystemNetwork),
        known: known.clone(),
        timeout: config.web.timeout.value,
        max_bytes: usize::try_from(config.web.max_bytes.value).unwrap_or(usize::MAX),
        redactor: redactor.clone(),
        search_key: config.search_key.clone(),
        language: if is_chinese { NoKeyLanguage::Chinese } else { NoKeyLanguage::English },
    }
}
