//! Child processes and threads: how they are made, and how a parent waits for them.

use cleave_memory::Byte;

use crate::env::world::UID;
use crate::kernel::errno::{CallResult, EAGAIN, ECHILD, EINVAL, ESRCH, fail, unsupported};
use crate::kernel::state::Call;
use crate::kernel::user_memory::Record;
use crate::processes::process::Process;
use crate::processes::status::{News, Status};
use crate::signals::state::SIGCHLD;

const CLONE_VM: u64 = 0x100;
const CLONE_VFORK: u64 = 0x4000;
const CLONE_THREAD: u64 = 0x1_0000;
const CLONE_SYSVSEM: u64 = 0x4_0000;
const CLONE_SETTLS: u64 = 0x8_0000;
const CLONE_PARENT_SETTID: u64 = 0x10_0000;
const CLONE_CHILD_CLEARTID: u64 = 0x20_0000;
const CLONE_DETACHED: u64 = 0x40_0000;
const CLONE_CHILD_SETTID: u64 = 0x100_0000;
/// Resources that threads of a process share: memory, working directory, descriptors, handlers.
const CLONE_SHARED: u64 = 0xf00;
/// The low byte of the flags of `clone`: the signal that the child sends when it ends.
const CSIGNAL: u64 = 0xff;

pub(crate) fn fork(call: &mut Call<'_>, _: [u64; 6]) -> CallResult {
    call.bear(SIGCHLD, false)
}

pub(crate) fn vfork(call: &mut Call<'_>, _: [u64; 6]) -> CallResult {
    call.bear(SIGCHLD, true)
}

/// A new thread. It has a stack of the engine's own; the program's choice is ignored.
fn clone_thread(call: &mut Call<'_>, [flags, _, parent_tid, child_tid, pointer, _]: [u64; 6]) -> CallResult {
    if flags & CLONE_SHARED != CLONE_SHARED {
        return unsupported("a thread that does not share all with the others");
    }
    let known = CLONE_SHARED
        | CLONE_THREAD
        | CLONE_SYSVSEM
        | CLONE_SETTLS
        | CLONE_PARENT_SETTID
        | CLONE_CHILD_CLEARTID
        | CLONE_DETACHED
        | CLONE_CHILD_SETTID
        | CSIGNAL;
    if flags & 0xffff_ffff & !known != 0 {
        return unsupported(format!("flags {:#x}", flags & 0xffff_ffff & !known));
    }
    let pointer = (flags & CLONE_SETTLS != 0).then_some(pointer);
    let cleared = if flags & CLONE_CHILD_CLEARTID != 0 { child_tid } else { 0 };
    let Some(tid) = call.kernel.bear_thread(pointer, cleared) else { return fail(EAGAIN) };
    for (flag, at) in [(CLONE_PARENT_SETTID, parent_tid), (CLONE_CHILD_SETTID, child_tid)] {
        if flags & flag != 0 {
            call.put(at, &(tid as u32).to_le_bytes())?;
        }
    }
    Ok(tid)
}

/// Makes new threads, and new processes, which are copies or have their parent's memory until they end or execute a program. Any
/// other sharing of memory is not modelled.
pub(crate) fn clone(call: &mut Call<'_>, args: [u64; 6]) -> CallResult {
    let [flags, _, parent_tid, ..] = args;
    if flags & CLONE_THREAD != 0 {
        return clone_thread(call, args);
    }
    let lends = match flags & (CLONE_VM | CLONE_VFORK) {
        0 => false,
        both if both == CLONE_VM | CLONE_VFORK => true,
        _ => return unsupported("a process that shares memory with its parent while both run"),
    };
    let known = CSIGNAL | CLONE_VM | CLONE_VFORK | CLONE_PARENT_SETTID;
    if flags & 0xffff_ffff & !known != 0 {
        return unsupported(format!("flags {:#x}", flags & 0xffff_ffff & !known));
    }
    let signal = (flags & CSIGNAL) as u32;
    if signal > 64 {
        return fail(EINVAL);
    }
    let pid = call.bear(signal, lends)?;
    if flags & CLONE_PARENT_SETTID != 0 {
        call.put(parent_tid, &(pid as u32).to_le_bytes())?;
    }
    Ok(pid)
}

/// Whose end, or other news, a parent asks for.
#[derive(Clone, Copy)]
enum Whose {
    All,
    Group(u64),
    Pid(u64),
}

impl Whose {
    fn is(self, process: &Process) -> bool {
        match self {
            Whose::All => true,
            Whose::Group(group) => process.group == group,
            Whose::Pid(pid) => process.pid == pid,
        }
    }
}

/// Options of `wait4` and `waitid`, by their bits.
#[derive(Clone, Copy)]
struct Options(u64);

impl Options {
    const NO_HANG: u64 = 1;
    const STOPPED: u64 = 2;
    const EXITED: u64 = 4;
    const CONTINUED: u64 = 8;
    const NO_WAIT: u64 = 0x0100_0000;
    const ALL: u64 = 0x4000_0000;
    const CLONE: u64 = 0x8000_0000;
    const OF_WAIT4: u64 = 0xe000_000b;
    const OF_WAITID: u64 = 0xe100_000f;

    fn has(self, option: u64) -> bool {
        self.0 & option != 0
    }

    /// Returns true if children that send this signal at their end are meant.
    fn mean(self, signal: u32) -> bool {
        self.has(Options::ALL) || self.has(Options::CLONE) == (signal != SIGCHLD)
    }
}

/// News that a parent gets of a child.
#[derive(Clone, Copy)]
enum Heard {
    Ended(Status),
    Lives(News),
}

impl Call<'_> {
    fn bear(&mut self, signal: u32, lends: bool) -> CallResult {
        match self.kernel.bear(signal, lends) {
            Some(pid) => Ok(pid),
            None => fail(EAGAIN),
        }
    }

    /// The news of a child that these options ask for.
    fn news_of(child: &Process, options: Options) -> Option<Heard> {
        match (child.ended, child.news) {
            (Some(status), _) if options.has(Options::EXITED) => Some(Heard::Ended(status)),
            (Some(_), _) => None,
            (_, Some(news @ News::Stopped(_))) if options.has(Options::STOPPED) => Some(Heard::Lives(news)),
            (_, Some(news @ News::Continued)) if options.has(Options::CONTINUED) => Some(Heard::Lives(news)),
            _ => None,
        }
    }

    /// Waits for news of a child. Returns its id and the news; `None` if there is none yet and the call is not to wait.
    fn wait_for(&mut self, whose: Whose, options: Options) -> CallResult<Option<(u64, Heard)>> {
        let own = self.process().pid;
        let meant = |p: &&Process| p.parent == own && p.pid != own && whose.is(p) && options.mean(p.signal);
        let processes = self.kernel.processes();
        let children: Vec<&Process> = processes.into_iter().filter(meant).collect();
        // A child that has ended counts only for those who ask for ends.
        if !children.iter().any(|p| p.lives() || options.has(Options::EXITED)) {
            return fail(ECHILD);
        }
        let found = children.iter().find_map(|p| Some((p.pid, Self::news_of(p, options)?)));
        let Some((pid, heard)) = found else {
            if options.has(Options::NO_HANG) {
                self.kernel.give_way();
                return Ok(None);
            }
            return self.wait("it waits for a child that never ends");
        };
        if !options.has(Options::NO_WAIT) {
            match heard {
                Heard::Ended(_) => self.kernel.bury(pid),
                Heard::Lives(_) => {
                    if let Some(child) = self.kernel.process_of_mut(pid) {
                        child.news = None;
                    }
                }
            }
        }
        Ok(Some((pid, heard)))
    }
}

/// A status as `wait4` gives it.
fn status_word(heard: Heard) -> [Byte; 4] {
    let word = |low: u8, high: Byte| [Byte::Known(low), high, Byte::Known(0), Byte::Known(0)];
    match heard {
        Heard::Ended(Status::Exited(status)) => word(0, status),
        Heard::Ended(Status::Killed(signal)) => word(signal as u8, Byte::Known(0)),
        Heard::Lives(News::Stopped(signal)) => word(0x7f, Byte::Known(signal as u8)),
        Heard::Lives(News::Continued) => word(0xff, Byte::Known(0xff)),
    }
}

/// No process's time is counted.
fn put_usage(call: &mut Call<'_>, usage: u64) -> CallResult<()> {
    if usage == 0 { Ok(()) } else { call.put(usage, &[0; 144]) }
}

pub(crate) fn wait4(call: &mut Call<'_>, [pid, status, options, usage, ..]: [u64; 6]) -> CallResult {
    let (pid, options) = (pid as i32, options & 0xffff_ffff);
    if options & !Options::OF_WAIT4 != 0 {
        return fail(EINVAL);
    }
    if pid == i32::MIN {
        return fail(ESRCH);
    }
    let whose = match pid {
        -1 => Whose::All,
        0 => Whose::Group(call.process().group),
        1.. => Whose::Pid(pid as u64),
        _ => Whose::Group(u64::from(pid.unsigned_abs())),
    };
    let Some((pid, heard)) = call.wait_for(whose, Options(options | Options::EXITED))? else { return Ok(0) };
    put_usage(call, usage)?;
    if status != 0 {
        call.guest.write(status, &status_word(heard))?;
    }
    Ok(pid)
}

pub(crate) fn waitid(call: &mut Call<'_>, [kind, id, info, options, usage, ..]: [u64; 6]) -> CallResult {
    let options = options & 0xffff_ffff;
    let asks = Options::EXITED | Options::STOPPED | Options::CONTINUED;
    if options & !Options::OF_WAITID != 0 || options & asks == 0 {
        return fail(EINVAL);
    }
    let id = id as i32;
    let whose = match (kind as u32, id) {
        (0, _) => Whose::All,
        (1, 1..) => Whose::Pid(id as u64),
        (2, 0) => Whose::Group(call.process().group),
        (2, 1..) => Whose::Group(id as u64),
        (3, 0..) => return unsupported("a descriptor of a process"),
        _ => return fail(EINVAL),
    };
    let heard = call.wait_for(whose, Options(options))?;
    if heard.is_some() {
        put_usage(call, usage)?;
    }
    if info != 0 {
        put_info(call, info, heard)?;
    }
    Ok(0)
}

/// The fields of a `siginfo_t` that `waitid` fills.
fn put_info(call: &mut Call<'_>, at: u64, heard: Option<(u64, Heard)>) -> CallResult<()> {
    let known = |v: u32| v.to_le_bytes().map(Byte::Known);
    let (signal, code, status) = match heard.map(|(_, heard)| heard) {
        None => (0, 0, known(0)),
        Some(Heard::Ended(Status::Exited(status))) => {
            (SIGCHLD, 1, [status, Byte::Known(0), Byte::Known(0), Byte::Known(0)])
        }
        Some(Heard::Ended(Status::Killed(signal))) => (SIGCHLD, 2, known(signal)),
        Some(Heard::Lives(News::Stopped(signal))) => (SIGCHLD, 5, known(signal)),
        Some(Heard::Lives(News::Continued)) => (SIGCHLD, 6, known(crate::signals::state::SIGCONT)),
    };
    call.put_record(at, Record::default().u32(signal).u32(0).u32(code))?;
    let (pid, uid) = heard.map_or((0, 0), |(pid, _)| (pid as u32, UID));
    call.put_record(at.wrapping_add(16), Record::default().u32(pid).u32(uid))?;
    call.guest.write(at.wrapping_add(24), &status)?;
    Ok(())
}
