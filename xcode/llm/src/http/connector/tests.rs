//! TLS, with certificates made for the tests by `openssl req` and `openssl x509`: an authority that
//! nobody trusts, and a server of it whose only name is 127.0.0.1. They are valid for a century.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::{Problem, problem, trusting};
use crate::http::address::Address;

const AUTHORITY: &[u8] = include_bytes!("certificates/authority.der");
const SERVER: &[u8] = include_bytes!("certificates/server.der");
const SERVER_KEY: &[u8] = include_bytes!("certificates/server.key.der");

/// Well above what loopback needs.
const LIMIT: Duration = Duration::from_secs(20);

/// Answers one request after another, each over a connection of its own.
async fn serve(listener: TcpListener) -> io::Result<()> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let key = PrivateKeyDer::try_from(SERVER_KEY).unwrap();
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![CertificateDer::from(SERVER)], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    loop {
        let (stream, _) = listener.accept().await?;
        // A client that does not trust the certificate ends the handshake.
        let Ok(stream) = acceptor.accept(stream).await else { continue };
        let mut stream = BufReader::new(stream);
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            stream.read_line(&mut line).await?;
        }
        let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello";
        stream.write_all(answer).await?;
        stream.shutdown().await?;
    }
}

/// What the server of the tests says to a client that trusts `roots` and calls it `host`.
async fn said(address: SocketAddr, host: &str, roots: &[&'static [u8]]) -> Result<Bytes, String> {
    let base_url = format!("https://{host}:{}", address.port());
    let address = Address::new(Some(&base_url), "/x", None).unwrap();
    let tls = || {
        let mut store = RootCertStore::empty();
        store.add_parsable_certificates(roots.iter().map(|root| CertificateDer::from(*root)));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?;
        Ok(config.with_root_certificates(store).with_no_client_auth())
    };
    let client = trusting(&address, LIMIT, tls)?;
    let mut request = Request::new(Full::new(Bytes::new()));
    *request.uri_mut() = address.uri().clone();
    match tokio::time::timeout(LIMIT, client.request(request)).await.unwrap() {
        Ok(reply) => Ok(reply.into_body().collect().await.unwrap().to_bytes()),
        Err(error) => match problem(&error) {
            Problem::Other(message) => Err(message),
            Problem::ConnectTime => panic!("loopback is quicker"),
        },
    }
}

#[tokio::test]
async fn a_server_is_talked_to_if_its_certificate_is_trusted_and_names_it() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = tokio::spawn(serve(listener));

    assert_eq!(said(address, "127.0.0.1", &[AUTHORITY]).await.unwrap(), "hello");
    let unknown = said(address, "127.0.0.1", &[]).await.unwrap_err();
    assert!(unknown.contains("UnknownIssuer"), "{unknown}");
    let misnamed = said(address, "localhost", &[AUTHORITY]).await.unwrap_err();
    assert!(misnamed.contains("not valid for name"), "{misnamed}");
    server.abort();
}

/// The connection itself has an end: a server that accepts and then says nothing of TLS.
#[tokio::test(start_paused = true)]
async fn a_handshake_that_does_not_come_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let base_url = format!("https://{address}");
    let address = Address::new(Some(&base_url), "/x", None).unwrap();
    let tls = || {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?;
        Ok(config.with_root_certificates(RootCertStore::empty()).with_no_client_auth())
    };
    let client = trusting(&address, Duration::from_secs(10), tls).unwrap();
    let mut request = Request::new(Full::new(Bytes::new()));
    *request.uri_mut() = address.uri().clone();
    // The clock runs ahead while nothing happens: the wait ends whether the server accepts or not.
    let error = client.request(request).await.unwrap_err();
    assert!(matches!(problem(&error), Problem::ConnectTime), "{error:?}");
    drop(listener);
}
