//! Memory: mappings. Protection is not enforced on mapped memory. The pages that exist ([`mincore`]) are those of the program's
//! objects, mappings or not, each in its own place: there are no larger areas as of Linux's stack and heap.

use std::rc::Rc;

use cleave_memory::Byte;

use crate::env::world::PAGE_SIZE;
use crate::files::descriptions::OpenFile;
use crate::files::inode::FileNode;
use crate::kernel::errno::{
    CallResult, EACCES, EEXIST, EFAULT, EINVAL, ENODEV, ENOMEM, EPERM, fail, unsupported,
};
use crate::kernel::state::Call;
use crate::memory::mappings::{FileMapping, SharedMapping};
use crate::processes::process::Process;

/// End of the addresses of a process.
const TASK_SIZE: u64 = (1 << 47) - PAGE_SIZE;

/// The break, which never moves: the heap is the engine's own.
const BREAK: u64 = 0x1000_0000;

pub(crate) fn brk(_: &mut Call<'_>, [address, ..]: [u64; 6]) -> CallResult {
    if address == 0 || address == BREAK { Ok(BREAK) } else { unsupported("moving the break") }
}

/// The protection and flags of `mmap`, by their numbers.
const PROT_WRITE: u64 = 2;
const MAP_FIXED: u64 = 0x10;
const MAP_ANONYMOUS: u64 = 0x20;
const MAP_FIXED_NOREPLACE: u64 = 0x10_0000;
/// Maximum number of bytes of a file that are compared with a mapping of them at each call: 16 bytes of ours for each of them.
const MOST_SHOWN: u64 = 4 << 20;
/// Nothing is mapped below (`vm.mmap_min_addr` of Debian's kernels).
const LOWEST: u64 = 0x1_0000;

pub(crate) fn mmap(
    call: &mut Call<'_>,
    [wanted, len, protection, flags, fd, offset]: [u64; 6],
) -> CallResult {
    let anonymous = flags & MAP_ANONYMOUS != 0;
    let file = if anonymous { None } else { Some(call.file(fd as i32)?.clone()) };
    let shared = match flags & 3 {
        2 => false,
        1 | 3 => true,
        _ => return fail(EINVAL),
    };
    if len == 0 || offset % PAGE_SIZE != 0 {
        return fail(EINVAL);
    }
    let Some(size) = len.checked_next_multiple_of(PAGE_SIZE) else { return fail(ENOMEM) };
    let mapped = call.process().mappings.bytes();
    let limit = call.process().limits.get(&9).map_or(u64::MAX, |l| l.0);
    if size > limit.saturating_sub(mapped) {
        return fail(ENOMEM);
    }
    let mut content = Vec::new();
    // Memory that is written later may be protected now.
    let writable = shared && file.as_ref().is_some_and(OpenFile::writable);
    let mut shows_file = false;
    if let Some(file) = &file {
        shows_file = shared && matches!(call.inode(file.ino)?.node, FileNode::File(_));
        if shows_file && call.process().maps_file(file.ino, writable) {
            return unsupported("a second mapping of a file that is shared and may be written");
        }
        if size > MOST_SHOWN {
            match writable {
                true => return unsupported("more than 4 MiB of a file mapped for shared writing"),
                false => shows_file = false,
            }
        }
        if !file.readable() {
            return fail(EACCES);
        }
        let writes = shared && protection & PROT_WRITE != 0;
        call.settle_size(file.ino)?;
        content = match &call.inode(file.ino)?.node {
            FileNode::File(_) if writes && !file.writable() => return fail(EACCES),
            FileNode::Sealed(_) if writes => return fail(EPERM),
            // A copy: the program sees no later change of the file.
            FileNode::File(content) | FileNode::Sealed(content) => content.read(offset, size),
            FileNode::Program(_) => return unsupported("the content of a program's file"),
            FileNode::Terminal(_) => return unsupported("mapping the terminal"),
            _ => return fail(ENODEV),
        };
    }
    let address = if flags & (MAP_FIXED | MAP_FIXED_NOREPLACE) != 0 {
        call.map_fixed(wanted, size, flags & MAP_FIXED_NOREPLACE == 0, shared)?
    } else {
        call.map_near(wanted, size)?
    };
    if !content.is_empty() {
        call.guest.write(address, &content)?;
    }
    call.process_mut().mappings.insert(address, size);
    if shared {
        call.share(address, size);
    }
    if let Some(file) = file.filter(|_| shows_file) {
        let key = call.process().key(fd as i32)?;
        call.files_mut().hold(key);
        content.resize(size as usize, Byte::Known(0));
        let mapping = FileMapping { key, ino: file.ino, writable, offset, seen: Rc::new(content) };
        call.process_mut().file_mappings.insert(address, mapping);
    }
    Ok(address)
}

impl Call<'_> {
    /// The mapping at this address is shared with the processes that this one makes from now on.
    fn share(&mut self, address: u64, size: u64) {
        self.kernel.shared += 1;
        let number = self.kernel.shared;
        self.process_mut().shared.insert(address, SharedMapping { number, size });
    }

    /// Maps memory where the program would like to have it, or elsewhere.
    fn map_near(&mut self, wanted: u64, size: u64) -> CallResult {
        let address = (wanted / PAGE_SIZE * PAGE_SIZE).max(LOWEST);
        let free = wanted != 0 && !self.is_there(address, size);
        if free && (self.guest.map_at(address, size) || self.map_in_hole(address, size)) {
            return Ok(address);
        }
        Ok(self.guest.map(size)?)
    }

    /// Maps memory at the program's address, in place of an older mapping.
    fn map_fixed(&mut self, address: u64, size: u64, replaces: bool, shared: bool) -> CallResult {
        if !address.is_multiple_of(PAGE_SIZE) {
            return fail(EINVAL);
        }
        let Some(end) = address.checked_add(size).filter(|&end| end <= TASK_SIZE) else {
            return fail(ENOMEM);
        };
        if address < LOWEST {
            return fail(EPERM);
        }
        if !self.is_there(address, size) {
            if self.guest.map_at(address, size) || (!shared && self.map_in_hole(address, size)) {
                return Ok(address);
            }
            return unsupported("a mapping at a fixed address that the model cannot give");
        }
        if !replaces {
            return fail(EEXIST);
        }
        if shared || self.shares_part(address, end) {
            return unsupported("a mapping at a fixed address in place of another, one of them shared");
        }
        if !self.process().mappings.has_all(address, end) || !self.guest.map_again(address, size) {
            return unsupported("a mapping at a fixed address in place of what is no mapping alone");
        }
        self.process_mut().mappings.remove(address, end);
        self.unmap_files(address, end);
        Ok(address)
    }

    /// Maps memory where a part of a mapping was given back.
    fn map_in_hole(&mut self, address: u64, size: u64) -> bool {
        !self.shares_part(address, address + size) && self.guest.map_again(address, size)
    }

    /// Returns true if the process has something there. All objects start behind the first page of a slot.
    fn is_there(&self, address: u64, size: u64) -> bool {
        self.process().mappings.meets(address, address.saturating_add(size))
            || self.guest.present(address, size)
    }

    /// Returns true if a part of memory that is shared lies there.
    fn shares_part(&self, from: u64, to: u64) -> bool {
        self.process().shared.iter().any(|(&start, shared)| start < to && from < start + shared.size)
    }

    /// Nothing of files is mapped there any more.
    fn unmap_files(&mut self, from: u64, to: u64) {
        if self.process().file_mappings.is_empty() {
            return;
        }
        let (let_go, held) = self.process_mut().unmap_files(from, to);
        held.into_iter().for_each(|key| self.files_mut().hold(key));
        let_go.into_iter().for_each(|key| self.kernel.release(key));
    }

    /// Gives back the memory that is mapped there.
    fn unmap(&mut self, from: u64, to: u64) -> CallResult<()> {
        let covers = |start: u64, size: u64| from <= start && start + size <= to;
        let meets = |start: u64, size: u64| start < to && from < start + size;
        let part = |(&start, shared): (&u64, &SharedMapping)| {
            meets(start, shared.size) && !covers(start, shared.size)
        };
        if self.kernel.has_several() && self.process().shared.iter().any(part) {
            return unsupported("giving back a part of memory that processes share");
        }
        self.guest.unmap(from, to - from);
        let process = self.process_mut();
        process.mappings.remove(from, to);
        let Process { mappings, shared, .. } = process;
        shared.retain(|&start, shared| mappings.meets(start, start + shared.size));
        self.unmap_files(from, to);
        Ok(())
    }
}

pub(crate) fn munmap(call: &mut Call<'_>, [address, len, ..]: [u64; 6]) -> CallResult {
    if address % PAGE_SIZE != 0 || len == 0 {
        return fail(EINVAL);
    }
    let size = len.checked_next_multiple_of(PAGE_SIZE);
    let end = size.and_then(|size| address.checked_add(size)).filter(|&end| end <= TASK_SIZE);
    let Some(end) = end else { return fail(EINVAL) };
    if call.process().mappings.meets(address, end) {
        call.unmap(address, end)?;
    }
    Ok(0)
}

pub(crate) fn mremap(call: &mut Call<'_>, [old, old_len, new_len, flags, ..]: [u64; 6]) -> CallResult {
    const MAYMOVE: u64 = 1;
    let rounded = |len: u64| len.checked_next_multiple_of(PAGE_SIZE);
    let (Some(old_size), Some(size)) = (rounded(old_len), rounded(new_len)) else { return fail(EINVAL) };
    let Some(end) = old.checked_add(old_size) else { return fail(EINVAL) };
    if flags & !7 != 0 || old % PAGE_SIZE != 0 || size == 0 {
        return fail(EINVAL);
    }
    if flags & !MAYMOVE != 0 {
        return unsupported("moving a mapping to a fixed address");
    }
    if old_size == 0 {
        return unsupported("a second mapping of shared memory");
    }
    if !call.process().mappings.has_all(old, end) {
        return fail(EFAULT);
    }
    if size <= old_size {
        if size < old_size {
            call.unmap(old + size, end)?;
        }
        return Ok(old);
    }
    if flags & MAYMOVE == 0 {
        return fail(ENOMEM);
    }
    let shared = call.shares_part(old, end);
    if call.process().maps_file_between(old, end) {
        return unsupported("more of a file that is mapped for shared writing");
    }
    if shared && call.kernel.has_several() {
        return unsupported("another size for memory that processes share");
    }
    let address = call.guest.map(size)?;
    let bytes = call.guest.read(old, old_size)?;
    call.guest.write(address, &bytes)?;
    call.unmap(old, end)?;
    call.process_mut().mappings.insert(address, size);
    if shared {
        call.share(address, size);
    }
    Ok(address)
}

pub(crate) fn mprotect(call: &mut Call<'_>, [address, len, protection, ..]: [u64; 6]) -> CallResult {
    if address % PAGE_SIZE != 0 || protection & !0x0300_000f != 0 {
        return fail(EINVAL);
    }
    if call.is_in_part_mapped(address, len) { fail(ENOMEM) } else { Ok(0) }
}

impl Call<'_> {
    /// Returns true if some of these bytes are mapped and others are not.
    fn is_in_part_mapped(&self, address: u64, len: u64) -> bool {
        let size = len.checked_next_multiple_of(PAGE_SIZE).unwrap_or(u64::MAX);
        let end = address.saturating_add(size);
        let mappings = &self.process().mappings;
        end > address && mappings.meets(address, end) && !mappings.has_all(address, end)
    }
}

/// The most bytes that a program drops by one call.
const MOST_DROPPED: u64 = 64 << 20;

pub(crate) fn madvise(call: &mut Call<'_>, [address, len, advice, ..]: [u64; 6]) -> CallResult {
    const DONTNEED: u64 = 4;
    if address % PAGE_SIZE != 0 {
        return fail(EINVAL);
    }
    let Some(size) = len.checked_next_multiple_of(PAGE_SIZE) else { return fail(EINVAL) };
    match advice {
        0..=4 if call.is_in_part_mapped(address, size) => fail(ENOMEM),
        DONTNEED if size > MOST_DROPPED => unsupported("dropping more than 64 MiB of memory at once"),
        DONTNEED if size > 0 => {
            let zeros = vec![Byte::Known(0); size as usize];
            call.guest.write(address, &zeros)?;
            Ok(0)
        }
        0..=4 | 8 | 10..=17 | 20 | 21 => Ok(0),
        _ => fail(EINVAL),
    }
}

/// All that is there is in memory. Pages up to the first that is not there are told, then the call fails.
pub(crate) fn mincore(call: &mut Call<'_>, [address, len, told, ..]: [u64; 6]) -> CallResult {
    if address % PAGE_SIZE != 0 {
        return fail(EINVAL);
    }
    if address.checked_add(len).is_none_or(|end| end > TASK_SIZE) {
        return fail(ENOMEM);
    }
    let pages = len.div_ceil(PAGE_SIZE);
    let there = |call: &Call<'_>, i: u64| call.guest.present(address + i * PAGE_SIZE, PAGE_SIZE);
    let count = (0..pages).take_while(|&i| there(call, i)).count();
    if count > 0 {
        call.guest.write(told, &vec![Byte::Known(1); count])?;
    }
    if count as u64 == pages { Ok(0) } else { fail(ENOMEM) }
}

pub(crate) fn msync(_: &mut Call<'_>, [address, _, flags, ..]: [u64; 6]) -> CallResult {
    if address % PAGE_SIZE != 0 || flags & !7 != 0 || flags & 5 == 5 { fail(EINVAL) } else { Ok(0) }
}

/// No memory may be locked.
pub(crate) fn mlock(_: &mut Call<'_>, [_, len, ..]: [u64; 6]) -> CallResult {
    if len == 0 { Ok(0) } else { fail(EPERM) }
}

pub(crate) fn munlock(_: &mut Call<'_>, _: [u64; 6]) -> CallResult {
    Ok(0)
}

/// The sandbox refuses files in memory.
pub(crate) fn memfd_create(_: &mut Call<'_>, _: [u64; 6]) -> CallResult {
    fail(EPERM)
}

/// Barriers among threads are not needed by one.
pub(crate) fn membarrier(_: &mut Call<'_>, [command, ..]: [u64; 6]) -> CallResult {
    match command {
        0 => Ok(0),
        _ => fail(EINVAL),
    }
}
