//! The packed grammars read code as their authors' do, and their authors' tables are not in a program.

use std::fs;

use tree_sitter::{Language, Parser};
use tree_sitter_language::LanguageFn;

fn tree(language: LanguageFn, code: &str) -> String {
    let mut parser = Parser::new();
    parser.set_language(&language.into()).expect("a grammar of this tree-sitter");
    parser.parse(code, None).expect("a language is set").root_node().to_sexp()
}

#[test]
fn code_is_read() {
    assert_eq!(
        tree(grammars::C_SHARP, "class A { int B() { return 1; } }"),
        "(compilation_unit (class_declaration name: (identifier) body: (declaration_list (method_declaration \
         returns: (predefined_type) name: (identifier) parameters: (parameter_list) body: (block \
         (return_statement (integer_literal)))))))"
    );
    assert_eq!(
        tree(grammars::KOTLIN, "fun main() { println(1) }\n"),
        "(source_file (function_declaration name: (identifier) (function_value_parameters) (function_body (block \
         (call_expression (identifier) (value_arguments (value_argument (number_literal))))))))"
    );
    // From the authors' own tests.
    assert_eq!(
        tree(grammars::SWIFT, "_ = \"Hello!\"\n"),
        "(source_file (assignment target: (directly_assignable_expression (simple_identifier)) result: \
         (line_string_literal text: (line_str_text))))"
    );
}

/// By threads that all want it first.
#[test]
fn a_table_is_unpacked_once() {
    let first = |_| std::thread::spawn(|| Language::from(grammars::SWIFT).next_state(1, 1));
    let threads: Vec<_> = (0..8).map(first).collect();
    let states: Vec<u16> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    assert_eq!(states, [Language::from(grammars::SWIFT).next_state(1, 1); 8]);
}

/// In a table, the numbers of a state's non-terminals are the states that they lead to.
#[test]
fn no_table_is_in_the_program_as_it_is() {
    let program = fs::read(std::env::current_exe().unwrap()).unwrap();
    let language = Language::from(grammars::C_SHARP);
    // Of a table's 530 columns, the last half without the names that stand for others, which have no column.
    let row: Vec<u8> =
        (300..500).flat_map(|symbol| language.next_state(1, symbol).to_ne_bytes()).collect();
    assert!(row.iter().filter(|&&byte| byte != 0).count() > 50, "state 1 leads to many");
    assert!(!program.windows(row.len()).any(|bytes| bytes == row));
}
