//! The async runtime: one thread, started only by the commands that need it.

use std::future::Future;

use host::streams;

use crate::exit::Exit;

/// Runs `future` until it completes.
///
/// # Errors
/// [`Exit::Internal`] when the runtime cannot be created; the reason is printed on standard error.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> Result<T, Exit> {
    match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => Ok(runtime.block_on(future)),
        Err(error) => {
            streams::note(&format!("xc: no runtime: {error}"));
            Err(Exit::Internal)
        }
    }
}
