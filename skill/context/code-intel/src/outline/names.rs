//! Finds the relevant name in a node: the last part of `a.b.c`, the declared name within
//! a C declarator.

use tree_sitter::Node;

use super::rules::Rules;

/// Maximum length of a chain of nodes that leads to a name.
const MAX_STEPS: usize = 24;

/// Node kinds that are names.
const NAMES: [&str; 16] = [
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
    "simple_identifier",
    "name",
];

/// Node kinds that wrap a name.
const WRAPPERS: [&str; 7] = [
    "command_name",
    "parenthesized_expression",
    "parenthesized_declarator",
    "reference_declarator",
    "reference_type",
    "expression_list",
    "non_null_expression",
];

/// Node kinds without fields in which the first name is relevant: declarations around a declarator, a type
/// with its arguments.
const FIRST: [&str; 5] =
    ["variable_declaration", "generic_name", "nullable_type", "optional_type", "const_element"];
/// Node kinds without fields in which the last name is relevant: `a.b.c`.
const LAST: [&str; 6] = [
    "navigation_expression",
    "qualified_identifier",
    "qualified_name",
    "namespace_name",
    "user_type",
    "conditional_access_expression",
];
/// Node kinds between such a node and its name.
const BETWEEN: [&str; 4] =
    ["user_type", "variable_declarator", "member_binding_expression", "variable_declaration"];

/// The last name in an expression, a type or a declarator; `None` if there is none.
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
        node = inner.or_else(wrapped).or_else(|| named_inside(node))?;
    }
    None
}

/// The name of a definition in a grammar without a field for it.
pub(super) fn bare_name<'s>(node: Node<'s>) -> Option<Node<'s>> {
    match node.kind() {
        "enum_entry" | "const_element" => first_name(node),
        "property_declaration" | "field_declaration" | "event_field_declaration" => {
            let declaration = child_of_kind(node, "variable_declaration")?;
            // In C# the type comes first.
            Some(child_of_kind(declaration, "variable_declarator").unwrap_or(declaration))
        }
        _ => None,
    }
}

/// The callee in a grammar without a field for it: it comes first.
pub(super) fn bare_callee<'s>(node: Node<'s>) -> Option<Node<'s>> {
    let comes_first = matches!(
        node.kind(),
        "call_expression"
            | "constructor_invocation"
            | "constructor_expression"
            | "object_creation_expression"
    );
    comes_first.then(|| node.named_child(0)).flatten()
}

fn child_of_kind<'s>(node: Node<'s>, kind: &str) -> Option<Node<'s>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| child.kind() == kind)
}

fn first_name<'s>(node: Node<'s>) -> Option<Node<'s>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(leads_to_a_name)
}

fn named_inside<'s>(node: Node<'s>) -> Option<Node<'s>> {
    if FIRST.contains(&node.kind()) {
        return first_name(node);
    }
    if !LAST.contains(&node.kind()) {
        return None;
    }
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(leads_to_a_name).last()
}

fn leads_to_a_name(node: &Node<'_>) -> bool {
    NAMES.contains(&node.kind()) || BETWEEN.contains(&node.kind())
}

/// The text of a node, if it is valid UTF-8.
pub(super) fn text<'s>(node: Node<'_>, source: &'s [u8]) -> Option<&'s str> {
    std::str::from_utf8(source.get(node.byte_range())?).ok()
}
