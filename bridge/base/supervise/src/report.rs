//! Reports of the guard to the daemon: five bytes each, a tag and a number.

use crate::end::Exit;

/// Length of an encoded report in bytes.
const LENGTH: usize = 5;

/// One message from the guard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Report {
    /// The program runs; its process id in its own namespace.
    Started(i32),
    /// The program has ended, but some of its descendants are left; sent before [`Report::Ended`].
    Left,
    /// The program ended.
    Ended(Exit),
    /// The namespace is empty, and the guard ends with this code.
    Empty(i32),
    /// The working directory could not be entered, with the error number.
    Directory(i32),
    /// The program could not be executed, with the error number.
    Program(i32),
    /// The program could not be confined, with the error number.
    Confine(i32),
    /// The guard failed before the program was tried, with the error number.
    Guard(i32),
    /// The guard's executable is another build with another protocol.
    OtherBuild,
}

impl Report {
    pub(crate) fn encode(self) -> [u8; LENGTH] {
        let (tag, number) = match self {
            Self::Started(pid) => (b'S', pid),
            Self::Left => (b'L', 0),
            Self::Ended(Exit::Code(code)) => (b'C', code),
            Self::Ended(Exit::Signal(signal)) => (b'K', signal),
            Self::Empty(code) => (b'E', code),
            Self::Directory(errno) => (b'D', errno),
            Self::Program(errno) => (b'P', errno),
            Self::Confine(errno) => (b'F', errno),
            Self::Guard(errno) => (b'G', errno),
            Self::OtherBuild => (b'B', 0),
        };
        let [a, b, c, d] = number.to_le_bytes();
        [tag, a, b, c, d]
    }

    fn decode([tag, number @ ..]: [u8; LENGTH]) -> Option<Self> {
        let number = i32::from_le_bytes(number);
        Some(match tag {
            b'S' => Self::Started(number),
            b'L' => Self::Left,
            b'C' => Self::Ended(Exit::Code(number)),
            b'K' => Self::Ended(Exit::Signal(number)),
            b'E' => Self::Empty(number),
            b'D' => Self::Directory(number),
            b'P' => Self::Program(number),
            b'F' => Self::Confine(number),
            b'G' => Self::Guard(number),
            b'B' => Self::OtherBuild,
            _ => return None,
        })
    }
}

/// Assembles reports from the received bytes.
#[derive(Debug, Default)]
pub(crate) struct Reports {
    /// Bytes of an incomplete report.
    partial: Vec<u8>,
}

impl Reports {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.partial.extend_from_slice(bytes);
    }

    /// The next complete report; invalid ones are skipped.
    pub(crate) fn next(&mut self) -> Option<Report> {
        loop {
            let report = *self.partial.first_chunk::<LENGTH>()?;
            self.partial.drain(..LENGTH);
            if let Some(report) = Report::decode(report) {
                return Some(report);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_report_survives_the_wire_in_single_bytes() {
        let sent = [
            Report::Started(7),
            Report::Left,
            Report::Ended(Exit::Code(-1)),
            Report::Ended(Exit::Signal(9)),
            Report::Empty(137),
            Report::Directory(20),
            Report::Program(2),
            Report::Confine(38),
            Report::Guard(i32::MAX),
            Report::OtherBuild,
        ];
        let mut reports = Reports::default();
        let mut got = Vec::new();
        for byte in sent.iter().flat_map(|report| report.encode()) {
            reports.push(&[byte]);
            got.extend(reports.next());
        }
        assert_eq!(got, sent);
    }
}
