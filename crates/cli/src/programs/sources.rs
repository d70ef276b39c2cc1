//! Source files by the names that debug information has for them.

use std::path::{Path, PathBuf};

/// Maximum size of a source that is shown, in bytes.
const LARGEST: u64 = 1 << 20;

/// Folders in which sources are looked for.
pub struct Sources {
    folders: Vec<PathBuf>,
}

impl Sources {
    /// In these folders, then beside the program and up to three folders above it, then here.
    pub fn new(asked: &[PathBuf], program: &Path) -> Sources {
        let above = program.parent().into_iter().flat_map(Path::ancestors).take(4).map(Path::to_path_buf);
        Sources { folders: asked.iter().cloned().chain(above).chain([PathBuf::new()]).collect() }
    }

    /// The lines of a file, if it is found and not too large.
    pub fn lines(&self, name: &str) -> Option<Vec<String>> {
        read(&self.file(name)?)
    }

    /// Path of a file, found by its whole name, or in one of the folders by its name or an end of it.
    pub fn file(&self, name: &str) -> Option<PathBuf> {
        let named = Path::new(name);
        if named.is_absolute() && named.is_file() {
            return Some(named.to_path_buf());
        }
        let parts: Vec<_> =
            named.components().filter(|c| matches!(c, std::path::Component::Normal(_))).collect();
        let ends = (0..parts.len()).map(|from| parts[from..].iter().collect::<PathBuf>());
        let whole = std::iter::once(named.to_path_buf()).chain(ends);
        whole
            .flat_map(|end| self.folders.iter().map(move |folder| folder.join(&end)))
            .find(|file| file.is_file())
    }
}

fn read(file: &Path) -> Option<Vec<String>> {
    let size = std::fs::metadata(file).ok().filter(std::fs::Metadata::is_file)?.len();
    let bytes = if size <= LARGEST { std::fs::read(file).ok()? } else { return None };
    Some(String::from_utf8_lossy(&bytes).lines().map(String::from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_found_by_ends_of_their_names() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("project/src");
        std::fs::create_dir_all(&place).unwrap();
        std::fs::write(place.join("a.c"), "one\ntwo\n").unwrap();
        let lines = Some(vec!["one".to_string(), "two".into()]);
        let beside = Sources::new(&[], &folder.path().join("project/build/prog"));
        let asked = Sources::new(&[folder.path().join("project")], Path::new("prog"));
        for (sources, name) in [
            (&beside, "src/a.c"),
            (&beside, "../src/a.c"),
            (&asked, "../../elsewhere/src/a.c"),
            (&asked, "/gone/src/a.c"),
        ] {
            assert_eq!(sources.lines(name), lines, "{name}");
        }
        assert_eq!(asked.lines("src/b.c"), None);
        assert_eq!(asked.lines("src"), None);
        assert_eq!(asked.file("/gone/src/a.c"), Some(place.join("a.c")));
    }
}
