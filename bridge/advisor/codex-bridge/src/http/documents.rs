//! `GET /openapi.json` and `GET /schemas/{name}`: the contracts, for machines.

use axum::extract::Path;
use axum::response::{IntoResponse, Response};
use contract::failure::FailureCode;
use contract::schema;
use http::header::CONTENT_TYPE;

use crate::http::failure::Rejection;
use crate::http::openapi as document;

pub(super) async fn openapi() -> Response {
    ([(CONTENT_TYPE, "application/json")], document::text()).into_response()
}

pub(super) async fn schema(Path(name): Path<String>) -> Result<Response, Rejection> {
    let found = schema::find(&name).ok_or_else(|| {
        let known: Vec<&str> = schema::ALL.iter().map(|schema| schema.name).collect();
        let known = known.join(", ");
        Rejection::new(FailureCode::NotFound, format!("no such schema; there is {known}"))
    })?;
    Ok(([(CONTENT_TYPE, "application/schema+json")], found.text).into_response())
}
