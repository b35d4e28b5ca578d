//! The approver: a key, encrypted by a passphrase, that authenticates the user's approvals. The
//! passphrase is the one thing that no process of the user can obtain by itself. Approvals and what they
//! cover are in `review`.

mod files;
mod key;
mod passphrase;
mod statement;

use rustix::process::geteuid;

pub use files::{FileError, Files, PINNED, pin, read_of_user};
pub(crate) use key::hex;
pub use key::{KeyError, PublicKey, Sealed, SecretKey};
pub use passphrase::{Unread, ask, ask_for_new, of_stdin};
pub use statement::{Moment, Statement, Stretch, nonce};

use files::{Agreed, Memory, Readers, read_of_root, read_own, write};

/// Number of wrong passphrases after which further attempts are locked out.
const WRONG_MAX: u32 = 5;
/// Duration of the lockout, in milliseconds.
const LOCKED_MS: u64 = 15 * 60 * 1000;

/// The approver of one user.
#[derive(Debug)]
pub struct Approver {
    files: Files,
}

/// Which public key is valid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyState {
    /// There is no approver.
    Absent,
    /// This key.
    Known {
        /// The key that verifies signatures.
        key: PublicKey,
        /// How it is trusted.
        by: Voucher,
    },
    /// A file exists that cannot be trusted: no signature is valid until this is fixed.
    Broken(String),
}

/// How a public key is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Voucher {
    /// By root: `/etc/codex-bridge/approver.pub`.
    Root,
    /// By the user's own files.
    User,
}

/// Why the key could not be decrypted.
#[derive(Debug, thiserror::Error)]
pub enum Locked {
    /// There is no key.
    #[error("there is no approver: `court approver init`, at a terminal, makes one")]
    Absent,
    /// Locked out after too many wrong passphrases.
    #[error("too many wrong passphrases: none is tried before {}", crate::clock::text(*until_ms))]
    Out {
        /// End of the lockout, in milliseconds since 1970.
        until_ms: u64,
    },
    /// The passphrase is wrong.
    #[error("the passphrase is wrong; {left} more and none is tried for 15 minutes")]
    Wrong {
        /// Number of attempts left.
        left: u32,
    },
    /// The key does not belong to the valid public key.
    #[error("the key does not belong to the public key that counts here")]
    Foreign,
    /// A file cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// The key cannot be used.
    #[error(transparent)]
    Key(#[from] KeyError),
}

impl Approver {
    /// An approver with these files; nothing is read yet.
    pub fn new(files: Files) -> Self {
        Self { files }
    }

    /// Where its files lie.
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// The valid public key: root's, else the one that the user agreed to.
    pub fn standing(&self) -> KeyState {
        match self.pinned() {
            Ok(Some(key)) => return KeyState::Known { key, by: Voucher::Root },
            Ok(None) => {}
            Err(why) => return KeyState::Broken(why),
        }
        self.of_user()
    }

    /// The public key that would be valid without root's.
    pub fn of_user(&self) -> KeyState {
        let broken = |error: &dyn std::fmt::Display| KeyState::Broken(error.to_string());
        let public = match read_own(&self.files.public, Readers::All) {
            Ok(public) => public,
            Err(error) => return broken(&error),
        };
        let memory = match self.files.memory() {
            // Wrong passphrases may have been counted before a key was agreed to.
            Ok(memory) => memory.filter(|memory| !memory.believed.is_empty()),
            Err(error) => return broken(&error),
        };
        let (public, memory) = match (public, memory) {
            (None, None) => return KeyState::Absent,
            (Some(public), Some(memory)) => (public, memory),
            (Some(_), None) => {
                let path = self.files.public.display();
                return KeyState::Broken(format!(
                    "{path} was not agreed to here; `court approver init` asks for its passphrase"
                ));
            }
            (None, Some(_)) => {
                let path = self.files.public.display();
                return KeyState::Broken(format!("{path} is gone"));
            }
        };
        match (PublicKey::parse(&public), PublicKey::parse(&memory.believed)) {
            (Ok(key), Ok(believed)) if key == believed => {
                KeyState::Known { key, by: Voucher::User }
            }
            (Ok(key), Ok(believed)) => KeyState::Broken(format!(
                "{} has the key {}, and the passphrase of {} did not agree to it",
                self.files.public.display(),
                key.fingerprint(),
                believed.fingerprint()
            )),
            (Err(error), _) | (_, Err(error)) => broken(&error),
        }
    }

    /// Root's key for this user: the line with the user's `uid=N`, else the one without.
    fn pinned(&self) -> Result<Option<PublicKey>, String> {
        let text = read_of_root(&self.files.pinned).map_err(|error| error.to_string())?;
        let Some(text) = text else { return Ok(None) };
        let own = format!("uid={}", geteuid().as_raw());
        let mut for_all = None;
        for line in
            text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
        {
            let path = self.files.pinned.display();
            let key = PublicKey::parse(line).map_err(|error| format!("{path}: {error}"))?;
            match line.split_ascii_whitespace().find(|word| word.starts_with("uid=")) {
                Some(word) if word == own => return Ok(Some(key)),
                Some(_) => {}
                None => for_all = Some(key),
            }
        }
        Ok(for_all)
    }

    /// Decrypts the valid key.
    ///
    /// # Errors
    /// [`Locked`].
    pub fn signer(&self, passphrase: &str, now: &Moment) -> Result<SecretKey, Locked> {
        let KeyState::Known { key, .. } = self.standing() else { return Err(Locked::Absent) };
        if self.sealed()?.ok_or(Locked::Absent)?.public()? != key {
            return Err(Locked::Foreign);
        }
        self.open(passphrase, now)
    }

    /// Decrypts the existing key, valid or not. Each attempt is counted before the passphrase is checked,
    /// so that killing this process does not save an attempt.
    ///
    /// # Errors
    /// [`Locked`].
    pub fn open(&self, passphrase: &str, now: &Moment) -> Result<SecretKey, Locked> {
        let _lock = self.files.lock()?;
        let sealed = self.sealed()?.ok_or(Locked::Absent)?;
        // If no key was agreed to yet, wrong passphrases are counted from here on.
        let memory = self.files.memory()?;
        let mut memory = match memory {
            Some(memory) => memory,
            None => Memory::of(String::new(), now.ms, None),
        };
        if let Some(locked) = memory.locked.take_if(|locked| locked.may_last(now)) {
            return Err(Locked::Out { until_ms: locked.until_ms });
        }
        let before = memory.clone();
        memory.wrong += 1;
        if memory.wrong >= WRONG_MAX {
            memory.locked = Some(Stretch::from(now, LOCKED_MS));
        }
        let left = WRONG_MAX.saturating_sub(memory.wrong);
        if memory.wrong >= WRONG_MAX {
            memory.wrong = 0;
        }
        self.files.remember(&memory)?;
        match sealed.open(passphrase) {
            Ok(key) => {
                self.files.remember(&Memory { wrong: 0, locked: None, ..before })?;
                Ok(key)
            }
            Err(KeyError::Passphrase) if left == 0 => {
                let until_ms = memory.locked.map_or(now.ms, |locked| locked.until_ms);
                Err(Locked::Out { until_ms })
            }
            Err(KeyError::Passphrase) => Err(Locked::Wrong { left }),
            Err(error) => {
                self.files.remember(&before)?;
                Err(error.into())
            }
        }
    }

    /// The key that the user agreed to, independent of the current public key.
    ///
    /// # Errors
    /// The memory file cannot be used.
    pub fn believed(&self) -> Result<Option<PublicKey>, Locked> {
        let memory = self.files.memory()?.filter(|memory| !memory.believed.is_empty());
        Ok(memory.map(|memory| PublicKey::parse(&memory.believed)).transpose()?)
    }

    /// The encrypted key; `None` if there is none.
    ///
    /// # Errors
    /// It exists but cannot be used.
    pub fn sealed(&self) -> Result<Option<Sealed>, Locked> {
        match read_own(&self.files.key, Readers::Owner)? {
            Some(text) => Ok(Some(Sealed::parse(&text)?)),
            None => Ok(None),
        }
    }

    /// Makes a new key, encrypted by a passphrase, the valid one. An old one signs it;
    /// the caller has decrypted it.
    ///
    /// # Errors
    /// A file cannot be written. The public key is written last: until then the old one is valid.
    pub fn make(
        &self,
        passphrase: &str,
        old: Option<&SecretKey>,
        now: &Moment,
    ) -> Result<PublicKey, Locked> {
        let _lock = self.files.lock()?;
        let key = SecretKey::generate()?;
        let sealed = key.seal(passphrase)?;
        write(&self.files.key, &sealed.text(), 0o600)?;
        self.agree_locked(&key, old, now)?;
        Ok(key.public())
    }

    /// Trusts the existing key: its passphrase decrypted it.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn agree(&self, key: &SecretKey, now: &Moment) -> Result<(), Locked> {
        let _lock = self.files.lock()?;
        self.agree_locked(key, None, now)
    }

    fn agree_locked(
        &self,
        key: &SecretKey,
        old: Option<&SecretKey>,
        now: &Moment,
    ) -> Result<(), Locked> {
        let public = key.public().line();
        let agreed = old.map(|old| Agreed {
            by: old.public().line(),
            signature: old.sign(&format!("codex-bridge approver 1\nkey {public}\n")),
        });
        self.files.remember(&Memory::of(public.clone(), now.ms, agreed))?;
        write(&self.files.public, &format!("{public} codex-bridge approver\n"), 0o644)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
