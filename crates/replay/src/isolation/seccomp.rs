//! Filters of system calls for the program under test. Those that configure a machine, reach other processes, or hold
//! memory outside of all limits are refused with EPERM. Of the others, a filter with a *listener* hands some to
//! the replayer, which answers them from the model of the kernel (see [`crate::answers::calls`]).
#![allow(unsafe_code)]

use libc::{sock_filter, sock_fprog};

#[cfg(target_arch = "x86_64")]
const ARCH: u32 = 0xC000_003E;
#[cfg(target_arch = "aarch64")]
const ARCH: u32 = 0xC000_00B7;

/// Programs for i386 make calls of x86-64 (runtime/musl-i386/gate.s), but for the one that sets their thread pointer.
const NARROW_ARCH: u32 = 0x4000_0003;
const SET_THREAD_AREA: u32 = 243;

/// The descriptor that the executable has from the filter on until it runs.
pub(crate) const EXECUTABLE_FD: libc::c_int = 20;
/// The descriptor on which the listener is sent to the replayer, likewise.
pub(crate) const CONTROL_FD: libc::c_int = 21;

/// System calls refused outright.
const DENIED: &[i64] = &[
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsmount,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_reboot,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_adjtimex,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_syslog,
    libc::SYS_open_by_handle_at,
    // Memory and names that outlive the process or escape its limits.
    libc::SYS_memfd_create,
    libc::SYS_shmget,
    libc::SYS_msgget,
    libc::SYS_semget,
    libc::SYS_mq_open,
];

/// Calls that the kernel executes for a program without namespaces: those on its own memory (files are not mapped) and its end.
/// Calls on its own signals go to the listener, which lets most of them continue.
const OWN: &[i64] = &[
    libc::SYS_mprotect,
    libc::SYS_munmap,
    libc::SYS_brk,
    libc::SYS_mremap,
    libc::SYS_mincore,
    libc::SYS_madvise,
    libc::SYS_mlock,
    libc::SYS_munlock,
    libc::SYS_restart_syscall,
    libc::SYS_sched_yield,
    libc::SYS_futex,
    libc::SYS_set_robust_list,
    libc::SYS_rseq,
    libc::SYS_membarrier,
    libc::SYS_exit,
    libc::SYS_exit_group,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_arch_prctl,
];

const LD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
const JEQ: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
const JSET: u16 = (libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K) as u16;
const JGE: u16 = (libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K) as u16;
const RET: u16 = (libc::BPF_RET | libc::BPF_K) as u16;

/// Offsets in `struct seccomp_data`.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const FIRST_ARGUMENT: u32 = 16;
const FOURTH_ARGUMENT: u32 = 40;

const ALLOW: u32 = libc::SECCOMP_RET_ALLOW;
const REFUSE: u32 = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;
const MISSING: u32 = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;
const KILL: u32 = libc::SECCOMP_RET_KILL_PROCESS;
const ASK: u32 = libc::SECCOMP_RET_USER_NOTIF;

/// A filter, built before the process that installs it is forked.
pub(crate) struct Filter {
    instructions: Vec<sock_filter>,
    listener: bool,
}

impl Filter {
    /// Refuses the calls of [`DENIED`] and lets all others through; no listener.
    pub(crate) fn plain() -> Filter {
        let mut filter = Filter::head(false);
        filter.clone_without_users(ALLOW);
        filter.deny();
        // There is no network; without sockets there is not even a kernel interface to try.
        filter.call(libc::SYS_socket as u32, REFUSE);
        filter.push(RET, 0, 0, ALLOW);
        filter
    }

    /// As the plain filter, but the calls `asked` go to the listener. If there are `programs`, `execve` goes to it, too.
    pub(crate) fn with_world(asked: impl Iterator<Item = u32>, programs: bool) -> Filter {
        let mut filter = Filter::head(true);
        filter.clone_without_users(ASK);
        filter.deny();
        if programs {
            filter.condition(libc::SYS_execveat, FIRST_ARGUMENT, JEQ, EXECUTABLE_FD as u32);
            filter.call(libc::SYS_execve as u32, ASK);
        }
        // The call that sends the listener to the replayer, before the program runs.
        filter.condition(libc::SYS_sendmsg, FIRST_ARGUMENT, JEQ, CONTROL_FD as u32);
        for number in asked {
            filter.call(number, ASK);
        }
        filter.push(RET, 0, 0, ALLOW);
        filter
    }

    /// Lets through the calls of [`OWN`]; all others go to the listener.
    pub(crate) fn closed() -> Filter {
        let mut filter = Filter::head(true);
        filter.deny();
        filter.condition(libc::SYS_mmap, FOURTH_ARGUMENT, JSET, libc::MAP_ANONYMOUS as u32);
        // The two calls between the filter and the program's first instruction. Afterwards these descriptors are
        // closed, and no other can get their numbers.
        filter.condition(libc::SYS_execveat, FIRST_ARGUMENT, JEQ, EXECUTABLE_FD as u32);
        filter.condition(libc::SYS_sendmsg, FIRST_ARGUMENT, JEQ, CONTROL_FD as u32);
        for &number in OWN {
            filter.call(number as u32, ALLOW);
        }
        filter.push(RET, 0, 0, ASK);
        filter
    }

    fn push(&mut self, code: u16, jt: u8, jf: u8, k: u32) {
        self.instructions.push(sock_filter { code, jt, jf, k });
    }

    fn head(listener: bool) -> Filter {
        let mut filter = Filter { instructions: Vec::new(), listener };
        filter.push(LD, 0, 0, ARCHITECTURE);
        filter.push(JEQ, 5, 0, ARCH);
        filter.push(JEQ, 0, 3, NARROW_ARCH);
        filter.push(LD, 0, 0, NUMBER);
        filter.push(JEQ, 0, 1, SET_THREAD_AREA);
        filter.push(RET, 0, 0, ALLOW);
        filter.push(RET, 0, 0, KILL);
        filter.push(LD, 0, 0, NUMBER);
        // clone3's flags lie in memory, where a filter cannot look: the C library then falls back on clone.
        filter.call(libc::SYS_clone3 as u32, MISSING);
        // x32 numbers on x86-64, and numbers no kernel has.
        filter.push(JGE, 0, 1, 0x4000_0000);
        filter.push(RET, 0, 0, MISSING);
        filter
    }

    /// Ends this call in `action`.
    fn call(&mut self, number: u32, action: u32) {
        self.push(JEQ, 0, 1, number);
        self.push(RET, 0, 0, action);
    }

    /// Refuses a clone into a new user namespace, which would give capabilities back; other clones end in `action`.
    fn clone_without_users(&mut self, action: u32) {
        self.push(JEQ, 0, 4, libc::SYS_clone as u32);
        self.push(LD, 0, 0, FIRST_ARGUMENT);
        self.push(JSET, 0, 1, libc::CLONE_NEWUSER as u32);
        self.push(RET, 0, 0, REFUSE);
        self.push(RET, 0, 0, action);
    }

    fn deny(&mut self) {
        for &number in DENIED {
            self.call(number as u32, REFUSE);
        }
    }

    /// Allows this call if a comparison of an argument holds, else sends it to the listener.
    fn condition(&mut self, number: i64, argument: u32, comparison: u16, value: u32) {
        self.push(JEQ, 0, 4, number as u32);
        self.push(LD, 0, 0, argument);
        self.push(comparison, 0, 1, value);
        self.push(RET, 0, 0, ALLOW);
        self.push(RET, 0, 0, ASK);
    }

    /// Installs the filter for this process and its children; `no_new_privs` must be set. Returns the listener's descriptor (0
    /// without one), or a negative number on failure. Makes system calls only.
    pub(crate) fn install(&self) -> libc::c_int {
        /// A signal that arrives while the replayer answers waits for the answer (Linux 5.19).
        const WAIT: u64 = libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
        const LISTEN: u64 = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER;
        let instructions = self.instructions.as_ptr().cast_mut();
        let program = sock_fprog { len: self.instructions.len() as u16, filter: instructions };
        let set = |flags: u64| {
            let mode = libc::SECCOMP_SET_MODE_FILTER;
            // SAFETY: the program points to that many valid instructions, which the kernel only reads and copies.
            unsafe { libc::syscall(libc::SYS_seccomp, mode, flags, &raw const program) as libc::c_int }
        };
        if !self.listener {
            return set(0);
        }
        let listener = set(LISTEN | WAIT);
        if listener >= 0 { listener } else { set(LISTEN) }
    }
}

/// Returns true if this kernel can hand system calls to a listener.
pub(crate) fn has_listeners() -> bool {
    let mut sizes = libc::seccomp_notif_sizes { seccomp_notif: 0, seccomp_notif_resp: 0, seccomp_data: 0 };
    // SAFETY: the kernel fills in the struct.
    let known =
        unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_GET_NOTIF_SIZES, 0, &raw mut sizes) == 0 };
    cfg!(target_arch = "x86_64")
        && known
        && usize::from(sizes.seccomp_notif) == size_of::<libc::seccomp_notif>()
        && usize::from(sizes.seccomp_notif_resp) == size_of::<libc::seccomp_notif_resp>()
}
