//! A full disk: accepted runs are stored, refused ones are not, and an answer that
//! could not be stored is stored later.

use contract::run::RunState;

use super::*;

impl Store {
    /// Lets the database grow by this many pages more. SQLite says SQLITE_FULL beyond, as on a full
    /// disk.
    async fn leave_pages(&self, more: i64) {
        self.ask(Durability::Written, move |writer| {
            let used = writer.connection.query_row("PRAGMA page_count", [], |row| row.get(0));
            let limit = used.unwrap_or(0_i64) + more;
            Ok(writer.connection.pragma_update(None, "max_page_count", limit)?)
        })
        .await
        .unwrap();
    }
}

fn large(new: NewRun, bytes: usize) -> NewRun {
    with_context(new, "x".repeat(bytes))
}

#[tokio::test]
async fn an_end_that_finds_the_disk_full_is_shown_at_once_and_stored_later() {
    let bench = Bench::new();
    let store = bench.open().await;
    let run = lease(&store, new_run(Phase::Initial, None)).await;
    store.start(run.run_id).await.unwrap();
    store.leave_pages(0).await;
    let mut end = advice_finish();
    end.outcome["raw_text"] = json!("y".repeat(50_000));
    let refused = store.finish(run.run_id, end.clone(), LastEvents::default()).await;
    assert!(matches!(refused, Err(StoreError::Full { .. })), "{refused:?}");

    let shown = store.run(run.run_id).await.unwrap().unwrap();
    assert_eq!((shown.run.state, shown.run.duration_ms), (RunState::Succeeded, Some(1234)));
    assert_eq!(shown.outcome.as_ref(), Some(&end.outcome));
    let page = store.runs(RunFilter::default()).await.unwrap();
    assert_eq!(page.runs, std::slice::from_ref(&shown.run));
    let log = store.events_after(run.run_id, 0).await.unwrap();
    assert_eq!((log.events[0].name.as_str(), log.rest), ("report", EventRest::Ended));

    store.leave_pages(1000).await;
    store.probe().await.unwrap();
    let second = lease(&store, new_run(Phase::Final, Some(run.session_id))).await;
    assert_eq!(second.previous.unwrap().advice.unwrap().raw_text.len(), 50_000);
    store.close().await;
    let store = bench.open().await;
    assert_eq!(store.run(run.run_id).await.unwrap().unwrap(), shown);
}

#[tokio::test]
async fn one_that_does_not_fit_takes_nobody_along() {
    let bench = Bench::new();
    let store = bench.open().await;
    store.leave_pages(40).await;
    let accept = async |new: NewRun| (new.run_id, store.accept(new).await);
    let small = || accept(new_run(Phase::Initial, None));
    let too_large = accept(large(new_run(Phase::Initial, None), 400_000));
    // Polled together, they reach the thread together.
    let (first, second, third, fourth) = tokio::join!(small(), small(), too_large, small());
    assert!(matches!(third.1, Err(StoreError::Full { .. })), "{third:?}");
    assert_eq!(store.run(third.0).await.unwrap(), None);
    for (run_id, accepted) in [first, second, fourth] {
        assert!(matches!(accepted, Ok(Accept::New(_))), "{accepted:?}");
        assert!(store.run(run_id).await.unwrap().is_some());
    }
}

#[tokio::test]
async fn wherever_the_disk_fills_up_every_acknowledgement_holds() {
    for pages in 0..24 {
        let bench = Bench::new();
        let store = bench.open().await;
        store.leave_pages(pages).await;
        let mut accepted = Vec::new();
        let mut ended = Vec::new();
        let mut refused = Vec::new();
        for _ in 0..8 {
            let new = large(new_run(Phase::Initial, None), 9_000);
            let run_id = new.run_id;
            match store.accept(new).await {
                Ok(_) => accepted.push(run_id),
                Err(error) => {
                    assert!(matches!(error, StoreError::Full { .. }), "{error:?}");
                    refused.push(run_id);
                    continue;
                }
            }
            match store.finish(run_id, advice_finish(), LastEvents::default()).await {
                Ok(()) => ended.push(run_id),
                Err(error) => assert!(error.is_medium(), "{error:?}"),
            }
            let shown = store.run(run_id).await.unwrap().unwrap().run.state;
            assert_eq!(shown, RunState::Succeeded, "{pages} pages");
        }
        assert!(pages > 0 || !refused.is_empty());
        store.close().await;
        let store = bench.open().await;
        for run_id in refused {
            assert_eq!(store.run(run_id).await.unwrap(), None, "{pages} pages");
        }
        for run_id in accepted {
            let state = store.run(run_id).await.unwrap().unwrap().run.state;
            assert!(state.is_terminal(), "{pages} pages");
            if ended.contains(&run_id) {
                assert_eq!(state, RunState::Succeeded, "{pages} pages");
            }
        }
    }
}
