//! The JSON Schemas of `schemas/`, compiled in, and validation against them.
//!
//! The schemas are the contract. They refer only to one another, so no network or
//! file access is ever needed.

use std::sync::LazyLock;

use jsonschema::{Registry, Validator};
use serde_json::Value;

use crate::explain;
use crate::failure::Violation;

/// One file of `schemas/`.
#[derive(Debug)]
pub struct Schema {
    /// The file's name without `.schema.json`.
    pub name: &'static str,
    /// The file's text.
    pub text: &'static str,
    /// Compiled from `text` on first use; guards nothing.
    compiled: LazyLock<Compiled>,
}

/// A schema as a value, and its validator.
#[derive(Debug)]
struct Compiled {
    document: Value,
    validator: Validator,
}

macro_rules! schemas {
    ($($(#[$doc:meta])* $constant:ident = $name:literal;)*) => {
        $(
            $(#[$doc])*
            pub static $constant: Schema = Schema {
                name: $name,
                text: include_str!(concat!("../../../../schemas/", $name, ".schema.json")),
                compiled: LazyLock::new(|| $constant.compile()),
            };
        )*

        /// All schemas; those of the request and response of `POST /analyze` come first.
        pub static ALL: &[&Schema] = &[$(&$constant),*];
    };
}

schemas! {
    /// The question: the body of `POST /analyze`.
    ADVISOR_INPUT = "advisor-input";
    /// The answer's seven fields, with all rules that a schema can express.
    ADVICE = "advice";
    /// The answer as requested from Codex: the strict subset that `--output-schema` passes on to
    /// the model's provider. [`crate::advice::parse_advice`] parses it.
    ADVICE_WIRE = "advice.wire";
    /// The body of a successful response: advice and metadata.
    REPORT = "report";
    /// The body of every other response.
    FAILURE = "failure";
    /// The bodies of the history routes.
    RUN = "run";
    /// One turn of the user's own Codex: the body of `POST /orchestrate`.
    ORCHESTRATE_INPUT = "orchestrate-input";
    /// The orchestrator's report, which contains the context for a prompt.
    ORCHESTRATOR_REPORT = "orchestrator-report";
    /// A line of `xc -p --output-format stream-json`.
    XC_EVENT = "xc-event";
    /// What `xc -p --output-format json` prints.
    XC_RESULT = "xc-result";
    /// A line of the journal of a session of `xc`.
    XC_SESSION = "xc-session";
}

/// The schema with this name; the suffix `.schema.json` is optional.
#[must_use]
pub fn find(name: &str) -> Option<&'static Schema> {
    let name = name.strip_suffix(".schema.json").unwrap_or(name);
    ALL.iter().copied().find(|schema| schema.name == name)
}

impl Schema {
    /// Whether the value is valid.
    #[must_use]
    pub fn accepts(&self, value: &Value) -> bool {
        self.compiled.validator.is_valid(value)
    }

    /// All violations of the schema, in the value's order.
    #[must_use]
    pub fn violations(&self, value: &Value) -> Vec<Violation> {
        let Compiled { validator, .. } = &*self.compiled;
        // The verdict alone is several times faster than the list of violations.
        if validator.is_valid(value) {
            return Vec::new();
        }
        explain::all(validator.iter_errors(value))
    }

    /// The schema as a value, for publishing and for looking up what a position expects.
    #[must_use]
    pub fn document(&self) -> &Value {
        &self.compiled.document
    }

    /// The file's `$id`, or a default one.
    fn address(&self) -> String {
        format!("https://codex-bridge.local/schemas/{}.schema.json", self.name)
    }

    fn parse(&self) -> Value {
        serde_json::from_str(self.text).expect("every schema file is JSON (tested)")
    }

    fn compile(&self) -> Compiled {
        let registry = ALL
            .iter()
            .try_fold(Registry::new(), |registry, schema| {
                registry.add(schema.address(), schema.parse())
            })
            .and_then(|registry| registry.prepare())
            .expect("the schemas refer only to one another (tested)");
        let document = self.parse();
        let validator = jsonschema::draft202012::options()
            .with_registry(&registry)
            .with_base_uri(self.address())
            .offline()
            .build(&document)
            .expect("every schema file is a schema (tested)");
        Compiled { document, validator }
    }
}

#[cfg(test)]
mod tests;
