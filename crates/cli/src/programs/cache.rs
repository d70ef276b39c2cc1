//! Loaded programs on disk, so that a program that was loaded before needs no LLVM: a file for each, in
//! `$XDG_CACHE_HOME/cleave` or `~/.cache/cleave`, or in the folder that `CLEAVE_CACHE` names; empty, it keeps nothing.
//!
//! A file is called after what went into loading: the bitcode, the options, and the Cleave that loads. It begins with a hash of
//! its contents, so a damaged one counts as none. A folder that cannot be used costs time only, so it is no error.

use std::ffi::OsString;
use std::fs::File;
use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sha2::{Digest, Sha256};

use crate::process::executable;

/// Bytes of all files together. The image of a C program takes one to five megabytes, of a C++ program with streams forty.
const MOST_BYTES: u64 = 512 << 20;
/// Length of the hash that a file begins with.
const HASH: usize = 32;
/// Ending of the files.
const ENDING: &str = "image";

/// Place of one loaded program.
pub(crate) struct Entry {
    folder: PathBuf,
    file: PathBuf,
}

impl Entry {
    /// The entry of what comes of bitcode and the arguments of `cleave load`. `None` if nothing is kept.
    pub(crate) fn of(bitcode: &[u8], arguments: &[String]) -> Option<Entry> {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let folder = match std::env::var_os("CLEAVE_CACHE") {
            Some(folder) => Some(folder).filter(|folder| !folder.is_empty()).map(PathBuf::from)?,
            None => folder_of_user(set("XDG_CACHE_HOME"), set("HOME"))?,
        };
        Some(Entry::in_folder(folder, &executable::identity()?, bitcode, arguments))
    }

    fn in_folder(folder: PathBuf, loader: &str, bitcode: &[u8], arguments: &[String]) -> Entry {
        let mut hash = Sha256::new();
        for part in std::iter::once(loader).chain(arguments.iter().map(String::as_str)) {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        hash.update(bitcode);
        let name: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        let file = folder.join(name).with_extension(ENDING);
        Entry { folder, file }
    }

    /// The contents of the file, if it is whole. It counts as used now.
    pub(crate) fn read(&self) -> Option<Vec<u8>> {
        let mut bytes = std::fs::read(&self.file).ok()?;
        let contents = bytes.get(HASH..)?;
        if Sha256::digest(contents)[..] != bytes[..HASH] {
            return None;
        }
        bytes.drain(..HASH);
        if let Ok(file) = File::open(&self.file) {
            let _ = file.set_modified(SystemTime::now());
        }
        Some(bytes)
    }

    /// Keeps it. The files that were not used for longest make room.
    pub(crate) fn write(&self, contents: &[u8]) {
        if contents.len() as u64 <= MOST_BYTES && self.try_to_write(contents).is_ok() {
            make_room(&self.folder, MOST_BYTES);
        }
    }

    fn try_to_write(&self, contents: &[u8]) -> std::io::Result<()> {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(&Sha256::digest(contents))?;
        file.write_all(contents)?;
        file.persist(&self.file)?;
        Ok(())
    }
}

fn folder_of_user(cache: Option<OsString>, home: Option<OsString>) -> Option<PathBuf> {
    let cache = cache.map(PathBuf::from).or_else(|| home.map(|home| Path::new(&home).join(".cache")));
    cache.filter(|cache| cache.is_absolute()).map(|cache| cache.join("cleave"))
}

/// Removes files until all together have at most so many bytes.
fn make_room(folder: &Path, most: u64) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut files: Vec<(SystemTime, u64, PathBuf)> = entries
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let data = path.metadata().ok().filter(|_| path.extension().is_some_and(|e| e == ENDING))?;
            Some((data.modified().ok()?, data.len(), path))
        })
        .collect();
    files.sort();
    let mut all: u64 = files.iter().map(|(_, size, _)| size).sum();
    for (_, size, path) in files {
        if all <= most {
            break;
        }
        if std::fs::remove_file(path).is_ok() {
            all -= size;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn entry(folder: &Path, loader: &str, bitcode: &str, arguments: &[&str]) -> Entry {
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        Entry::in_folder(folder.join("cleave"), loader, bitcode.as_bytes(), &arguments)
    }

    #[test]
    fn only_the_same_bitcode_options_and_cleave_find_it() {
        let folder = tempfile::tempdir().unwrap();
        let kept = entry(folder.path(), "1", "bitcode", &["a", "b"]);
        assert_eq!(kept.read(), None);
        kept.write(b"image");
        assert_eq!(kept.read().unwrap(), b"image");
        for other in
            [("2", "bitcode", ["a", "b"]), ("1", "bitcodf", ["a", "b"]), ("1", "bitcode", ["ab", ""])]
        {
            assert_eq!(entry(folder.path(), other.0, other.1, &other.2).read(), None, "{other:?}");
        }
    }

    #[test]
    fn a_damaged_file_is_none_and_is_written_anew() {
        let folder = tempfile::tempdir().unwrap();
        let kept = entry(folder.path(), "1", "bitcode", &[]);
        kept.write(b"image");
        let bytes = std::fs::read(&kept.file).unwrap();
        for damaged in [&bytes[..bytes.len() - 1], &bytes[..7], &[&bytes[..], b"!"].concat(), b""] {
            std::fs::write(&kept.file, damaged).unwrap();
            assert_eq!(kept.read(), None);
        }
        kept.write(b"image");
        assert_eq!(kept.read().unwrap(), b"image");
    }

    #[test]
    fn what_was_not_used_for_longest_makes_room() {
        let folder = tempfile::tempdir().unwrap();
        let all = ["a", "b", "c"].map(|name| entry(folder.path(), "1", name, &[]));
        for (i, kept) in all.iter().enumerate() {
            kept.write(b"image");
            let long_ago = SystemTime::now() - Duration::from_secs(100 - i as u64);
            File::open(&kept.file).unwrap().set_modified(long_ago).unwrap();
        }
        std::fs::write(all[0].folder.join("of another"), [0; 1000]).unwrap();
        assert!(all[0].read().is_some());
        make_room(&all[0].folder, 2 * (HASH as u64 + 5));
        assert_eq!(all.each_ref().map(|kept| kept.read().is_some()), [true, false, true]);
        assert!(all[0].folder.join("of another").exists());
    }

    #[test]
    fn the_folder_is_the_users_cache() {
        let folder = |cache: &str, home: &str| {
            let set = |value: &str| (!value.is_empty()).then(|| value.into());
            folder_of_user(set(cache), set(home)).map(|path| path.to_str().unwrap().to_string())
        };
        assert_eq!(folder("/c", "/h").unwrap(), "/c/cleave");
        assert_eq!(folder("", "/h").unwrap(), "/h/.cache/cleave");
        assert_eq!((folder("", ""), folder("c", "/h"), folder("", "h")), (None, None, None));
    }
}
