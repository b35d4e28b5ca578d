//! The allocator: jemalloc, configured (in `.cargo/config.toml`) to return each page to the system as soon
//! as it is unused. After a thousand concurrent callers the daemon is then as small as before; with
//! the C library's allocator the pages stay, each held by a few small live allocations.
//!
//! Absent by design: background threads (the run guard's process must be single-threaded), and C code,
//! which keeps using the C library's allocator. Used on x86-64 only: elsewhere the page size may differ between the
//! machine that builds and the one that runs, and jemalloc would refuse to start.
//! machine that runs this than on the one that built it, and jemalloc would refuse to start.

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;
