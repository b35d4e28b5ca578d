//! Writes every page with demo data into a folder, for the browser tests and for inspection:
//! `cargo run --package window --example pages -- FOLDER`. Below `hostile`, each text of others is replaced by each
//! hostile one.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use window::{Frame, Lang, Live, Viewer, asset};

#[path = "../../tests/pages/corpus.rs"]
mod corpus;
#[path = "../../tests/pages/sample.rs"]
mod sample;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(env::args_os().nth(1).ok_or("which folder?")?);
    let harmless = |text: &str| text.to_owned();
    for lang in [Lang::En, Lang::Zh] {
        write_pages(&folder, lang.tag(), lang, &harmless)?;
    }
    let unseen = corpus::UNSEEN.iter().map(|(text, _)| *text);
    let hostile: Vec<&str> = corpus::CORPUS.iter().copied().chain(unseen).collect();
    write_pages(&folder, "hostile", Lang::En, &|_| hostile.join(" "))
}

fn write_pages(
    folder: &Path,
    name: &str,
    lang: Lang,
    texts: sample::Texts<'_>,
) -> Result<(), Box<dyn Error>> {
    let form_token = |path: &str| format!("token of {path}");
    let waits = sample::waits(texts);
    let (viewer, now_ms) = (Viewer::User, sample::NOW_MS);
    let frame = Frame { lang, path: "/", now_ms, viewer, waits: &waits, form_token: &form_token };
    let guest = Frame { viewer: Viewer::Guest, ..frame };
    let below = folder.join(name);
    fs::create_dir_all(&below)?;
    for (name, html) in sample::pages(texts, &frame, &guest) {
        fs::write(below.join(name).with_extension("html"), &html)?;
        write_assets(folder, &html)?;
    }
    let runs = sample::live(texts);
    let queue = sample::now(texts).queue;
    let live = Live { version: 17, queue, runs: &runs };
    fs::write(below.join("live.json"), live.data(lang, now_ms + 5_000))?;
    Ok(())
}

fn write_assets(folder: &Path, html: &str) -> Result<(), Box<dyn Error>> {
    let names = html.split("\"/window/assets/").skip(1).filter_map(|rest| rest.split('"').next());
    for asset in names.filter_map(asset) {
        fs::write(folder.join(&asset.name), asset.bytes)?;
    }
    Ok(())
}
