//! `xc -p` needs nothing more than the variable of a key: from there to the provider's own address, name and route. Not here:
//! what the provider says.
//!
//! An HTTP proxy plays the network here: it hands each connection to the scripted model, behind TLS with a certificate that
//! has the names of all providers. Its authority was made by `openssl req` for this test, its key thrown away, and nobody
//! trusts it but the program that is told to.

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};

use llm::{Catalogue, Protocol};
use mock_model::{Dialect, MockModel, Reply};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tests::harness::StateDir;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use crate::fixture::{KEY, XC, ended};

const AUTHORITY: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/providers-tls/authority.pem");
const SERVER: &[u8] = include_bytes!("../../fixtures/providers-tls/server.der");
const SERVER_KEY: &[u8] = include_bytes!("../../fixtures/providers-tls/server.key.der");

/// Who was asked for, as the proxy saw it: `HOST:PORT`.
type Asked = Arc<Mutex<Vec<String>>>;

/// What a client that comes through a tunnel meets.
fn acceptor() -> TlsAcceptor {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let key = PrivateKeyDer::try_from(SERVER_KEY).unwrap();
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![CertificateDer::from(SERVER)], key)
        .unwrap();
    TlsAcceptor::from(Arc::new(config))
}

/// Leads one connection to the model.
async fn tunnel(stream: TcpStream, model: SocketAddr, asked: Asked) -> io::Result<()> {
    let mut stream = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if stream.read_line(&mut head).await? == 0 {
            return Ok(());
        }
    }
    let whom = head.strip_prefix("CONNECT ").and_then(|rest| rest.split(' ').next());
    asked.lock().unwrap().push(whom.unwrap_or(&head).to_owned());
    stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await?;
    let mut stream = acceptor().accept(stream).await?;
    copy_bidirectional(&mut stream, &mut TcpStream::connect(model).await?).await?;
    Ok(())
}

/// A network whose only server is the model. It ends with the test.
async fn network(model: &MockModel) -> (String, Asked) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let proxy = format!("http://{}", listener.local_addr().unwrap());
    let model = model.origin().strip_prefix("http://").unwrap().parse().unwrap();
    let asked = Asked::default();
    let seen = Arc::clone(&asked);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(tunnel(stream, model, Arc::clone(&seen)));
        }
    });
    (proxy, asked)
}

/// The headers in which a provider of each protocol wants its key.
const KEY_HEADERS: [(&str, &str); 3] =
    [("authorization", "Bearer "), ("x-api-key", ""), ("x-goog-api-key", "")];

/// Of each provider but `custom`, whose address is the user's to give: no settings, no option, one key.
#[tokio::test]
async fn a_key_in_its_variable_is_all_that_a_run_needs() {
    let providers = Catalogue::built_in().providers().iter();
    let mut reached = 0;
    for provider in providers.filter(|provider| provider.base_url.is_some()) {
        let name = provider.id.to_string();
        let mock = MockModel::local(Reply::Text("It is there.".into())).await.unwrap();
        if provider.protocol == Protocol::Chat {
            mock.set_dialect(Dialect::named(&name).unwrap());
        }
        let (proxy, asked) = network(&mock).await;
        let folder = StateDir::new().unwrap();
        let mut command = tests::xc::command(Path::new(XC), &["-p", "hello"], &folder, "");
        for variable in tests::xc::environment(&folder, "") {
            if variable.0.to_string_lossy().starts_with("OPENAI_COMPATIBLE") {
                command.env_remove(variable.0);
            }
        }
        // The network is the test's; the key is all that a user gives.
        command.env("HTTPS_PROXY", proxy).env("SSL_CERT_FILE", AUTHORITY);
        command.env(&provider.key_variable, KEY);
        let said = ended(command.spawn().unwrap()).await;
        assert_eq!(said.code, Some(0), "{name}: {}", said.err);
        assert_eq!(said.out, "It is there.\n", "{name}");

        let base_url = provider.base_url.as_ref().unwrap().strip_prefix("https://").unwrap();
        let (host, path) = base_url.split_once('/').unwrap_or((base_url, ""));
        let asked = asked.lock().unwrap();
        assert!(!asked.is_empty() && asked.iter().all(|whom| *whom == format!("{host}:443")));
        let requests = mock.requests();
        assert_eq!(requests.len(), 1, "{name}");
        let request = &requests[0];
        assert!(request.path.starts_with(&format!("/{path}")), "{name}: {}", request.path);
        let model = provider.default_model.as_ref().unwrap();
        let is_asked = request.json()["model"] == **model || request.path.contains(&**model);
        assert!(is_asked, "{name}: {model}");
        let mut keys = KEY_HEADERS.iter().filter_map(|(header, begin)| {
            request.header(header).and_then(|value| value.strip_prefix(begin))
        });
        assert_eq!((keys.next(), keys.next()), (Some(KEY), None), "{name}");
        reached += 1;
    }
    assert_eq!(reached, 8);
}
