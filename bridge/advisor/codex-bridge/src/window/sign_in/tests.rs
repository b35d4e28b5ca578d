//! Links and sessions over time, with two clocks that the tests set.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use super::*;

const HOST: &str = "cb-00000000.localhost:4517";
const HOUR: u64 = 3600;

/// Sign-in with a wall clock that is set by hand; the machine's is tokio's, paused.
struct Bench {
    sign_in: SignIn,
    wall: Arc<AtomicI64>,
}

impl Bench {
    fn new() -> Self {
        let wall = Arc::new(AtomicI64::new(1_700_000_000));
        let read = Arc::clone(&wall);
        let clock =
            Clock::reading(move || Timestamp::from_second(read.load(Ordering::SeqCst)).unwrap());
        let sign_in = SignIn::new(clock, Duration::from_secs(12 * HOUR)).unwrap();
        Self { sign_in, wall }
    }

    fn set_wall_by(&self, seconds: i64) {
        self.wall.fetch_add(seconds, Ordering::SeqCst);
    }

    fn link(&self) -> Secret {
        self.sign_in.open_link(Rights::Advisor, None).unwrap()
    }

    fn enter(&self, code: &Secret) -> Option<Secret> {
        self.sign_in.enter(code.expose(), HOST, None).unwrap()
    }

    fn signed_in(&self) -> Secret {
        self.enter(&self.link()).unwrap()
    }

    fn is_in(&self, cookie: &Secret) -> bool {
        self.sign_in.visit(cookie.expose(), HOST, None).is_some()
    }
}

#[tokio::test(start_paused = true)]
async fn a_link_is_good_once_and_for_sixty_seconds_by_either_clock() {
    let bench = Bench::new();
    let code = bench.link();
    assert!(is_secret(code.expose()));
    assert!(bench.enter(&code).is_some());
    assert!(bench.enter(&code).is_none(), "twice");

    let code = bench.link();
    tokio::time::advance(Duration::from_millis(59_999)).await;
    assert!(bench.enter(&code).is_some(), "just before");
    let code = bench.link();
    tokio::time::advance(LINK_TTL).await;
    assert!(bench.enter(&code).is_none(), "the machine's clock");
    let code = bench.link();
    bench.set_wall_by(60);
    assert!(bench.enter(&code).is_none(), "the clock on the wall");
    let code = bench.link();
    bench.set_wall_by(-3600);
    tokio::time::advance(LINK_TTL).await;
    assert!(bench.enter(&code).is_none(), "a clock that is set back makes it no longer");
}

#[tokio::test(start_paused = true)]
async fn three_links_are_open_and_the_oldest_makes_room() {
    let bench = Bench::new();
    let codes: Vec<_> = (0..1000).map(|_| bench.link()).collect();
    assert_eq!(bench.sign_in.state().links.len(), 3);
    let entered: Vec<bool> = codes[996..].iter().map(|code| bench.enter(code).is_some()).collect();
    assert_eq!(entered, [false, true, true, true]);
}

#[tokio::test(start_paused = true)]
async fn a_session_ends_after_its_hours_or_two_of_silence() {
    let bench = Bench::new();
    let used = bench.signed_in();
    for hour in 1..12 {
        tokio::time::advance(Duration::from_secs(HOUR)).await;
        assert!(bench.is_in(&used), "hour {hour}");
    }
    tokio::time::advance(Duration::from_secs(HOUR)).await;
    assert!(!bench.is_in(&used), "12 h, though it was used all the time");

    let silent = bench.signed_in();
    tokio::time::advance(IDLE_MAX - Duration::from_millis(1)).await;
    assert!(bench.is_in(&silent));
    tokio::time::advance(IDLE_MAX).await;
    assert!(!bench.is_in(&silent));

    let asleep = bench.signed_in();
    bench.set_wall_by(2 * 3600);
    assert!(!bench.is_in(&asleep), "a machine that slept for two hours");

    let watched = bench.signed_in();
    tokio::time::advance(IDLE_MAX / 2).await;
    assert!(bench.sign_in.is_signed_in(watched.expose(), HOST));
    tokio::time::advance(IDLE_MAX / 2).await;
    assert!(!bench.is_in(&watched), "an open stream is no use");
}

#[tokio::test(start_paused = true)]
async fn eight_sessions_are_kept_and_the_one_unused_longest_makes_room() {
    let bench = Bench::new();
    let mut cookies = Vec::new();
    for _ in 0..8 {
        cookies.push(bench.signed_in());
        tokio::time::advance(Duration::from_secs(1)).await;
    }
    assert!(bench.is_in(&cookies[0]), "and is used last now");
    let ninth = bench.signed_in();
    let kept: Vec<bool> = cookies.iter().map(|cookie| bench.is_in(cookie)).collect();
    assert_eq!(kept, [true, false, true, true, true, true, true, true]);
    assert!(bench.is_in(&ninth));
}

#[tokio::test(start_paused = true)]
async fn a_session_is_good_for_its_own_host_and_ends_when_it_is_left_or_revoked() {
    let bench = Bench::new();
    let cookie = bench.signed_in();
    for other in ["127.0.0.1:4517", "cb-00000000.localhost:4518", "cb-00000001.localhost:4517", ""]
    {
        assert!(bench.sign_in.visit(cookie.expose(), other, None).is_none(), "{other}");
    }
    assert!(bench.sign_in.visit(cookie.expose(), &HOST.to_uppercase(), None).is_some());
    bench.sign_in.leave(cookie.expose());
    assert!(!bench.is_in(&cookie));

    let (one, two, link) = (bench.signed_in(), bench.signed_in(), bench.link());
    assert_eq!(bench.sign_in.revoke(), 2);
    assert!(!bench.is_in(&one) && !bench.is_in(&two));
    assert!(bench.enter(&link).is_none());
    assert_eq!(bench.sign_in.revoke(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_session_has_the_rights_of_its_link() {
    let bench = Bench::new();
    for rights in [Rights::Advisor, Rights::Orchestrate] {
        let code = bench.sign_in.open_link(rights, None).unwrap();
        let cookie = bench.enter(&code).unwrap();
        assert_eq!(bench.sign_in.visit(cookie.expose(), HOST, None), Some(rights));
    }
}

#[tokio::test(start_paused = true)]
async fn another_user_who_saw_the_link_cannot_use_it() {
    let bench = Bench::new();
    let enter = |code: &Secret, user| bench.sign_in.enter(code.expose(), HOST, user).unwrap();
    let ours = bench.link();
    assert!(enter(&ours, Some(1000)).is_none());
    assert!(enter(&ours, None).is_some(), "and it is not used up by that");
    let theirs = bench.sign_in.open_link(Rights::Advisor, Some(1000)).unwrap();
    assert!(enter(&theirs, Some(1001)).is_none());
    assert!(enter(&theirs, Some(1000)).is_some(), "of a service of the machine");
}

/// A browser gives the cookie to every server under the same name, on whichever port, of whichever user.
#[tokio::test(start_paused = true)]
async fn another_user_who_caught_the_cookie_cannot_use_it() {
    let bench = Bench::new();
    let visit = |cookie: &Secret, user| bench.sign_in.visit(cookie.expose(), HOST, user);
    let ours = bench.signed_in();
    tokio::time::advance(IDLE_MAX / 2).await;
    assert_eq!(visit(&ours, Some(1000)), None);
    tokio::time::advance(IDLE_MAX / 2).await;
    assert_eq!(visit(&ours, None), None, "and by that it is not used");
    let ours = bench.signed_in();
    assert_eq!(visit(&ours, Some(1000)), None);
    assert_eq!(visit(&ours, None), Some(Rights::Advisor), "its own user can");
    // Of a service of the machine; the kernel may not tell who comes.
    let code = bench.sign_in.open_link(Rights::Advisor, Some(1000)).unwrap();
    let theirs = bench.sign_in.enter(code.expose(), HOST, Some(1000)).unwrap().unwrap();
    assert_eq!(visit(&theirs, Some(1001)), None);
    assert_eq!(visit(&theirs, Some(1000)), Some(Rights::Advisor));
    assert_eq!(visit(&theirs, None), Some(Rights::Advisor));
}

#[test]
fn a_forms_token_is_of_one_session_one_path_and_one_daemon() {
    let (bench, other) = (Bench::new(), Bench::new());
    let token = bench.sign_in.form_token("cookie", "/leave");
    assert!(bench.sign_in.is_form_token(&token, "cookie", "/leave"));
    for (given, secret, path) in [
        ("", "cookie", "/leave"),
        ("x", "cookie", "/leave"),
        (&token[..token.len() - 1], "cookie", "/leave"),
        (token.as_str(), "other", "/leave"),
        (token.as_str(), "cookie", "/enter"),
        (token.as_str(), "cookie\n/", "leave"),
    ] {
        assert!(!bench.sign_in.is_form_token(given, secret, path), "{given} {secret} {path}");
    }
    assert!(!other.sign_in.is_form_token(&token, "cookie", "/leave"));
}

#[test]
fn only_the_form_of_a_secret_is_looked_up() {
    assert!(is_secret(&"a".repeat(43)));
    for wrong in [
        "",
        "a",
        &"a".repeat(42),
        &"a".repeat(44),
        &format!("{}=", "a".repeat(42)),
        &"é".repeat(22),
    ] {
        assert!(!is_secret(wrong), "{wrong}");
    }
}
