//! Style sheet, script and icon of the pages: one file each, named by a digest of its content, so that a browser may
//! cache them forever.

use std::sync::LazyLock;

use sha2::{Digest as _, Sha256};

/// A file that pages refer to. Its content never changes under its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asset {
    /// Its name below `/window/assets/`, such as `window-0123456789abcdef.css`.
    pub name: String,
    /// Its content type.
    pub content_type: &'static str,
    /// Its content.
    pub bytes: &'static [u8],
}

/// The names that are used in pages.
pub(crate) struct Names {
    pub(crate) css: &'static str,
    pub(crate) js: &'static str,
    pub(crate) icon: &'static str,
}

const FILES: [(&str, &str, &str, &str); 3] = [
    ("window", "css", "text/css; charset=utf-8", include_str!("../assets/window.css")),
    ("window", "js", "text/javascript; charset=utf-8", include_str!("../assets/window.js")),
    ("icon", "svg", "image/svg+xml", include_str!("../assets/icon.svg")),
];

static ASSETS: LazyLock<[Asset; 3]> = LazyLock::new(|| {
    FILES.map(|(stem, ending, content_type, text)| {
        let digest = Sha256::digest(text.as_bytes());
        let hash: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        Asset { name: format!("{stem}-{hash}.{ending}"), content_type, bytes: text.as_bytes() }
    })
});

/// The file of this name; `None` if no page uses the name.
#[must_use]
pub fn asset(name: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.name == name)
}

pub(crate) fn names() -> Names {
    let [css, js, icon] = &*ASSETS;
    Names { css: &css.name, js: &js.name, icon: &icon.name }
}

#[cfg(test)]
mod tests {
    use super::{ASSETS, asset};

    #[test]
    fn each_file_has_its_content_in_its_name_and_keeps_to_its_budget() {
        let bounds = [12 * 1024, 8 * 1024, 1024];
        for (file, bound) in ASSETS.iter().zip(bounds) {
            assert_eq!(asset(&file.name), Some(file));
            assert!(file.bytes.len() <= bound, "{}: {} bytes", file.name, file.bytes.len());
        }
        assert_eq!(asset("window.css"), None);
    }
}
