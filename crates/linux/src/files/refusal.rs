//! Files that may refuse to be opened: the refusal is an input, decided at the first access that needs it.

use cleave_memory::Byte;

use crate::files::inode::{Ino, READING, WRITING};
use crate::kernel::errno::CallResult;
use crate::kernel::state::Call;

/// The permission bits of a file with these refusals.
pub(crate) fn mode_without(mode: u32, refused: u8) -> u32 {
    let reading = if refused & READING != 0 { 0o444 } else { 0 };
    let writing = if refused & WRITING != 0 { 0o222 } else { 0 };
    mode & !(reading | writing)
}

impl Call<'_> {
    /// Returns true if the process may read (4), write (2), execute or search (1) an inode, all that `wanted` has.
    pub(crate) fn may(&mut self, ino: Ino, wanted: u32) -> CallResult<bool> {
        if !self.allows(ino, wanted)? {
            return Ok(false);
        }
        let reading = if wanted & 4 != 0 { READING } else { 0 };
        let writing = if wanted & 2 != 0 { WRITING } else { 0 };
        Ok(!self.refuses(ino, reading | writing)?)
    }

    /// The permission bits of an inode.
    pub(crate) fn mode(&mut self, ino: Ino) -> CallResult<u32> {
        let mut refused = 0;
        for what in [READING, WRITING] {
            if self.refuses(ino, what)? {
                refused |= what;
            }
        }
        Ok(mode_without(self.inode(ino)?.mode, refused))
    }

    /// Returns true if a file refuses any of `what`.
    fn refuses(&mut self, ino: Ino, what: u8) -> CallResult<bool> {
        let may = what & self.kernel.spec.refusing;
        let refused = match self.inode(ino)?.refused {
            Byte::Known(refused) => return Ok(refused & what != 0),
            Byte::Symbolic(_) if may == 0 => return Ok(false),
            Byte::Symbolic(refused) => refused,
        };
        let terms = self.guest.terms();
        let (mask, zero) = (terms.constant_of(8, may.into()), terms.constant_of(8, 0));
        let looked_at = terms.and(refused, mask);
        let refuses = terms.ne(looked_at, zero);
        Ok(self.guest.decide(refuses)?)
    }
}
