//! Variables that change what another program executes.

use super::rule::Rule;

pub(crate) const LOADER: Rule =
    Rule::l2("environment.loader", "The variable makes programs load other code.");
pub(crate) const START_UP: Rule =
    Rule::l2("environment.start-up", "The variable names code that runs at start.");
pub(crate) const HELPER: Rule =
    Rule::l2("environment.helper", "The variable names a program that another program will run.");
pub(crate) const SEARCH_PATH: Rule = Rule::l2(
    "environment.path",
    "Programs or modules are searched for in an unexpected place first.",
);
pub(crate) const ROUTE: Rule =
    Rule::l2("environment.route", "Traffic or settings are led to another place.");

/// All of this room.
pub(super) const ALL: &[&Rule] = &[&LOADER, &START_UP, &HELPER, &SEARCH_PATH, &ROUTE];
