//! Programs that the program under test can execute: files of its file system that contain native executables.
#![allow(unsafe_code)]

use std::collections::BTreeSet;
use std::ffi::CString;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use cleave_linux::{ProgramFile, world};

use crate::elf::{check_elf, loaded_length};
use crate::isolation::zygote::ProgramEntry;
use crate::{Error, isolation::stdin};

/// A program that the program under test can execute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NativeProgram {
    /// Its path in the file system of the test, without a slash in front.
    pub path: String,
    /// The native executable, as a file of this machine.
    pub executable: PathBuf,
}

/// The programs of a sandbox with their executables in memory.
#[derive(Debug, Default)]
pub(crate) struct Programs {
    /// The programs as the model knows them; an image is an index into `executables`.
    files: Vec<ProgramFile>,
    /// Files in memory, each with the part of an executable that is used when it runs.
    executables: Vec<OwnedFd>,
    /// The paths from the root, without a slash in front. A folder comes before its contents.
    paths: Vec<(CString, Option<usize>)>,
    /// Size of the programs in the file system, in bytes.
    size: u64,
}

impl Programs {
    /// Reads the executables.
    pub(crate) fn read(given: &[NativeProgram]) -> Result<Programs, Error> {
        let mut programs = Programs::default();
        let mut known: Vec<(&Path, u64)> = Vec::new();
        let mut folders = BTreeSet::new();
        for program in given {
            let found = known.iter().position(|(path, _)| *path == program.executable);
            let image = match found {
                Some(image) => image,
                None => {
                    let bytes = runnable(&program.executable)?;
                    programs.executables.push(stdin::sealed_file(&bytes)?);
                    known.push((&program.executable, bytes.len() as u64));
                    known.len() - 1
                }
            };
            programs.size += known[image].1.next_multiple_of(world::PAGE_SIZE);
            let above = program.path.match_indices('/').map(|(end, _)| program.path[..end].to_string());
            folders.extend(above);
            programs.files.push(ProgramFile { path: program.path.clone(), image: image as u32 });
        }
        let name = |path: &str| {
            CString::new(path).map_err(|_| Error::BadJob("a program's path contains a NUL byte".into()))
        };
        for folder in &folders {
            programs.paths.push((name(folder)?, None));
        }
        for file in &programs.files {
            programs.paths.push((name(&file.path)?, Some(file.image as usize)));
        }
        Ok(programs)
    }

    /// Returns true if there are no programs.
    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The programs as the model knows them.
    pub(crate) fn files(&self) -> &[ProgramFile] {
        &self.files
    }

    /// The executable of an image.
    pub(crate) fn executable(&self, image: u32) -> Option<&OwnedFd> {
        self.executables.get(image as usize)
    }

    /// The descriptors of all executables.
    pub(crate) fn descriptors(&self) -> impl Iterator<Item = libc::c_int> {
        self.executables.iter().map(AsRawFd::as_raw_fd)
    }

    /// Size of the programs in the file system, in bytes.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Entries for the helper process. They point into `self`.
    pub(crate) fn entries(&self) -> Vec<ProgramEntry> {
        let descriptor = |image: usize| self.executables[image].as_raw_fd();
        let entry = |(path, image): &(CString, Option<usize>)| ProgramEntry {
            path: path.as_ptr(),
            executable: image.map_or(-1, descriptor),
        };
        self.paths.iter().map(entry).collect()
    }
}

/// The part of an executable that is used when it runs. The rest, such as bitcode, would take room in each test's file system.
fn runnable(path: &Path) -> Result<Vec<u8>, Error> {
    let mut bytes = std::fs::read(path).map_err(|source| Error::Executable { path: path.into(), source })?;
    let wrong = |reason| Error::NotNative { path: path.into(), reason };
    check_elf(&bytes).map_err(wrong)?;
    bytes.truncate(loaded_length(&bytes).map_err(wrong)?);
    Ok(bytes)
}
