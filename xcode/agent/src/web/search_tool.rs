//! `webSearch`: five web results for a question, from Tavily.

use bytes::Bytes;
use contract::xc::CallStatus;
use futures_util::future::BoxFuture;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderValue, Method};
use redact::{Cut, Redactor};
use serde_json::{Map, Value, json};
use tokio::time::timeout;
use url::Url;

use super::client::{self, Asked};
use super::fetch::Fetcher;
use super::quote::quoted;
use crate::action::Action;
use crate::knowledge::Language;
use crate::tool::{Outcome, Running, Tool};

/// The URL of the search service.
pub(super) const SEARCH: &str = "https://api.tavily.com/search";

/// How many results are requested.
const RESULTS: usize = 5;

/// The result for the model without a key, in the user's language.
const NO_KEY_ZH: &str =
    "需要配置 TAVILY_API_KEY 才能使用搜索。免费注册：https://tavily.com（1000 次/月）";
const NO_KEY_EN: &str = "Set TAVILY_API_KEY to search. Free: https://tavily.com (1,000 a month)";

pub(super) struct WebSearch {
    pub fetcher: Fetcher,
    pub redactor: Redactor,
    /// The key as an authorization header, marked as sensitive, so that it is never printed.
    pub key: Option<HeaderValue>,
    /// The URL that is used: [`SEARCH`].
    pub server: Url,
    pub language: Language,
}

impl Tool for WebSearch {
    fn definition(&self) -> llm::Tool {
        llm::Tool {
            name: "webSearch".to_owned(),
            description: "Search the web and return the top results with title, URL and content."
                .to_owned(),
            schema: json!({
                "type": "object",
                "properties": {
                    "query": { "type": "string", "description": "The search query" }
                },
                "required": ["query"],
                "additionalProperties": false
            }),
        }
    }

    fn is_reading(&self) -> bool {
        true
    }

    fn action(&self, _: &Map<String, Value>) -> Action {
        Action::Nothing
    }

    fn run<'a>(&'a self, call: Running<'a>) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            let query = call.arguments.get("query").and_then(Value::as_str).unwrap_or_default();
            let Some(key) = self.key.clone() else {
                return Outcome::error(match self.language {
                    Language::Zh => NO_KEY_ZH,
                    Language::En => NO_KEY_EN,
                });
            };
            // Secrets in the question are not sent.
            let query = self.redactor.sanitize(query, Cut::NONE).text.into_owned();
            // Both arms are cancel safe.
            tokio::select! {
                () = call.cancel.cancelled() => {
                    Outcome { status: CallStatus::Interrupted, ..Outcome::error("") }
                }
                answer = timeout(self.fetcher.timeout, self.search(&query, key)) => match answer {
                    Ok(Ok(text)) => Outcome::ok(text),
                    Ok(Err(why)) => Outcome::error(format!("The search failed: {why}.")),
                    Err(_) => Outcome::error(format!(
                        "The search failed: nothing came within {} ms.",
                        self.fetcher.timeout.as_millis()
                    )),
                },
            }
        })
    }
}

impl WebSearch {
    async fn search(&self, query: &str, key: HeaderValue) -> Result<String, String> {
        let network = &self.fetcher.network;
        let host = self.server.host_str().unwrap_or_default();
        let port = self.server.port_or_known_default().unwrap_or_default();
        let found = network.resolve(host, port).await.map_err(|error| error.to_string())?;
        let to = found.into_iter().next().ok_or("its name has no address")?;
        let body = json!({ "query": query, "max_results": RESULTS }).to_string();
        let asked = Asked {
            method: Method::POST,
            uri: self.server.as_str().parse().map_err(|_| "no address".to_owned())?,
            headers: vec![
                (AUTHORIZATION, key),
                (CONTENT_TYPE, HeaderValue::from_static("application/json")),
            ],
            body: Bytes::from(body),
        };
        let answer = client::ask(network, to, asked, self.fetcher.max_bytes).await;
        let answer = answer.map_err(|error| error.to_string())?;
        match answer.status.as_u16() {
            200..=299 => {}
            401 | 403 => return Err("the key was refused (TAVILY_API_KEY)".to_owned()),
            429 | 432 | 433 => return Err("no searches are left for this key".to_owned()),
            _ => return Err(format!("the server answered {}", answer.status)),
        }
        let found: Value = serde_json::from_slice(&answer.body)
            .map_err(|_| "the answer is not the JSON that it should be".to_owned())?;
        let results = found.get("results").and_then(Value::as_array).cloned().unwrap_or_default();
        let text = |result: &Value, name: &str| {
            result.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let shown: Vec<String> = results
            .iter()
            .take(RESULTS)
            .map(|result| {
                let url = text(result, "url");
                self.fetcher.known.add(&url);
                format!("{}\n{url}\n{}", text(result, "title"), text(result, "content"))
            })
            .collect();
        if shown.is_empty() {
            return Ok("No results.".to_owned());
        }
        Ok(quoted(&self.redactor, "a web search", &shown.join("\n\n")))
    }
}
