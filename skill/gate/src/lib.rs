//! What a tool call would do, and its level. Pure: no I/O, no host.
