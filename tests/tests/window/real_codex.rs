//! The plan on the page of usage: what the real Codex makes of its provider's headers.

use mock_model::{MockModel, Reply};
use tests::harness::{Daemon, DaemonBuilder, codex_bin};

use crate::fixture::{Browser, asked, question};

const UNKNOWN: &str = "Codex has reported no limits of a plan.";

/// The begin of the year 2100, in seconds since 1970, and as the page shows it.
const RESETS_AT: (&str, &str) = ("4102444800", "2100-01-01 00:00");

/// A daemon with the real Codex and a provider that tells nothing yet; `None` where there is no Codex.
async fn driven(driver: &str) -> Option<(MockModel, Daemon)> {
    let codex = codex_bin()?;
    let mock = MockModel::local(Reply::Advice).await.unwrap();
    let builder = DaemonBuilder::new().unwrap().codex(&codex).mock_model(&mock);
    let daemon = builder.env("CODEX_BRIDGE_CODEX_DRIVER", driver).start().await.unwrap();
    Some((mock, daemon))
}

/// An answer whose headers tell of both windows of a plan.
fn told(reply: Reply, primary: &str, secondary: &str, resets_at: &str) -> Reply {
    reply.headed([
        ("x-codex-primary-used-percent", primary),
        ("x-codex-primary-window-minutes", "300"),
        ("x-codex-primary-reset-at", resets_at),
        ("x-codex-secondary-used-percent", secondary),
        ("x-codex-secondary-window-minutes", "10080"),
        ("x-codex-secondary-reset-at", resets_at),
    ])
}

/// What the page says of the plan: each window's length and how much of it is used, or that nothing is known.
async fn plan(browser: &Browser) -> Vec<(String, String)> {
    let page = browser.page("/window/usage").await;
    let (_, section) = page.split_once("id=\"plan-title\"").unwrap();
    let (section, _) = section.split_once("</section>").unwrap();
    let windows = section.split("<p class=\"meter\">").skip(1);
    let windows: Vec<_> = windows
        .map(|window| (between(window, "<span>", "</span>"), between(window, "<b>", "</b>")))
        .collect();
    assert_eq!(section.contains(UNKNOWN), windows.is_empty(), "{section}");
    windows
}

fn between(text: &str, before: &str, after: &str) -> String {
    text.split_once(before).unwrap().1.split_once(after).unwrap().0.to_owned()
}

fn windows(windows: [(&str, &str); 2]) -> [(String, String); 2] {
    windows.map(|(length, used)| (length.to_owned(), used.to_owned()))
}

#[tokio::test]
async fn the_plan_is_what_the_app_server_told_last() {
    let Some((mock, daemon)) = driven("app-server").await else { return };
    let (all, fewer) =
        (Browser::signed_in(&daemon).await, Browser::signed_in_by(&daemon, daemon.client()).await);
    asked(&daemon, "Which queue?").await;
    assert_eq!(plan(&all).await, [], "headers that are not there tell nothing");

    let (resets_at, shown) = RESETS_AT;
    mock.set_script(told(Reply::Advice, "42.5", "91", resets_at));
    asked(&daemon, "Which queue?").await;
    let both = windows([("5 h", "43 %"), ("7 d", "91 %")]);
    for browser in [&all, &fewer] {
        assert_eq!(plan(browser).await, both);
    }
    assert!(all.page("/window/usage").await.contains(shown), "when it begins anew");

    // Nothing, nonsense, and the limit of one model change nothing.
    let own_limit = [("x-codex-bengalfox-primary-used-percent", "7")];
    for reply in [
        Reply::Advice,
        told(Reply::Advice, "-5", "1e300", resets_at),
        told(Reply::Advice, "NaN", "<b>9</b>", resets_at),
        Reply::Advice.headed(own_limit),
    ] {
        mock.set_script(reply);
        asked(&daemon, "Which queue?").await;
        assert_eq!(plan(&all).await, both);
    }

    // A request that the provider refuses tells it as well.
    mock.set_script(told(Reply::error(429, "usage_limit_reached", "x"), "100", "92", resets_at));
    let refused = daemon.client().analyze(&question("Which queue?")).await.unwrap();
    assert_eq!(refused.code().unwrap().as_str(), "quota", "{:#}", refused.body);
    assert_eq!(plan(&all).await, windows([("5 h", "100 %"), ("7 d", "92 %")]));

    // A window that has begun anew is not known any more.
    mock.set_script(told(Reply::Advice, "50", "50", "1700000000"));
    asked(&daemon, "Which queue?").await;
    assert_eq!(plan(&all).await, []);
}

#[tokio::test]
async fn exec_tells_nothing_of_the_plan() {
    let Some((mock, daemon)) = driven("exec").await else { return };
    mock.set_script(told(Reply::Advice, "42", "91", RESETS_AT.0));
    asked(&daemon, "Which queue?").await;
    assert_eq!(plan(&Browser::signed_in(&daemon).await).await, []);
}
