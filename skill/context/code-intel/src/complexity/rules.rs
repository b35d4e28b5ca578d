//! The meaning of each grammar's node kinds for complexity. Data only.

use crate::language::Language;

/// The effect of a node on the control flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A function that is counted separately.
    Function,
    /// A function within an expression.
    Closure,
    /// A choice with or without an `else`: `if`, a conditional expression, a handler.
    If,
    /// A loop with a condition or a sequence.
    Loop,
    /// A loop that only ends by a jump.
    Endless,
    /// A choice whose cases count.
    Switch,
    /// A choice of which one arm is always taken.
    Match,
    /// An `elif` with its own node.
    ElseIf,
    /// An `else` with its own node.
    Else,
    /// A case of a switch; the default does not count.
    Case,
    /// An additional branch without nesting: `?`, a loop or a filter in a comprehension.
    Way,
    /// A pattern that may have a condition.
    Guard,
    /// An expression that may be a short-circuit one.
    Logical,
    /// A jump, which counts if it has a label.
    Jump,
}

/// The node kinds of a grammar.
pub(super) struct Rules {
    roles: &'static [(&'static str, Role)],
    /// Kinds that only group: an operator continues through them.
    pub(super) groups: &'static [&'static str],
    /// Kinds that name the closure in their `value` or `right`.
    pub(super) named: &'static [&'static str],
    /// Kinds of jump labels.
    pub(super) labels: &'static [&'static str],
    /// Patterns that match everything.
    pub(super) wildcards: &'static [&'static str],
    /// Whether an `else` with only an `if` is an `else if`.
    pub(super) has_else_if: bool,
    /// Whether an `else` has no node, only the field `alternative`.
    pub(super) has_bare_else: bool,
}

impl Rules {
    pub(super) fn role(&self, kind: &str) -> Option<Role> {
        self.roles.iter().find(|(name, _)| *name == kind).map(|(_, role)| *role)
    }
}

/// The node kinds of a language.
pub(super) fn of(language: Language) -> &'static Rules {
    match language {
        Language::Rust => &RUST,
        Language::Python => &PYTHON,
        Language::JavaScript | Language::TypeScript | Language::Tsx => &SCRIPT,
        Language::Go => &GO,
        Language::Java => &JAVA,
        Language::C | Language::Cpp => &C,
        Language::Bash => &BASH,
        Language::Ruby => &RUBY,
        // Not supported: functions are found, but the effects of their nodes are not defined here.
        Language::CSharp | Language::Php | Language::Kotlin | Language::Swift => &NONE,
    }
}

const RUST: Rules = Rules {
    roles: &[
        ("function_item", Role::Function),
        ("closure_expression", Role::Closure),
        ("if_expression", Role::If),
        ("else_clause", Role::Else),
        ("for_expression", Role::Loop),
        ("while_expression", Role::Loop),
        ("loop_expression", Role::Endless),
        ("match_expression", Role::Match),
        ("match_pattern", Role::Guard),
        ("try_expression", Role::Way),
        ("binary_expression", Role::Logical),
        ("let_chain", Role::Logical),
        ("break_expression", Role::Jump),
        ("continue_expression", Role::Jump),
    ],
    groups: &["parenthesized_expression"],
    named: &[],
    labels: &["label"],
    wildcards: &[],
    has_else_if: true,
    has_bare_else: false,
};

const PYTHON: Rules = Rules {
    roles: &[
        ("function_definition", Role::Function),
        ("lambda", Role::Closure),
        ("if_statement", Role::If),
        ("elif_clause", Role::ElseIf),
        ("else_clause", Role::Else),
        ("conditional_expression", Role::If),
        ("except_clause", Role::If),
        ("for_statement", Role::Loop),
        ("while_statement", Role::Loop),
        ("match_statement", Role::Switch),
        ("case_clause", Role::Case),
        ("for_in_clause", Role::Way),
        ("if_clause", Role::Way),
        ("boolean_operator", Role::Logical),
    ],
    groups: &["parenthesized_expression"],
    named: &[],
    labels: &[],
    wildcards: &["_"],
    has_else_if: false,
    has_bare_else: false,
};

const SCRIPT: Rules = Rules {
    roles: &[
        ("function_declaration", Role::Function),
        ("generator_function_declaration", Role::Function),
        ("method_definition", Role::Function),
        ("arrow_function", Role::Closure),
        ("function_expression", Role::Closure),
        ("generator_function", Role::Closure),
        ("if_statement", Role::If),
        ("else_clause", Role::Else),
        ("ternary_expression", Role::If),
        ("catch_clause", Role::If),
        ("for_statement", Role::Loop),
        ("for_in_statement", Role::Loop),
        ("while_statement", Role::Loop),
        ("do_statement", Role::Loop),
        ("switch_statement", Role::Switch),
        ("switch_case", Role::Case),
        ("binary_expression", Role::Logical),
        ("break_statement", Role::Jump),
        ("continue_statement", Role::Jump),
    ],
    groups: &["parenthesized_expression"],
    named: &[
        "variable_declarator",
        "assignment_expression",
        "pair",
        "field_definition",
        "public_field_definition",
    ],
    labels: &["statement_identifier"],
    wildcards: &[],
    has_else_if: true,
    has_bare_else: false,
};

const GO: Rules = Rules {
    roles: &[
        ("function_declaration", Role::Function),
        ("method_declaration", Role::Function),
        ("func_literal", Role::Closure),
        ("if_statement", Role::If),
        ("for_statement", Role::Loop),
        ("expression_switch_statement", Role::Switch),
        ("type_switch_statement", Role::Switch),
        ("select_statement", Role::Switch),
        ("expression_case", Role::Case),
        ("type_case", Role::Case),
        ("communication_case", Role::Case),
        ("binary_expression", Role::Logical),
        ("break_statement", Role::Jump),
        ("continue_statement", Role::Jump),
        ("goto_statement", Role::Jump),
    ],
    groups: &["parenthesized_expression"],
    named: &[],
    labels: &["label_name"],
    wildcards: &[],
    has_else_if: true,
    has_bare_else: true,
};

const JAVA: Rules = Rules {
    roles: &[
        ("method_declaration", Role::Function),
        ("constructor_declaration", Role::Function),
        ("compact_constructor_declaration", Role::Function),
        ("lambda_expression", Role::Closure),
        ("if_statement", Role::If),
        ("ternary_expression", Role::If),
        ("catch_clause", Role::If),
        ("for_statement", Role::Loop),
        ("enhanced_for_statement", Role::Loop),
        ("while_statement", Role::Loop),
        ("do_statement", Role::Loop),
        ("switch_expression", Role::Switch),
        ("switch_label", Role::Case),
        ("binary_expression", Role::Logical),
        ("break_statement", Role::Jump),
        ("continue_statement", Role::Jump),
    ],
    groups: &["parenthesized_expression"],
    named: &[],
    labels: &["identifier"],
    wildcards: &[],
    has_else_if: true,
    has_bare_else: true,
};

const C: Rules = Rules {
    roles: &[
        ("function_definition", Role::Function),
        ("lambda_expression", Role::Closure),
        ("if_statement", Role::If),
        ("else_clause", Role::Else),
        ("conditional_expression", Role::If),
        ("catch_clause", Role::If),
        ("for_statement", Role::Loop),
        ("for_range_loop", Role::Loop),
        ("while_statement", Role::Loop),
        ("do_statement", Role::Loop),
        ("switch_statement", Role::Switch),
        ("case_statement", Role::Case),
        ("binary_expression", Role::Logical),
        ("goto_statement", Role::Jump),
    ],
    groups: &["parenthesized_expression"],
    named: &[],
    labels: &["statement_identifier"],
    wildcards: &[],
    has_else_if: true,
    has_bare_else: false,
};

const BASH: Rules = Rules {
    roles: &[
        ("function_definition", Role::Function),
        ("if_statement", Role::If),
        ("elif_clause", Role::ElseIf),
        ("else_clause", Role::Else),
        ("ternary_expression", Role::If),
        ("for_statement", Role::Loop),
        ("c_style_for_statement", Role::Loop),
        ("while_statement", Role::Loop),
        ("case_statement", Role::Switch),
        ("case_item", Role::Case),
        ("binary_expression", Role::Logical),
        ("list", Role::Logical),
    ],
    groups: &["parenthesized_expression"],
    named: &[],
    labels: &[],
    wildcards: &["*"],
    has_else_if: false,
    has_bare_else: false,
};

const RUBY: Rules = Rules {
    roles: &[
        ("method", Role::Function),
        ("singleton_method", Role::Function),
        ("block", Role::Closure),
        ("do_block", Role::Closure),
        ("if", Role::If),
        ("unless", Role::If),
        ("if_modifier", Role::If),
        ("unless_modifier", Role::If),
        ("conditional", Role::If),
        ("rescue", Role::If),
        ("rescue_modifier", Role::If),
        ("elsif", Role::ElseIf),
        ("else", Role::Else),
        ("for", Role::Loop),
        ("while", Role::Loop),
        ("until", Role::Loop),
        ("while_modifier", Role::Loop),
        ("until_modifier", Role::Loop),
        ("case", Role::Switch),
        ("case_match", Role::Switch),
        ("when", Role::Case),
        ("in_clause", Role::Case),
        ("if_guard", Role::Way),
        ("unless_guard", Role::Way),
        ("binary", Role::Logical),
    ],
    groups: &["parenthesized_statements"],
    named: &[],
    labels: &[],
    wildcards: &[],
    has_else_if: false,
    has_bare_else: false,
};

const NONE: Rules = Rules {
    roles: &[],
    groups: &[],
    named: &[],
    labels: &[],
    wildcards: &[],
    has_else_if: false,
    has_bare_else: false,
};
