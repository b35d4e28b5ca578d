//! PHP's manager of packages.

use super::acts::{Act, Also, Pick};
use super::entry::When::{Always, Verbs};
use super::entry::{Case, Command, Said};
use super::packages::RELEASES;
use super::words::words;
use crate::rules::execution;

pub(super) const COMMANDS: &[Command] = &[Command::said(
    words!("composer"),
    Said::cases(&[], &[RELEASES, &[Case(Always, &execution::COMMAND)]])
        .also(&[Also(Verbs("global require"), Act::Installs(Pick::From(2)))]),
    [&[], &["build", "global require a/b"], &["publish"], &[]],
)];
