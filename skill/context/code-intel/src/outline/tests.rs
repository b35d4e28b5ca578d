//! Each language's definitions, references and imports, written down; and held against the grammars'
//! own tags queries.

use std::collections::BTreeSet;

use tree_sitter::{Query, QueryCursor, StreamingIterator};

use super::*;
use crate::syntax::parse;

fn check(language: Language, source: &str, expected: &str) {
    let tree = parse(language, source.as_bytes()).unwrap();
    let outline = outline(language, source.as_bytes(), &tree);
    let mut lines = Vec::new();
    for definition in &outline.definitions {
        let mut path = vec![definition.name];
        path.extend(definition.scope);
        let mut parent = definition.parent;
        while let Some(index) = parent {
            path.push(outline.definitions[index as usize].name);
            parent = outline.definitions[index as usize].parent;
        }
        path.reverse();
        let (kind, start, end) =
            (definition.kind.name(), definition.start_line, definition.end_line);
        lines.push(format!("{kind} {} {start}-{end}", path.join(".")));
    }
    for reference in &outline.references {
        let from = reference.from.map_or("-", |from| outline.definitions[from as usize].name);
        let kind = if reference.kind == ReferenceKind::Call { "calls" } else { "mentions" };
        lines.push(format!("{from} {kind} {} {}", reference.name, reference.line));
    }
    lines.extend(
        outline.imports.iter().map(|import| format!("import {} {}", import.module, import.line)),
    );
    let expected: Vec<&str> = expected.trim().lines().map(str::trim).collect();
    assert_eq!(lines, expected, "{language:?}");

    let Some(query) = tags(language) else { return };
    let names: BTreeSet<&str> =
        outline.definitions.iter().map(|definition| definition.name).collect();
    for name in tagged(language, query, source, &tree) {
        // A prototype is no definition here: its body is elsewhere. Neither is a local variable, nor a
        // namespace that has no end.
        let is_other = ["declared", "local", r"Shop\Cart"].contains(&name);
        assert!(is_other || names.contains(name), "{language:?}: the grammar tags {name}");
    }
}

fn tags(language: Language) -> Option<&'static str> {
    Some(match language {
        Language::Rust => tree_sitter_rust::TAGS_QUERY,
        Language::Python => tree_sitter_python::TAGS_QUERY,
        Language::JavaScript => tree_sitter_javascript::TAGS_QUERY,
        Language::TypeScript | Language::Tsx => tree_sitter_typescript::TAGS_QUERY,
        Language::Go => tree_sitter_go::TAGS_QUERY,
        Language::Java => tree_sitter_java::TAGS_QUERY,
        Language::C => tree_sitter_c::TAGS_QUERY,
        Language::Cpp => tree_sitter_cpp::TAGS_QUERY,
        Language::Ruby => tree_sitter_ruby::TAGS_QUERY,
        Language::CSharp => grammars::C_SHARP_TAGS,
        Language::Php => tree_sitter_php::TAGS_QUERY,
        Language::Swift => grammars::SWIFT_TAGS,
        Language::Bash | Language::Kotlin => return None,
    })
}

/// The names that the grammar's own query tags as definitions.
fn tagged<'s>(language: Language, query: &str, source: &'s str, tree: &Tree) -> Vec<&'s str> {
    let query = Query::new(&language.grammar(), query).unwrap();
    let captures = query.capture_names();
    let mut cursor = QueryCursor::new();
    let mut matches = cursor.matches(&query, tree.root_node(), source.as_bytes());
    let mut names = Vec::new();
    while let Some(found) = matches.next() {
        let kinds = || found.captures().iter().map(|capture| captures[capture.index as usize]);
        if kinds().any(|kind| kind.starts_with("definition")) {
            for capture in found.captures() {
                if captures[capture.index as usize] == "name" {
                    names.push(&source[capture.node.byte_range()]);
                }
            }
        }
    }
    names
}

#[test]
fn rust() {
    check(
        Language::Rust,
        r#"use std::{fmt, io::{self, Read as _}};
/// Doc.
#[derive(Debug)]
pub struct A<T> { b: Vec<T> }
impl<T> A<T> {
    pub fn new(b: Vec<T>) -> Self { check(&b); Self::make(b) }
}
impl fmt::Display for A<u8> {
    fn fmt(&self) { write!(f, "{}", self.show(1)) }
}
mod inner;
macro_rules! mac { () => {} }
enum E { One, Two }
const N: u8 = 1;
trait T { fn go(&self); }
fn free() { let a = A { b: vec![f(1)] }; a.b.iter().map(E::One); }
"#,
        "
            class A 4-4
            impl A 5-7
            method A.new 6-6
            impl A 8-10
            method A.fmt 9-9
            module inner 11-11
            macro mac 12-12
            enum E 13-13
            constant E.One 13-13
            constant E.Two 13-13
            constant N 14-14
            interface T 15-15
            method T.go 15-15
            function free 16-16
            A mentions T 4
            A mentions Vec 4
            A mentions T 5
            new mentions Vec 6
            new mentions T 6
            new mentions Self 6
            new calls check 6
            new calls make 6
            A mentions Display 8
            fmt calls write 9
            fmt calls show 9
            free calls A 16
            free mentions A 16
            free calls vec 16
            free calls f 16
            free calls map 16
            free calls iter 16
            import std::fmt 1
            import std::io 1
            import std::io::Read 1
        ",
    );
}

#[test]
fn python() {
    check(
        Language::Python,
        r#"from a.b import c as d, e
from . import f
import os.path
LIMIT = 3

@decorated(1)
class A(Base, mixin.B):
    """Doc."""
    field = 1

    def go(self, x):
        local = Piecewise(x)
        def inner():
            return self.helper(x)
        return isinstance(x, Symbol)

def free():
    a.b.call()
"#,
        "
            constant LIMIT 4-4
            class A 7-15
            constant A.field 9-9
            method A.go 11-15
            function A.go.inner 13-14
            function free 17-18
            - calls decorated 6
            A mentions Base 7
            A mentions B 7
            go calls Piecewise 12
            go mentions Piecewise 12
            inner calls helper 14
            go calls isinstance 15
            go mentions Symbol 15
            free calls call 18
            import a.b 1
            import a.b.c 1
            import a.b.e 1
            import . 2
            import .f 2
            import os.path 3
        ",
    );
}

#[test]
fn javascript() {
    check(
        Language::JavaScript,
        r#"import x from './x';
const y = require("y");
export { z } from '../z';
/** Doc. */
export function go(a) { return a.helper(new Thing()); }
class A extends B { run() { this.go(); } field = () => 1; }
const arrow = async () => { const local = () => go(); };
exports.named = function () {};
const table = { key: function () {}, other: 1 };
"#,
        "
            constant y 2-2
            function go 5-5
            class A 6-6
            method A.run 6-6
            method A.field 6-6
            function arrow 7-7
            function arrow.local 7-7
            function named 8-8
            constant table 9-9
            function table.key 9-9
            go calls helper 5
            go calls Thing 5
            go mentions Thing 5
            A mentions B 6
            run calls go 6
            local calls go 7
            import ./x 1
            import y 2
            import ../z 3
        ",
    );
}

#[test]
fn typescript() {
    check(
        Language::TypeScript,
        r#"import type { X } from "./x";
export interface I { go(a: X): void; }
export abstract class A<T> extends B implements I { private n: X = 1; go(a: X): void { helper<T>(a); } }
type Alias = X | null;
enum E { One }
declare function f(a: string): void;
namespace N { export const inner = 1; }
"#,
        "
            interface I 2-2
            method I.go 2-2
            class A 3-3
            constant A.n 3-3
            method A.go 3-3
            type Alias 4-4
            enum E 5-5
            function f 6-6
            module N 7-7
            go mentions X 2
            A mentions T 3
            A mentions I 3
            n mentions X 3
            go mentions X 3
            go calls helper 3
            go mentions T 3
            Alias mentions X 4
            import ./x 1
        ",
    );
}

#[test]
fn tsx() {
    check(
        Language::Tsx,
        r#"export const View = (p: Props) => <Panel a={p.a}><Item/></Panel>;
"#,
        "
            function View 1-1
            View mentions Props 1
            View calls Panel 1
            View mentions Panel 1
            View calls Item 1
            View mentions Item 1
        ",
    );
}

#[test]
fn go() {
    check(
        Language::Go,
        r#"package a
import (
	"fmt"
	b "x/y"
)
// Doc.
type Parser struct { n int }
type Shape interface { Area() float64 }
const Limit = 1
var global = b.New()
func (p *Parser) Next(t Token) error { return p.step(fmt.Sprint(t)) }
func Free() { local := 1; var other int; _ = &Parser{n: local + other} }
"#,
        "
            class Parser 7-7
            class Shape 8-8
            method Shape.Area 8-8
            constant Limit 9-9
            constant global 10-10
            method Parser.Next 11-11
            function Free 12-12
            Parser mentions int 7
            Area mentions float64 8
            global calls New 10
            Next mentions Parser 11
            Next mentions Token 11
            Next mentions error 11
            Next calls step 11
            Next calls Sprint 11
            Free mentions int 12
            Free calls Parser 12
            Free mentions Parser 12
            import fmt 3
            import x/y 4
        ",
    );
}

#[test]
fn java() {
    check(
        Language::Java,
        r#"import java.util.List;
import static a.B.*;
class A extends Base implements Runnable {
    private final List<String> names = new ArrayList<>();
    A() { super(); }
    @Override
    public void run() { helper(this.names.size()); new B().go(); }
    enum Color { RED }
}
interface I { void go(); }
record R(int a) {}
"#,
        "
            class A 3-9
            constant A.names 4-4
            method A.A 5-5
            method A.run 6-7
            enum A.Color 8-8
            constant A.Color.RED 8-8
            interface I 10-10
            method I.go 10-10
            class R 11-11
            A mentions Base 3
            A mentions Runnable 3
            names mentions List 4
            names mentions String 4
            names mentions ArrayList 4
            run calls helper 7
            run calls size 7
            run calls go 7
            run calls B 7
            run mentions B 7
            import java.util.List 1
            import a.B 2
        ",
    );
}

#[test]
fn c() {
    check(
        Language::C,
        r#"#include "a.h"
#include <stdio.h>
#define LIMIT 3
#define MAX(a, b) ((a) > (b))
struct point { int x; };
typedef struct point point_t;
enum color { RED };
static int global;
int declared(int);
/* Doc. */
static int *make(struct point *p) { return helper(p->x, declared(1)); }
"#,
        "
            constant LIMIT 3-3
            macro MAX 4-4
            class point 5-5
            type point_t 6-6
            enum color 7-7
            constant color.RED 7-7
            constant global 8-8
            function make 11-11
            point_t mentions point 6
            make mentions point 11
            make calls helper 11
            make calls declared 11
            import a.h 1
            import stdio.h 2
        ",
    );
}

#[test]
fn cpp() {
    check(
        Language::Cpp,
        r#"#include <vector>
namespace a {
template <typename T> class Box : public Base<T> {
public:
  Box();
  int get() const { return inner_.at(0); }
  int n;
};
int Box<int>::size() { return std::max(1, count<int>()); }
using Alias = Box<int>;
}
int main() { auto b = new a::Thing(); return b->go(); }
"#,
        "
            module a 2-11
            class a.Box 3-8
            method a.Box.get 6-6
            constant a.Box.n 7-7
            method a.Box.size 9-9
            type a.Alias 10-10
            function main 12-12
            a mentions T 3
            Box mentions Base 3
            Box mentions T 3
            get calls at 6
            size mentions Box 9
            size calls max 9
            size calls count 9
            Alias mentions Box 10
            main calls Thing 12
            main mentions Thing 12
            main calls go 12
            import vector 1
        ",
    );
}

#[test]
fn bash() {
    check(
        Language::Bash,
        r#"#!/bin/bash
source ./lib.sh
NAME=1
# Doc.
go() { local x=1; helper "$x" | sort; }
function other { go; }
"#,
        "
            constant NAME 3-3
            function go 5-5
            function other 6-6
            go calls helper 5
            go calls sort 5
            other calls go 6
            import ./lib.sh 2
        ",
    );
}

#[test]
fn ruby() {
    check(
        Language::Ruby,
        r#"require 'json'
require_relative 'lib/a'
module M
  LIMIT = 3
  class A < Base
    attr_reader :x
    def go(a)
      helper
      other.call(a)
    end
    def self.make; new; end
  end
end
"#,
        "
            module M 3-13
            class M.A 5-12
            method M.A.go 7-10
            method M.A.make 11-11
            - mentions require 1
            - mentions require_relative 2
            M mentions LIMIT 4
            A mentions Base 5
            A calls attr_reader 6
            A mentions attr_reader 6
            go mentions a 7
            go mentions helper 8
            go calls call 9
            go mentions other 9
            go mentions call 9
            make mentions new 11
            import json 1
            import ./lib/a 2
        ",
    );
}

#[test]
fn csharp() {
    check(
        Language::CSharp,
        r#"using System.Text;
using static A.Helper;
namespace Shop.Cart {
  /// <summary>Doc.</summary>
  [Serializable]
  public class Box<T> : Base, IBox where T : new() {
    private readonly int count = 1;
    public event Action Changed;
    public int Size { get; set; }
    public Box(int a) { Fill(a); }
    public T Get(string name) { return this.Other?.Find<T>(name) ?? new T(); }
    enum Kind { Small, Large }
  }
  interface IBox { int Get(); }
  struct Point { public int X; }
  record Pair(int A);
  delegate void Handler(int a);
}
"#,
        "
            module Cart 3-18
            class Cart.Box 5-13
            constant Cart.Box.count 7-7
            constant Cart.Box.Changed 8-8
            constant Cart.Box.Size 9-9
            method Cart.Box.Box 10-10
            method Cart.Box.Get 11-11
            enum Cart.Box.Kind 12-12
            constant Cart.Box.Kind.Small 12-12
            constant Cart.Box.Kind.Large 12-12
            interface Cart.IBox 14-14
            method Cart.IBox.Get 14-14
            class Cart.Point 15-15
            constant Cart.Point.X 15-15
            class Cart.Pair 16-16
            type Cart.Handler 17-17
            - mentions System 1
            - mentions Text 1
            - mentions Helper 2
            Cart mentions Shop 3
            Box mentions Serializable 5
            Box mentions Box 6
            Box mentions Base 6
            Box mentions IBox 6
            Changed mentions Action 8
            Box calls Fill 10
            Box mentions Fill 10
            Get calls Find 11
            Get mentions Other 11
            Get mentions Find 11
            Get calls T 11
            import System.Text 1
            import A.Helper 2
        ",
    );
}

#[test]
fn php() {
    check(
        Language::Php,
        r#"<?php
namespace Shop\Cart;
use Shop\Base as B, Shop\Other;
use Shop\{One, Two};
require_once __DIR__ . '/helper.php';
const LIMIT = 3;
/** Doc. */
final class Box extends Base implements Countable {
    use Sized;
    const MAX = 1;
    private ?Item $item = null;
    public function get(int $a): Item { return $this->other->find($a) ?? new Item(self::make()); }
    public static function make() { helper(); }
}
interface Sizes { public function size(); }
trait Sized { }
enum Suit: string { case Hearts = 'H'; }
function free($a) { return Box::make(); }
"#,
        r"
            constant LIMIT 6-6
            class Box 8-14
            constant Box.MAX 10-10
            constant Box.item 11-11
            method Box.get 12-12
            method Box.make 13-13
            interface Sizes 15-15
            method Sizes.size 15-15
            class Sized 16-16
            enum Suit 17-17
            constant Suit.Hearts 17-17
            function free 18-18
            Box mentions Base 8
            Box mentions Countable 8
            Box mentions Sized 9
            Box mentions Item 11
            get mentions Item 12
            get calls find 12
            get calls Item 12
            get calls make 12
            make calls helper 13
            free calls make 18
            import Shop\Base 3
            import Shop\Other 3
            import Shop\One 4
            import Shop\Two 4
            import ./helper.php 5
        ",
    );
}

#[test]
fn kotlin() {
    check(
        Language::Kotlin,
        r#"package shop.cart
import shop.base.Item
import shop.other.*
/** Doc. */
@Serializable
class Box<T>(private val item: Item) : Base(1), Countable {
    val size: Int = 3
    fun get(name: String): Item? {
        val a = find(name)
        return this.other.load(a) ?: Item()
    }
    companion object {
        fun make() = Box(Item())
    }
}
interface Sizes {
    fun size(): Int
}
object Single {}
enum class Suit { HEARTS, SPADES }
typealias Items = List<Item>
const val LIMIT = 3
fun Box.free(a: Int) = helper(a)
"#,
        "
            class Box 5-15
            constant Box.size 7-7
            method Box.get 8-11
            method Box.make 13-13
            class Sizes 16-18
            method Sizes.size 17-17
            class Single 19-19
            class Suit 20-20
            constant Suit.HEARTS 20-20
            constant Suit.SPADES 20-20
            type Items 21-21
            constant LIMIT 22-22
            function free 23-23
            Box mentions Serializable 5
            Box mentions Item 6
            Box calls Base 6
            Box mentions Base 6
            Box mentions Countable 6
            size mentions Int 7
            get mentions String 8
            get mentions Item 8
            get calls find 9
            get calls load 10
            get calls Item 10
            make calls Box 13
            make calls Item 13
            size mentions Int 17
            Items mentions List 21
            Items mentions Item 21
            free mentions Box 23
            free mentions Int 23
            free calls helper 23
            import shop.base.Item 2
            import shop.other 3
        ",
    );
}

#[test]
fn swift() {
    check(
        Language::Swift,
        r#"import Foundation
/// Doc.
@objc final class Box<T>: Base, Sizes {
    private let item: Item?
    var size: Int { return 3 }
    init(item: Item) { self.item = item; fill() }
    func get(_ name: String) throws -> Item { let local = find(name); return other.load(local) ?? Item() }
    static func make() -> Box { return Box(item: Item()) }
    enum Suit: String { case hearts, spades }
}
protocol Sizes { var size: Int { get }; func count() -> Int }
struct Point { var x: Int }
extension Box { func more() { } }
typealias Items = [Item]
let limit = 3
func free(a: Int) -> Int { return helper(a) }
"#,
        "
            class Box 3-10
            constant Box.item 4-4
            constant Box.size 5-5
            method Box.init 6-6
            method Box.get 7-7
            method Box.make 8-8
            class Box.Suit 9-9
            constant Box.Suit.hearts 9-9
            interface Sizes 11-11
            constant Sizes.size 11-11
            method Sizes.count 11-11
            class Point 12-12
            constant Point.x 12-12
            class Box 13-13
            method Box.more 13-13
            type Items 14-14
            constant limit 15-15
            function free 16-16
            Box mentions objc 3
            Box mentions Base 3
            Box mentions Sizes 3
            item mentions Item 4
            size mentions Int 5
            init mentions Item 6
            init calls fill 6
            get mentions String 7
            get mentions Item 7
            get calls find 7
            get calls load 7
            get calls Item 7
            make mentions Box 8
            make calls Box 8
            make calls Item 8
            Suit mentions String 9
            size mentions Int 11
            count mentions Int 11
            x mentions Int 12
            Items mentions Item 14
            free mentions Int 16
            free calls helper 16
            import Foundation 1
        ",
    );
}
