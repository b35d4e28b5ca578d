//! A repository in a temporary folder, with its index beside it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use code_intel::tools::index_status::{IndexStatus, index_status};
use code_intel::tools::search::{Mode, SearchRequest, Snippets, search};
use code_intel::{Answer, Deadline, Engine, Item, RepoRoot, View};
use tempfile::TempDir;

pub(crate) struct Repository {
    folder: TempDir,
}

/// Long enough for any machine.
pub(crate) fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(120))
}

impl Repository {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let repository = Self { folder: TempDir::new().unwrap() };
        fs::create_dir(repository.path()).unwrap();
        files.iter().for_each(|(path, text)| repository.write(path, text));
        repository
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("repository")
    }

    pub(crate) fn cache(&self) -> PathBuf {
        self.folder.path().join("cache")
    }

    pub(crate) fn outside(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn engine(&self) -> Engine {
        Engine::new(RepoRoot::at(&self.path()).unwrap(), self.cache())
    }

    pub(crate) fn view(&self) -> View {
        self.engine().view(&soon()).unwrap()
    }

    pub(crate) fn ask(&self, query: &str, mode: Option<Mode>) -> Answer<Item> {
        let query = query.to_owned();
        let request = SearchRequest { query, mode, limit: 50, snippets: Snippets::Shown };
        search(&self.engine(), &request, &soon()).unwrap()
    }

    /// The paths of what is found, each once, best first.
    pub(crate) fn found(&self, query: &str, mode: Option<Mode>) -> Vec<String> {
        let mut paths = Vec::new();
        for item in self.ask(query, mode).items {
            if !paths.contains(&item.path) {
                paths.push(item.path);
            }
        }
        paths
    }

    /// Where a name is defined: `path:line`.
    pub(crate) fn defined(&self, name: &str) -> Vec<String> {
        let view = self.view();
        let graph = code_intel::Graph::new(&view);
        let place = |id| {
            let definition = graph.definition(id);
            format!("{}:{}", view.file(definition.file).path, definition.start_line)
        };
        let mut places: Vec<String> = graph.named(name).into_iter().map(place).collect();
        places.sort();
        places
    }

    pub(crate) fn status(&self) -> IndexStatus {
        index_status(&self.engine(), &soon()).unwrap().items.remove(0)
    }

    /// The files of the index.
    pub(crate) fn index_files(&self) -> Vec<PathBuf> {
        let folder = fs::read_dir(self.cache()).unwrap().next().unwrap().unwrap().path();
        let mut files: Vec<PathBuf> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files
    }

    /// The file of the index whose name has this ending.
    pub(crate) fn index_file(&self, ending: &str) -> PathBuf {
        let files = self.index_files();
        files.into_iter().find(|file| file.to_str().unwrap().ends_with(ending)).unwrap()
    }
}
