//! Containers, clusters, clouds, databases, packages.

use super::rule::Rule;

pub(crate) const CONTAINER: Rule =
    Rule::l2("container.destroy", "Containers, images or volumes are destroyed.");
pub(crate) const CONTAINER_ESCAPE: Rule =
    Rule::l2("container.escape", "A container gets the rights or the files of the machine.");
pub(crate) const CLUSTER: Rule = Rule::l2("cluster.change", "A cluster is changed.");
pub(crate) const CLOUD: Rule =
    Rule::l2("cloud.change", "Something in a cloud or at a service is destroyed or changed.");
pub(crate) const PLAN: Rule =
    Rule::l2("infrastructure.apply", "Infrastructure is changed or destroyed.");
pub(crate) const DATABASE: Rule =
    Rule::l2("database.destroy", "Data in a database is deleted or changed.");
pub(crate) const QUERY: Rule = Rule::l1("database.query", "A database is only asked.");
pub(crate) const PUBLISH: Rule =
    Rule::l2("package.publish", "Something is published, withdrawn or released.");
pub(crate) const FOREIGN_PACKAGE: Rule =
    Rule::l2("package.foreign", "A package is installed from an unusual place.");
pub(crate) const SYSTEM_PACKAGE: Rule =
    Rule::l2("package.system", "Packages of the system are changed.");

/// All of this room.
pub(super) const ALL: &[&Rule] = &[
    &CONTAINER,
    &CONTAINER_ESCAPE,
    &CLUSTER,
    &CLOUD,
    &PLAN,
    &DATABASE,
    &QUERY,
    &PUBLISH,
    &FOREIGN_PACKAGE,
    &SYSTEM_PACKAGE,
];
