//! `codex-bridge schema [NAME]` and `codex-bridge openapi`.

use contract::schema;

use super::args::SchemaArgs;
use super::output;
use crate::exit::Exit;
use crate::http::openapi;

pub(super) fn run(args: SchemaArgs) -> Exit {
    let Some(name) = args.name else {
        let names: Vec<&str> = schema::ALL.iter().map(|schema| schema.name).collect();
        return output::print(&format!("{}\n", names.join("\n")));
    };
    match schema::find(&name) {
        Some(schema) => output::print(schema.text),
        None => {
            let names: Vec<&str> = schema::ALL.iter().map(|schema| schema.name).collect();
            output::complain(&format!(
                "error: there is no schema {name:?}; there are {}\n",
                names.join(", ")
            ));
            Exit::Usage
        }
    }
}

pub(super) fn openapi() -> Exit {
    output::print(openapi::text())
}
