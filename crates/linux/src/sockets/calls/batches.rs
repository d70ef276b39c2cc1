//! Handlers that send or receive several messages in one call.

use crate::kernel::errno::{CallResult, EAGAIN, Fail, unsupported};
use crate::kernel::guest::Stop;
use crate::kernel::state::Call;
use crate::sockets::calls::messages::{DONTWAIT, recvmsg, sendmsg};

/// The size of a `struct mmsghdr`, and the offset of the message's length in it.
const SIZE: u64 = 64;
const LENGTH: u64 = 56;
/// The most messages that are sent at once.
const MOST: u64 = 1024;
const WAIT_FOR_ONE: u64 = 0x1_0000;

impl Call<'_> {
    /// A message is sent or received. The progress of its call must not reach the next one.
    fn one_more(&mut self, at: u64, len: u64) -> CallResult<()> {
        if self.process().thread.progress.is_some() {
            self.process_mut().thread.progress = None;
        }
        self.put(at.wrapping_add(LENGTH), &(len as u32).to_le_bytes())
    }
}

pub(crate) fn sendmmsg(call: &mut Call<'_>, [fd, messages, count, flags, ..]: [u64; 6]) -> CallResult {
    call.socket_of(fd)?;
    let count = u64::from(count as u32).min(MOST);
    for done in 0..count {
        let at = messages.wrapping_add(SIZE * done);
        let len: u64 = call.header(at)?.buffers.iter().map(|buffer| buffer.1).sum();
        let sent = match sendmsg(call, [fd, at, flags, 0, 0, 0]) {
            Err(Fail::Errno(_)) if done > 0 => return Ok(done),
            Err(Fail::Stop(Stop::Wait(_))) if done > 0 => {
                return unsupported("sendmmsg that waits behind its first message");
            }
            sent => sent?,
        };
        call.one_more(at, sent)?;
        if sent < len {
            return Ok(done + 1);
        }
    }
    Ok(count)
}

pub(crate) fn recvmmsg(
    call: &mut Call<'_>,
    [fd, messages, count, flags, timeout, _]: [u64; 6],
) -> CallResult {
    let patience = if timeout == 0 { None } else { Some(call.duration(timeout)?) };
    let (ino, _) = call.socket_of(fd)?;
    call.fail_as_told(ino)?;
    let (count, mut how) = (u64::from(count as u32), flags & !WAIT_FOR_ONE);
    for done in 0..count {
        let at = messages.wrapping_add(SIZE * done);
        let received = match recvmsg(call, [fd, at, how, 0, 0, 0]) {
            Err(Fail::Errno(EAGAIN)) if done > 0 => return Ok(done),
            // The next call is told.
            Err(Fail::Errno(errno)) if done > 0 => {
                call.socket_mut(ino)?.error = Some(errno);
                return Ok(done);
            }
            Err(Fail::Stop(Stop::Wait(_))) if done > 0 => {
                return unsupported("recvmmsg that waits behind its first message");
            }
            received => received?,
        };
        call.one_more(at, received)?;
        if flags & WAIT_FOR_ONE != 0 {
            how |= u64::from(DONTWAIT);
        }
        // It looks at the time only here.
        if patience == Some(0) {
            return Ok(done + 1);
        }
    }
    Ok(count)
}
