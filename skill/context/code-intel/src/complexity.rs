//! Computes how complex each function of a source text is: cyclomatic and cognitive complexity, counted
//! over the syntax tree. Pure; no file is read here.
//!
//! *Cyclomatic* (McCabe) is the number of ways through: 1, and one more for each branch, loop,
//! handler, case that is not the default, guard and short-circuit operator, and for each `?` of Rust.
//! A Rust `match` of n arms has n - 1; a `loop` without a condition has none.
//! *Cognitive* (after SonarSource's definition) is the effort to follow: each break of the linear flow
//! counts 1 and, if it nests, one more for each level around it; `else` and `else if` count 1; a run of
//! the same short-circuit operator counts 1; so does a jump to a label.
//! A closure belongs to the enclosing function and nests; a named function is counted separately.
//! Not here: recursion, preprocessor conditions, and what is inside of macro calls, which no grammar
//! parses.

mod rules;

use tree_sitter::{Node, Tree};

use crate::language::Language;
use rules::{Role, Rules};

/// The complexity of one function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measure {
    /// Its own name, without its parents'; `(anonymous)` if it has none.
    pub name: String,
    /// The first line, from 1.
    pub start_line: u32,
    /// The last line, included.
    pub end_line: u32,
    /// Cyclomatic complexity; at least 1.
    pub cyclomatic: u32,
    /// Cognitive complexity; 0 for straight code.
    pub cognitive: u32,
}

/// Name of a function without one.
const ANONYMOUS: &str = "(anonymous)";

/// Computes the cyclomatic and cognitive complexity of every function of the text, in the order of their first
/// lines.
#[must_use]
pub fn measure(language: Language, source: &[u8], tree: &Tree) -> Vec<Measure> {
    let rules = rules::of(language);
    let mut walk = Walk { rules, source, functions: Vec::new(), pending: Vec::new() };
    walk.pending.push(Step { node: tree.root_node(), place: Surroundings::default() });
    // An explicit stack instead of recursion, because a tree can be deeper than the call stack.
    while let Some(step) = walk.pending.pop() {
        walk.visit(step);
    }
    let mut functions = walk.functions;
    functions.sort_by_key(|function| (function.start_line, function.end_line));
    functions
}

struct Walk<'t> {
    rules: &'static Rules,
    source: &'t [u8],
    functions: Vec<Measure>,
    pending: Vec<Step<'t>>,
}

/// A node to be visited.
#[derive(Clone, Copy)]
struct Step<'t> {
    node: Node<'t>,
    place: Surroundings<'t>,
}

/// The context of a node.
#[derive(Clone, Copy, Default)]
struct Surroundings<'t> {
    /// The function that it is counted for, by its index.
    function: Option<usize>,
    /// Nesting level within the function.
    nesting: u32,
    /// The short-circuit operator of which it is an operand.
    operator: Option<&'t str>,
    /// Its role within its parent.
    part: Part<'t>,
}

#[derive(Clone, Copy, Default)]
enum Part<'t> {
    /// None.
    #[default]
    Plain,
    /// The `if` of an `else if`.
    ElseIf,
    /// The value of something with this name.
    Named(Node<'t>),
}

impl<'t> Walk<'t> {
    fn visit(&mut self, Step { node, place }: Step<'t>) {
        let mut inside = Surroundings { operator: None, part: Part::Plain, ..place };
        match self.rules.role(node.kind()) {
            // An unnamed node is a token, such as the word `if` itself.
            _ if !node.is_named() => return,
            None => {
                if self.rules.groups.contains(&node.kind()) {
                    inside.operator = place.operator;
                }
            }
            Some(Role::Function) => inside = self.enter(node, self.name(node)),
            Some(Role::Closure) => match (place.part, place.function) {
                (Part::Named(name), _) => inside = self.enter(node, self.text(name)),
                (_, None) => inside = self.enter(node, ANONYMOUS.to_owned()),
                _ => inside.nesting += 1,
            },
            Some(Role::If) => self.branch(node, place, &mut inside, 1),
            Some(Role::Loop) => self.branch(node, place, &mut inside, 1),
            Some(Role::Endless | Role::Switch) => self.branch(node, place, &mut inside, 0),
            Some(Role::Match) => {
                let ways = arms(node).saturating_sub(1);
                self.branch(node, place, &mut inside, ways);
            }
            Some(Role::ElseIf) => self.count(place, 1, 1),
            Some(Role::Else) => self.otherwise(node, place, &mut inside),
            Some(Role::Case) => {
                if !self.is_default(node) {
                    self.count(place, 1, 0);
                }
            }
            Some(Role::Way) => self.count(place, 1, 0),
            Some(Role::Guard) => {
                if node.child_by_field_name("condition").is_some() {
                    self.count(place, 1, 0);
                }
            }
            Some(Role::Logical) => {
                if let Some(operator) = self.operator(node) {
                    let continues = place.operator == Some(operator);
                    self.count(place, 1, u32::from(!continues));
                    inside.operator = Some(operator);
                }
            }
            Some(Role::Jump) => self.jump(node, place),
        }
        self.descend(node, inside);
    }

    /// An `else`, unless it is that of an `else if`, which the `if` counts.
    fn otherwise(
        &mut self,
        node: Node<'t>,
        place: Surroundings<'t>,
        inside: &mut Surroundings<'t>,
    ) {
        let first = node.named_child(0);
        let holds_if = first.is_some_and(|child| self.rules.role(child.kind()) == Some(Role::If));
        if holds_if && self.rules.has_else_if {
            inside.part = Part::ElseIf;
        } else if node.parent().is_some_and(|parent| self.is_chosen_or_repeated(parent)) {
            self.count(place, 0, 1);
        }
    }

    /// A jump, which counts if it names a label.
    fn jump(&mut self, node: Node<'t>, place: Surroundings<'t>) {
        let mut cursor = node.walk();
        let is_label = |child: Node<'t>| self.rules.labels.contains(&child.kind());
        if node.named_children(&mut cursor).any(is_label) {
            self.count(place, 0, 1);
        }
    }

    /// A structure that branches and nests. After `else` it counts like the `else`.
    fn branch(
        &mut self,
        node: Node<'t>,
        place: Surroundings<'t>,
        inside: &mut Surroundings<'t>,
        ways: u32,
    ) {
        let is_else_if = matches!(place.part, Part::ElseIf);
        self.count(place, ways, if is_else_if { 1 } else { 1 + place.nesting });
        // The branches of an `else if` are at the same level as those of its `if`.
        inside.nesting = if is_else_if { place.nesting } else { place.nesting + 1 };
        // An `else` without a node of its own.
        let alternative = self.bare_alternative(node);
        if alternative.is_some_and(|alternative| alternative.kind() != node.kind()) {
            self.count(place, 0, 1);
        }
    }

    /// The alternative of an `if` in a grammar without a node for `else`.
    fn bare_alternative(&self, node: Node<'t>) -> Option<Node<'t>> {
        let is_if = self.rules.has_bare_else && node.kind() == "if_statement";
        is_if.then(|| node.child_by_field_name("alternative")).flatten()
    }

    fn descend(&mut self, node: Node<'t>, inside: Surroundings<'t>) {
        let alternative = self.bare_alternative(node);
        let named = self.rules.named.contains(&node.kind());
        let value = named
            .then(|| {
                node.child_by_field_name("value").or_else(|| node.child_by_field_name("right"))
            })
            .flatten();
        let name = ["name", "key", "property", "left"]
            .iter()
            .find_map(|field| node.child_by_field_name(field));
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            let mut place = inside;
            if alternative == Some(child) && child.kind() == node.kind() {
                place.part = Part::ElseIf;
            }
            if let (true, Some(name)) = (value == Some(child), name) {
                place.part = Part::Named(name);
            }
            self.pending.push(Step { node: child, place });
        }
    }

    /// Starts a new function, for which the following nodes are counted.
    fn enter(&mut self, node: Node<'t>, name: String) -> Surroundings<'t> {
        let line = |row: usize| u32::try_from(row + 1).unwrap_or(u32::MAX);
        self.functions.push(Measure {
            name,
            start_line: line(node.start_position().row),
            end_line: line(node.end_position().row),
            cyclomatic: 1,
            cognitive: 0,
        });
        Surroundings { function: Some(self.functions.len() - 1), ..Surroundings::default() }
    }

    fn count(&mut self, place: Surroundings<'t>, ways: u32, effort: u32) {
        if let Some(function) = place.function.and_then(|number| self.functions.get_mut(number)) {
            function.cyclomatic = function.cyclomatic.saturating_add(ways);
            function.cognitive = function.cognitive.saturating_add(effort);
        }
    }

    /// Excludes the `else` of a `try`, which is not a branch.
    fn is_chosen_or_repeated(&self, node: Node) -> bool {
        matches!(
            self.rules.role(node.kind()),
            Some(Role::If | Role::ElseIf | Role::Loop | Role::Endless)
        )
    }

    /// Whether a case is the default.
    fn is_default(&self, case: Node<'t>) -> bool {
        let mut cursor = case.walk();
        let first = case.children(&mut cursor).next();
        let label = case.named_child(0).map(|label| self.text(label));
        first.is_some_and(|token| token.kind() == "default")
            || label.is_some_and(|label| self.rules.wildcards.contains(&label.as_str()))
    }

    /// The short-circuit operator of an expression; `None` for `a + b`.
    fn operator(&self, node: Node<'t>) -> Option<&'t str> {
        let mut cursor = node.walk();
        node.children(&mut cursor).map(|child| child.kind()).find_map(|kind| {
            ["&&", "||", "??", "and", "or"].into_iter().find(|known| *known == kind)
        })
    }

    /// A function's own name: in a field, or nested in a C declarator.
    fn name(&self, node: Node<'t>) -> String {
        let mut at = node.child_by_field_name("name");
        if at.is_none() {
            let mut declarator = node.child_by_field_name("declarator");
            while let Some(inner) = declarator {
                at = Some(inner);
                declarator = inner
                    .child_by_field_name("declarator")
                    .or_else(|| {
                        inner.named_child(0).filter(|_| inner.kind() == "reference_declarator")
                    })
                    .or_else(|| inner.child_by_field_name("name"));
            }
        }
        at.map_or_else(|| ANONYMOUS.to_owned(), |name| self.text(name))
    }

    fn text(&self, node: Node) -> String {
        let bytes = self.source.get(node.byte_range()).unwrap_or_default();
        String::from_utf8_lossy(bytes).into_owned()
    }
}

/// Number of arms of a `match`.
fn arms(node: Node) -> u32 {
    let Some(body) = node.child_by_field_name("body") else { return 0 };
    let mut cursor = body.walk();
    let arms = body.named_children(&mut cursor).filter(|child| child.kind() == "match_arm").count();
    u32::try_from(arms).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
