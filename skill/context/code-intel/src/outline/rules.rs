//! The role of each node in the pass. Kinds and fields of a grammar are resolved to numbers once per
//! process and language, when the first file of the language is read.

use std::sync::OnceLock;

use tree_sitter::Node;

use super::DefinitionKind as Kind;
use super::names::{bare_callee, bare_name, leaf_name};
use super::tables::table;
use crate::language::{LANGUAGES, Language};

/// The role of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// None; its children are visited.
    Inner,
    /// None; it has no children.
    Leaf,
    /// None; its children are skipped.
    Skip,
    /// A comment: belongs to the definition that follows.
    Comment,
    /// An attribute: belongs to the definition that follows; its children are visited.
    Attribute,
    /// A wrapper that belongs to the definition within it.
    Wrapper,
    /// A definition.
    Define(Kind),
    /// An assignment, which may be a definition.
    Assign,
    /// A variable's or constant's declaration, a definition outside of functions.
    Value,
    Call,
    /// A name of a type.
    Mention,
    /// A name of a type if it is capitalised.
    Capital,
    /// The base types of a class.
    Bases,
    Import,
    /// An export, which may be an import, and belongs to the definition within it.
    Export,
    /// Unparsed tokens.
    Tokens,
}

impl Role {
    /// Whether comments before the node may belong to a definition.
    pub(super) fn may_define(self) -> bool {
        matches!(self, Self::Define(_) | Self::Assign | Self::Value)
    }
}

/// One language's table, by the number of the node kind.
pub(super) struct Rules {
    roles: Vec<Role>,
    fields: Fields,
}

/// The numbers of the relevant fields; 0 if the grammar does not have one.
struct Fields {
    /// Fields that lead inwards to the name of an expression or declarator, in the order they are tried.
    inner: Vec<u16>,
    /// To the name of a definition.
    name: Vec<u16>,
    callee: Vec<u16>,
    target: Vec<u16>,
    value: Vec<u16>,
}

/// The fields that lead to the last name.
const INNER: [&str; 11] = [
    "attribute",
    "field",
    "property",
    "name",
    "function",
    "declarator",
    "type",
    "constructor",
    "method",
    "bound_identifier",
    "suffix",
];
const NAME: [&str; 5] = ["name", "declarator", "type", "property", "key"];
const CALLEE: [&str; 6] = ["function", "macro", "constructor", "method", "name", "type"];
const TARGET: [&str; 4] = ["left", "key", "name", "property"];
const VALUE: [&str; 2] = ["right", "value"];

/// Node kinds of values that make the name they are assigned to a function's.
const FUNCTIONS: [&str; 7] = [
    "arrow_function",
    "function_expression",
    "function",
    "generator_function",
    "lambda",
    "func_literal",
    "closure_expression",
];

/// Node kinds of blocks, whose variables are local.
const BLOCKS: [&str; 6] =
    ["statement_block", "compound_statement", "for_statement", "if_statement", "do_block", "begin"];

/// How many ancestors are checked for a block.
const MAX_STEPS: usize = 6;

impl Rules {
    pub(super) fn role(&self, node: Node<'_>) -> Role {
        let role = self.roles.get(node.kind_id() as usize).copied().unwrap_or(Role::Inner);
        if role == Role::Inner && node.child_count() == 0 { Role::Leaf } else { role }
    }

    pub(super) fn inner<'s>(&self, node: Node<'s>) -> Option<Node<'s>> {
        first(&self.fields.inner, node)
    }

    pub(super) fn callee<'s>(&self, node: Node<'s>) -> Option<Node<'s>> {
        first(&self.fields.callee, node).or_else(|| bare_callee(node))
    }

    pub(super) fn target<'s>(&self, node: Node<'s>) -> Option<Node<'s>> {
        first(&self.fields.target, node)
    }

    pub(super) fn value<'s>(&self, node: Node<'s>) -> Option<Node<'s>> {
        first(&self.fields.value, node)
    }

    pub(super) fn definition_name<'s>(&self, node: Node<'s>) -> Option<Node<'s>> {
        let name = first(&self.fields.name, node).or_else(|| bare_name(node))?;
        // Rust's `impl` is named after its type, which may have arguments.
        if name.child_count() == 0 { Some(name) } else { leaf_name(self, name) }
    }

    /// The type that a definition outside of its type's body names.
    pub(super) fn scope<'s>(&self, node: Node<'s>, name: Node<'s>) -> Option<Node<'s>> {
        if let Some(receiver) = node.child_by_field_name("receiver") {
            let parameter = receiver.named_child(0)?;
            let mut found = parameter.child_by_field_name("type")?;
            if found.kind() == "pointer_type" {
                found = found.named_child(0)?;
            }
            return leaf_name(self, found);
        }
        let around = name.parent().filter(|around| around.kind() == "qualified_identifier")?;
        let scope = around.child_by_field_name("scope")?;
        leaf_name(self, scope)
    }

    /// Whether a node names a type without its body, as in `struct a b;`.
    pub(super) fn only_mentions(&self, node: Node<'_>) -> bool {
        node.kind().ends_with("_specifier") && node.child_by_field_name("body").is_none()
    }

    /// Whether a declaration is a function's, whose body is elsewhere.
    pub(super) fn is_prototype<'s>(&self, node: Node<'s>) -> bool {
        let inner = |node: &Node<'s>| node.child_by_field_name("declarator");
        let mut chain = std::iter::successors(inner(&node), inner).take(MAX_STEPS);
        chain.any(|declarator| declarator.kind() == "function_declarator")
    }

    pub(super) fn is_function(&self, node: Node<'_>) -> bool {
        FUNCTIONS.contains(&node.kind())
    }

    pub(super) fn is_inside_block(&self, node: Node<'_>) -> bool {
        let around = std::iter::successors(node.parent(), Node::parent);
        around.take(MAX_STEPS).any(|around| BLOCKS.contains(&around.kind()))
    }
}

fn first<'s>(fields: &[u16], node: Node<'s>) -> Option<Node<'s>> {
    fields.iter().find_map(|field| node.child_by_field_id(*field))
}

/// The table of a language.
pub(super) fn rules(language: Language) -> &'static Rules {
    static ALL: [OnceLock<Rules>; LANGUAGES.len()] = [const { OnceLock::new() }; LANGUAGES.len()];
    ALL[language.number() as usize - 1].get_or_init(|| build(language))
}

fn build(language: Language) -> Rules {
    let grammar = language.grammar();
    let mut roles = vec![Role::Inner; grammar.node_kind_count()];
    for (kind, role) in table(language) {
        for (number, slot) in roles.iter_mut().enumerate() {
            let number = number as u16;
            if grammar.node_kind_is_named(number) && grammar.node_kind_for_id(number) == Some(kind)
            {
                *slot = *role;
            }
        }
    }
    let numbers = |names: &[&str]| {
        names.iter().filter_map(|name| grammar.field_id_for_name(name)).map(u16::from).collect()
    };
    let fields = Fields {
        inner: numbers(&INNER),
        name: numbers(&NAME),
        callee: numbers(&CALLEE),
        target: numbers(&TARGET),
        value: numbers(&VALUE),
    };
    Rules { roles, fields }
}
