//! Read-only questions about one repository, answered from an index on disk.
