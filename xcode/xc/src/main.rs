//! `xc`.

fn main() {}
