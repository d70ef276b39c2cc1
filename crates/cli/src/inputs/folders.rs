//! Folders of the host that a program finds in its file system (`--fs`): reads them, and makes sure by digests that all
//! processes of a run have read the same.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use cleave_linux::env::{EnvSpec, FilesSpec, FolderSpec, file_name};
use cleave_linux::{TreeEntry, TreeNode};
use cleave_replay::sha256;

use crate::failure::Failure;

/// The most bytes of all folders of a run: half of the program's file system.
const MOST_BYTES: u64 = 8 << 20;
/// The most entries of all folders of a run: half of the inodes there are.
const MOST_ENTRIES: usize = 2000;
/// The permissions of directories that are made so that a folder has a place.
const WAY_MODE: u32 = 0o755;

/// Folders and their contents.
type Read = (Vec<FolderSpec>, Arc<Vec<TreeEntry>>);

/// A program's arguments with the digest of each folder, as a run keeps them.
///
/// # Errors
/// If a folder cannot be read, or holds an entry that the model does not have.
pub fn sealed(arguments: &[OsString]) -> Result<Vec<OsString>, Failure> {
    let mut all = Vec::new();
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let Some(given) = matches!(word.to_str(), Some("--fs" | "-fs")).then(|| rest.next()).flatten() else {
            all.push(word.clone());
            continue;
        };
        let line = ["--fs".into(), given.clone()];
        let mut spec = EnvSpec::parse(OsStr::new("program"), &line).map_err(Failure::usage)?;
        let entries = of_all(&mut spec)?;
        let Some(FolderSpec { folder, at, .. }) = spec.folders.first() else { continue };
        let place = [folder.as_os_str().as_bytes(), b":", at.as_os_str().as_bytes()].concat();
        all.extend(["--fs-digest".into(), digest(&entries).into(), OsString::from_vec(place)]);
    }
    Ok(all)
}

/// Reads the folders of an environment. Their contents are kept: all tests of a run read them once.
///
/// # Errors
/// If one cannot be read, is not as it was when the run began, or hides another file.
pub fn load(spec: &mut EnvSpec) -> Result<(), Failure> {
    static READ: Mutex<Option<Read>> = Mutex::new(None);
    if spec.folders.is_empty() {
        return Ok(());
    }
    let mut read = READ.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let entries = match read.as_ref() {
        Some((folders, entries)) if *folders == spec.folders => entries.clone(),
        _ => Arc::new(of_all(spec)?),
    };
    *read = Some((spec.folders.clone(), entries.clone()));
    let count = spec.files.or(spec.tree).map_or(0, |FilesSpec { count, .. }| count);
    if let Some(name) = (0..count).map(file_name).find(|n| entries.iter().any(|e| e.path == n.as_bytes())) {
        return Err(Failure::usage(format!(
            "--fs puts {name} where the symbolic file {name} is; give another place, as --fs DIR:/data"
        )));
    }
    spec.entries = entries;
    Ok(())
}

fn of_all(spec: &mut EnvSpec) -> Result<Vec<TreeEntry>, Failure> {
    let mut all = Vec::new();
    for folder in &spec.folders {
        let entries = read(folder)?;
        if folder.digest.as_ref().is_some_and(|known| *known != digest(&entries)) {
            return Err(Failure::new(format!(
                "the folder {} is not as it was when the run began, so its paths would be others; put it back as it was, \
                 or start a new run",
                folder.folder.display()
            )));
        }
        for entry in entries {
            match all.iter().find(|known: &&TreeEntry| known.path == entry.path) {
                None => all.push(entry),
                Some(known) if known.node == TreeNode::Directory && entry.node == TreeNode::Directory => {}
                Some(_) => {
                    return Err(Failure::usage(format!(
                        "two folders of --fs have {}; give one of them another place, as --fs DIR:/data",
                        entry.path.escape_ascii()
                    )));
                }
            }
        }
    }
    let bytes =
        |entry: &TreeEntry| if let TreeNode::File(data) = &entry.node { data.len() as u64 } else { 0 };
    let total: u64 = all.iter().map(bytes).sum();
    if total > MOST_BYTES || all.len() > MOST_ENTRIES {
        return Err(too_large(Path::new("the folders of --fs together"), total, all.len()));
    }
    Ok(all)
}

fn too_large(what: &Path, bytes: u64, entries: usize) -> Failure {
    Failure::new(format!(
        "--fs: {} has {entries} entries and {bytes} bytes, but the program's file system has room for {MOST_ENTRIES} entries \
         and {MOST_BYTES} bytes; give a smaller folder",
        what.display()
    ))
}

/// Entries of a folder: directories before their contents, the names of each in the order of their bytes.
fn read(spec: &FolderSpec) -> Result<Vec<TreeEntry>, Failure> {
    let mut all = Vec::new();
    let names: Vec<&OsStr> = spec.at.iter().filter(|name| *name != "/").collect();
    let way = |depth: usize| names[..depth].iter().collect::<PathBuf>().into_os_string().into_vec();
    for depth in 1..names.len() {
        all.push(TreeEntry { path: way(depth), node: TreeNode::Directory, mode: WAY_MODE, time: None });
    }
    let top = std::fs::metadata(&spec.folder).map_err(|e| unreadable(&spec.folder, &e))?;
    if !top.is_dir() {
        return Err(Failure::usage(format!("--fs: {} is no folder; name a folder", spec.folder.display())));
    }
    let place = way(names.len());
    if !place.is_empty() {
        all.push(entry(place.clone(), TreeNode::Directory, &top));
    }
    let mut room = MOST_BYTES;
    add(&spec.folder, &place, &mut room, &mut all)?;
    Ok(all)
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!(
        "--fs: cannot read {}: {error}; make it readable, or name another folder",
        path.display()
    ))
}

fn entry(path: Vec<u8>, node: TreeNode, metadata: &std::fs::Metadata) -> TreeEntry {
    let mode = if matches!(node, TreeNode::Link(_)) { 0o777 } else { metadata.mode() & 0o777 };
    let nanoseconds = u32::try_from(metadata.mtime_nsec()).unwrap_or(0);
    TreeEntry { path, node, mode, time: Some((metadata.mtime(), nanoseconds)) }
}

/// Adds the contents of `folder` of the host, at `place` of the program's file system.
fn add(folder: &Path, place: &[u8], room: &mut u64, all: &mut Vec<TreeEntry>) -> Result<(), Failure> {
    let listed = std::fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let mut names: Vec<OsString> =
        listed.map_err(|e| unreadable(folder, &e))?.iter().map(std::fs::DirEntry::file_name).collect();
    names.sort_unstable();
    for name in names {
        let from = folder.join(&name);
        let separator: &[u8] = if place.is_empty() { b"" } else { b"/" };
        let to = [place, separator, name.as_bytes()].concat();
        let metadata = std::fs::symlink_metadata(&from).map_err(|e| unreadable(&from, &e))?;
        let kind = metadata.file_type();
        if all.len() >= MOST_ENTRIES || kind.is_file() && metadata.len() > *room {
            return Err(too_large(folder, MOST_BYTES - *room + metadata.len(), all.len() + 1));
        }
        let node = if kind.is_dir() {
            TreeNode::Directory
        } else if kind.is_symlink() {
            let target = std::fs::read_link(&from).map_err(|e| unreadable(&from, &e))?;
            TreeNode::Link(target.into_os_string().into_vec())
        } else if kind.is_file() {
            let data = std::fs::read(&from).map_err(|e| unreadable(&from, &e))?;
            *room = room.saturating_sub(data.len() as u64);
            TreeNode::File(data.into())
        } else {
            return Err(Failure::new(format!(
                "--fs: {} is a device, a pipe or a socket, which the program's file system has not; remove it, or name \
                 another folder",
                from.display()
            )));
        };
        all.push(entry(to.clone(), node, &metadata));
        if kind.is_dir() {
            add(&from, &to, room, all)?;
        }
    }
    Ok(())
}

/// Digest of the contents, with permissions and times, in hexadecimal.
fn digest(entries: &[TreeEntry]) -> String {
    let mut text = Vec::new();
    let mut part = |bytes: &[u8]| {
        text.extend((bytes.len() as u64).to_le_bytes());
        text.extend(bytes);
    };
    for entry in entries {
        let (kind, data) = match &entry.node {
            TreeNode::Directory => (b"d", &[][..]),
            TreeNode::File(data) => (b"f", &data[..]),
            TreeNode::Link(target) => (b"l", &target[..]),
            TreeNode::Nothing => (b"n", &[][..]),
        };
        part(&entry.path);
        part(kind);
        part(data);
        part(&entry.mode.to_le_bytes());
        let (seconds, nanoseconds) = entry.time.unwrap_or_default();
        part(&seconds.to_le_bytes());
        part(&nanoseconds.to_le_bytes());
    }
    sha256(&text).iter().map(|byte| format!("{byte:02x}")).collect()
}
