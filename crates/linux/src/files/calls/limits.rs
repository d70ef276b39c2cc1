//! Limits of growing files: the process's, and the room in the file system.

use crate::kernel::errno::{CallResult, EFBIG, ENOSPC, fail};
use crate::kernel::state::Call;

const SIGXFSZ: u32 = 25;

impl Call<'_> {
    /// The size in bytes beyond which the process may not write to a file.
    pub(crate) fn file_size_limit(&self) -> u64 {
        self.process().limits.get(&1).map_or(u64::MAX, |l| l.0).min(i64::MAX as u64)
    }

    /// Fails, with the signal that goes with it, if a file would have to be at least `size` bytes long and may not.
    pub(crate) fn check_file_size(&mut self, size: u64) -> CallResult<()> {
        if size > self.file_size_limit() {
            self.raise(SIGXFSZ);
            return fail(EFBIG);
        }
        Ok(())
    }

    /// Fails where the file system has not this many free pages.
    pub(crate) fn check_room(&self, pages: u64) -> CallResult<()> {
        if pages > 0 && self.fs().used_pages() + pages > self.fs().total_pages() {
            fail(ENOSPC)
        } else {
            Ok(())
        }
    }
}
