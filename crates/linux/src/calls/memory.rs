//! Memory: mappings. Protection is not enforced on mapped memory. What is there ([`mincore`]) are the pages of the
//! program's objects, mappings or not, each in its own place: there are no larger areas as of Linux's stack and heap.

use cleave_memory::Byte;

use crate::errno::{CallResult, EACCES, EFAULT, EINVAL, ENODEV, ENOMEM, EPERM, fail, unsupported};
use crate::inode::FileNode;
use crate::kernel::Call;
use crate::world::PAGE_SIZE;

/// Where the addresses of a process end.
const TASK_SIZE: u64 = (1 << 47) - PAGE_SIZE;

/// Where the break is and stays: the heap is the engine's own.
const BREAK: u64 = 0x1000_0000;

pub(crate) fn brk(_: &mut Call<'_>, [address, ..]: [u64; 6]) -> CallResult {
    if address == 0 || address == BREAK { Ok(BREAK) } else { unsupported("moving the break") }
}

pub(crate) fn mmap(call: &mut Call<'_>, [_, len, protection, flags, fd, offset]: [u64; 6]) -> CallResult {
    const PROT_WRITE: u64 = 2;
    const MAP_FIXED: u64 = 0x10;
    const MAP_ANONYMOUS: u64 = 0x20;
    const MAP_FIXED_NOREPLACE: u64 = 0x10_0000;
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
    if flags & (MAP_FIXED | MAP_FIXED_NOREPLACE) != 0 {
        return unsupported("a mapping at a fixed address");
    }
    let Some(size) = len.checked_next_multiple_of(PAGE_SIZE) else { return fail(ENOMEM) };
    let mapped: u64 = call.process().mappings.values().sum();
    let limit = call.process().limits.get(&9).map_or(u64::MAX, |l| l.0);
    if size > limit.saturating_sub(mapped) {
        return fail(ENOMEM);
    }
    let mut content = Vec::new();
    if let Some(file) = file {
        if !file.readable() {
            return fail(EACCES);
        }
        let writes = shared && protection & PROT_WRITE != 0;
        call.settle_size(file.ino)?;
        content = match &call.inode(file.ino)?.node {
            FileNode::File(_) if writes && !file.writable() => return fail(EACCES),
            FileNode::File(_) if writes => return unsupported("a file mapped for shared writing"),
            FileNode::Sealed(_) if writes => return fail(EPERM),
            // A copy: the program sees no later change of the file.
            FileNode::File(content) | FileNode::Sealed(content) => content.read(offset, size),
            FileNode::Program(_) => return unsupported("the content of a program's file"),
            _ => return fail(ENODEV),
        };
    }
    let address = call.guest.map(size)?;
    if !content.is_empty() {
        call.guest.write(address, &content)?;
    }
    call.process_mut().mappings.insert(address, size);
    if shared {
        call.share(address);
    }
    Ok(address)
}

impl Call<'_> {
    /// The mapping at this address is shared with the processes that this one makes from now on.
    fn share(&mut self, address: u64) {
        self.kernel.shared += 1;
        let number = self.kernel.shared;
        self.process_mut().shared.insert(address, number);
    }

    /// The mapping that is exactly this range; an error for a part of one, `None` where there is nothing.
    fn whole_mapping(&self, address: u64, size: u64) -> CallResult<Option<u64>> {
        let mappings = &self.process().mappings;
        if mappings.get(&address) == Some(&size) {
            return Ok(Some(address));
        }
        let end = address.saturating_add(size);
        match mappings.range(..end).next_back() {
            Some((&start, &len)) if start.saturating_add(len) > address => unsupported("a part of a mapping"),
            _ => Ok(None),
        }
    }
}

pub(crate) fn munmap(call: &mut Call<'_>, [address, len, ..]: [u64; 6]) -> CallResult {
    if address % PAGE_SIZE != 0 || len == 0 {
        return fail(EINVAL);
    }
    let Some(size) = len.checked_next_multiple_of(PAGE_SIZE) else { return fail(EINVAL) };
    if let Some(address) = call.whole_mapping(address, size)? {
        call.guest.unmap(address);
        call.process_mut().mappings.remove(&address);
        call.process_mut().shared.remove(&address);
    }
    Ok(0)
}

pub(crate) fn mremap(call: &mut Call<'_>, [old, old_len, new_len, flags, ..]: [u64; 6]) -> CallResult {
    const MAYMOVE: u64 = 1;
    let rounded = |len: u64| len.checked_next_multiple_of(PAGE_SIZE);
    let (Some(old_size), Some(size)) = (rounded(old_len), rounded(new_len)) else { return fail(EINVAL) };
    if flags & !7 != 0 || old % PAGE_SIZE != 0 || size == 0 {
        return fail(EINVAL);
    }
    if flags & !MAYMOVE != 0 {
        return unsupported("moving a mapping to a fixed address");
    }
    if call.whole_mapping(old, old_size)?.is_none() {
        return fail(EFAULT);
    }
    if size == old_size {
        return Ok(old);
    }
    if flags & MAYMOVE == 0 && size > old_size {
        return fail(ENOMEM);
    }
    if flags & MAYMOVE == 0 {
        return unsupported("a part of a mapping");
    }
    if call.process().shared.contains_key(&old) && call.kernel.has_several() {
        return unsupported("another size for memory that processes share");
    }
    let address = call.guest.map(size)?;
    let bytes = call.guest.read(old, old_size.min(size))?;
    call.guest.write(address, &bytes)?;
    call.guest.unmap(old);
    let process = call.process_mut();
    process.mappings.remove(&old);
    process.mappings.insert(address, size);
    if process.shared.remove(&old).is_some() {
        call.share(address);
    }
    Ok(address)
}

pub(crate) fn mprotect(_: &mut Call<'_>, [address, _, protection, ..]: [u64; 6]) -> CallResult {
    if address % PAGE_SIZE != 0 || protection & !0x0300_000f != 0 { fail(EINVAL) } else { Ok(0) }
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
