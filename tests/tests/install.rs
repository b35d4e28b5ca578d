//! `deploy/install.sh` in a home folder of its own: what it makes, keeps, refuses and takes away;
//! and the archives that `deploy/dist.sh` makes of it.
#![expect(clippy::unwrap_used, reason = "tests")]

#[path = "install/build.rs"]
mod build;
#[path = "install/dist.rs"]
mod dist;
#[path = "install/files.rs"]
mod files;
#[path = "install/fixture.rs"]
mod fixture;
#[path = "install/hook.rs"]
mod hook;
#[path = "install/odd.rs"]
mod odd;
#[path = "install/programs.rs"]
mod programs;
#[path = "install/purge.rs"]
mod purge;
#[path = "install/refusals.rs"]
mod refusals;
#[path = "install/shims.rs"]
mod shims;
