//! What the model says, as the terminal shows it.

use std::time::Duration;

use mock_model::{Reply, Turn};

use crate::screen::Place;

const ANSWER: &str =
    "Call it so:\n\n```rust\nfn call(a: &str) {\n    b(\"x\") // so\n}\n```\n\nNo more.";

/// Design 12: in a few pieces a line, and the text stays as it is.
#[tokio::test(flavor = "multi_thread")]
async fn code_in_an_answer_has_colours() {
    let slow = || Reply::from(Turn::text(ANSWER)).written(5, Duration::from_millis(5));
    for (place, first, second) in [
        (
            Place::with_replies([slow()]).await,
            "\x1b[0;35mfn\x1b[0m \x1b[0;34mcall\x1b[0m(a: &\x1b[0;33mstr\x1b[0m) {\r\n",
            "    \x1b[0;34mb\x1b[0m(\x1b[0;32m\"x\"\x1b[0m) \x1b[0;2m// so\x1b[0m\r\n",
        ),
        (
            Place::with_replies([slow()]).await.with("NO_COLOR", "1"),
            "fn call(a: &str) {\r\n",
            "    b(\"x\") \x1b[0;2m// so\x1b[0m\r\n",
        ),
    ] {
        let screen = place.start(&["how?"]);
        screen.wait(&["fn call(a: &str) {", "    b(\"x\") // so", "No more."]);
        let raw = screen.raw();
        assert!(raw.contains(first) && raw.contains(second), "{raw:?}");
    }
}
