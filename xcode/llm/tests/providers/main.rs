//! All nine provider ids, and the Responses protocol, over real sockets with the mock model: the behaviour
//! of the catalogue and of the protocol modules end to end.

mod answers;
mod failures;
mod provider;
mod transport;
