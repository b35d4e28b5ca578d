//! Small functions of each language, counted by hand.

use super::*;
use crate::syntax::parse;

/// `name cyclomatic cognitive` of every function.
fn measures(language: Language, source: &str) -> Vec<String> {
    let tree = parse(language, source.as_bytes()).unwrap();
    assert!(!tree.root_node().has_error(), "{}", tree.root_node().to_sexp());
    let functions = measure(language, source.as_bytes(), &tree);
    let line = |each: Measure| format!("{} {} {}", each.name, each.cyclomatic, each.cognitive);
    functions.into_iter().map(line).collect()
}

fn check(language: Language, source: &str, expected: &[&str]) {
    assert_eq!(measures(language, source), expected, "{language:?}\n{source}");
}

#[test]
fn rust_is_counted() {
    check(Language::Rust, "fn a() { b(); }", &["a 1 0"]);
    // if 1, else if 1, else 1.
    check(Language::Rust, "fn a() { if x {} else if y {} else {} }", &["a 3 3"]);
    // for 1, if 2 (nested), && 1, continue with a label 1.
    let nested = "fn a() { 'o: for i in 0..3 { if i > 1 && i < 2 { continue 'o; } } }";
    check(Language::Rust, nested, &["a 4 5"]);
    // match 1; two ways besides the last; the guard is one more.
    let matched = "fn a() { match x { 1 => b(), // c\n 2 if y => c(), _ => d() } }";
    check(Language::Rust, matched, &["a 4 1"]);
    // Two runs of operators: && && and ||.
    check(Language::Rust, "fn a() -> bool { b && c && d || e }", &["a 4 2"]);
    check(Language::Rust, "fn a() -> R { b()?; c()? }", &["a 3 0"]);
    // A closure belongs to its function and nests; an inner function is its own.
    let inner = "fn a() {\n let f = |x| if x { 1 } else { 2 };\n fn b() { while c {} }\n }";
    check(Language::Rust, inner, &["a 2 3", "b 2 1"]);
    check(Language::Rust, "fn a() { loop { if let Some(b) = c && d { break; } } }", &["a 3 4"]);
    check(Language::Rust, "impl A { fn b(&self) {} }", &["b 1 0"]);
}

#[test]
fn python_is_counted() {
    let chain = "def a(x):\n  if x:\n    pass\n  elif y:\n    pass\n  else:\n    pass\n";
    check(Language::Python, chain, &["a 3 3"]);
    // for 1, if 2, the loop's else 1.
    let looped = "def a():\n  for x in y:\n    if x: break\n  else:\n    pass\n";
    check(Language::Python, looped, &["a 3 4"]);
    // A handler 1; the else of a try is no choice.
    let tried =
        "def a():\n  try:\n    b()\n  except E:\n    c()\n  else:\n    d()\n  finally:\n    e()\n";
    check(Language::Python, tried, &["a 2 1"]);
    check(Language::Python, "def a(): return [x for x in y if x and z]\n", &["a 4 1"]);
    check(Language::Python, "def a(): return 1 if b or c or d else 2\n", &["a 4 2"]);
    let cases =
        "def a(x):\n  match x:\n    case 1: pass\n    case 2 if y: pass\n    case _: pass\n";
    check(Language::Python, cases, &["a 4 1"]);
    let class = "class A:\n  def b(self):\n    def c():\n      while x: pass\n    f = lambda: 1 if x else 2\n";
    check(Language::Python, class, &["b 2 2", "c 2 1"]);
}

#[test]
fn javascript_and_typescript_are_counted() {
    for language in [Language::JavaScript, Language::TypeScript, Language::Tsx] {
        let chain = "function a() { if (x) {} else if (y) {} else {} }";
        check(language, chain, &["a 3 3"]);
        let switched =
            "const a = (x) => { switch (x) { case 1: b(); case 2: c(); break; default: d(); } };";
        check(language, switched, &["a 3 1"]);
        let method = "class A { b() { try { c(); } catch (e) { if (e ?? f) {} } } }";
        check(language, method, &["b 4 4"]);
        let callback = "function a() { return b.map((x) => x ? 1 : 2); }";
        check(language, callback, &["a 2 2"]);
        check(language, "it('works', () => { while (a) {} });", &["(anonymous) 2 1"]);
        let label = "function a() { o: for (const x of y) { do { continue o; } while (z); } }";
        check(language, label, &["a 3 4"]);
    }
    check(Language::Tsx, "const A = () => <b>{c && <d/>}</b>;", &["A 2 1"]);
}

#[test]
fn go_is_counted() {
    let go = |body: &str| format!("package p\nfunc (s *S) a() {{ {body} }}\n");
    check(Language::Go, &go("if x {} else if y {} else {}"), &["a 3 3"]);
    check(Language::Go, &go("for i := range x { if y && z { break } }"), &["a 4 4"]);
    check(Language::Go, &go("switch x { case 1: b(); case 2, 3: c(); default: d() }"), &["a 3 1"]);
    check(Language::Go, &go("select { case <-c: default: }"), &["a 2 1"]);
    check(Language::Go, &go("f := func() { if x { goto end } }; end: f()"), &["a 2 3"]);
}

#[test]
fn java_is_counted() {
    let java = |body: &str| format!("class A {{ int a(int x) {{ {body} }} }}");
    check(Language::Java, &java("if (x) {} else if (y) {} else {}"), &["a 3 3"]);
    check(Language::Java, &java("return x ? 1 : y ? 2 : 3;"), &["a 3 3"]);
    let cases = "switch (x) { case 1: case 2: b(); break; default: c(); }";
    check(Language::Java, &java(cases), &["a 3 1"]);
    check(Language::Java, &java("switch (x) { case 1 -> b(); default -> c(); }"), &["a 2 1"]);
    let tried = "try { b(); } catch (E e) { for (var y : z) { if (e || f) {} } }";
    check(Language::Java, &java(tried), &["a 5 7"]);
    check(Language::Java, &java("o: while (x) { break o; }"), &["a 2 2"]);
    check(Language::Java, &java("b(() -> { if (x) {} });"), &["a 2 2"]);
    check(Language::Java, "class A { A() { do {} while (x); } }", &["A 2 1"]);
}

#[test]
fn c_and_cpp_are_counted() {
    for language in [Language::C, Language::Cpp] {
        let chain = "int *a(int x) { if (x) {} else if (y) {} else {} }";
        check(language, chain, &["a 3 3"]);
        let cases = "void a(int x) { switch (x) { case 1: b(); case 2: c(); default: d(); } }";
        check(language, cases, &["a 3 1"]);
        check(
            language,
            "void a(void) { for (;;) { if (x && (y || z)) goto end; } end:; }",
            &["a 5 6"],
        );
        check(language, "int a(void) { return x ? 1 : 2; }", &["a 2 1"]);
    }
    let method = "bool A::b() const { for (auto x : y) { try { c(); } catch (...) {} } return d; }";
    check(Language::Cpp, method, &["b 3 3"]);
    check(Language::Cpp, "int& a() { auto f = [] { while (x) {} }; }", &["a 2 2"]);
}

#[test]
fn bash_and_ruby_are_counted() {
    let chain = "a() { if b; then c; elif d; then e; else f; fi; }\n";
    check(Language::Bash, chain, &["a 3 3"]);
    let looped = "a() { for x in y; do case $x in 1) b;; *) c && d;; esac; done; }\n";
    check(Language::Bash, looped, &["a 4 4"]);
    check(Language::Ruby, "def a\n  if b\n  elsif c\n  else\n  end\nend\n", &["a 3 3"]);
    check(Language::Ruby, "def a\n  b.each { |x| c if x && d }\nend\n", &["a 3 3"]);
    check(Language::Ruby, "def a\n  case b\n  when 1 then c\n  else d\n  end\nend\n", &["a 2 1"]);
    check(Language::Ruby, "def self.a\n  b\nrescue E\n  c until d\nend\n", &["a 3 3"]);
}

#[test]
fn a_deep_tree_needs_no_deep_stack() {
    let sum = vec!["x"; 200_000].join("+");
    let source = format!("def a(): return {sum}\n");
    let tree = parse(Language::Python, source.as_bytes()).unwrap();
    assert_eq!(measure(Language::Python, source.as_bytes(), &tree)[0].cyclomatic, 1);
}

#[test]
fn broken_source_is_counted_as_far_as_it_goes() {
    let source = b"fn a() { if x { } } fn b( { ";
    let tree = parse(Language::Rust, source).unwrap();
    let functions = measure(Language::Rust, source, &tree);
    assert_eq!((functions[0].name.as_str(), functions[0].cyclomatic), ("a", 2));
}
