//! Implements the model's [`Guest`] for a native process: reads and writes its memory, and sends signals to it.
#![allow(unsafe_code)]

use crate::Error;
use crate::answers::listener::Listener;
use cleave_expr::{Term, Terms};
use cleave_linux::{Guest, Stop, Told};
use cleave_memory::Byte;

/// A process or thread that waits for the answer to a call: its id, and the call's id, which is valid as long as it waits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task {
    pub(crate) pid: i32,
    pub(crate) id: u64,
}

impl Task {
    fn read(self, address: u64, buffer: &mut [u8]) -> usize {
        let local = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
        let remote = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: buffer.len() };
        // SAFETY: writes into the buffer, at most its length; the other address is the other process's.
        let n = unsafe { libc::process_vm_readv(self.pid, &raw const local, 1, &raw const remote, 1, 0) };
        usize::try_from(n).unwrap_or(0)
    }

    fn write(self, address: u64, bytes: &[u8]) -> bool {
        let local = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
        let remote = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: bytes.len() };
        // SAFETY: reads the bytes; the other address is the other process's, and the kernel checks it.
        let n = unsafe { libc::process_vm_writev(self.pid, &raw const local, 1, &raw const remote, 1, 0) };
        n == bytes.len() as isize
    }

    /// Reads one byte of the process's memory; returns false if it is not mapped.
    pub(crate) fn reads_byte(self, address: u64, byte: &mut [u8; 1]) -> bool {
        self.read(address, byte) == 1
    }

    /// Writes one byte of the process's memory; returns false on failure.
    pub(crate) fn writes_byte(self, address: u64, byte: [u8; 1]) -> bool {
        self.write(address, &byte)
    }

    /// The stack pointer at the waiting call.
    pub(crate) fn stack_pointer(self) -> Option<u64> {
        let call = std::fs::read_to_string(format!("/proc/{}/syscall", self.pid)).ok()?;
        // The number, six arguments, the stack pointer, the program counter.
        let pointer = call.split_whitespace().nth(7)?.strip_prefix("0x")?;
        u64::from_str_radix(pointer, 16).ok()
    }

    /// The process of this thread.
    fn process(self) -> i32 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid)).unwrap_or_default();
        let number = status.lines().find_map(|line| line.strip_prefix("Tgid:")?.trim().parse().ok());
        number.unwrap_or(self.pid)
    }

    /// A word of 64 bits of the process's memory.
    fn word(self, address: u64) -> Option<u64> {
        self.word_of(address, 8)
    }

    /// A word of so many bytes, at most eight.
    fn word_of(self, address: u64, bytes: u64) -> Option<u64> {
        let mut word = [0; 8];
        let there = self.read(address, &mut word[..bytes as usize]);
        (there == bytes as usize).then(|| u64::from_le_bytes(word))
    }
}

/// Maximum number of bytes that a call may hand to the model.
const MOST_AT_ONCE: u64 = 64 << 20;
/// Reads extend to the next multiple of this number of bytes, which divides a page.
const NEAR: usize = 256;

/// The program during one call.
pub(crate) struct Program<'a> {
    task: Task,
    listener: &'a Listener,
    /// True if writes are dropped, because the real kernel will execute the call.
    dry: bool,
    terms: Terms,
    /// Address and bytes of the last read: strings are read byte by byte.
    near: (u64, Vec<u8>),
}

impl<'a> Program<'a> {
    pub(crate) fn new(task: Task, listener: &'a Listener, dry: bool) -> Self {
        Program { task, listener, dry, terms: Terms::new(), near: (0, Vec::new()) }
    }

    /// Bytes from the last read.
    fn near(&self, address: u64, len: usize) -> Option<Vec<Byte>> {
        let start = usize::try_from(address.checked_sub(self.near.0)?).ok()?;
        let bytes = self.near.1.get(start..start.checked_add(len)?)?;
        Some(bytes.iter().map(|&b| Byte::Known(b)).collect())
    }

    /// Returns true if this NUL-terminated text is at the address.
    pub(crate) fn holds_text(&mut self, address: u64, text: &str) -> bool {
        let mut there = vec![0xff; text.len() + 1];
        self.task.read(address, &mut there) == there.len()
            && there.strip_suffix(&[0]) == Some(text.as_bytes())
            && self.listener.waits(self.task.id)
    }
}

fn fault(address: u64) -> Stop {
    Stop::Fault { address, message: "outside of the program's memory".into() }
}

/// Reads a line of `/proc/PID/maps`. If the address is in its range and the range is shared, returns the number of the file
/// behind it (memory without a name has one, too) and the offset in the file.
fn shared_in(line: &str, address: u64) -> Option<(u64, u64)> {
    let mut words = line.split_ascii_whitespace();
    let (start, end) = words.next()?.split_once('-')?;
    let number = |text: &str| u64::from_str_radix(text, 16).ok();
    let (start, end) = (number(start)?, number(end)?);
    let shared = words.next()?.ends_with('s');
    let offset = number(words.next()?)?;
    let inode = words.nth(1)?.parse().ok()?;
    (shared && (start..end).contains(&address)).then(|| (inode, offset + (address - start)))
}

/// The value of a byte; all bytes are known here, as all input is.
pub(crate) fn known(byte: &Byte) -> u8 {
    match byte {
        Byte::Known(b) => *b,
        Byte::Symbolic(_) => 0,
    }
}

impl Guest for Program<'_> {
    fn terms(&mut self) -> &mut Terms {
        &mut self.terms
    }

    fn decide(&mut self, condition: Term) -> Result<bool, Stop> {
        self.value(condition).map(|v| v != 0)
    }

    fn value(&mut self, term: Term) -> Result<u64, Stop> {
        self.terms.constant64(term).ok_or_else(|| Stop::Unsupported("a symbolic value natively".into()))
    }

    fn read(&mut self, address: u64, len: u64) -> Result<Vec<Byte>, Stop> {
        if len > MOST_AT_ONCE {
            return Err(fault(address));
        }
        let len = len as usize;
        if let Some(bytes) = self.near(address, len) {
            return Ok(bytes);
        }
        // Reads to the end of the page at most, so that the memory after it does not matter.
        let more = NEAR - (address % NEAR as u64) as usize;
        let mut buffer = vec![0; len.max(more)];
        let there = self.task.read(address, &mut buffer);
        buffer.truncate(there);
        self.near = (address, buffer);
        self.near(address, len).ok_or_else(|| fault(address))
    }

    fn write(&mut self, address: u64, bytes: &[Byte]) -> Result<(), Stop> {
        self.near.1.clear();
        let bytes: Vec<u8> = bytes.iter().map(known).collect();
        let written = self.dry || self.listener.waits(self.task.id) && self.task.write(address, &bytes);
        if written { Ok(()) } else { Err(fault(address)) }
    }

    fn shared_word(&self, address: u64) -> Option<(u64, u64)> {
        let maps = std::fs::read_to_string(format!("/proc/{}/maps", self.task.pid)).ok()?;
        maps.lines().find_map(|line| shared_in(line, address))
    }

    fn present(&self, address: u64, len: u64) -> bool {
        (0..len).any(|i| self.task.read(address.wrapping_add(i), &mut [0]) == 1)
    }

    fn map(&mut self, _: u64) -> Result<u64, Stop> {
        Err(Stop::Unsupported("memory of a native program".into()))
    }

    fn unmap(&mut self, _: u64, _: u64) -> bool {
        false
    }

    fn input(&mut self, _: &str, len: u32) -> Vec<Byte> {
        vec![Byte::Known(0); len as usize]
    }
}

/// Sends a signal to the waiting process; returns the call's result.
pub(crate) fn send_signal(task: Task, signal: u64) -> u64 {
    // SAFETY: a signal to the program under test, which waits and so is still there.
    result_of(unsafe { libc::syscall(libc::SYS_tkill, task.pid, signal as libc::c_int) })
}

/// Sends a signal to the waiting process, with the `siginfo_t` at `info` in its memory; returns the call's result.
pub(crate) fn queue_signal(task: Task, signal: u64, info: u64) -> u64 {
    let mut bytes = [0u64; 16];
    for (i, word) in bytes.iter_mut().enumerate() {
        *word = task.word(info.wrapping_add(8 * i as u64)).unwrap_or(0);
    }
    let (signal, info) = (signal as libc::c_int, bytes.as_ptr());
    // SAFETY: a signal to the program under test, as above; the kernel reads as many bytes as there are.
    result_of(unsafe { libc::syscall(libc::SYS_rt_sigqueueinfo, task.pid, signal, info) })
}

/// Sends the signal of a timer to the waiting process, with the `siginfo_t` for its handler.
pub(crate) fn tell_signal(task: Task, told: &Told) {
    let (signal, info) = (told.signal as libc::c_int, told.info.as_ptr());
    // SAFETY: a signal to the program under test, as above; the kernel reads as many bytes as there are in a `siginfo_t`.
    unsafe {
        match told.to_thread {
            true => libc::syscall(libc::SYS_rt_tgsigqueueinfo, task.process(), task.pid, signal, info),
            false => libc::syscall(libc::SYS_rt_sigqueueinfo, task.pid, signal, info),
        };
    }
}

fn result_of(sent: libc::c_long) -> u64 {
    if sent == 0 {
        return 0;
    }
    let errno = std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EINVAL);
    -i64::from(errno) as u64
}

/// Hides the machine from the program before the C library starts: of the auxiliary vector only the entries remain that the model
/// provides too, and those by which the program finds itself. Without the vDSO, the program reads clocks by system calls.
/// Returns `false` if the process is gone.
pub(crate) fn hide_auxiliary(task: Task, listener: &Listener) -> Result<bool, Error> {
    /// AT_PHDR, AT_PHENT, AT_PHNUM, AT_PAGESZ, AT_BASE, AT_ENTRY; AT_SECURE, AT_RANDOM.
    const KEPT: [u64; 8] = [3, 4, 5, 6, 7, 9, 23, 25];
    const AT_NULL: u64 = 0;
    const AT_IGNORE: u64 = 1;
    /// Upper bound on the number of arguments, and on that of environment variables.
    const MOST: u64 = 1 << 20;
    let hidden = stack_start(task).and_then(|start| {
        // A program for x86-64 has its stack far above 4 GiB.
        let bytes = if start >> 32 == 0 { 4 } else { 8 };
        let word = |at| task.word_of(at, bytes);
        let mut at = start.wrapping_add(bytes * word(start)?.min(MOST)).wrapping_add(2 * bytes);
        let end = at.wrapping_add(bytes * MOST);
        while word(at)? != 0 && at < end {
            at += bytes;
        }
        at += bytes;
        loop {
            match word(at)? {
                AT_NULL => return Some(()),
                kind if KEPT.contains(&kind) => {}
                _ if listener.waits(task.id)
                    && task.write(at, &AT_IGNORE.to_le_bytes()[..bytes as usize]) => {}
                _ => return None,
            }
            at += 2 * bytes;
        }
    });
    if hidden.is_some() || !listener.waits(task.id) {
        return Ok(hidden.is_some());
    }
    Err(Error::last("look into the program's memory"))
}

/// The initial stack pointer of the process, which points to the number of its arguments.
fn stack_start(task: Task) -> Option<u64> {
    /// Index of `startstack` among the fields after the process's name.
    const FIELD: usize = 25;
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", task.pid)).ok()?;
    let fields = &stat[stat.rfind(')')? + 1..];
    fields.split_whitespace().nth(FIELD)?.parse().ok().filter(|&n| n != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shared_word_is_known_by_its_memory() {
        let line = "7f0000001000-7f0000003000 rw-s 00002000 00:01 4711    /dev/zero (deleted)";
        assert_eq!(shared_in(line, 0x7f00_0000_1010), Some((4711, 0x2010)));
        assert_eq!(shared_in(line, 0x7f00_0000_3000), None);
        assert_eq!(shared_in(&line.replace("rw-s", "rw-p"), 0x7f00_0000_1010), None);
        assert_eq!(shared_in("7f00-", 0x7f00), None);
    }
}
