//! The key that signs an approval: the public half, and the secret half encrypted by a passphrase: Argon2id (RFC
//! 9106) derives a key from the passphrase, XChaCha20-Poly1305 encrypts the Ed25519 seed with it. Not here: files,
//! terminals.

use argon2::{Algorithm, Argon2, Params, Version};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

/// The name of the algorithm in front of a public key.
const ALGORITHM: &str = "ed25519";
/// The version of the sealed form.
const VERSION: u32 = 1;
/// Argon2's memory cost, in KiB: 64 MiB, the second choice of RFC 9106.
const MEMORY_KIB: u32 = 64 << 10;
/// Argon2's number of passes.
const PASSES: u32 = 3;
/// Maximum accepted memory cost: a file must not be able to exhaust the machine.
const MEMORY_KIB_MAX: u32 = 1 << 20;
const PASSES_MAX: u32 = 16;
/// The length of a salt, in bytes.
const SALT: usize = 16;
/// The length of a nonce of XChaCha20-Poly1305, in bytes.
const NONCE: usize = 24;

/// Why a key cannot be made or used.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The text is not a key in this program's form.
    #[error("not a key of this program: {0}")]
    Form(&'static str),
    /// The encrypted form has a cost below the required or above the accepted one.
    #[error("its sealing takes {memory_kib} KiB and {passes} passes, which is out of bounds")]
    Cost {
        /// Argon2's memory cost, in KiB.
        memory_kib: u32,
        /// Argon2's time cost.
        passes: u32,
    },
    /// The passphrase is wrong.
    #[error("the passphrase is wrong")]
    Passphrase,
    /// The system gives no random bytes.
    #[error("the system gives no random bytes: {0}")]
    Random(#[source] getrandom::Error),
}

/// The key that verifies the user's approvals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

/// The signing key. Its memory is cleared when it is dropped.
pub struct SecretKey(SigningKey);

/// A secret key encrypted by a passphrase, as stored in a file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Sealed {
    version: u32,
    public: String,
    kdf: Kdf,
    cipher: Cipher,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Kdf {
    name: String,
    memory_kib: u32,
    passes: u32,
    salt: String,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Cipher {
    name: String,
    nonce: String,
    sealed: String,
}

impl PublicKey {
    /// Parses `ed25519 BASE64`; further text on the line is a comment.
    ///
    /// # Errors
    /// [`KeyError::Form`].
    pub fn parse(line: &str) -> Result<Self, KeyError> {
        let mut words = line.split_ascii_whitespace();
        if words.next() != Some(ALGORITHM) {
            return Err(KeyError::Form("a public key begins with `ed25519`"));
        }
        let bytes: [u8; 32] = decode(words.next().unwrap_or_default())?;
        let key = VerifyingKey::from_bytes(&bytes)
            .map_err(|_| KeyError::Form("the public key is no point of the curve"))?;
        if key.is_weak() {
            return Err(KeyError::Form("the public key is a weak one"));
        }
        Ok(Self(key))
    }

    /// The key in the format of [`PublicKey::parse`].
    pub fn line(&self) -> String {
        format!("{ALGORITHM} {}", STANDARD.encode(self.0.as_bytes()))
    }

    /// The first 128 bits of its SHA-256, in groups for comparison by people.
    pub fn fingerprint(&self) -> String {
        let digits = hex(&Sha256::digest(self.0.as_bytes())[..16]);
        let groups: Vec<&str> =
            (0..digits.len()).step_by(4).map(|at| &digits[at..at + 4]).collect();
        groups.join("-")
    }

    /// Whether this key signed the text. Malleable forms of a signature are refused.
    pub fn signed(&self, text: &str, signature: &str) -> bool {
        let Ok(bytes) = decode::<64>(signature) else { return false };
        self.0.verify_strict(text.as_bytes(), &Signature::from_bytes(&bytes)).is_ok()
    }
}

impl SecretKey {
    /// A new key.
    ///
    /// # Errors
    /// [`KeyError::Random`].
    pub fn generate() -> Result<Self, KeyError> {
        let seed = Zeroizing::new(random::<32>()?);
        Ok(Self(SigningKey::from_bytes(&seed)))
    }

    /// The half of the key that verifies.
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key())
    }

    /// Signs the text; the signature is in Base64.
    pub fn sign(&self, text: &str) -> String {
        STANDARD.encode(self.0.sign(text.as_bytes()).to_bytes())
    }

    /// Encrypts it with a passphrase.
    ///
    /// # Errors
    /// [`KeyError::Random`].
    pub fn seal(&self, passphrase: &str) -> Result<Sealed, KeyError> {
        let nonce = random::<NONCE>()?;
        let mut sealed = Sealed {
            version: VERSION,
            public: self.public().line(),
            kdf: Kdf {
                name: "argon2id".to_owned(),
                memory_kib: MEMORY_KIB,
                passes: PASSES,
                salt: STANDARD.encode(random::<SALT>()?),
            },
            cipher: Cipher {
                name: "xchacha20poly1305".to_owned(),
                nonce: STANDARD.encode(nonce),
                sealed: String::new(),
            },
        };
        let cipher = sealed.cipher(passphrase)?;
        let bound = sealed.bound();
        let payload = Payload { msg: self.0.as_bytes(), aad: bound.as_bytes() };
        let text = cipher
            .encrypt(&XNonce::from(nonce), payload)
            .map_err(|_| KeyError::Form("it cannot be sealed"))?;
        sealed.cipher.sealed = STANDARD.encode(text);
        Ok(sealed)
    }
}

impl Sealed {
    /// Parses the encrypted form.
    ///
    /// # Errors
    /// [`KeyError::Form`] and [`KeyError::Cost`]: a form with a lower cost is not accepted.
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        let sealed: Self =
            serde_json::from_str(text).map_err(|_| KeyError::Form("the sealed key is damaged"))?;
        if sealed.version != VERSION {
            return Err(KeyError::Form("the sealed key has another version"));
        }
        if sealed.kdf.name != "argon2id" || sealed.cipher.name != "xchacha20poly1305" {
            return Err(KeyError::Form("the sealed key names other algorithms"));
        }
        let Kdf { memory_kib, passes, .. } = sealed.kdf;
        if !(MEMORY_KIB..=MEMORY_KIB_MAX).contains(&memory_kib)
            || !(PASSES..=PASSES_MAX).contains(&passes)
        {
            return Err(KeyError::Cost { memory_kib, passes });
        }
        Ok(sealed)
    }

    /// The text in the format of [`Sealed::parse`].
    pub fn text(&self) -> String {
        let text = serde_json::to_string_pretty(self).expect("texts and numbers are JSON");
        text + "\n"
    }

    /// Its public key, as stated in the text.
    ///
    /// # Errors
    /// [`KeyError::Form`].
    pub fn public(&self) -> Result<PublicKey, KeyError> {
        PublicKey::parse(&self.public)
    }

    /// Decrypts it.
    ///
    /// # Errors
    /// [`KeyError::Passphrase`] if the passphrase is wrong or the form was modified.
    pub fn open(&self, passphrase: &str) -> Result<SecretKey, KeyError> {
        let nonce: [u8; NONCE] = decode(&self.cipher.nonce)?;
        let sealed = STANDARD
            .decode(&self.cipher.sealed)
            .map_err(|_| KeyError::Form("the sealed key is no base64"))?;
        let bound = self.bound();
        let payload = Payload { msg: &sealed, aad: bound.as_bytes() };
        let opened = self
            .cipher(passphrase)?
            .decrypt(&XNonce::from(nonce), payload)
            .map_err(|_| KeyError::Passphrase)?;
        let opened = Zeroizing::new(opened);
        let seed: &[u8; 32] =
            opened[..].try_into().map_err(|_| KeyError::Form("the secret key is no seed"))?;
        let key = SecretKey(SigningKey::from_bytes(seed));
        if self.public()? != key.public() {
            return Err(KeyError::Form("the secret key belongs to another public key"));
        }
        Ok(key)
    }

    fn cipher(&self, passphrase: &str) -> Result<XChaCha20Poly1305, KeyError> {
        let salt: [u8; SALT] = decode(&self.kdf.salt)?;
        let Kdf { memory_kib, passes, .. } = self.kdf;
        let cost = |_| KeyError::Cost { memory_kib, passes };
        let params = Params::new(memory_kib, passes, 1, Some(32)).map_err(cost)?;
        let mut key = Zeroizing::new([0_u8; 32]);
        Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
            .hash_password_into(passphrase.as_bytes(), &salt, &mut *key)
            .map_err(cost)?;
        Ok(XChaCha20Poly1305::new((&*key).into()))
    }

    /// Associated data of the encryption: changing the public key or the costs makes decryption fail.
    fn bound(&self) -> String {
        let Kdf { name, memory_kib, passes, salt } = &self.kdf;
        format!(
            "codex-bridge approver key {}\n{}\n{name} {memory_kib} {passes} {salt}\n",
            self.version, self.public
        )
    }
}

/// Random bytes of the system.
///
/// # Errors
/// [`KeyError::Random`].
pub(super) fn random<const LENGTH: usize>() -> Result<[u8; LENGTH], KeyError> {
    let mut bytes = [0; LENGTH];
    getrandom::fill(&mut bytes).map_err(KeyError::Random)?;
    Ok(bytes)
}

fn decode<const LENGTH: usize>(text: &str) -> Result<[u8; LENGTH], KeyError> {
    let bytes = STANDARD.decode(text).map_err(|_| KeyError::Form("a part is no base64"))?;
    bytes.try_into().map_err(|_| KeyError::Form("a part has another length"))
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::{KeyError, PublicKey, Sealed, SecretKey};

    #[test]
    fn only_the_passphrase_opens_the_key_and_only_the_key_signs() {
        let key = SecretKey::generate().unwrap();
        let sealed = Sealed::parse(&key.seal("four words of mine").unwrap().text()).unwrap();
        assert!(!sealed.text().contains("four words"));
        assert!(matches!(sealed.open("four words of mine "), Err(KeyError::Passphrase)));
        let opened = sealed.open("four words of mine").unwrap();
        assert_eq!(opened.public(), key.public());

        let public = PublicKey::parse(&key.public().line()).unwrap();
        let signature = opened.sign("text");
        assert!(public.signed("text", &signature));
        assert!(!public.signed("texts", &signature));
        assert!(!public.signed("text", ""));
        assert!(!SecretKey::generate().unwrap().public().signed("text", &signature));
        assert_eq!(public.fingerprint().len(), 39);
    }

    #[test]
    fn a_key_that_was_changed_or_made_cheap_does_not_open() {
        let sealed = SecretKey::generate().unwrap().seal("four words of mine").unwrap();
        let other = SecretKey::generate().unwrap().public().line();
        let text = sealed.text();
        let swapped = text.replace(&sealed.public, &other);
        assert_ne!(swapped, text);
        let swapped = Sealed::parse(&swapped).unwrap();
        assert!(matches!(swapped.open("four words of mine"), Err(KeyError::Passphrase)));
        for (from, to) in [
            ("\"memory_kib\": 65536", "\"memory_kib\": 8192"),
            ("\"memory_kib\": 65536", "\"memory_kib\": 4000000000"),
            ("\"passes\": 3", "\"passes\": 1"),
            ("\"passes\": 3", "\"passes\": 4000000000"),
            ("argon2id", "argon2i"),
            ("xchacha20poly1305", "none"),
            ("\"version\": 1", "\"version\": 2"),
            ("{", "["),
        ] {
            let changed = text.replacen(from, to, 1);
            assert_ne!(changed, text, "{from}");
            assert!(Sealed::parse(&changed).is_err(), "{from} -> {to}");
        }
    }

    #[test]
    fn what_is_no_key_is_refused() {
        // The neutral element: anyone can make signatures that verify with it.
        let weak = "ed25519 AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
        for line in ["", "ed25519", "ed25519 x", "rsa AAAA", "ed25519 AAAA", weak] {
            assert!(PublicKey::parse(line).is_err(), "{line}");
        }
    }
}
