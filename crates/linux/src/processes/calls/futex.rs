//! `futex`: waiting for a word of memory, and waking the threads that wait.

use std::rc::Rc;

use crate::env::world::{START_SECONDS, UPTIME_SECONDS};
use crate::kernel::errno::{CallResult, EAGAIN, EINVAL, ETIMEDOUT, Fail, fail, unsupported};
use crate::kernel::state::{Call, Kernel};
use crate::processes::futexes::{Key, Waiter};
use crate::processes::threads::Progress;

const PRIVATE: u64 = 0x80;
const REALTIME: u64 = 0x100;
const ALL: u32 = u32::MAX;

impl Kernel {
    /// The key by which threads wait for the word at an address of the running process.
    pub(crate) fn futex_key(&self, address: u64, private: bool) -> Key {
        let process = &self.process;
        if !private
            && let Some((start, shared)) = process.shared.range(..=address).next_back()
            && address - start < shared.size
        {
            return Key::Shared { number: shared.number, offset: address - start };
        }
        Key::Own { pid: process.pid, address, private }
    }

    /// Returns true if a thread waits for a futex and has not been woken.
    pub(crate) fn is_queued(&self, tid: u64) -> bool {
        self.futexes.iter().any(|waiter| waiter.tid == tid)
    }

    /// Threads that do not wait for a futex any more.
    pub(crate) fn leave_futexes(&mut self, who: impl Fn(&Waiter) -> bool) {
        if self.futexes.iter().any(&who) {
            Rc::make_mut(&mut self.futexes).retain(|waiter| !who(waiter));
        }
    }

    /// Wakes threads that wait for a word, those first that have waited longest: how many.
    pub(crate) fn wake_futex(&mut self, key: Key, most: u32, bits: u32) -> u64 {
        let mut woken = 0;
        if self.futexes.iter().any(|waiter| waiter.key == key) {
            Rc::make_mut(&mut self.futexes).retain(|waiter| {
                let wakes = waiter.key == key && waiter.bits & bits != 0 && woken < u64::from(most);
                woken += u64::from(wakes);
                !wakes
            });
        }
        woken
    }

    /// Has threads that wait for a word wait for another one, behind those who do already: how many.
    fn move_futex(&mut self, from: Key, to: Key, most: u32) -> u64 {
        let waiters = Rc::make_mut(&mut self.futexes);
        let mut moved = Vec::new();
        waiters.retain(|&waiter| {
            let moves = waiter.key == from && moved.len() < most as usize;
            if moves {
                moved.push(Waiter { key: to, ..waiter });
            }
            !moves
        });
        waiters.extend_from_slice(&moved);
        moved.len() as u64
    }
}

impl Call<'_> {
    /// As [`Kernel::futex_key`]. Natively the mappings are the machine's.
    fn key_of_word(&self, address: u64, private: bool) -> Key {
        let shared = if private { None } else { self.guest.shared_word(address) };
        match shared {
            Some((number, offset)) => Key::Shared { number, offset },
            None => self.kernel.futex_key(address, private),
        }
    }

    fn futex_wait(
        &mut self,
        address: u64,
        value: u64,
        key: Key,
        bits: u32,
        patience: Option<u64>,
    ) -> CallResult {
        let (pid, tid) = (self.process().pid, self.process().thread.tid);
        if !self.progress().queued {
            if self.word(address, 4)? != u64::from(value as u32) {
                return fail(EAGAIN);
            }
            Rc::make_mut(&mut self.kernel.futexes).push(Waiter { key, pid, tid, bits });
            self.keep(Progress { queued: true, ..self.progress() });
        } else if !self.kernel.is_queued(tid) {
            return Ok(0);
        }
        let why = match self.kernel.has_several() {
            true => "none of the others wakes this thread",
            false => "there is no other thread that would wake this one",
        };
        let waited = match patience {
            None => self.wait(why),
            some => self.wait_at_most(some, why),
        };
        if !matches!(waited, Err(Fail::Stop(_))) {
            self.kernel.leave_futexes(|waiter| waiter.tid == tid);
        }
        waited?;
        fail(ETIMEDOUT)
    }

    /// Longest time that a call waits. Its argument is a duration from now on, or a moment of a clock.
    fn futex_patience(&mut self, timeout: u64, moment: bool, realtime: bool) -> CallResult<Option<u64>> {
        if timeout == 0 {
            return Ok(None);
        }
        let given = self.duration(timeout)?;
        let start = if realtime { START_SECONDS as u64 } else { UPTIME_SECONDS };
        let passed = start.saturating_mul(1_000_000_000).saturating_add(self.kernel.clock);
        Ok(Some(if moment { given.saturating_sub(passed) } else { given }))
    }
}

pub(crate) fn futex(
    call: &mut Call<'_>,
    [address, operation, value, timeout, other, bits]: [u64; 6],
) -> CallResult {
    let private = operation & PRIVATE != 0;
    if address % 4 != 0 {
        return fail(EINVAL);
    }
    let key = call.key_of_word(address, private);
    // A negative number wakes one, as on Linux.
    let most = (value as i32).max(1) as u32;
    match operation as u32 & 0x7f {
        0 => {
            let patience = call.futex_patience(timeout, false, false)?;
            call.futex_wait(address, value, key, ALL, patience)
        }
        9 if bits as u32 == 0 => fail(EINVAL),
        9 => {
            let patience = call.futex_patience(timeout, true, operation & REALTIME != 0)?;
            call.futex_wait(address, value, key, bits as u32, patience)
        }
        1 => Ok(call.kernel.wake_futex(key, most, ALL)),
        10 if bits as u32 == 0 => fail(EINVAL),
        10 => Ok(call.kernel.wake_futex(key, most, bits as u32)),
        3 | 4 => {
            let (wakes, moves) = (value as i32, timeout as i32);
            if other % 4 != 0 || wakes < 0 || moves < 0 {
                return fail(EINVAL);
            }
            if operation as u32 & 0x7f == 4 && call.word(address, 4)? != u64::from(bits as u32) {
                return fail(EAGAIN);
            }
            let to = call.key_of_word(other, private);
            let woken = call.kernel.wake_futex(key, wakes as u32, ALL);
            Ok(woken + call.kernel.move_futex(key, to, moves as u32))
        }
        6..=8 | 11..=13 => unsupported("a mutex with priority inheritance"),
        other => unsupported(format!("futex operation {other}")),
    }
}
