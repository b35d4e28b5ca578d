//! Distinguishes text files from others by their bytes.

/// Known file types with their first bytes.
const KINDS: [(&[u8], &str); 21] = [
    (b"\x89PNG\r\n\x1a\n", "PNG image"),
    (b"\xff\xd8\xff", "JPEG image"),
    (b"GIF8", "GIF image"),
    (b"RIFF", "RIFF container (WebP, WAV or AVI)"),
    (b"\0\0\x01\0", "icon"),
    (b"%PDF-", "PDF document"),
    (b"PK\x03\x04", "ZIP archive (also office documents, JAR and APK)"),
    (b"\x1f\x8b", "gzip archive"),
    (b"BZh", "bzip2 archive"),
    (b"\xfd7zXZ\0", "xz archive"),
    (b"\x28\xb5\x2f\xfd", "zstd archive"),
    (b"7z\xbc\xaf\x27\x1c", "7z archive"),
    (b"\x7fELF", "ELF program or library"),
    (b"MZ", "Windows program or library"),
    (b"\xca\xfe\xba\xbe", "Java class or Mach-O program"),
    (b"\0asm", "WebAssembly module"),
    (b"SQLite format 3\0", "SQLite database"),
    (b"OggS", "Ogg media"),
    (b"ID3", "MP3 audio"),
    (b"\xff\xfe", "UTF-16 text (little endian)"),
    (b"\xfe\xff", "UTF-16 text (big endian)"),
];

const BOM: &str = "\u{feff}";

/// The content of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Content<'b> {
    /// UTF-8.
    Text(Text<'b>),
    /// Not text, with the name of its type.
    Binary(&'static str),
    /// Text in another encoding, or invalid text: with the line of the first invalid byte, from 1.
    NotUtf8 { line: usize },
}

/// The text of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Text<'b> {
    /// The byte order mark at its beginning; empty if there is none.
    pub(crate) bom: &'static str,
    /// The text after the byte order mark.
    pub(crate) body: &'b str,
}

/// Examines the bytes of a file.
pub(crate) fn content(bytes: &[u8]) -> Content<'_> {
    if bytes.contains(&0) {
        let kind = KINDS.iter().find(|(begin, _)| bytes.starts_with(begin));
        return Content::Binary(kind.map_or("unknown type", |(_, name)| name));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Content::Text(match text.strip_prefix(BOM) {
            Some(body) => Text { bom: BOM, body },
            None => Text { bom: "", body: text },
        }),
        Err(error) => {
            let before = &bytes[..error.valid_up_to()];
            match KINDS.iter().find(|(begin, _)| bytes.starts_with(begin)) {
                Some((_, kind)) => Content::Binary(kind),
                None => Content::NotUtf8 {
                    line: before.iter().filter(|byte| **byte == b'\n').count() + 1,
                },
            }
        }
    }
}

impl Content<'_> {
    /// The text, or a message to the model, with the path for display.
    pub(crate) fn text(&self, shown: &str, bytes: usize) -> Result<Text<'_>, String> {
        match self {
            Self::Text(text) => Ok(*text),
            Self::Binary(kind) => Err(format!("{shown} is binary: {bytes} bytes, {kind}.")),
            Self::NotUtf8 { line } => Err(format!(
                "{shown} is not UTF-8 text: {bytes} bytes, the first that does not fit is in line {line}. \
                 Convert it with shell (iconv) to read it."
            )),
        }
    }
}
