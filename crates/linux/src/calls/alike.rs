//! Numbers that a call tells apart as little as Linux does: lengths that are more than there is to be read, and places behind the end
//! of a file. The engine asks before it decides the value of an argument.

use std::rc::Rc;

use cleave_expr::Term;

use crate::calls::table::nr;
use crate::files::descriptions::OpenFile;
use crate::files::inode::Inode;
use crate::kernel::state::Kernel;

/// Numbers behind this one are not alike: sums with positions could be too large.
const GREATEST: u64 = i64::MAX as u64 / 2;

/// Numbers of an argument, plus `base`, that do the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alike {
    /// Added to the number.
    pub base: u64,
    /// The first of them. It stands for all.
    pub from: u64,
    /// The last of them.
    pub to: u64,
}

impl Kernel {
    /// The numbers that are alike in an argument of a call, by its index from 0. Arguments that the call takes into account are
    /// known: the descriptor, `whence` of `lseek`, the offset of `pread`. `None` if all numbers are different.
    pub fn alike(&self, number: u64, i: usize, args: &[u64; 6]) -> Option<Alike> {
        let (file, inode) = self.file_and_inode(args[0])?;
        let (base, from) = match (number, i) {
            (nr::READ, 2) => (0, inode.bytes_behind(file.position)?),
            (nr::PREAD64, 2) if inode.has_positions() && args[3] <= GREATEST => {
                (0, inode.bytes_behind(args[3])?)
            }
            (nr::PREAD64, 3) if inode.has_positions() => (0, inode.bytes_behind(0)?),
            (nr::LSEEK, 1) if inode.has_positions() => {
                let end = inode.bytes_behind(0)?;
                match args[2] as u32 {
                    0 => (0, end + 1),
                    1 if file.far.is_none() => (file.position, end + 1),
                    2 if inode.has_known_size() => (end, end + 1),
                    _ => return None,
                }
            }
            _ => return None,
        };
        (base.max(from).max(file.position) <= GREATEST).then_some(Alike { base, from, to: GREATEST })
    }

    /// Notes that a seek has led to a place behind the end of a file that depends on the input.
    pub fn seeks_far(&mut self, fd: u64, place: Term) {
        let file = self.process.key(fd as i32).and_then(|key| Rc::make_mut(&mut self.files).get_mut(key));
        if let Ok(file) = file {
            file.far = Some(place);
        }
    }

    /// The place that `lseek(fd, 0, SEEK_CUR)` tells, if it is behind the end of the file and depends on the input.
    pub fn far_position(&self, number: u64, args: &[u64; 6]) -> Option<Term> {
        let is_asked = number == nr::LSEEK && args[1] == 0 && args[2] as u32 == 1;
        self.file_and_inode(args[0]).filter(|_| is_asked)?.0.far
    }

    fn file_and_inode(&self, fd: u64) -> Option<(&OpenFile, &Inode)> {
        let file = self.files.get(self.process.key(fd as i32).ok()?).ok()?;
        Some((file, self.fs.inode(file.ino).ok()?))
    }
}
