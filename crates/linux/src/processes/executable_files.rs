//! Makes the files of programs that can be executed.

use cleave_memory::Byte;

use crate::env::world;
use crate::files::fs::{Fs, ROOT};
use crate::files::inode::{Directory, FileNode, Ino, Name, Time};
use crate::kernel::errno::Fail;
use crate::processes::execution::ProgramFile;

impl Fs {
    /// Makes the file of a program, and the folders above it.
    pub(crate) fn make_program(&mut self, file: &ProgramFile, now: Time) -> Result<(), Fail> {
        let name = |part: &str| -> Name { part.bytes().map(Byte::Known).collect() };
        let (folders, last) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
        let mut at = ROOT;
        for folder in folders.split('/').filter(|folder| !folder.is_empty()) {
            at = match self.named(at, &name(folder))? {
                Some(ino) => ino,
                None => {
                    let node = FileNode::Directory(Directory { parent: at, entries: Vec::new() });
                    let ino = self.create(at, node, world::FOLDER_MODE, now)?;
                    self.enter(at, name(folder), ino, now)?;
                    ino
                }
            };
        }
        let ino = self.create(at, FileNode::Program(file.image), world::PROGRAM_MODE, now)?;
        self.enter(at, name(last), ino, now)
    }

    /// The entry of a directory with this name, all of which is known.
    fn named(&self, directory: Ino, name: &Name) -> Result<Option<Ino>, Fail> {
        let entries = &self.directory(directory)?.entries;
        Ok(entries.iter().find(|entry| entry.name == *name).map(|entry| entry.ino))
    }
}
