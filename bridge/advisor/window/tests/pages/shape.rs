//! A page as a browser parses it: its elements with their attributes.

use html5ever::tendril::TendrilSink as _;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};

/// An element, or a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Node {
    /// Its depth, its name, and the names of its attributes.
    Element(usize, String, Vec<String>),
    /// Its text.
    Text(String),
}

/// The page in the order of the document. What may stand in a text of others (code, and characters that
/// are not seen) is given as text.
pub(crate) fn nodes(html: &str) -> (Vec<Node>, Vec<String>) {
    let dom = parse_document(RcDom::default(), ParseOpts::default()).one(html);
    let errors = dom.errors.borrow().iter().map(ToString::to_string).collect();
    let mut nodes = Vec::new();
    walk(&dom.document, 0, &mut nodes);
    (nodes, errors)
}

/// The elements alone: what a text of others must not change.
pub(crate) fn elements(html: &str) -> Vec<Node> {
    let (mut nodes, _) = nodes(html);
    nodes.retain(|node| matches!(node, Node::Element(..)));
    nodes
}

/// All text of the body.
pub(crate) fn text(html: &str) -> String {
    let (nodes, _) = nodes(html);
    let is_body = |node: &Node| matches!(node, Node::Element(_, name, _) if name == "body");
    let texts = nodes.into_iter().skip_while(|node| !is_body(node)).filter_map(|node| match node {
        Node::Text(text) => Some(text),
        Node::Element(..) => None,
    });
    texts.collect()
}

/// Each attribute of the page: name and value.
pub(crate) fn attributes(html: &str) -> Vec<(String, String)> {
    let dom = parse_document(RcDom::default(), ParseOpts::default()).one(html);
    let (mut open, mut found) = (vec![dom.document.clone()], Vec::new());
    while let Some(node) = open.pop() {
        if let NodeData::Element { attrs, .. } = &node.data {
            let each =
                |attr: &html5ever::Attribute| (attr.name.local.to_string(), attr.value.to_string());
            found.extend(attrs.borrow().iter().map(each));
        }
        open.extend(node.children.borrow().iter().cloned());
    }
    found
}

fn walk(node: &Handle, depth: usize, nodes: &mut Vec<Node>) {
    match &node.data {
        NodeData::Text { contents } => nodes.push(Node::Text(contents.borrow().to_string())),
        NodeData::Element { name, attrs, .. } => {
            let names: Vec<String> =
                attrs.borrow().iter().map(|attr| attr.name.local.to_string()).collect();
            let is_unseen = attrs.borrow().iter().any(|attr| &*attr.value == "unseen");
            if &*name.local == "code" && names.is_empty() || is_unseen {
                return node.children.borrow().iter().for_each(|child| walk(child, depth, nodes));
            }
            nodes.push(Node::Element(depth, name.local.to_string(), names));
        }
        NodeData::Comment { contents } => {
            nodes.push(Node::Element(depth, format!("comment {contents}"), Vec::new()));
        }
        _ => {}
    }
    node.children.borrow().iter().for_each(|child| walk(child, depth + 1, nodes));
}
