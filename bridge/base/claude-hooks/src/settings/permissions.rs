//! `permissions`: three lists of rules, in order of precedence: deny, ask, allow (Claude Code 2.1).

use serde_json::{Value, json};

use super::{Faults, Settings};

/// The lists, in order of precedence.
const LISTS: [&str; 3] = ["deny", "ask", "allow"];

pub(super) fn check(settings: &Value, faults: &mut Faults) {
    let Some(permissions) = settings.get("permissions") else { return };
    faults.expect(permissions.is_object(), "/permissions".to_owned(), "an object");
    for list in ["allow", "ask", "deny"] {
        let Some(rules) = permissions.get(list) else { continue };
        faults.expect(rules.is_array(), format!("/permissions/{list}"), "a list of texts");
        for (index, each) in rules.as_array().into_iter().flatten().enumerate() {
            faults.expect(each.is_string(), format!("/permissions/{list}/{index}"), "a text");
        }
    }
}

impl Settings {
    /// Every rule with the name of its list, in order of precedence.
    pub fn rules(&self) -> impl Iterator<Item = (&'static str, &str)> {
        LISTS.into_iter().flat_map(|list| {
            let rules = self.value["permissions"][list].as_array().into_iter().flatten();
            rules.filter_map(Value::as_str).map(move |rule| (list, rule))
        })
    }

    /// Whether exactly this rule is in the list of allowed ones.
    #[must_use]
    pub fn allows(&self, rule: &str) -> bool {
        self.rules().any(|each| each == ("allow", rule))
    }

    /// Adds a rule to the end of that list.
    pub fn allow(&mut self, rule: &str) {
        if self.allows(rule) {
            return;
        }
        let permissions = &mut self.value["permissions"];
        if permissions.is_null() {
            *permissions = json!({});
        }
        let allow = &mut permissions["allow"];
        if allow.is_null() {
            *allow = json!([]);
        }
        if let Some(rules) = allow.as_array_mut() {
            rules.push(rule.into());
            self.is_changed = true;
        }
    }

    /// Removes a rule from that list, and containers that become empty.
    pub fn disallow(&mut self, rule: &str) {
        if !self.allows(rule) {
            return;
        }
        let Some(settings) = self.value.as_object_mut() else { return };
        let Some(permissions) = settings.get_mut("permissions").and_then(Value::as_object_mut)
        else {
            return;
        };
        let Some(allow) = permissions.get_mut("allow").and_then(Value::as_array_mut) else {
            return;
        };
        allow.retain(|each| each != rule);
        if allow.is_empty() {
            permissions.shift_remove("allow");
        }
        if permissions.is_empty() {
            settings.shift_remove("permissions");
        }
        self.is_changed = true;
    }
}
