//! Readers: secrets that are told by the text around them, not by their own form.
//!
//! A reader is called at each place where one of its keywords stands and adds what it finds. It
//! looks a bounded distance around that place.

mod adjective;
mod assignment;
mod aws;
mod block;
mod bytes;
mod call;
mod command;
mod glued;
mod grid;
mod header;
mod judge;
mod list;
mod markup;
mod name;
mod pair;
mod pem;
mod place;
mod position;
mod printed;
mod said;
mod seed;
mod shell;
mod table;
mod text;
mod url;
mod userinfo;
mod value;
mod wrapper;

use std::ops::Range;

pub(crate) use pair::open_value;
pub(crate) use pem::{key_goes_on, key_lines, open_key};
pub(crate) use seed::open_phrase;
pub(crate) use text::Span;

/// Reads the text around a keyword.
pub(crate) type Reader = fn(&str, Range<usize>, &mut Vec<Span>);

/// Which keywords call which reader. A keyword is in lower case; the text's case does not count.
pub(crate) const READERS: &[(&[&str], Reader)] = &[
    (assignment::KEYWORDS, assignment::read),
    (call::OPENINGS, call::read),
    (command::KEYWORDS, command::read),
    (header::BEARER, header::read_bearer),
    (header::BASIC, header::read_basic),
    (header::AUTHORIZATION, header::read_authorization),
    (header::COOKIE, header::read_cookie),
    (header::SESSION, header::read_session),
    (aws::KEYWORDS, aws::read),
    (pem::BODY, pem::read_body),
    (position::CALLS, position::read_call),
    (position::THIRD, position::read_third),
    (position::INSERT, position::read_insert),
    (position::ACCOUNTS, position::read_account),
    (position::CLIENTS, position::read_client),
    (position::FIRST, position::read_first),
    (position::SECOND, position::read_second),
    (position::CONNECTS, position::read_connect),
    (printed::MAKERS, printed::read),
    (pem::KEYWORDS, pem::read),
    (pem::PUTTY, pem::read_putty),
    (seed::KEYWORDS, seed::read),
    (shell::HERE_STRING, shell::read_here_string),
    (shell::PIPED, shell::read_piped),
    (url::KEYWORDS, url::read),
    (userinfo::AT, userinfo::read),
    (userinfo::PGPASS, userinfo::read_pgpass),
];

/// The kinds that readers give.
pub(crate) const KINDS: &[&str] = &[
    "api-key",
    "authorization",
    "aws-secret-key",
    "azure-key",
    "alibaba-secret-key",
    "basic-auth",
    "bearer-token",
    "cloudflare-token",
    "cookie",
    "credential",
    "datadog-key",
    "encryption-key",
    "heroku-key",
    "mnemonic",
    "okta-token",
    "password",
    "paypal-secret",
    "pagerduty-key",
    "pgp-private-key",
    "private-key",
    "secret",
    "tencent-secret-key",
    "token",
    "twilio-auth-token",
    "url-password",
    "url-token",
];
