//! TLS by rustls with ring, and the roots that the system trusts. Absent: connections.

use std::sync::{Arc, LazyLock};

use hyper_rustls::ConfigBuilderExt as _;
use rustls::ClientConfig;

/// One set of trusted roots for the process: reading them takes milliseconds.
static TLS: LazyLock<Result<ClientConfig, String>> = LazyLock::new(|| {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_native_roots()
        .map_err(|error| format!("no trusted certificates on this system: {error}"))?;
    Ok(config.with_no_client_auth())
});

/// How this process speaks TLS to servers: with the system's trusted roots, and without a certificate of its own.
///
/// # Errors
/// In words, if the system has no trusted certificates.
pub fn tls_config() -> Result<ClientConfig, String> {
    TLS.clone()
}
