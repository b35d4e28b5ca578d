//! Claude Code's hook protocol, as it really is.
