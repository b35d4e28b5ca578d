//! How long links and sessions last, by a clock that the tests put forward.

use std::fs;
use std::path::PathBuf;

use tests::harness::{Daemon, wait_until_some};

use crate::fixture::{Browser, LIMIT, builder, link};

/// A daemon whose wall clock is off by what a file says, and that file.
async fn daemon() -> Option<(Daemon, PathBuf)> {
    let (builder, offset) = builder().with_own_clock().unwrap()?;
    Some((builder.start().await.unwrap(), offset))
}

/// Waits until a browser is out.
async fn is_out(browser: &Browser) -> bool {
    let out = wait_until_some(LIMIT, async || (browser.get("/").await.status == 401).then_some(()));
    out.await.is_some()
}

#[tokio::test]
async fn a_link_ends_after_a_minute_and_a_session_after_twelve_hours_or_two_of_silence() {
    let Some((daemon, offset)) = daemon().await else { return };
    let (early, late) = (link(daemon.client()).await, link(daemon.client()).await);
    fs::write(&offset, "+50").unwrap();
    let mut browser = Browser::new(&daemon, &early.host);
    assert_eq!(browser.enter(&early.code).await.status, 303, "after 50 s");
    fs::write(&offset, "+75").unwrap();
    let mut other = Browser::new(&daemon, &late.host);
    assert_eq!(other.enter(&late.code).await.status, 403, "after 75 s");

    // Used every hour it lasts for twelve of them.
    for hour in 1..12 {
        fs::write(&offset, format!("+{}", hour * 3600 + 30)).unwrap();
        assert_eq!(browser.get("/").await.status, 200, "hour {hour}");
    }
    fs::write(&offset, format!("+{}", 12 * 3600 + 90)).unwrap();
    assert!(is_out(&browser).await);

    let silent = Browser::signed_in(&daemon).await;
    fs::write(&offset, format!("+{}", 14 * 3600 + 120)).unwrap();
    assert!(is_out(&silent).await);
    // Back to the day before: it does not come back.
    fs::write(&offset, "+0").unwrap();
    assert_eq!(silent.get("/").await.status, 401);
}
