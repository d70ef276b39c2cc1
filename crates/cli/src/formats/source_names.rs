//! Names of source files as other tools find them.

use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::programs::sources::Sources;

/// Finds source files, and names those below the working directory by their relative paths.
pub(super) struct Places {
    sources: Sources,
    here: PathBuf,
}

impl Places {
    /// For a run of this program.
    pub(super) fn new(sources: Sources) -> Result<Places, Failure> {
        let here = std::env::current_dir().map_err(|e| {
            Failure::new(format!("cannot tell the working directory: {e}; go to another one"))
        })?;
        Ok(Places { sources, here })
    }

    /// The working directory.
    pub(super) fn here(&self) -> &Path {
        &self.here
    }

    /// Path of the file that debug information calls `name`, without `..` and links; `None` if it is not found.
    fn found(&self, name: &str) -> Option<PathBuf> {
        self.sources.file(name)?.canonicalize().ok()
    }

    /// The way to a file from the working directory, if it is below that.
    pub(super) fn below(&self, name: &str) -> Option<String> {
        Some(self.found(name)?.strip_prefix(&self.here).ok()?.display().to_string())
    }

    /// The absolute path of a file; its name, where it is not found.
    pub(super) fn whole(&self, name: &str) -> String {
        self.found(name).map_or_else(|| name.to_string(), |file| file.display().to_string())
    }
}

/// A path as the path of a URI.
pub(super) fn uri(path: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~/".contains(&b);
    path.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_has_no_sign_that_means_something() {
        assert_eq!(uri("/a b/ü#?.c"), "/a%20b/%C3%BC%23%3F.c");
    }
}
