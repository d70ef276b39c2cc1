//! Several processes: their births, lives and ends. `schedule.rs` decides which of them runs.

use std::rc::Rc;

use cleave_memory::Byte;

use crate::env::world::{LIMIT_PROCESSES, PARENT_PID, PID};
use crate::files::locks::Owner;
use crate::kernel::guest::{Guest, Stop};
use crate::kernel::state::Kernel;
use crate::processes::parked::Others;
use crate::processes::process::Process;
use crate::processes::status::{AfterCall, CLD_EXITED, CLD_KILLED, Condition, Life, Status};
use crate::processes::threads::{Thread, Waiting};
use crate::signals::info::Info;
use crate::signals::state::{Own, SIGCHLD, SIGCONT};

pub(crate) const SIGHUP: u32 = 1;

impl Kernel {
    /// The process that runs.
    pub fn running(&self) -> u64 {
        self.process.pid
    }

    /// Returns true if the program has made processes or threads.
    pub fn has_several(&self) -> bool {
        self.others.is_some()
    }

    /// Two flags: the program has made processes; it has made threads.
    pub fn has_made(&self) -> (bool, bool) {
        self.others.as_ref().map_or((false, false), |others| others.made)
    }

    /// Condition of a process.
    pub fn condition(&self, pid: u64) -> Condition {
        match self.process_of(pid) {
            None => Condition::Gone,
            Some(p) if p.buried => Condition::Gone,
            Some(p) if !p.lives() => Condition::Ended,
            Some(p) if p.stopped.is_some() => Condition::Stopped,
            Some(_) => Condition::Lives,
        }
    }

    /// Returns true if a process lives.
    pub fn lives(&self, pid: u64) -> bool {
        self.process_of(pid).is_some_and(Process::lives)
    }

    /// Memory that a process shares with others: the number of each piece, and its address.
    pub fn shared_mappings(&self, pid: u64) -> Vec<(u64, u64)> {
        let shared = self.process_of(pid).into_iter().flat_map(|p| p.shared.iter());
        shared.map(|(&address, shared)| (shared.number, address)).collect()
    }

    /// A process that lives, or has ended and was not waited for.
    pub(crate) fn process_of(&self, pid: u64) -> Option<&Process> {
        if self.process.pid == pid {
            return Some(&self.process);
        }
        self.others.as_ref()?.parked.get(&pid).map(Rc::as_ref)
    }

    pub(crate) fn process_of_mut(&mut self, pid: u64) -> Option<&mut Process> {
        if self.process.pid == pid {
            return Some(Rc::make_mut(&mut self.process));
        }
        self.others_mut()?.parked.get_mut(&pid).map(Rc::make_mut)
    }

    pub(crate) fn others_mut(&mut self) -> Option<&mut Others> {
        self.others.as_mut().map(Rc::make_mut)
    }

    /// All processes, by pid.
    pub(crate) fn processes(&self) -> Vec<&Process> {
        let parked = self.others.iter().flat_map(|others| others.parked.values().map(Rc::as_ref));
        let mut all: Vec<&Process> = parked.collect();
        all.push(&self.process);
        all.sort_unstable_by_key(|p| p.pid);
        all
    }

    /// The pids of the processes that `which` picks, rising.
    pub(crate) fn pids(&self, which: impl Fn(&Process) -> bool) -> Vec<u64> {
        self.processes().into_iter().filter(|p| which(p)).map(|p| p.pid).collect()
    }

    /// A number that says who came first to the queue of those who want the turn.
    pub(crate) fn ticket(&mut self) -> u64 {
        let Some(others) = self.others_mut() else { return 0 };
        others.next_ticket += 1;
        others.next_ticket - 1
    }

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

    /// The thread that runs.
    pub fn running_thread(&self) -> u64 {
        self.process.thread.tid
    }

    /// Returns true if the running process has several threads.
    pub fn has_threads(&self) -> bool {
        self.process.threads.as_ref().is_some_and(|threads| !threads.is_empty())
    }

    /// Returns true if a thread lives.
    pub fn thread_lives(&self, pid: u64, tid: u64) -> bool {
        self.process_of(pid).is_some_and(|p| p.has_thread(tid))
    }

    /// Takes the action after the call that has returned just now.
    pub fn take_after_call(&mut self) -> AfterCall {
        std::mem::replace(&mut self.after, AfterCall::Nothing)
    }

    /// Returns true if the call that has returned just now gives up its process's turn.
    pub fn gives_way(&self) -> bool {
        self.after == AfterCall::GivesWay
    }

    /// The process gives up its turn once the call at hand has returned, if others wait for it.
    pub(crate) fn give_way(&mut self) {
        if self.others.is_some() && self.after == AfterCall::Nothing {
            self.after = AfterCall::GivesWay;
        }
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

    /// A call of some process has returned, or something else has happened that others may wait for.
    pub(crate) fn note_return(&mut self) {
        if let Some(others) = self.others_mut() {
            others.returned += 1;
        }
    }

    /// Threads that wait may find something changed: memory that they share.
    pub fn something_changed(&mut self) {
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

    /// Returns true if no process outside of a group, but in its session, has a child in it: then none could continue it.
    pub(crate) fn is_orphaned(&self, group: u64) -> bool {
        !self.processes().iter().any(|p| {
            let parent = self.process_of(p.parent);
            p.group == group
                && p.lives()
                && parent.is_some_and(|q| q.lives() && q.group != group && q.session == p.session)
        })
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
