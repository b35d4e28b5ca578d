//! TLS by rustls with ring, and the system's trusted roots. Not here: connections.

use std::sync::{Arc, LazyLock};

use hyper_rustls::ConfigBuilderExt as _;
use rustls::ClientConfig;

/// The trusted roots, shared by the process: reading them takes milliseconds.
static TLS: LazyLock<Result<ClientConfig, String>> = LazyLock::new(|| {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_native_roots()
        .map_err(|error| format!("no trusted certificates on this system: {error}"))?;
    Ok(config.with_no_client_auth())
});

/// The TLS client configuration of this process: with the system's trusted roots, and without a client certificate.
///
/// # Errors
/// The system has no trusted certificates; the reason as text.
pub fn tls_config() -> Result<ClientConfig, String> {
    TLS.clone()
}
