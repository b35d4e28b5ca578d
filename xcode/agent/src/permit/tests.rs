//! The permissions, by the table of all modes, the gate's corpora, and what a model could try.
