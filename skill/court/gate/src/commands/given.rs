//! What code is given beside its own text: arguments, lines of its input, and variables of the environment. Where it
//! decides what runs or what is deleted, it counts like a text of the code. Not here: what the code does (see `code`).

use crate::shell::{Field, Flow, UNKNOWN, Walker};

/// Most lines of the input, and most arguments, that are looked at.
const GIVEN_MAX: usize = 32;

impl Walker<'_> {
    /// Notes what the code that is followed next is given.
    pub(super) fn gives(&mut self, arguments: &[Field], input: &Flow) {
        let words = arguments.iter().take(GIVEN_MAX).map(|word| word.text.clone());
        let lines = input.text.lines().take(GIVEN_MAX).map(str::to_owned);
        self.given = words.chain(lines).filter(|text| !text.trim().is_empty()).collect();
    }

    /// The values of the variables that code reads from its environment.
    pub(super) fn variables_of(&self, code: &str) -> Vec<String> {
        let reads =
            ["environ", "getenv", "process.env", "ENV", concat!("env::", "var"), "Getenv", "env("];
        if !reads.iter().any(|call| code.contains(call)) {
            return Vec::new();
        }
        let set = self.state.variables.iter().filter(|(name, _)| code.contains(name.as_str()));
        let values = set.flat_map(|(_, variable)| &variable.values);
        values.map(|value| value.text.clone()).filter(|text| !text.contains(UNKNOWN)).collect()
    }
}
