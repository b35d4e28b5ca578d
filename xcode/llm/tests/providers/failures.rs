//! Answers that do not come, or not whole.

use std::time::Duration;

use futures_util::future::join_all;
use llm::{Event, Failure, Times, Wait};
use mock_model::{ErrorKind, Fault, Hang, ProviderError, Reply, Trouble};

use crate::provider::{KEY, PATIENCE, PROVIDERS, ask, failure, turn};

/// How long the model waits where nothing will come.
const HASTE: Duration = Duration::from_millis(300);

/// docs/MODELS.md, hazard 3: the status of a failed streaming request is not lost.
#[tokio::test]
async fn hazard_3_each_refusal_of_each_provider_has_its_class() {
    for provider in PROVIDERS {
        for (kind, class) in [
            (ErrorKind::BadRequest, "bad_request"),
            (ErrorKind::Unauthorized, "auth"),
            (ErrorKind::Forbidden, "auth"),
            (ErrorKind::ModelUnknown, "model_unknown"),
            (ErrorKind::ContextLength, "context_length"),
            (ErrorKind::RateLimited, "rate_limited"),
            (ErrorKind::Overloaded, "overloaded"),
            (ErrorKind::Server, "server"),
        ] {
            let mut error = ProviderError::new(kind);
            if kind == ErrorKind::Unauthorized {
                error.message = Some(format!("Incorrect API key provided: {KEY}. API_KEY_INVALID"));
            }
            let mock = provider.mock(Reply::from(error)).await;
            let failure = failure(&provider.model(&mock)).await;
            assert_eq!(failure.class(), class, "{}, {kind:?}: {failure}", provider.id);
            let told = format!("{failure} {failure:?}");
            assert!(!told.contains(KEY), "{}: {told}", provider.id);
            let asked = mock.requests().iter().filter(|request| !request.body.is_empty()).count();
            assert_eq!(asked, 1, "the caller decides about another try");
        }
    }
}

/// Models are retired: the provider's own list says what it has now.
#[tokio::test]
async fn an_unknown_model_is_told_what_the_provider_has() {
    for provider in PROVIDERS {
        let mock = provider.mock(Reply::from(ProviderError::new(ErrorKind::ModelUnknown))).await;
        let failure = failure(&provider.model(&mock)).await;
        let told = failure.to_string();
        assert!(told.ends_with("; the provider has mock-model"), "{}: {told}", provider.id);
    }
}

#[tokio::test]
async fn a_429_tells_how_long_to_wait() {
    for provider in PROVIDERS {
        let error = ProviderError::new(ErrorKind::RateLimited).retry_after(Duration::from_secs(7));
        let mock = provider.mock(Reply::from(error)).await;
        let failure = failure(&provider.model(&mock)).await;
        let Failure::RateLimited { after, .. } = failure else { panic!("{}", provider.id) };
        assert_eq!(after, Some(Duration::from_secs(7)), "{}", provider.id);
    }
}

#[tokio::test]
async fn overload_in_the_middle_of_a_stream_is_overload() {
    for provider in PROVIDERS {
        let trouble = Trouble::Error(ErrorKind::Overloaded.into());
        let mock = provider.mock(Reply::from(turn()).with(Fault::after(3, trouble))).await;
        let failure = failure(&provider.model(&mock)).await;
        assert_eq!(failure.class(), "overloaded", "{}: {failure}", provider.id);
    }
}

/// How many events the mock sends for [`turn`] at most.
const MOST_EVENTS: usize = 120;

/// docs/MODELS.md, hazard 2: cut at each event, by a broken connection and by an end that looks
/// well, no answer is whole, and no call of it is handed out.
#[tokio::test]
async fn hazard_2_a_stream_that_is_cut_at_any_event_is_no_answer() {
    for provider in PROVIDERS {
        let mut cuts = 0;
        for events in 0..MOST_EVENTS {
            let stop = Reply::from(turn()).with(Fault::after(events, Trouble::Stop));
            let mock = provider.mock(stop).await;
            let stopped = ask(&provider.model(&mock)).await;
            let is_whole = matches!(stopped.last(), Some(Ok(Event::End(_))));
            if is_whole {
                break;
            }
            cuts += 1;
            mock.set_script(Reply::from(turn()).with(Fault::after(events, Trouble::Cut)));
            for events in [stopped, ask(&provider.model(&mock)).await] {
                let ended = |event: &Result<Event, Failure>| {
                    matches!(event, Ok(Event::CallEnded { .. } | Event::End(_)))
                };
                assert!(!events.iter().any(ended), "{}: {events:?}", provider.id);
                let class = match events.last() {
                    Some(Err(failure)) => failure.class(),
                    other => panic!("{}: {other:?}", provider.id),
                };
                assert_eq!(class, "cut", "{}, after {cuts} events", provider.id);
            }
        }
        assert!((4..MOST_EVENTS).contains(&cuts), "{}: {cuts} cuts", provider.id);
    }
}

#[tokio::test]
async fn silence_in_a_stream_and_before_it_ends_the_request() {
    let waits = PROVIDERS.map(|provider| async move {
        let silent = Reply::from(turn()).with(Fault::after(3, Trouble::Silence));
        let mock = provider.mock(silent).await;
        let model = provider.waiting(&mock, Times { silence: HASTE, ..PATIENCE });
        let silence = Failure::Timeout { wait: Wait::Silence, after: HASTE };
        assert_eq!(failure(&model).await, silence, "{}", provider.id);

        mock.set_script(Reply::Hang(Hang::BeforeHeaders));
        let model = provider.waiting(&mock, Times { headers: HASTE, ..PATIENCE });
        let headers = Failure::Timeout { wait: Wait::Headers, after: HASTE };
        assert_eq!(failure(&model).await, headers, "{}", provider.id);
    });
    join_all(waits).await;
}
