//! One JSON object per line: time, level, message, then the fields of all spans and of the event, flattened.
//!
//! The subscriber's own JSON nests the spans; a flat line can be searched by `session.id` without
//! knowing in which span it was set.

use std::fmt;

use serde_json::{Map, Value, json};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::{JsonFields, Writer};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormattedFields};
use tracing_subscriber::registry::LookupSpan;

/// The format of a line.
pub(super) struct JsonLines;

impl<S> FormatEvent<S, JsonFields> for JsonLines
where
    S: Subscriber + for<'span> LookupSpan<'span>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, JsonFields>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let metadata = event.metadata();
        let mut line = Map::new();
        let now = jiff::Timestamp::now();
        line.insert("time".to_owned(), json!(format!("{now:.3}")));
        line.insert("level".to_owned(), json!(metadata.level().as_str().to_ascii_lowercase()));
        let mut fields = Fields(Map::new());
        event.record(&mut fields);
        let message = fields.0.remove("message").unwrap_or_default();
        line.insert("message".to_owned(), message);
        line.insert("target".to_owned(), json!(metadata.target()));
        let mut spans = Vec::new();
        for span in context.event_scope().into_iter().flat_map(|scope| scope.from_root()) {
            spans.push(span.name());
            let extensions = span.extensions();
            let Some(written) = extensions.get::<FormattedFields<JsonFields>>() else { continue };
            // Inner spans override outer ones, the event overrides all.
            if let Ok(Value::Object(fields)) = serde_json::from_str(&written.fields) {
                line.extend(fields);
            }
        }
        if !spans.is_empty() {
            line.insert("span".to_owned(), json!(spans.join(":")));
        }
        line.extend(fields.0);
        let text = serde_json::to_string(&line).map_err(|_| fmt::Error)?;
        writeln!(writer, "{}", redact::visible_json(&text))
    }
}

/// The fields of an event as JSON.
struct Fields(Map<String, Value>);

impl Fields {
    fn put(&mut self, field: &Field, value: Value) {
        let name = field.name();
        self.0.insert(name.strip_prefix("r#").unwrap_or(name).to_owned(), value);
    }
}

impl Visit for Fields {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, json!(value));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, json!(value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, json!(value));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, json!(value));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, json!(value));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.put(field, json!(format!("{value:?}")));
    }
}
