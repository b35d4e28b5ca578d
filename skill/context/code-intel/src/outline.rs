//! Extracts the definitions, uses and imports of a source file: one pass over its syntax tree, driven by a table for
//! each language. The grammars' own tags queries have no parents, imports and comments, and
//! compiling them would cost each process several milliseconds per language; a test compares this pass
//! with them. Names are not resolved here, which needs the whole repository.

mod imports;
mod names;
mod rules;
mod tables;

#[cfg(test)]
mod tests;

use tree_sitter::{Node, Tree, TreeCursor};

use crate::language::Language;
use names::{leaf_name, text};
use rules::{Role, Rules};

/// Maximum number of definitions per file; generated files have more.
pub const MAX_DEFINITIONS: usize = 20_000;

/// Maximum number of references per file.
pub const MAX_REFERENCES: usize = 100_000;

/// Maximum number of imports per file.
pub const MAX_IMPORTS: usize = 5_000;

/// Maximum length of a name, in bytes.
const MAX_NAME_BYTES: usize = 200;

/// The kind of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum DefinitionKind {
    /// A function outside of a type.
    Function = 1,
    /// A function of a type.
    Method = 2,
    /// A class, structure, union or record.
    Class = 3,
    /// An enumeration.
    Enum = 4,
    /// A trait, interface or protocol.
    Interface = 5,
    /// A module, namespace or package.
    Module = 6,
    /// A block that adds to a type: Rust's `impl`.
    Implementation = 7,
    /// A name for a type.
    Type = 8,
    /// Defined by `macro_rules!` or `#define`.
    Macro = 9,
    /// A constant, static, variant or variable of a file or type.
    Constant = 10,
}

/// A named piece of code, with its place in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Definition<'s> {
    /// Its name, without its parents.
    pub name: &'s str,
    /// Its kind.
    pub kind: DefinitionKind,
    /// The enclosing definition: an index into [`Outline::definitions`], smaller than its own.
    pub parent: Option<u32>,
    /// The type named in the text of a definition outside of it: `Parser` in
    /// `func (p *Parser) Next()` and in `void Parser::next()`.
    pub scope: Option<&'s str>,
    /// The first byte, its comments and attributes included.
    pub start_byte: usize,
    /// The byte after the last.
    pub end_byte: usize,
    /// Its first line, from 1, without comments.
    pub start_line: u32,
    /// Its last line, inclusive.
    pub end_line: u32,
}

/// The kind of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ReferenceKind {
    /// Called, expanded or constructed.
    Call = 1,
    /// Named as a type, a base or a value.
    Mention = 2,
}

/// One use of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference<'s> {
    /// The last part of the used name: `next` for `parser.next()`.
    pub name: &'s str,
    /// Its kind.
    pub kind: ReferenceKind,
    /// The definition that uses it: an index into [`Outline::definitions`]. `None` for the file.
    pub from: Option<u32>,
    /// The line, from 1.
    pub line: u32,
}

/// An imported path or name, as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// The module in the language's notation, without quotes: `a.b`, `crate::a::b`, `./a`.
    pub module: String,
    /// The line, from 1.
    pub line: u32,
}

/// The definitions, uses and imports of a source file.
#[derive(Clone, Debug, Default)]
pub struct Outline<'s> {
    /// In the order of their first line; a parent is before its children.
    pub definitions: Vec<Definition<'s>>,
    /// In the order of the text. A name mentioned several times in one definition is listed
    /// once; a call each time.
    pub references: Vec<Reference<'s>>,
    /// In the order of the text.
    pub imports: Vec<Import>,
}

impl DefinitionKind {
    /// The kind with this number.
    #[must_use]
    pub fn from_number(number: u8) -> Option<Self> {
        const ALL: [DefinitionKind; 10] = [
            DefinitionKind::Function,
            DefinitionKind::Method,
            DefinitionKind::Class,
            DefinitionKind::Enum,
            DefinitionKind::Interface,
            DefinitionKind::Module,
            DefinitionKind::Implementation,
            DefinitionKind::Type,
            DefinitionKind::Macro,
            DefinitionKind::Constant,
        ];
        ALL.into_iter().find(|kind| *kind as u8 == number)
    }

    /// The displayed name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Method => "method",
            Self::Class => "class",
            Self::Enum => "enum",
            Self::Interface => "interface",
            Self::Module => "module",
            Self::Implementation => "impl",
            Self::Type => "type",
            Self::Macro => "macro",
            Self::Constant => "constant",
        }
    }

    /// Whether it is code that can be called.
    #[must_use]
    pub const fn is_callable(self) -> bool {
        matches!(self, Self::Function | Self::Method | Self::Macro)
    }

    /// Whether a function within it is a method.
    const fn is_type(self) -> bool {
        matches!(self, Self::Class | Self::Enum | Self::Interface | Self::Implementation)
    }
}

/// Extracts the outline of a parsed file.
#[must_use]
pub fn outline<'s>(language: Language, source: &'s [u8], tree: &'s Tree) -> Outline<'s> {
    let mut pass = Pass {
        rules: rules::rules(language),
        language,
        source,
        outline: Outline::default(),
        open: Vec::new(),
        comment: None,
        mentioned: rustc_hash::FxHashSet::default(),
    };
    pass.walk(&mut tree.walk());
    pass.outline
}

struct Pass<'s> {
    rules: &'static Rules,
    language: Language,
    source: &'s [u8],
    outline: Outline<'s>,
    /// The definitions enclosing the cursor, with the depth of each.
    open: Vec<(u32, u32)>,
    /// Start and depth of the comments and attributes directly before the cursor.
    comment: Option<(usize, u32)>,
    /// The mentions recorded so far.
    mentioned: rustc_hash::FxHashSet<(Option<u32>, &'s str)>,
}

impl<'s> Pass<'s> {
    fn walk(&mut self, cursor: &mut TreeCursor<'s>) {
        let mut depth = 0_u32;
        loop {
            let enter = self.visit(cursor.node(), depth);
            if enter && cursor.goto_first_child() {
                depth += 1;
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                depth -= 1;
                self.close(depth + 1);
            }
            self.close(depth);
        }
    }

    /// Closes the definitions that began at `depth` or deeper.
    fn close(&mut self, depth: u32) {
        while self.open.last().is_some_and(|(_, begun)| *begun >= depth) {
            self.open.pop();
        }
    }

    fn around(&self) -> Option<u32> {
        self.open.last().map(|(index, _)| *index)
    }

    /// Visits one node, and returns whether to visit its children.
    fn visit(&mut self, node: Node<'s>, depth: u32) -> bool {
        let role = self.rules.role(node);
        match role {
            Role::Comment | Role::Attribute | Role::Wrapper | Role::Export => {
                self.comment.get_or_insert((node.start_byte(), depth));
                if role == Role::Export {
                    self.import(node);
                }
                return role != Role::Comment;
            }
            Role::Leaf if !node.is_named() => return false,
            _ => {}
        }
        let ended = self.comment.is_some_and(|(_, begun)| depth <= begun);
        let comment = self.comment.filter(|_| ended || role.may_define()).map(|(start, _)| start);
        if comment.is_some() {
            self.comment = None;
        }
        match role {
            Role::Define(kind) => self.define(node, kind, comment, depth),
            Role::Assign => self.assign(node, comment, depth),
            Role::Value => self.define_value(node, comment, depth),
            Role::Call => self.call(node),
            Role::Mention => self.mention(node),
            Role::Capital => self.mention_capital(node),
            Role::Bases => self.bases(node),
            Role::Import => self.import(node),
            Role::Tokens => self.tokens(node),
            _ => {}
        }
        !matches!(role, Role::Skip | Role::Leaf | Role::Mention | Role::Capital)
    }

    fn define(&mut self, node: Node<'s>, kind: DefinitionKind, comment: Option<usize>, depth: u32) {
        let Some(name_node) = self.rules.definition_name(node) else { return };
        let Some(name) = self.name(name_node) else { return };
        if self.rules.only_mentions(node) {
            return;
        }
        let around = self.around().map(|index| self.outline.definitions[index as usize].kind);
        let kind = match kind {
            DefinitionKind::Function if around.is_some_and(DefinitionKind::is_type) => {
                DefinitionKind::Method
            }
            kind => kind,
        };
        let scope = self.rules.scope(node, name_node).and_then(|scope| self.name(scope));
        let kind = if scope.is_some() && kind == DefinitionKind::Function {
            DefinitionKind::Method
        } else {
            kind
        };
        self.push((name, kind, scope), node, comment, depth);
        if let Some(bases) = node.child_by_field_name("superclasses") {
            self.bases(bases);
        }
    }

    fn push(
        &mut self,
        (name, kind, scope): (&'s str, DefinitionKind, Option<&'s str>),
        node: Node<'s>,
        comment: Option<usize>,
        depth: u32,
    ) {
        if self.outline.definitions.len() >= MAX_DEFINITIONS {
            return;
        }
        let index = self.outline.definitions.len() as u32;
        self.outline.definitions.push(Definition {
            name,
            kind,
            parent: self.around(),
            scope,
            start_byte: comment.unwrap_or(node.start_byte()).min(node.start_byte()),
            end_byte: node.end_byte(),
            start_line: line(node),
            end_line: node.end_position().row as u32 + u32::from(node.end_position().column > 0),
        });
        self.open.push((index, depth));
    }

    /// `name = value`: a definition at the level of a file or a type, or if it names
    /// a function.
    fn assign(&mut self, node: Node<'s>, comment: Option<usize>, depth: u32) {
        let value = self.rules.value(node);
        let function = value.is_some_and(|value| self.rules.is_function(value));
        let around = self.around().map(|index| self.outline.definitions[index as usize].kind);
        let outer = match around {
            None => !self.rules.is_inside_block(node),
            Some(kind) => kind.is_type(),
        };
        let Some(target) = self.rules.target(node) else { return };
        let plain = target.child_count() == 0;
        if !(function || outer && plain) {
            return;
        }
        let kind = match (function, around.is_some_and(DefinitionKind::is_type)) {
            (true, true) => DefinitionKind::Method,
            (true, false) => DefinitionKind::Function,
            (false, _) => DefinitionKind::Constant,
        };
        if let Some(name) = leaf_name(self.rules, target).and_then(|name| self.name(name)) {
            self.push((name, kind, None), node, comment, depth);
        }
    }

    /// A variable's declaration: a definition only outside of functions.
    fn define_value(&mut self, node: Node<'s>, comment: Option<usize>, depth: u32) {
        let around = self.around().map(|index| self.outline.definitions[index as usize].kind);
        let inside = around.is_some_and(|kind| kind.is_callable());
        if !inside && !self.rules.is_prototype(node) && !self.rules.is_inside_block(node) {
            self.define(node, DefinitionKind::Constant, comment, depth);
        }
    }

    fn call(&mut self, node: Node<'s>) {
        if self.import_call(node) {
            return;
        }
        let name = self.rules.callee(node).and_then(|callee| leaf_name(self.rules, callee));
        if let Some(name) = name.and_then(|name| self.name(name)) {
            self.refer(name, ReferenceKind::Call, node);
        }
    }

    fn mention(&mut self, node: Node<'s>) {
        let Some(name) = self.name(node) else { return };
        let from = self.around();
        let declares = from.is_some_and(|index| {
            let definition = &self.outline.definitions[index as usize];
            definition.name == name && definition.start_line == line(node)
        });
        if !declares && self.mentioned.insert((from, name)) {
            self.refer(name, ReferenceKind::Mention, node);
        }
    }

    /// A capitalised name: in some grammars the only distinction between types and values.
    fn mention_capital(&mut self, node: Node<'s>) {
        let first = self.source.get(node.start_byte());
        if node.byte_range().len() > 2 && first.is_some_and(u8::is_ascii_uppercase) {
            self.mention(node);
        }
    }

    /// The base types of a class.
    fn bases(&mut self, node: Node<'s>) {
        let mut cursor = node.walk();
        for base in node.named_children(&mut cursor) {
            if let Some(name) = leaf_name(self.rules, base) {
                self.mention(name);
            }
        }
    }

    /// Calls in the arguments of a Rust macro, which are not parsed: a name before a parenthesis.
    fn tokens(&mut self, node: Node<'s>) {
        let mut cursor = node.walk();
        let mut before: Option<Node<'s>> = None;
        for child in node.children(&mut cursor) {
            let opens =
                child.kind() == "token_tree" && self.source.get(child.start_byte()) == Some(&b'(');
            if let Some(name) = before.filter(|_| opens).and_then(|before| self.name(before)) {
                self.refer(name, ReferenceKind::Call, child);
            }
            before = Some(child).filter(|child| child.kind() == "identifier");
        }
    }

    fn refer(&mut self, name: &'s str, kind: ReferenceKind, node: Node<'s>) {
        if self.outline.references.len() < MAX_REFERENCES {
            let from = self.around();
            self.outline.references.push(Reference { name, kind, from, line: line(node) });
        }
    }

    fn import(&mut self, node: Node<'s>) {
        for module in imports::modules(self.language, node, self.source) {
            self.add_import(module, node);
        }
    }

    /// A call that imports: `require("a")`, `source a`.
    fn import_call(&mut self, node: Node<'s>) -> bool {
        let module = imports::called(self.language, node, self.source);
        let found = module.is_some();
        if let Some(module) = module {
            self.add_import(module, node);
        }
        found
    }

    fn add_import(&mut self, module: String, node: Node<'s>) {
        let fits = !module.is_empty() && module.len() <= MAX_NAME_BYTES;
        if fits && self.outline.imports.len() < MAX_IMPORTS {
            self.outline.imports.push(Import { module, line: line(node) });
        }
    }

    /// The text of a node that is a name: valid, not empty, not too long.
    fn name(&self, node: Node<'s>) -> Option<&'s str> {
        let name = text(node, self.source)?;
        // A variable of PHP is stored without its `$`.
        let name = if self.language == Language::Php { name.trim_start_matches('$') } else { name };
        Some(name).filter(|name| !name.is_empty() && name.len() <= MAX_NAME_BYTES)
    }
}

fn line(node: Node<'_>) -> u32 {
    node.start_position().row as u32 + 1
}
