//! The environment that a program under test finds itself in. The model here and the native replay (crate `replay`) both look
//! like this: things that a native kernel would show otherwise (clocks, times and numbers of files, the machine), the replay
//! answers by the model.
//!
//! The file system is one empty tmpfs: `/`, owned by the program's user, and the working directory. There is
//! no `/dev`, `/proc`, `/tmp` or `/etc`, unless `--fs` puts them there. The symbolic files A, B, ... are made in it in this order, mode 0644,
//! so their inode numbers are 2, 3, ... Native programs with symbolic objects of their own also see the test's
//! file (`/.cleave.ktest`) and its variable, which the model does not have.
//!
//! Directories list their newest entry first, as tmpfs does (Linux before 6.6, and from 6.14 on).

/// The program's process id: the first after the namespace's init process.
pub const PID: u64 = 2;
/// Its parent: the namespace's init process, which ignores all signals.
pub const PARENT_PID: u64 = 1;
/// User of the process and owner of the file system.
pub const UID: u32 = 1000;
/// Group of the process; it is in no other.
pub const GID: u32 = 1000;
/// Id that a foreign user or group is shown as: that of the file behind standard input.
pub const OVERFLOW_ID: u32 = 65_534;
/// The initial file mode creation mask.
pub const UMASK: u32 = 0o022;
/// Mode of the root directory, which is also the initial working directory.
pub const ROOT_MODE: u32 = 0o755;
/// Mode of the symbolic files.
pub const FILE_MODE: u32 = 0o644;
/// Mode of the files of `--program`.
pub const PROGRAM_MODE: u32 = 0o555;
/// Size of these files, in bytes; it does not depend on the executables.
pub const PROGRAM_SIZE: u64 = 4096;
/// Mode of the folders above these files.
pub const FOLDER_MODE: u32 = 0o755;
/// Mode of the file behind standard input: a sealed memory file, open for reading and writing at offset 0, on
/// which every write fails with EPERM (`StdinKind::File` of the replay). It has no name, so no link.
pub const STDIN_MODE: u32 = 0o777;
/// Mode of the two pipes that are standard output and standard error, which never fill up.
pub const PIPE_MODE: u32 = 0o600;
/// Device number of the root file system.
pub const DEVICE_ROOT: u64 = 0x30;
/// Device number of memory files.
pub const DEVICE_MEMORY: u64 = 0x01;
/// Device number of pipes.
pub const DEVICE_PIPES: u64 = 0x0e;
/// Device number of objects without a file system: timers, counters, sets of descriptors.
pub const DEVICE_ANONYMOUS: u64 = 0x0f;
/// Device number of sockets.
pub const DEVICE_SOCKETS: u64 = 0x08;
/// Mode of sockets.
pub const SOCKET_MODE: u32 = 0o777;
/// Device number of the file system of terminals.
pub const DEVICE_TERMINALS: u64 = 0x18;
/// The terminal's inode number in that file system.
pub const TERMINAL_NUMBER: u64 = 3;
/// The terminal as a device: the first of the pseudoterminals.
pub const TERMINAL_DEVICE: (u32, u32) = (136, 0);
/// Mode of the terminal.
pub const TERMINAL_MODE: u32 = 0o620;
/// Group of the terminal: `tty`.
pub const TERMINAL_GROUP: u32 = 5;
/// Bytes that the terminal takes at a time, as `stat` says.
pub const TERMINAL_BLOCK: u64 = 1024;
/// Rows and columns of the terminal.
pub const TERMINAL_SIZE: [u16; 2] = [24, 80];
/// The inode number of all that has no file system.
pub const ANONYMOUS_NUMBER: u64 = 1;
/// The variables of the environment: the one directory that there is.
pub const VARIABLES: [(&str, &str); 2] = [("HOME", "/"), ("PWD", "/")];
/// Name of the machine.
pub const HOST_NAME: &str = "cleave";
/// Domain of the machine.
pub const DOMAIN_NAME: &str = "(none)";
/// Release of the kernel as `uname` gives it.
pub const RELEASE: &str = "6.1.0";
/// Version of the kernel as `uname` gives it.
pub const VERSION: &str = "#1 SMP";
/// Processors that the process may run on.
pub const PROCESSORS: u32 = 1;
/// Bytes of memory that `sysinfo` tells of.
pub const MEMORY: u64 = 1 << 30;
/// Bytes in a page.
pub const PAGE_SIZE: u64 = 4096;
/// Time at the start of every path, seconds since 1970: 2000-01-01 00:00:00 UTC.
pub const START_SECONDS: i64 = 946_684_800;
/// By how much every look at a clock moves all clocks on, in nanoseconds. Nothing else does, except a sleep.
pub const TICK_NANOSECONDS: u64 = 1000;
/// Time since start-up when a path starts, in seconds, as the monotonic clocks show it.
pub const UPTIME_SECONDS: u64 = 1000;

/// No limit.
pub const INFINITY: u64 = u64::MAX;
/// Processor seconds: soft and hard limit (RLIMIT_CPU).
pub const LIMIT_CPU: (u64, u64) = (10, 11);
/// The largest file and the whole file system, in bytes (RLIMIT_FSIZE; `disk` of the replay's limits).
pub const LIMIT_FILE_SIZE: u64 = 16 << 20;
/// Memory that a process may use, in bytes. The model does not count the used memory.
pub const USED_MEMORY: u64 = 256 << 20;
/// Address space, in bytes (RLIMIT_AS): the largest heap there is, and room for the rest.
pub const LIMIT_ADDRESS_SPACE: u64 = cleave_memory::MAX_HEAP + USED_MEMORY;
/// Stack, in bytes (RLIMIT_STACK, soft limit).
pub const LIMIT_STACK: u64 = 8 << 20;
/// Processes (RLIMIT_NPROC).
pub const LIMIT_PROCESSES: u64 = 16;
/// File descriptors (RLIMIT_NOFILE): numbers below this.
pub const LIMIT_OPEN_FILES: u64 = 64;
/// Inodes of the file system, the root's included.
pub const LIMIT_INODES: u64 = 4096;
/// Bytes that a pipe of the program's own holds.
pub const PIPE_SIZE: usize = 65_536;
