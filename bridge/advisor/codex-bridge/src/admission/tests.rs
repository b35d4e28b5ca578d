//! The queue under a paused clock; no process and no file is involved.

use std::sync::Mutex as StdMutex;

use super::*;

fn far() -> Instant {
    Instant::now() + Duration::from_secs(3600)
}

async fn permit(ticket: Ticket) -> Permit {
    ticket.wait(far(), &CancellationToken::new()).await.unwrap()
}

fn load(running: usize, queued: usize) -> Load {
    Load { running, queued }
}

#[tokio::test(start_paused = true)]
async fn workers_then_places_then_a_refusal_at_once() {
    let admission = Admission::new(2, 3);
    let mut tickets: Vec<_> = (0..5).map(|_| admission.enter().unwrap()).collect();
    assert_eq!(admission.load(), load(2, 3));
    let refused = admission.enter().unwrap_err();
    // Four waits of 20 s before two workers.
    assert_eq!(refused, Refused::Overloaded { retry_after: Duration::from_secs(40) });
    tickets.pop();
    assert_eq!(admission.load(), load(2, 2));
    drop(admission.enter().unwrap());
    drop(tickets);
    assert_eq!(admission.load(), load(0, 0));
}

#[tokio::test(start_paused = true)]
async fn no_queue_at_all_is_possible() {
    let admission = Admission::new(0, 0);
    let only = permit(admission.enter().unwrap()).await;
    assert!(admission.enter().is_err());
    drop(only);
    assert!(admission.enter().is_ok());
}

#[tokio::test(start_paused = true)]
async fn the_order_is_that_of_entering_not_of_waiting() {
    let admission = Admission::new(1, 10);
    let first = permit(admission.enter().unwrap()).await;
    let tickets: Vec<_> = (0..10).map(|_| admission.enter().unwrap()).collect();
    let order = Arc::new(StdMutex::new(Vec::new()));
    let tasks: Vec<_> = tickets
        .into_iter()
        .enumerate()
        .rev()
        .map(|(number, ticket)| {
            let order = order.clone();
            tokio::spawn(async move {
                let permit = permit(ticket).await;
                order.lock().unwrap().push(number);
                drop(permit);
            })
        })
        .collect();
    tokio::task::yield_now().await;
    drop(first);
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(*order.lock().unwrap(), (0..10).collect::<Vec<_>>());
    assert_eq!(admission.load(), load(0, 0));
}

#[tokio::test(start_paused = true)]
async fn who_gives_up_leaves_the_queue_to_the_next() {
    let admission = Admission::new(1, 3);
    let running = permit(admission.enter().unwrap()).await;
    let [late, cancelled, patient] = [(); 3].map(|()| admission.enter().unwrap());
    let deadline = Instant::now() + Duration::from_secs(5);
    let cancel = CancellationToken::new();
    assert_eq!(late.wait(deadline, &cancel).await.unwrap_err(), NotAdmitted::DeadlinePassed,);
    assert!(Instant::now() < deadline + Duration::from_millis(10));
    cancel.cancel();
    assert_eq!(cancelled.wait(far(), &cancel).await.unwrap_err(), NotAdmitted::Cancelled);
    assert_eq!(admission.load(), load(1, 1));
    drop(running);
    drop(permit(patient).await);
    assert_eq!(admission.load(), load(0, 0));
}

#[tokio::test(start_paused = true)]
async fn a_permit_that_was_granted_but_not_taken_is_free_again() {
    let admission = Admission::new(1, 2);
    let running = permit(admission.enter().unwrap()).await;
    let [granted, next] = [(); 2].map(|()| admission.enter().unwrap());
    drop(running);
    assert_eq!(admission.load(), load(1, 1));
    drop(granted);
    assert_eq!(admission.load(), load(1, 0));
    drop(permit(next).await);
    let cancel = CancellationToken::new();
    cancel.cancel();
    let entered = admission.enter().unwrap();
    assert_eq!(entered.wait(far(), &cancel).await.unwrap_err(), NotAdmitted::Cancelled);
    assert_eq!(admission.load(), load(0, 0));
}

#[tokio::test(start_paused = true)]
async fn a_closed_door_serves_who_is_inside() {
    let admission = Admission::new(1, 1);
    let running = permit(admission.enter().unwrap()).await;
    let queued = admission.enter().unwrap();
    admission.close();
    assert!(!admission.is_open());
    assert_eq!(admission.enter().unwrap_err(), Refused::Draining);
    let idle = tokio::spawn({
        let admission = admission.clone();
        async move { admission.idle().await }
    });
    drop(running);
    let last = permit(queued).await;
    tokio::task::yield_now().await;
    assert!(!idle.is_finished());
    drop(last);
    idle.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_advice_when_to_return_follows_how_long_runs_last() {
    let admission = Admission::new(1, 0);
    for _ in 0..40 {
        let permit = permit(admission.enter().unwrap()).await;
        tokio::time::advance(Duration::from_secs(3)).await;
        drop(permit);
    }
    let _running = admission.enter().unwrap();
    let Err(Refused::Overloaded { retry_after }) = admission.enter() else { panic!() };
    assert_eq!(retry_after, Duration::from_secs(4));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nothing_is_lost_when_everybody_comes_and_goes() {
    let admission = Admission::new(3, 40);
    let peak = Arc::new(StdMutex::new((0_usize, 0_usize)));
    let tasks: Vec<_> = (0..2000_u32)
        .map(|number| {
            let (admission, peak) = (admission.clone(), peak.clone());
            tokio::spawn(async move {
                let Ok(ticket) = admission.enter() else { return };
                let cancel = CancellationToken::new();
                if number % 3 == 0 {
                    cancel.cancel();
                }
                if number % 7 == 0 {
                    tokio::task::yield_now().await;
                    return;
                }
                let Ok(_permit) = ticket.wait(far(), &cancel).await else { return };
                {
                    let mut peak = peak.lock().unwrap();
                    peak.0 += 1;
                    peak.1 = peak.1.max(peak.0);
                }
                tokio::task::yield_now().await;
                peak.lock().unwrap().0 -= 1;
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    admission.idle().await;
    assert_eq!(admission.0.state().running, 0);
    assert!((1..=3).contains(&peak.lock().unwrap().1));
}
