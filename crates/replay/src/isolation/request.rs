//! The memory that the replayer shares with its helper process: the next job, and the step that failed if the job did not
//! start. The layout lets the helper neither parse nor allocate. It was forked from a process with threads, so only plain system
//! calls are safe in it.
#![allow(unsafe_code)]

use crate::{Error, Job, TEST_VARIABLE};
use cleave_linux::{TreeEntry, TreeNode, world};
use std::ffi::c_char;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};

/// Address space reserved for a job; pages are taken only when they are written.
const SIZE: usize = 64 << 20;

/// Path of the test's file inside the sandbox.
pub(crate) const TEST_PATH: &str = "/.cleave.ktest";

/// A file to be made, as the helper sees it.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct FileEntry {
    /// NUL-terminated, relative to the sandbox's root.
    pub path: *const c_char,
    pub data: *const u8,
    pub len: usize,
    /// Kind (`S_IFREG`, `S_IFDIR`, or `S_IFLNK` with the target in `data`) and permissions.
    pub mode: u32,
}

/// The start of the shared memory. The pointers point into it.
#[repr(C)]
pub(crate) struct Header {
    /// The step that failed, as an index into [`STEPS`]; 0 if none did.
    pub failed_step: AtomicU32,
    /// The error number of the failed step.
    pub failed_errno: AtomicI32,
    /// NULL-terminated array of the arguments.
    pub argv: *const *const c_char,
    /// NULL-terminated array of NAME=VALUE.
    pub envp: *const *const c_char,
    pub files: *const FileEntry,
    pub file_count: usize,
    /// True if the program sees the model's world through its system calls.
    pub with_world: AtomicBool,
    /// True if the program's memory is at random addresses.
    pub elsewhere: AtomicBool,
    /// True if the program makes processes or threads; it then has a namespace of process ids of its own.
    pub several: AtomicBool,
    /// Status of the program's first process in that namespace, as `waitpid` gives it.
    pub status: AtomicI32,
    /// True if the program's first process has ended.
    pub ended: AtomicBool,
}

/// The steps that can fail between the replayer's call and the program's first instruction.
pub(crate) const STEPS: [&str; 26] = [
    "do anything",
    "take its identity",
    "make its mounts private",
    "mount the base file system",
    "copy the executable",
    "enter the base file system",
    "leave the old file system",
    "mount the program's file system",
    "make the test's files",
    "start a process",
    "watch the process",
    "receive the job",
    "prepare standard streams",
    "enter the program's file system",
    "limit processor time",
    "limit memory",
    "limit processes",
    "limit file size",
    "limit open files",
    "give up privileges",
    "filter system calls",
    "close other files",
    "execute the program",
    "make the session",
    "hand over its system calls",
    "make the files of its programs",
];

/// The replayer's mapping of the shared memory.
pub(crate) struct Shared {
    base: *mut u8,
}

// SAFETY: the mapping is plain memory owned by this value alone; the helper process reads it only between a
// request and its reply, when this side does not write.
unsafe impl Send for Shared {}

impl Shared {
    pub(crate) fn new() -> Result<Self, Error> {
        // SAFETY: a fresh anonymous mapping touches no memory that exists.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                SIZE,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(Error::last("map memory for the sandbox"));
        }
        Ok(Shared { base: base.cast() })
    }

    /// The header; valid for as long as the mapping is, in both processes at the same address.
    pub(crate) fn header(&self) -> *mut Header {
        self.base.cast()
    }

    /// The step that failed since the last [`Shared::write`], if one did.
    pub(crate) fn failure(&self) -> Option<(&'static str, std::io::Error)> {
        // SAFETY: the header is inside the mapping, which starts out as zeros; both fields are atomics.
        let (step, errno) = unsafe {
            let header = self.header();
            ((*header).failed_step.load(Ordering::SeqCst), (*header).failed_errno.load(Ordering::SeqCst))
        };
        let step = STEPS.get(step as usize).filter(|_| step != 0)?;
        Some((step, std::io::Error::from_raw_os_error(errno)))
    }

    /// Returns true if the first process of a family has ended.
    pub(crate) fn ended(&self) -> bool {
        // SAFETY: as in `failure`.
        unsafe { (*self.header()).ended.load(Ordering::SeqCst) }
    }

    /// Lays `job` out for the helper.
    pub(crate) fn write(&mut self, job: &Job, with_world: bool, several: bool) -> Result<(), Error> {
        let mut layout = Layout { base: self.base, used: size_of::<Header>() };
        let argv = layout.strings(job.argv.iter().map(|a| vec![a.as_slice()]))?;
        let mut env: Vec<Vec<&[u8]>> =
            job.env.iter().map(|(name, value)| vec![name.as_slice(), b"=", value.as_slice()]).collect();
        if job.ktest.is_some() {
            env.push(vec![TEST_VARIABLE.as_bytes(), b"=", TEST_PATH.as_bytes()]);
        }
        let envp = layout.strings(env.into_iter())?;
        let mut entries = Vec::new();
        for entry in &job.tree {
            entries.extend(layout.entry(entry)?);
        }
        for (i, (name, data)) in job.files.iter().enumerate() {
            // A file of another owner gets all permissions, because the model decides about refusals.
            let mode = match job.attributes.get(i) {
                None => world::FILE_MODE,
                Some(attributes) if attributes.is_own() => attributes.mode,
                Some(_) => 0o777,
            };
            entries.push(layout.file(name, data, mode)?);
        }
        if let Some(ktest) = &job.ktest {
            entries.push(layout.file(TEST_PATH.trim_start_matches('/'), ktest, world::FILE_MODE)?);
        }
        let files = layout.array(&entries)?;
        // SAFETY: the header lies inside the mapping; the helper is idle and reads it after the next message.
        unsafe {
            self.header().write(Header {
                failed_step: AtomicU32::new(0),
                failed_errno: AtomicI32::new(0),
                argv,
                envp,
                files,
                file_count: entries.len(),
                with_world: AtomicBool::new(with_world),
                elsewhere: AtomicBool::new(job.elsewhere),
                several: AtomicBool::new(several),
                status: AtomicI32::new(0),
                ended: AtomicBool::new(false),
            });
        }
        Ok(())
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `new` with this size, and nothing refers to it any more.
        unsafe { libc::munmap(self.base.cast(), SIZE) };
    }
}

/// A bump allocator inside the mapping.
struct Layout {
    base: *mut u8,
    used: usize,
}

impl Layout {
    /// Allocates `len` bytes, aligned to 16.
    fn room(&mut self, len: usize) -> Result<*mut u8, Error> {
        let start = self.used.next_multiple_of(16);
        match start.checked_add(len) {
            Some(end) if end <= SIZE => {
                self.used = end;
                // SAFETY: start + len <= SIZE, so the pointer stays inside the mapping.
                Ok(unsafe { self.base.add(start) })
            }
            _ => Err(Error::BadJob(format!("its arguments and files need more than {} MiB", SIZE >> 20))),
        }
    }

    fn bytes(&mut self, parts: &[&[u8]]) -> Result<*const u8, Error> {
        let len = parts.iter().map(|p| p.len()).sum::<usize>();
        let start = self.room(len + 1)?;
        let mut at = start;
        for part in parts {
            // SAFETY: `room` gave len + 1 bytes, and the parts sum to len.
            unsafe {
                std::ptr::copy_nonoverlapping(part.as_ptr(), at, part.len());
                at = at.add(part.len());
            }
        }
        // SAFETY: the last of the len + 1 bytes.
        unsafe { at.write(0) };
        Ok(start)
    }

    fn array<T: Copy>(&mut self, items: &[T]) -> Result<*const T, Error> {
        let start: *mut T = self.room(size_of_val(items))?.cast();
        // SAFETY: `room` gave that many bytes, aligned to 16, which no T used here exceeds.
        unsafe { std::ptr::copy_nonoverlapping(items.as_ptr(), start, items.len()) };
        Ok(start)
    }

    /// NUL-terminated strings, each given in parts, as a NULL-terminated array.
    fn strings<'a>(
        &mut self,
        strings: impl Iterator<Item = Vec<&'a [u8]>>,
    ) -> Result<*const *const c_char, Error> {
        let mut pointers = Vec::new();
        for parts in strings {
            if parts.iter().any(|p| p.contains(&0)) {
                return Err(Error::BadJob("an argument or environment variable contains a NUL byte".into()));
            }
            pointers.push(self.bytes(&parts)?.cast::<c_char>());
        }
        pointers.push(std::ptr::null());
        self.array(&pointers)
    }

    fn file(&mut self, name: &str, data: &[u8], mode: u32) -> Result<FileEntry, Error> {
        check_file_name(name)?;
        self.raw(name.as_bytes(), data, libc::S_IFREG | mode)
    }

    /// The file of an entry of the job's tree; `None` for an entry without a file.
    fn entry(&mut self, entry: &TreeEntry) -> Result<Option<FileEntry>, Error> {
        if entry.path.split(|&b| b == b'/').any(|name| name.is_empty() || name == b"." || name == b"..") {
            let path = entry.path.escape_ascii();
            return Err(Error::BadJob(format!("{path} is no path below the root")));
        }
        let (kind, data) = match &entry.node {
            TreeNode::Directory => (libc::S_IFDIR, &[][..]),
            TreeNode::File(data) => (libc::S_IFREG, &data[..]),
            TreeNode::Link(target) => (libc::S_IFLNK, &target[..]),
            TreeNode::Nothing => return Ok(None),
        };
        self.raw(&entry.path, data, kind | entry.mode & 0o7777).map(Some)
    }

    fn raw(&mut self, path: &[u8], data: &[u8], mode: u32) -> Result<FileEntry, Error> {
        Ok(FileEntry { path: self.bytes(&[path])?.cast(), data: self.bytes(&[data])?, len: data.len(), mode })
    }
}

/// Checks that the name of a test's file is a plain name in the working directory.
pub(crate) fn check_file_name(name: &str) -> Result<(), Error> {
    if name.is_empty() || name == "." || name == ".." || name.contains(['/', '\0']) {
        return Err(Error::BadJob(format!("{name:?} is no name for a file in the working directory")));
    }
    Ok(())
}
