//! What the tools answer.

use code_intel::tools::bug_locate::{BugLocateRequest, bug_locate};
use code_intel::tools::graph_rag::{GraphRagRequest, Role, graph_rag};
use code_intel::tools::search::{Mode, Snippets};
use code_intel::{Graph, Item};

use crate::repository::{Repository, soon};

fn shop() -> Repository {
    Repository::new(&[
        ("shop/__init__.py", ""),
        (
            "shop/cart.py",
            "from shop.price import total_price\n\n\nclass Cart:\n    def checkout(self):\n        return total_price(self.items)\n",
        ),
        (
            "shop/price.py",
            "def total_price(items):\n    \"\"\"Sum of all prices, with discount.\"\"\"\n    return sum(map(discounted, items))\n\n\ndef discounted(item):\n    return item.price * 0.9\n",
        ),
        (
            "shop/login.py",
            "def authenticate(user, password):\n    # check the password of a user\n    return user.password == password\n",
        ),
        (
            "tests/test_price.py",
            "from shop.price import total_price\n\n\ndef test_total():\n    assert total_price([]) == 0\n",
        ),
        ("README.md", "# Shop\n\nA cart, prices with discount, and login.\n"),
    ])
}

#[test]
fn words_find_the_code_before_its_tests_and_texts() {
    let found =
        shop().found("the total price is wrong when there is a discount", Some(Mode::Words));
    assert_eq!(found[0], "shop/price.py");
    assert!(found.contains(&"tests/test_price.py".to_owned()));
}

#[test]
fn a_name_finds_its_definition_first() {
    let answer = shop().ask("total_price", None);
    let first: &Item = &answer.items[0];
    assert_eq!((first.path.as_str(), first.start_line, first.end_line), ("shop/price.py", 1, 3));
    assert_eq!(first.symbol.as_deref(), Some("total_price"));
    assert!(first.snippet.as_deref().unwrap().starts_with("def total_price(items):"));
    assert_eq!(shop().ask("Cart.checkout", None).items[0].start_line, 5);
}

#[test]
fn text_is_found_as_it_is_written() {
    let repository = shop();
    let items = repository.ask("item.price * 0.9", Some(Mode::Literal)).items;
    assert_eq!((items[0].path.as_str(), items[0].start_line), ("shop/price.py", 7));
    assert_eq!(items[0].symbol.as_deref(), Some("discounted"));
    let items = repository.ask(r"^def \w+\(user", Some(Mode::Regex)).items;
    assert_eq!((items[0].path.as_str(), items[0].start_line), ("shop/login.py", 1));
    assert_eq!(items.len(), 1);
}

#[test]
fn chinese_questions_find_english_code() {
    let repository = shop();
    assert_eq!(repository.found("用户登录时密码校验失败", None)[0], "shop/login.py");
}

#[test]
fn the_graph_knows_callers_callees_imports_and_tests() {
    let repository = shop();
    let view = repository.view();
    let graph = Graph::new(&view);
    let price = graph.named("total_price")[0];
    let mut callers: Vec<(String, u32)> = graph
        .callers(price)
        .iter()
        .filter(|call| call.is_call)
        .map(|call| (call.from.map(|id| graph.qualified(id)).unwrap_or_default(), call.line))
        .collect();
    callers.sort();
    assert_eq!(callers, [("Cart.checkout".to_owned(), 6), ("test_total".to_owned(), 5)]);
    let checkout = graph.named("Cart.checkout")[0];
    let callees: Vec<String> =
        graph.callees(checkout).iter().map(|call| graph.qualified(call.to)).collect();
    assert_eq!(callees, ["total_price"]);
    let file = view.find("shop/price.py").unwrap();
    let names = |files: Vec<_>| -> Vec<String> {
        files.into_iter().map(|id| view.file(id).path.to_owned()).collect()
    };
    assert_eq!(names(graph.tests_of(file)), ["tests/test_price.py"]);
    let mut importers = names(graph.importers(file));
    importers.sort();
    assert_eq!(importers, ["shop/cart.py", "tests/test_price.py"]);
}

#[test]
fn a_prompt_gives_a_sub_graph_within_its_budget() {
    let repository = shop();
    let request = |budget_tokens| GraphRagRequest {
        prompt: "total price discount".to_owned(),
        depth: 2,
        top_k: 1,
        budget_tokens,
        snippets: Snippets::Shown,
    };
    let answer = graph_rag(&repository.engine(), &request(4_000), &soon()).unwrap();
    let first = &answer.items[0];
    assert_eq!((first.path.as_str(), first.role), ("shop/price.py", Role::Match));
    let of_role = |role| answer.items.iter().filter(|node| node.role == role).count();
    assert!(of_role(Role::Caller) > 0 && of_role(Role::Test) > 0, "{:#?}", answer.items);
    assert!(answer.items.iter().any(|node| node.snippet.is_some()));
    assert!(
        answer.items.iter().flat_map(|node| &node.edges).all(|edge| edge.to < answer.items.len())
    );
    let small = graph_rag(&repository.engine(), &request(100), &soon()).unwrap();
    let text: usize =
        small.items.iter().filter_map(|node| node.snippet.as_ref()).map(String::len).sum();
    assert!(small.truncated && small.items.len() <= 2 && text <= 400);
}

#[test]
fn a_stack_trace_leads_to_its_lines() {
    let repository = shop();
    let text = "Traceback (most recent call last):\n  File \"/app/shop/cart.py\", line 6, in checkout\n    \
                return total_price(self.items)\n  File \"/app/shop/price.py\", line 7, in discounted\n    \
                return item.price * 0.9\nAttributeError: no price\n";
    let (text, snippets) = (text.to_owned(), Snippets::Left);
    let request = BugLocateRequest { text, limit: 10, snippets };
    let items = bug_locate(&repository.engine(), &request, &soon()).unwrap().items;
    let place = |item: &Item| (item.path.clone(), item.symbol.clone(), item.start_line);
    assert_eq!(place(&items[0]), ("shop/price.py".to_owned(), Some("discounted".to_owned()), 7));
    assert_eq!(place(&items[1]), ("shop/cart.py".to_owned(), Some("Cart.checkout".to_owned()), 6));
}

#[test]
fn a_body_comes_before_its_header_where_most_is_c() {
    let text = "int total_price(int items) { return items; }\n";
    let files = [("a.h", text), ("b.c", text), ("main.py", ""), ("cart.py", ""), ("shop.py", "")];
    let found = |files: &[(&str, &str)]| {
        Repository::new(files).found("the total price of the items", Some(Mode::Words))
    };
    assert_eq!(found(&files[..3]), ["b.c", "a.h"]);
    // In a repository of another language nothing is weighed once more.
    assert_eq!(found(&files), ["a.h", "b.c"]);
}
