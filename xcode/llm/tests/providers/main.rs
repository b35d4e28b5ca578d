//! All nine provider ids, and the Responses protocol, over real sockets against the mock model. What
//! the catalogue and the pure rooms promise is here seen to arrive.

mod answers;
mod failures;
mod provider;
mod transport;
