//! Several processes: their births, lives and ends. `schedule.rs` decides which of them runs.

use std::rc::Rc;

use cleave_memory::Byte;

use crate::env::world::{LIMIT_PROCESSES, PARENT_PID, PID};
use crate::files::locks::Owner;
use crate::kernel::guest::{Guest, Stop};
use crate::kernel::state::Kernel;
use crate::processes::parked::Others;
use crate::processes::process::Process;
use crate::processes::status::{AfterCall, CLD_EXITED, CLD_KILLED, Life, Status};
use crate::processes::threads::{Thread, Waiting};
use crate::signals::info::Info;
use crate::signals::state::{Own, SIGCHLD, SIGCONT};

pub(crate) const SIGHUP: u32 = 1;

impl Kernel {
    /// Makes a process, a copy of the running one; its pid. `None` if the maximum number exists.
    pub(crate) fn bear(&mut self, signal: u32, lends: bool) -> Option<u64> {
        let limit = self.process.limits.get(&6).map_or(LIMIT_PROCESSES, |l| l.0);
        if self.processes().len() as u64 >= limit {
            return None;
        }
        let others = Rc::make_mut(self.others.get_or_insert_with(|| Rc::new(Others::new())));
        let pid = others.next_pid;
        others.next_pid += 1;
        let mut child = Process::clone(&self.process);
        child.become_child(pid, signal);
        child.thread.ticket = Some(others.next_ticket);
        others.next_ticket += 1;
        let files = Rc::make_mut(&mut self.files);
        child.descriptors().for_each(|d| files.hold(d.file));
        child.file_mappings.values().for_each(|mapping| files.hold(mapping.key));
        others.parked.insert(pid, Rc::new(child));
        for output in [&mut self.stdout, &mut self.stderr] {
            output.forks(self.process.pid, pid);
        }
        others.made.0 = true;
        if lends {
            Rc::make_mut(&mut self.process).thread.life = Life::Lends { to: pid };
        }
        self.after = AfterCall::Born { pid, lends };
        Some(pid)
    }

    /// Makes a thread of the running process; its number. `None` if the maximum number exists.
    pub(crate) fn bear_thread(&mut self, pointer: Option<u64>, cleared: u64) -> Option<u64> {
        let limit = self.process.limits.get(&6).map_or(LIMIT_PROCESSES, |l| l.0);
        let tasks: usize = self.processes().iter().map(|p| p.each_thread().count()).sum();
        if tasks as u64 >= limit {
            return None;
        }
        let others = Rc::make_mut(self.others.get_or_insert_with(|| Rc::new(Others::new())));
        others.made.1 = true;
        let (tid, ticket) = (others.next_pid, others.next_ticket);
        (others.next_pid, others.next_ticket) = (tid + 1, ticket + 1);
        let process = Rc::make_mut(&mut self.process);
        let mut thread = Thread::new(tid, process.thread.name);
        (thread.ticket, thread.cleared) = (Some(ticket), cleared);
        let own = Own::new(process.signals.own.blocked);
        let threads = Rc::make_mut(process.threads.get_or_insert_default());
        threads.insert(tid, Waiting { thread, own });
        self.after = AfterCall::BornThread { tid, pointer };
        Some(tid)
    }

    /// Ends the running thread: writes a zero to the address that it set, and wakes the waiters there. Returns `false` if the
    /// process has no other thread: then the process ends.
    ///
    /// # Errors
    /// None: a place that is not the program's is left alone.
    pub fn end_thread(&mut self, guest: &mut dyn Guest) -> Result<bool, Stop> {
        let Thread { tid, cleared, .. } = self.process.thread;
        if self.process.threads.as_ref().is_none_or(|threads| threads.is_empty()) {
            return Ok(false);
        }
        if cleared != 0 && guest.write(cleared, &[Byte::Known(0); 4]).is_ok() {
            let key = self.futex_key(cleared, false);
            self.wake_futex(key, 1, u32::MAX);
        }
        let thread = &mut Rc::make_mut(&mut self.process).thread;
        (thread.life, thread.ticket, thread.progress) = (Life::Ended, None, None);
        self.leave_futexes(|waiter| waiter.tid == tid);
        self.note_return();
        Ok(true)
    }

    /// A process does not have its parent's memory any more: it has ended, or executes a program.
    pub fn memory_given_back(&mut self, child: u64) {
        let parent = self.process_of(child).map(|p| p.parent);
        let Some(parent) = parent.and_then(|p| self.process_of_mut(p)) else { return };
        let lends = Life::Lends { to: child };
        if parent.thread.life == lends {
            parent.thread.life = Life::Ready;
        }
        for waiting in parent.threads.iter_mut().flat_map(|threads| Rc::make_mut(threads).values_mut()) {
            if waiting.thread.life == lends {
                waiting.thread.life = Life::Ready;
            }
        }
    }

    /// Ends the process that runs.
    pub fn end_running(&mut self, status: Status) {
        self.end(self.process.pid, status);
    }

    /// Ends a process: its descriptors are closed, its children become init's, its parent is told.
    pub(crate) fn end(&mut self, pid: u64, status: Status) {
        self.memory_given_back(pid);
        let Some(group) = self.process_of(pid).map(|p| p.group) else { return };
        let watched = self.groups_at_stake(pid, group);
        let Some(process) = self.process_of_mut(pid) else { return };
        let mut descriptors: Vec<u32> = process.descriptors().map(|d| d.file).collect();
        descriptors.extend(process.forget_file_mappings());
        let openings: Vec<u32> =
            process.each_thread().filter_map(|(t, _)| t.progress?.opening).map(|o| o.key).collect();
        process.forget_descriptors();
        let cwd = process.cwd;
        (process.ended, process.stopped, process.news) = (Some(status), None, None);
        (process.thread.ticket, process.thread.progress) = (None, None);
        process.threads = None;
        process.mappings.clear();
        process.shared.clear();
        self.unlock(Owner::Process(pid), None);
        self.leave_futexes(|waiter| waiter.pid == pid);
        for key in descriptors {
            self.release(key);
        }
        for key in openings {
            self.abandon(key);
        }
        self.reap(cwd);
        self.orphan_children(pid);
        if pid == PID
            && let Some(others) = self.others_mut()
        {
            others.main = Some(status);
        }
        self.mourn(pid);
        self.hang_up(&watched);
        self.note_return();
    }

    /// The groups that a process's end may orphan: of its own and its children's those that are not orphans yet.
    fn groups_at_stake(&self, pid: u64, own: u64) -> Vec<u64> {
        let mut groups: Vec<u64> =
            self.processes().iter().filter(|p| p.parent == pid).map(|p| p.group).chain([own]).collect();
        groups.sort_unstable();
        groups.dedup();
        groups.retain(|&group| !self.is_orphaned(group));
        groups
    }

    fn orphan_children(&mut self, pid: u64) {
        for child in self.pids(|p| p.parent == pid) {
            let Some(process) = self.process_of_mut(child) else { continue };
            process.parent = PARENT_PID;
            process.signal = SIGCHLD;
            if !process.lives() {
                self.bury(child);
            }
        }
    }

    /// Tells the parent of a process's end, or forgets it if the parent does not want to know.
    fn mourn(&mut self, pid: u64) {
        let Some(process) = self.process_of(pid) else { return };
        let (parent, signal) = (process.parent, process.signal);
        let (code, status) = match process.ended {
            Some(Status::Killed(by)) => (CLD_KILLED, Byte::Known(by as u8)),
            Some(Status::Exited(status)) => (CLD_EXITED, status),
            None => (CLD_EXITED, Byte::Known(0)),
        };
        let Some(heir) = self.process_of(parent).filter(|p| p.lives()) else { return self.bury(pid) };
        let forgotten = signal == SIGCHLD && heir.forgets_children();
        if signal != 0 {
            self.send_told(parent, signal, Info::of_child(signal, code, pid, status), None);
        }
        if forgotten {
            self.bury(pid);
        }
    }

    /// Forgets a process that has ended. The one that runs is forgotten when another gets the turn.
    pub(crate) fn bury(&mut self, pid: u64) {
        if self.process.pid == pid {
            Rc::make_mut(&mut self.process).buried = true;
        } else if let Some(others) = self.others_mut() {
            others.parked.remove(&pid);
        }
    }

    /// Groups that have become orphans and have a process that is stopped are hung up and continued.
    fn hang_up(&mut self, groups: &[u64]) {
        for &group in groups {
            let stopped = self.processes().iter().any(|p| p.group == group && p.stopped.is_some());
            if stopped && self.is_orphaned(group) {
                for pid in self.pids(|p| p.group == group && p.lives()) {
                    self.send(pid, SIGHUP);
                    self.send(pid, SIGCONT);
                }
            }
        }
    }
}
