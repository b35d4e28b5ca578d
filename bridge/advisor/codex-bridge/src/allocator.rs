//! The allocator: jemalloc, set (in `.cargo/config.toml`) to give each page back to the system as soon
//! as nothing is on it. A crowd of a thousand callers then leaves the daemon as small as it was; with
//! the C library's allocator its pages stay, each held by some small thing that is still of use.
//!
//! Absent by design: threads of its own (the run guard's process must have one alone), and C code,
//! which goes on with the C library's. Elsewhere than on x86-64 a page may have another size on the
//! machine that runs this than on the one that built it, and jemalloc would refuse to start.

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;
