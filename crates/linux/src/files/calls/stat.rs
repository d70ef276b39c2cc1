//! Metadata of files: stat, access, statfs.

use crate::env::world::{self, PAGE_SIZE};
use crate::files::inode::{Ino, Inode, S_IFMT, device, number};
use crate::files::metadata::{IN_STAT, IN_STATX};
use crate::files::path::{AT_FDCWD, LookupMode};
use crate::kernel::errno::{CallResult, EACCES, EINVAL, fail};
use crate::kernel::state::Call;
use crate::kernel::user_memory::Record;

const AT_SYMLINK_NOFOLLOW: u32 = 0x100;
const AT_EACCESS: u32 = 0x200;
const AT_NO_AUTOMOUNT: u32 = 0x800;
const AT_EMPTY_PATH: u32 = 0x1000;

/// Numbers by which `stat` names an inode, and the bytes that are best moved at a time.
struct Place {
    device: u64,
    number: u64,
    /// Major and minor number of a device file.
    stands_for: (u32, u32),
    block: u64,
}

impl Place {
    fn of(inode: &Inode, ino: Ino) -> Place {
        if inode.is_terminal() {
            let (device, number) = (world::DEVICE_TERMINALS, world::TERMINAL_NUMBER);
            return Place {
                device,
                number,
                stands_for: world::TERMINAL_DEVICE,
                block: world::TERMINAL_BLOCK,
            };
        }
        Place { device: device(ino), number: number(ino), stands_for: (0, 0), block: PAGE_SIZE }
    }
}

impl Call<'_> {
    fn put_stat(&mut self, ino: Ino, buffer: u64) -> CallResult {
        self.settle_entries(ino)?;
        let mode = self.mode(ino)?;
        let patches = self.patches(ino, &IN_STAT)?;
        let inode = self.inode(ino)?;
        let Place { device, number, stands_for: (major, minor), block } = Place::of(inode, ino);
        let record = Record::default()
            .u64(device)
            .u64(number)
            .u64(inode.links)
            .u32(inode.kind() | mode)
            .u32(inode.uid)
            .u32(inode.gid)
            .u32(0)
            .u64(u64::from(major) << 8 | u64::from(minor))
            .u64(inode.size())
            .u64(block)
            .u64(inode.blocks())
            .time(inode.accessed)
            .time(inode.modified)
            .time(inode.changed)
            .zeros(24);
        self.put_patched(buffer, record.into_bytes(), &patches)
    }
}

pub(crate) fn stat(call: &mut Call<'_>, [path, buffer, ..]: [u64; 6]) -> CallResult {
    let ino = call.lookup_at(AT_FDCWD as u64, path, LookupMode::Follow)?;
    call.put_stat(ino, buffer)
}

pub(crate) fn lstat(call: &mut Call<'_>, [path, buffer, ..]: [u64; 6]) -> CallResult {
    let ino = call.lookup_at(AT_FDCWD as u64, path, LookupMode::Keep)?;
    call.put_stat(ino, buffer)
}

pub(crate) fn fstat(call: &mut Call<'_>, [fd, buffer, ..]: [u64; 6]) -> CallResult {
    let ino = call.any_file(fd as i32)?.ino;
    call.put_stat(ino, buffer)
}

fn lookup_mode(flags: u32) -> LookupMode {
    if flags & AT_SYMLINK_NOFOLLOW != 0 { LookupMode::Keep } else { LookupMode::Follow }
}

pub(crate) fn newfstatat(call: &mut Call<'_>, [directory, path, buffer, flags, ..]: [u64; 6]) -> CallResult {
    let flags = flags as u32;
    if flags & !(AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_EMPTY_PATH) != 0 {
        return fail(EINVAL);
    }
    let ino = call.lookup_or_self(directory, path, lookup_mode(flags), flags & AT_EMPTY_PATH != 0)?;
    call.put_stat(ino, buffer)
}

pub(crate) fn statx(call: &mut Call<'_>, [directory, path, flags, mask, buffer, _]: [u64; 6]) -> CallResult {
    const KNOWN: u32 = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_EMPTY_PATH | 0x6000;
    const BASIC_AND_BIRTH: u32 = 0xfff;
    let flags = flags as u32;
    if mask as u32 & 1 << 31 != 0 || flags & !KNOWN != 0 || flags & 0x6000 == 0x6000 {
        return fail(EINVAL);
    }
    let ino = call.lookup_or_self(directory, path, lookup_mode(flags), flags & AT_EMPTY_PATH != 0)?;
    call.settle_entries(ino)?;
    let mode = call.mode(ino)?;
    let patches = call.patches(ino, &IN_STATX)?;
    let inode = call.inode(ino)?;
    let Place { device, number, stands_for: (major, minor), block } = Place::of(inode, ino);
    let stamp = |r: Record, (s, n): (i64, u32)| r.u64(s as u64).u32(n).u32(0);
    let mut record = Record::default()
        .u32(BASIC_AND_BIRTH)
        .u32(block as u32)
        .u64(0)
        .u32(inode.links as u32)
        .u32(inode.uid)
        .u32(inode.gid)
        .u16((inode.kind() | mode) as u16)
        .u16(0)
        .u64(number)
        .u64(inode.size())
        .u64(inode.blocks())
        .u64(0);
    for time in [inode.accessed, inode.born, inode.changed, inode.modified] {
        record = stamp(record, time);
    }
    let record = record.u32(major).u32(minor).u32(0).u32(device as u32).zeros(112);
    call.put_patched(buffer, record.into_bytes(), &patches)
}

pub(crate) fn access(call: &mut Call<'_>, [path, mode, ..]: [u64; 6]) -> CallResult {
    faccessat2(call, [AT_FDCWD as u64, path, mode, 0, 0, 0])
}

pub(crate) fn faccessat(call: &mut Call<'_>, [directory, path, mode, ..]: [u64; 6]) -> CallResult {
    faccessat2(call, [directory, path, mode, 0, 0, 0])
}

pub(crate) fn faccessat2(call: &mut Call<'_>, [directory, path, mode, flags, ..]: [u64; 6]) -> CallResult {
    let (mode, flags) = (mode as u32, flags as u32);
    if mode & !7 != 0 || flags & !(AT_EACCESS | AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH) != 0 {
        return fail(EINVAL);
    }
    let ino = call.lookup_or_self(directory, path, lookup_mode(flags), flags & AT_EMPTY_PATH != 0)?;
    if call.may(ino, mode)? { Ok(0) } else { fail(EACCES) }
}

impl Call<'_> {
    fn put_statfs(&mut self, ino: Ino, buffer: u64) -> CallResult {
        const TMPFS: u64 = 0x0102_1994;
        const PIPEFS: u64 = 0x5049_5045;
        const ANON_INODE_FS: u64 = 0x0904_1934;
        const TERMINALS: u64 = 0x1cd1;
        // Valid, no set-id, no devices, relative access times.
        const FLAGS: u64 = 0x1026;
        for ino in self.fs().numbers() {
            self.settle_entries(ino)?;
            self.settle_size(ino)?;
        }
        let device = Place::of(self.inode(ino)?, ino).device;
        let on_root = device == world::DEVICE_ROOT;
        let kind = match device {
            world::DEVICE_TERMINALS => TERMINALS,
            world::DEVICE_PIPES => PIPEFS,
            world::DEVICE_ANONYMOUS => ANON_INODE_FS,
            _ => TMPFS,
        };
        let fs = self.fs();
        let (total, used) = if on_root { (fs.total_pages(), fs.used_pages()) } else { (0, 0) };
        let (inodes, taken) = if on_root { (world::LIMIT_INODES, fs.used_inodes()) } else { (0, 0) };
        let record = Record::default()
            .u64(kind)
            .u64(PAGE_SIZE)
            .u64(total)
            .u64(total - used)
            .u64(total - used)
            .u64(inodes)
            .u64(inodes.saturating_sub(taken))
            .u64(0)
            .u64(255)
            .u64(PAGE_SIZE)
            .u64(if on_root { FLAGS } else { 0x20 })
            .zeros(32);
        self.put_record(buffer, record)?;
        Ok(0)
    }
}

pub(crate) fn statfs(call: &mut Call<'_>, [path, buffer, ..]: [u64; 6]) -> CallResult {
    let ino = call.lookup_at(AT_FDCWD as u64, path, LookupMode::Follow)?;
    call.put_statfs(ino, buffer)
}

pub(crate) fn fstatfs(call: &mut Call<'_>, [fd, buffer, ..]: [u64; 6]) -> CallResult {
    let ino = call.any_file(fd as i32)?.ino;
    call.put_statfs(ino, buffer)
}

/// There are no extended attributes: reading one says so, listing gives nothing.
pub(crate) fn getxattr(call: &mut Call<'_>, [path, ..]: [u64; 6]) -> CallResult {
    call.lookup_at(AT_FDCWD as u64, path, LookupMode::Follow)?;
    fail(crate::kernel::errno::EOPNOTSUPP)
}

pub(crate) fn lgetxattr(call: &mut Call<'_>, [path, ..]: [u64; 6]) -> CallResult {
    call.lookup_at(AT_FDCWD as u64, path, LookupMode::Keep)?;
    fail(crate::kernel::errno::EOPNOTSUPP)
}

pub(crate) fn fgetxattr(call: &mut Call<'_>, [fd, ..]: [u64; 6]) -> CallResult {
    call.file(fd as i32)?;
    fail(crate::kernel::errno::EOPNOTSUPP)
}

pub(crate) fn listxattr(call: &mut Call<'_>, [path, ..]: [u64; 6]) -> CallResult {
    call.lookup_at(AT_FDCWD as u64, path, LookupMode::Follow).map(|_| 0)
}

pub(crate) fn llistxattr(call: &mut Call<'_>, [path, ..]: [u64; 6]) -> CallResult {
    call.lookup_at(AT_FDCWD as u64, path, LookupMode::Keep).map(|_| 0)
}

pub(crate) fn flistxattr(call: &mut Call<'_>, [fd, ..]: [u64; 6]) -> CallResult {
    call.file(fd as i32).map(|_| 0)
}

/// The bits of a mode that `chmod` and `mknod` take: only those of permissions.
pub(crate) fn permission_bits(mode: u64) -> u32 {
    mode as u32 & !S_IFMT & 0o7777
}
