//! Another user of this machine who opens connections gets a limited share of them.

use tests::harness::{Client, Neighbour, wait_until_some};

use crate::fixture::{LIMIT, builder, question};

/// What he opens: more than there are connections in all.
const OPENED: &str = "2500";

/// His share, a quarter of all.
const SHARE: u64 = 512;

/// The same with those that are on their way out while they are counted: half of all.
const AT_MOST: u64 = 2 * SHARE;

/// The connections that are open, by the daemon's own count.
async fn connections(client: &Client) -> u64 {
    let metrics = client.get("/metrics").await.unwrap().body;
    let text = metrics.as_str().unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("codex_bridge_connections "));
    line.unwrap().parse().unwrap()
}

#[tokio::test]
async fn another_users_connections_have_a_bounded_share_and_ours_are_served() {
    let daemon = builder().start().await.unwrap();
    let address = daemon.client().address().to_owned();
    let Some(mut flood) = Neighbour::start(&["flood", &address, OPENED]).unwrap() else { return };
    assert_eq!(flood.line().await.unwrap(), "open");
    let full = wait_until_some(LIMIT, async || {
        let open = connections(daemon.client()).await;
        (open > SHARE / 2).then_some(open)
    });
    assert!(full.await.is_some(), "he holds his share");
    for _ in 0..20 {
        // Each over a connection of its own.
        let late = Client::new(&address, daemon.client().token()).unwrap();
        assert_eq!(late.get("/healthz").await.unwrap().status, 200);
        let open = connections(&late).await;
        assert!(open <= AT_MOST, "{open} connections");
    }
    let answer = daemon.client().analyze(&question("fake-codex: ok")).await.unwrap();
    assert_eq!(answer.status, 200, "{:#}", answer.body);
}
