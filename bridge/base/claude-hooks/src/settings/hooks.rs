//! `hooks`: for each event a list of groups, each with a list of hooks.

use serde_json::{Value, json};

use super::{Faults, Settings};

/// The kinds of hooks that the client knows (Claude Code 2.1.197).
const KINDS: [&str; 5] = ["command", "http", "prompt", "agent", "mcp_tool"];

/// Checks that every value on the path to each hook has the right type.
pub(super) fn check(settings: &Value, faults: &mut Faults) {
    let hooks = settings.get("hooks");
    faults.expect(hooks.is_none_or(Value::is_object), "/hooks".to_owned(), "an object");
    for (event, groups) in hooks.and_then(Value::as_object).into_iter().flatten() {
        let at = format!("/hooks/{event}");
        faults.expect(groups.is_array(), at.clone(), "a list");
        for (index, group) in groups.as_array().into_iter().flatten().enumerate() {
            let at = format!("{at}/{index}/hooks");
            faults.expect(group["hooks"].is_array(), at.clone(), "a list");
            for (index, hook) in group["hooks"].as_array().into_iter().flatten().enumerate() {
                check_hook(hook, &format!("{at}/{index}"), faults);
            }
        }
    }
}

fn check_hook(hook: &Value, at: &str, faults: &mut Faults) {
    let kind = hook["type"].as_str();
    let is_known = kind.is_some_and(|kind| KINDS.contains(&kind));
    faults.expect(is_known, format!("{at}/type"), "a kind of hook, such as \"command\"");
    let is_command = kind != Some("command") || hook["command"].is_string();
    faults.expect(is_command, format!("{at}/command"), "a text");
    let timeout = hook.get("timeout");
    faults.expect(timeout.is_none_or(Value::is_number), format!("{at}/timeout"), "a number");
}

impl Settings {
    /// Whether all hooks are disabled.
    #[must_use]
    pub fn disables_hooks(&self) -> bool {
        self.value["disableAllHooks"] == true
    }

    /// Whether an event has a hook for whose command `is_meant` is true.
    pub fn has_hook(&self, event: &str, is_meant: impl Fn(&str) -> bool) -> bool {
        let groups = self.value["hooks"][event].as_array().into_iter().flatten();
        let hooks = groups.filter_map(|group| group["hooks"].as_array()).flatten();
        hooks.filter_map(|each| each["command"].as_str()).any(is_meant)
    }

    /// Adds a group with one hook to an event.
    pub fn add_hook(&mut self, event: &str, hook: &Value) {
        let hooks = &mut self.value["hooks"];
        if hooks.is_null() {
            *hooks = json!({});
        }
        let groups = &mut hooks[event];
        if groups.is_null() {
            *groups = json!([]);
        }
        if let Some(groups) = groups.as_array_mut() {
            groups.push(json!({ "hooks": [hook] }));
            self.is_changed = true;
        }
    }

    /// Removes the hooks of an event for whose command `is_meant` is true, and containers that become empty.
    pub fn remove_hooks(&mut self, event: &str, is_meant: impl Fn(&str) -> bool) {
        if !self.has_hook(event, &is_meant) {
            return;
        }
        let Some(settings) = self.value.as_object_mut() else { return };
        let Some(hooks) = settings.get_mut("hooks").and_then(Value::as_object_mut) else { return };
        let Some(groups) = hooks.get_mut(event).and_then(Value::as_array_mut) else {
            return;
        };
        groups.retain_mut(|group| {
            let Some(list) = group["hooks"].as_array_mut() else { return true };
            let before = list.len();
            list.retain(|each| !each["command"].as_str().is_some_and(&is_meant));
            list.len() == before || !list.is_empty()
        });
        if groups.is_empty() {
            hooks.shift_remove(event);
        }
        if hooks.is_empty() {
            settings.shift_remove("hooks");
        }
        self.is_changed = true;
    }
}
