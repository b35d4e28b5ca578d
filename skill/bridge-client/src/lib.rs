//! How callers reach the daemon: one request, one typed answer.
