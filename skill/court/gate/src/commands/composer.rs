//! PHP's manager of packages.

use super::entry::When::Always;
use super::entry::{Case, Command};
use super::packages::RELEASES;
use super::words::words;
use crate::rules::execution;

pub(super) const COMMANDS: &[Command] = &[Command::cases(
    words!("composer"),
    &[],
    &[RELEASES, &[Case(Always, &execution::COMMAND)]],
    [&[], &["build"], &["publish"], &[]],
)];
