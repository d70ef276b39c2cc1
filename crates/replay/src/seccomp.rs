//! A filter of system calls for the program under test: those that configure a machine, reach other processes,
//! or hold memory outside of all limits are refused with EPERM. Everything else is as always, so that a
//! program behaves as the model of the kernel says.

use libc::{sock_filter, sock_fprog};

#[cfg(target_arch = "x86_64")]
const ARCH: u32 = 0xC000_003E;
#[cfg(target_arch = "aarch64")]
const ARCH: u32 = 0xC000_00B7;

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
    // There is no network; without sockets there is not even a kernel interface to try.
    libc::SYS_socket,
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

const ALLOW: u32 = libc::SECCOMP_RET_ALLOW;
const REFUSE: u32 = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;
const MISSING: u32 = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;
const KILL: u32 = libc::SECCOMP_RET_KILL_PROCESS;

const fn op(code: u16, jt: u8, jf: u8, k: u32) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

/// Instructions before the list of denied calls.
const HEAD: usize = 10;
const LEN: usize = HEAD + 2 * DENIED.len() + 1;

/// The filter, built when the crate is compiled.
static FILTER: [sock_filter; LEN] = {
    let mut f = [op(RET, 0, 0, ALLOW); LEN];
    f[0] = op(LD, 0, 0, ARCHITECTURE);
    f[1] = op(JEQ, 1, 0, ARCH);
    f[2] = op(RET, 0, 0, KILL);
    f[3] = op(LD, 0, 0, NUMBER);
    // clone3's flags lie in memory, where a filter cannot look: the C library then falls back on clone.
    f[4] = op(JEQ, 1, 0, libc::SYS_clone3 as u32);
    // x32 numbers on x86-64, and numbers no kernel has.
    f[5] = op(JGE, 0, 1, 0x4000_0000);
    f[6] = op(RET, 0, 0, MISSING);
    // clone into a new user namespace would give capabilities back.
    f[7] = op(JEQ, 0, 2, libc::SYS_clone as u32);
    f[8] = op(LD, 0, 0, FIRST_ARGUMENT);
    // The accumulator holds clone's flags from here on: refuse (f[11]), or jump straight to the last line.
    f[9] = op(JSET, 1, (LEN - 11) as u8, libc::CLONE_NEWUSER as u32);
    let mut i = 0;
    while i < DENIED.len() {
        f[HEAD + 2 * i] = op(JEQ, 0, 1, DENIED[i] as u32);
        f[HEAD + 2 * i + 1] = op(RET, 0, 0, REFUSE);
        i += 1;
    }
    f
};

/// Installs the filter for this process and what it starts. `no_new_privs` must be set. True on success.
pub(crate) fn install() -> bool {
    let program = sock_fprog { len: LEN as u16, filter: (&raw const FILTER).cast_mut().cast() };
    #[allow(unsafe_code)]
    // SAFETY: the program points to LEN valid instructions, which the kernel only reads and copies.
    let result =
        unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program, 0, 0) };
    result == 0
}
