//! From a node to the one name in it that matters: the last part of `a.b.c`, the declared name inside
//! a C declarator.

use tree_sitter::Node;

use super::rules::Rules;

/// The deepest chain that is followed to a name.
const MAX_STEPS: usize = 24;

/// Node kinds that are a name.
const NAMES: [&str; 14] = [
    "identifier",
    "field_identifier",
    "property_identifier",
    "private_property_identifier",
    "type_identifier",
    "namespace_identifier",
    "package_identifier",
    "shorthand_property_identifier",
    "constant",
    "word",
    "variable_name",
    "operator_name",
    "destructor_name",
    "nested_namespace_specifier",
];

/// Node kinds around a name that add nothing to it.
const WRAPPERS: [&str; 7] = [
    "command_name",
    "parenthesized_expression",
    "parenthesized_declarator",
    "reference_declarator",
    "reference_type",
    "expression_list",
    "non_null_expression",
];

/// The last name in an expression, a type or a declarator; `None` where there is none.
pub(super) fn leaf_name<'s>(rules: &Rules, node: Node<'s>) -> Option<Node<'s>> {
    let mut node = node;
    for _ in 0..MAX_STEPS {
        if NAMES.contains(&node.kind()) {
            return Some(node);
        }
        let inner = rules.inner(node);
        let wrapped = || {
            let wraps = WRAPPERS.contains(&node.kind());
            wraps.then(|| node.named_child(0)).flatten()
        };
        node = inner.or_else(wrapped)?;
    }
    None
}

/// The text of a node, when it is valid.
pub(super) fn text<'s>(node: Node<'_>, source: &'s [u8]) -> Option<&'s str> {
    std::str::from_utf8(source.get(node.byte_range())?).ok()
}
