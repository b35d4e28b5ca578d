//! Checks the system for what the run guard needs; without the guard no command is run.

use supervise::Guard;

/// The oldest Linux on which the run guard works.
const OLDEST: (u32, u32) = (5, 3);

/// What is missing, and what does not work for that reason; none if nothing is missing.
pub(crate) fn missing() -> Option<String> {
    let system = rustix::system::uname();
    let release = system.release().to_string_lossy();
    if version(&release).is_some_and(|version| version < OLDEST) {
        let (major, minor) = OLDEST;
        return Some(format!(
            "Linux {release} is older than {major}.{minor}: shell commands cannot be run, because nothing \
             would end what they start"
        ));
    }
    let error = Guard::current_exe().err()?;
    Some(format!("/proc cannot be read ({error}): shell commands cannot be run"))
}

/// The first two numbers of a release such as `6.1.0-18-amd64`.
fn version(release: &str) -> Option<(u32, u32)> {
    let mut numbers = release.split(|character: char| !character.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::{OLDEST, missing, version};

    #[test]
    fn releases_are_compared_by_their_numbers() {
        for (release, is_older) in [
            ("4.19.0-27-amd64", true),
            ("5.2.21", true),
            ("5.3.0", false),
            ("5.15.0-1", false),
            ("6.18.1+", false),
        ] {
            assert_eq!(version(release).unwrap() < OLDEST, is_older, "{release}");
        }
        assert_eq!(version("unknown"), None);
    }

    #[test]
    fn here_nothing_is_missing() {
        assert_eq!(missing(), None);
    }
}
