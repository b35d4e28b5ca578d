//! The Prometheus metrics of the daemon. Label values come from closed sets and from the Codex in
//! use: no text of a caller, no id and no request path becomes a label.

use std::time::Duration;

use contract::advice::{DriverKind, Usage};
use contract::failure::FailureCode;
use contract::run::RunState;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

use crate::proof::Proof;

/// Upper bounds of the duration buckets, in seconds: from the overhead target (10 ms) to the
/// longest deadline (590 s).
const SECONDS: [f64; 14] =
    [0.005, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 60.0, 120.0, 300.0, 450.0, 590.0];

/// All metrics of the daemon. Shared by the HTTP layer, the service and admission.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    connections: Gauge,
    accept_errors: Counter,
    runs: Family<RunLabels, Counter>,
    attempts: Family<AttemptLabels, Counter>,
    refused_requests: Counter,
    queued: Gauge,
    running: Gauge,
    queue_seconds: Histogram,
    first_event_seconds: Histogram,
    turn_seconds: Histogram,
    total_seconds: Histogram,
    tokens: Family<KindLabels, Counter>,
    kills: Family<SignalLabels, Counter>,
    orphans: Counter,
    codex: Family<CodexLabels, Gauge>,
}

/// Measurements of an ended run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunSample {
    /// Its final state.
    pub state: RunState,
    /// The failure's code, if it failed.
    pub code: Option<FailureCode>,
    /// Time spent in the queue.
    pub queued: Duration,
    /// From acceptance to the end.
    pub total: Duration,
    /// The run's own tokens, if a turn was completed.
    pub usage: Option<Usage>,
}

/// Measurements of an ended attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttemptSample {
    /// The failure's code, if it failed.
    pub code: Option<FailureCode>,
    /// From the process's start to Codex's first event, if there was one.
    pub first_event: Option<Duration>,
    /// From the process's start to its end.
    pub duration: Duration,
    /// The strongest signal sent to end the process, such as `interrupt` or `kill`.
    pub signal: Option<&'static str>,
    /// How Codex was driven.
    pub driver: DriverKind,
    /// Requests by Codex that were refused.
    pub refused_requests: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    route: &'static str,
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RunLabels {
    outcome: &'static str,
    code: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct AttemptLabels {
    outcome: &'static str,
    driver: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct KindLabels {
    kind: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct SignalLabels {
    rung: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CodexLabels {
    version: String,
    digest: String,
    standing: &'static str,
}

impl Metrics {
    /// Creates all metrics with value zero.
    #[must_use]
    pub fn new() -> Self {
        let mut metrics = Self {
            registry: Registry::with_prefix("codex_bridge"),
            requests: Family::default(),
            connections: Gauge::default(),
            accept_errors: Counter::default(),
            runs: Family::default(),
            attempts: Family::default(),
            refused_requests: Counter::default(),
            queued: Gauge::default(),
            running: Gauge::default(),
            queue_seconds: Histogram::new(SECONDS),
            first_event_seconds: Histogram::new(SECONDS),
            turn_seconds: Histogram::new(SECONDS),
            total_seconds: Histogram::new(SECONDS),
            tokens: Family::default(),
            kills: Family::default(),
            orphans: Counter::default(),
            codex: Family::default(),
        };
        metrics.register();
        metrics
    }

    fn register(&mut self) {
        let registry = &mut self.registry;
        registry.register("requests", "HTTP requests by route and outcome", self.requests.clone());
        registry.register("connections", "Open connections", self.connections.clone());
        registry.register(
            "accept_errors",
            "Connections that could not be accepted, such as for want of descriptors",
            self.accept_errors.clone(),
        );
        registry.register("runs", "Ended runs by outcome and code", self.runs.clone());
        registry.register(
            "attempts",
            "Ended attempts at Codex by outcome and driver",
            self.attempts.clone(),
        );
        registry.register(
            "codex_requests_refused",
            "Requests of Codex for an approval or an input; none may happen",
            self.refused_requests.clone(),
        );
        registry.register("queued", "Runs that wait for a worker", self.queued.clone());
        registry.register("running", "Runs that Codex is at work on", self.running.clone());
        let seconds = |registry: &mut Registry, name: &str, help: &str, series: &Histogram| {
            registry.register_with_unit(name, help, Unit::Seconds, series.clone());
        };
        seconds(registry, "queue", "Wait for a worker", &self.queue_seconds);
        seconds(
            registry,
            "first_event",
            "From a process's start to Codex's first event",
            &self.first_event_seconds,
        );
        seconds(registry, "turn", "From a process's start to its end", &self.turn_seconds);
        seconds(registry, "run", "From acceptance to the end", &self.total_seconds);
        registry.register("tokens", "Tokens by kind", self.tokens.clone());
        registry.register("kills", "Processes that had to be ended, by rung", self.kills.clone());
        registry.register(
            "orphans",
            "Processes of earlier runs found alive at start, and ended",
            self.orphans.clone(),
        );
        registry.register(
            "codex",
            "The Codex in use: its version, the SHA-256 of its executable, and whether it was tested, proven or refused",
            self.codex.clone(),
        );
    }

    /// Sets the Codex in use, of which there is one at a time.
    pub fn set_codex(&self, proof: &Proof) {
        self.codex.clear();
        let labels = CodexLabels {
            version: proof.version.clone(),
            digest: proof.digest.clone(),
            standing: proof.standing().as_str(),
        };
        self.codex.get_or_create(&labels).set(1);
    }

    /// Counts one request. `outcome` is `ok`, `accepted`, a failure's code or `disconnected`.
    pub fn observe_request(&self, route: &'static str, outcome: &'static str) {
        self.requests.get_or_create(&RequestLabels { route, outcome }).inc();
    }

    /// Counts a connection for as long as the returned value lives.
    #[must_use]
    pub fn observe_connection(&self) -> OpenConnection {
        self.connections.inc();
        OpenConnection(self.connections.clone())
    }

    /// Counts a connection that could not be accepted.
    pub fn observe_accept_error(&self) {
        self.accept_errors.inc();
    }

    /// Counts an ended run, its durations and its tokens.
    pub fn observe_run(&self, sample: RunSample) {
        let code = sample.code.map_or("", FailureCode::as_str);
        self.runs.get_or_create(&RunLabels { outcome: sample.state.as_str(), code }).inc();
        self.queue_seconds.observe(sample.queued.as_secs_f64());
        self.total_seconds.observe(sample.total.as_secs_f64());
        if let Some(usage) = sample.usage {
            for (kind, count) in [
                ("input", usage.input_tokens),
                ("cached_input", usage.cached_input_tokens),
                ("output", usage.output_tokens),
                ("reasoning_output", usage.reasoning_output_tokens),
            ] {
                self.tokens.get_or_create(&KindLabels { kind }).inc_by(count);
            }
        }
    }

    /// Counts an ended attempt, its durations and the signal that ended it.
    pub fn observe_attempt(&self, sample: AttemptSample) {
        let outcome = sample.code.map_or("ok", FailureCode::as_str);
        let driver = sample.driver.as_str();
        self.attempts.get_or_create(&AttemptLabels { outcome, driver }).inc();
        self.refused_requests.inc_by(sample.refused_requests);
        self.turn_seconds.observe(sample.duration.as_secs_f64());
        if let Some(first_event) = sample.first_event {
            self.first_event_seconds.observe(first_event.as_secs_f64());
        }
        if let Some(signal) = sample.signal {
            self.kills.get_or_create(&SignalLabels { rung: signal }).inc();
        }
    }

    /// Sets the numbers of queued and running runs.
    pub fn set_load(&self, queued: usize, running: usize) {
        self.queued.set(i64::try_from(queued).unwrap_or(i64::MAX));
        self.running.set(i64::try_from(running).unwrap_or(i64::MAX));
    }

    /// Counts processes of earlier runs that were found alive and ended.
    pub fn observe_orphans(&self, found: usize) {
        self.orphans.inc_by(found as u64);
    }

    /// All metrics in the OpenMetrics text format.
    #[must_use]
    pub fn render(&self) -> String {
        let mut text = String::with_capacity(8 * 1024);
        encode(&mut text, &self.registry).expect("writing to a string cannot fail");
        text
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

/// One open connection; counted until it is dropped.
#[derive(Debug)]
pub struct OpenConnection(Gauge);

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.dec();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_observed_is_rendered() {
        let metrics = Metrics::new();
        metrics.observe_request("/analyze", "ok");
        metrics.observe_request("/analyze", "ok");
        metrics.set_load(3, 2);
        metrics.observe_orphans(1);
        metrics.observe_run(RunSample {
            state: RunState::Failed,
            code: Some(FailureCode::Timeout),
            queued: Duration::from_millis(20),
            total: Duration::from_secs(2),
            usage: Some(Usage { input_tokens: 7, ..Usage::default() }),
        });
        metrics.observe_attempt(AttemptSample {
            code: None,
            first_event: Some(Duration::from_millis(40)),
            duration: Duration::from_secs(1),
            signal: Some("interrupt"),
            driver: DriverKind::AppServer,
            refused_requests: 2,
        });
        let connection = metrics.observe_connection();
        let text = metrics.render();
        for line in [
            r#"codex_bridge_requests_total{route="/analyze",outcome="ok"} 2"#,
            r#"codex_bridge_runs_total{outcome="failed",code="timeout"} 1"#,
            r#"codex_bridge_attempts_total{outcome="ok",driver="app-server"} 1"#,
            "codex_bridge_codex_requests_refused_total 2",
            r#"codex_bridge_tokens_total{kind="input"} 7"#,
            r#"codex_bridge_kills_total{rung="interrupt"} 1"#,
            "codex_bridge_queued 3",
            "codex_bridge_running 2",
            "codex_bridge_orphans_total 1",
            "codex_bridge_connections 1",
            "codex_bridge_run_seconds_sum 2.0",
            r#"codex_bridge_first_event_seconds_bucket{le="0.1"} 1"#,
        ] {
            assert!(text.lines().any(|found| found == line), "no line {line:?} in:\n{text}");
        }
        drop(connection);
        assert!(metrics.render().contains("codex_bridge_connections 0\n"));
    }
}
