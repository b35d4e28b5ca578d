//! The two ways to isolate the processes of a run.

/// How the processes of a run are isolated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isolation {
    /// A PID namespace: the kernel kills what is left when the run ends or its guard dies.
    PidNamespace,
    /// The guard adopts orphans and kills them: for systems that forbid user namespaces.
    Subreaper,
}

impl Isolation {
    /// The name used in logs.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PidNamespace => "pid_namespace",
            Self::Subreaper => "subreaper",
        }
    }
}
