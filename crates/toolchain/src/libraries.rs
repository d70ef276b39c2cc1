//! Libraries and objects that a link gets: found in the directories of the user and of musl and nowhere else, and
//! looked into for code that is no bitcode.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::ToolchainError;
use crate::arguments::{Arguments, InputKind, Part};
use crate::language::Language;
use crate::sysroot::Sysroot;

/// Libraries that every link has, whether or not it asks for them.
const ALWAYS_THERE: [&str; 5] = ["c", "crypt", "gcc", "gcc_eh", "ssp_nonshared"];
/// As [`ALWAYS_THERE`], of links of C++.
const OF_CXX: [&str; 6] = ["c++", "c++abi", "stdc++", "supc++", "unwind", "gcc_s"];

/// Returns true if every link of a language has the library.
pub(crate) fn is_always_there(language: Language, name: &OsStr) -> bool {
    let is = |list: &[&str]| list.iter().any(|known| name == *known);
    is(&ALWAYS_THERE) || language == Language::Cxx && is(&OF_CXX)
}

/// Folders in which Debian has libraries for its own C library. Nothing is linked from there.
const OF_THE_HOST: [&str; 5] =
    ["/usr/lib/x86_64-linux-gnu", "/lib/x86_64-linux-gnu", "/usr/lib", "/lib", "/usr/local/lib"];

/// Numbers of native and bitcode members of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Makeup {
    /// Members, or one, that are native objects.
    pub(crate) native: usize,
    /// Members, or one, that are bitcode.
    pub(crate) bitcode: usize,
}

fn count(head: &[u8], makeup: &mut Makeup) {
    if head.starts_with(b"\x7fELF") {
        makeup.native += 1;
    } else if head.starts_with(b"BC\xc0\xde") || head.starts_with(b"\xde\xc0\x17\x0b") {
        makeup.bitcode += 1;
    }
}

/// The members of an archive. What is broken is the linker's to tell.
fn archive(bytes: &[u8], beside: &Path, makeup: &mut Makeup) -> Option<()> {
    const HEADER: usize = 60;
    let thin = bytes.starts_with(b"!<thin>\n");
    let mut at = 8;
    let mut names: &[u8] = &[];
    while let Some(header) = bytes.get(at..at + HEADER) {
        let field =
            |range: std::ops::Range<usize>| std::str::from_utf8(&header[range]).ok().map(str::trim_end);
        let size: usize = field(48..58)?.parse().ok()?;
        let name = field(0..16)?;
        let inside = at + HEADER;
        let is_table = matches!(name, "/" | "//" | "/SYM64/");
        if name == "//" {
            names = bytes.get(inside..inside + size)?;
        }
        if thin && !is_table {
            let from = name.strip_prefix('/').and_then(|n| n.parse::<usize>().ok());
            let long = from.and_then(|n| names.get(n..)?.split(|b| *b == b'\n').next());
            let short = long.unwrap_or(name.as_bytes());
            let path = beside.join(OsStr::from_bytes(short.strip_suffix(b"/").unwrap_or(short)));
            count(&std::fs::read(path).ok()?, makeup);
            at = inside;
        } else {
            count(bytes.get(inside..inside.checked_add(size)?)?, makeup);
            at = inside + size + size % 2;
        }
    }
    Some(())
}

/// Counts the members of an object or archive; zero for a file of another kind, or a missing one.
pub(crate) fn makeup(path: &Path) -> Makeup {
    let mut makeup = Makeup { native: 0, bitcode: 0 };
    let bytes = std::fs::read(path).unwrap_or_default();
    if bytes.starts_with(b"!<arch>\n") || bytes.starts_with(b"!<thin>\n") {
        let _ = archive(&bytes, path.parent().unwrap_or(Path::new("")), &mut makeup);
    } else {
        count(&bytes, &mut makeup);
    }
    makeup
}

/// The file of `-lNAME`.
fn find(sysroot: &Sysroot, directories: &[&Path], name: &OsStr) -> Result<PathBuf, ToolchainError> {
    let mut file = OsString::from("lib");
    file.push(name);
    let mut shared = file.clone();
    file.push(".a");
    shared.push(".so");
    if let Some(exact) = name.as_bytes().strip_prefix(b":") {
        file = OsStr::from_bytes(exact).to_os_string();
    }
    let own = sysroot.lib("");
    let places = || directories.iter().copied().chain([sysroot.musl(), &own]);
    let there = |place: &Path, file: &OsStr| Some(place.join(file)).filter(|path| path.is_file());
    if let Some(path) = places().find_map(|place| there(place, &file)) {
        return Ok(path);
    }
    let why = if let Some(path) = places().find_map(|place| there(place, &shared)) {
        format!("`{}` is a shared library, and programs are static", path.display())
    } else if let Some(path) = OF_THE_HOST
        .iter()
        .find_map(|place| there(Path::new(place), &file).or_else(|| there(Path::new(place), &shared)))
    {
        format!("`{}` is native code for another C library", path.display())
    } else {
        "it is in no directory of `-L`".to_owned()
    };
    Err(ToolchainError::NoLibrary { file: file.to_string_lossy().into_owned(), why })
}

/// What a link gets that is no bitcode, one sentence each.
///
/// # Errors
/// [`ToolchainError::NoLibrary`] for a library that is not there.
pub(crate) fn without_bitcode(
    sysroot: &Sysroot,
    arguments: &Arguments,
) -> Result<Vec<String>, ToolchainError> {
    let directories: Vec<&Path> = arguments
        .parts
        .iter()
        .filter_map(|part| if let Part::Directory(path) = part { Some(path.as_path()) } else { None })
        .collect();
    let mut told = Vec::new();
    for part in &arguments.parts {
        let path = match part {
            Part::Input(path, InputKind::Object) => path.clone(),
            Part::Library(name) if !is_always_there(sysroot.language(), name) => {
                find(sysroot, &directories, name)?
            }
            _ => continue,
        };
        let inside = makeup(&path);
        if inside.native == 0 || path.starts_with(sysroot.musl()) || path.starts_with(sysroot.lib("")) {
            continue;
        }
        let how_much = match inside.bitcode {
            0 => "has no bitcode".to_owned(),
            more => format!("has {} objects without bitcode beside {more} with", inside.native),
        };
        let sentence = format!(
            "`{}` {how_much}: what calls its functions cannot be explored; build it with CC=\"cleave cc\"",
            path.display()
        );
        if !told.contains(&sentence) {
            told.push(sentence);
        }
    }
    Ok(told)
}
