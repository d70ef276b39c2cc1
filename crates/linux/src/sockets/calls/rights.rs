//! Descriptors that go through sockets of `AF_UNIX` (`SCM_RIGHTS`): a message holds the open file descriptions, and its receiver
//! gets new descriptors for them.

use crate::kernel::errno::*;
use crate::kernel::state::{Call, Handed};

const SOL_SOCKET: u32 = 1;
const SCM_RIGHTS: u32 = 1;
/// The size of a `struct cmsghdr`.
const HEAD: u64 = 16;
/// The most descriptors in a message.
const MOST: u64 = 253;
/// More was sent than there is room for.
const CTRUNC: u32 = 8;

fn aligned(len: u64) -> u64 {
    len.next_multiple_of(8)
}

impl Call<'_> {
    /// The keys of the descriptors that a message's control data name.
    pub(crate) fn given_rights(&mut self, at: u64, len: u64, unix: bool) -> CallResult<Vec<u32>> {
        let (mut keys, mut done) = (Vec::new(), 0);
        if at == 0 {
            return Ok(keys);
        }
        while done + HEAD <= len {
            let head = at.wrapping_add(done);
            let size = self.long(head)?;
            if size < HEAD || size > len - done {
                return fail(EINVAL);
            }
            let level = self.word(head.wrapping_add(8), 4)? as u32;
            let what = self.word(head.wrapping_add(12), 4)? as u32;
            match (level, what) {
                (SOL_SOCKET, SCM_RIGHTS) if !unix => {}
                (SOL_SOCKET, SCM_RIGHTS) => {
                    let count = (size - HEAD) / 4;
                    if keys.len() as u64 + count > MOST {
                        return fail(EINVAL);
                    }
                    for i in 0..count {
                        let fd = self.word(head.wrapping_add(HEAD + 4 * i), 4)?;
                        let key = self.process().key(fd as u32 as i32)?;
                        keys.push(key);
                        self.kernel.handed.push(Handed { key, fd, sends: true, closes: false });
                    }
                }
                _ if !unix || level == SOL_SOCKET => {
                    return unsupported("a message that carries more than bytes and descriptors");
                }
                // Others are no business of these sockets.
                _ => {}
            }
            done += aligned(size);
        }
        Ok(keys)
    }

    /// Gives descriptors for the open files that came with a message, and writes them into its control data. Returns the flags of
    /// the message and the length of the control data.
    pub(crate) fn take_rights(
        &mut self,
        keys: Vec<u32>,
        (at, len): (u64, u64),
        close_on_exec: bool,
    ) -> CallResult<(u32, u64)> {
        let room = if at == 0 { 0 } else { len.saturating_sub(HEAD) / 4 };
        let count = keys.len() as u64;
        let mut fds = Vec::new();
        for key in keys {
            if fds.len() as u64 / 4 == room {
                self.kernel.release(key);
                continue;
            }
            // A process with too many descriptors gets no more.
            if let Ok(fd) = self.install_held(key, 0, close_on_exec) {
                self.kernel.handed.push(Handed { key, fd, sends: false, closes: close_on_exec });
                fds.extend((fd as u32).to_le_bytes());
            }
        }
        let given = fds.len() as u64 / 4;
        let flags = if given < count { CTRUNC } else { 0 };
        if given == 0 {
            return Ok((flags, 0));
        }
        let size = HEAD + 4 * given;
        let mut bytes = size.to_le_bytes().to_vec();
        bytes.extend(SOL_SOCKET.to_le_bytes());
        bytes.extend(SCM_RIGHTS.to_le_bytes());
        bytes.extend(fds);
        self.put(at, &bytes)?;
        Ok((flags, aligned(size).min(len)))
    }
}
