//! All processes by number, the one that runs among them, and the turn that it gives up. `lifecycle.rs` makes and ends them.

use std::rc::Rc;

use crate::kernel::state::Kernel;
use crate::processes::parked::Others;
use crate::processes::process::Process;
use crate::processes::status::{AfterCall, Condition};

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

    /// Returns true if no process outside of a group, but in its session, has a child in it: then none could continue it.
    pub(crate) fn is_orphaned(&self, group: u64) -> bool {
        !self.processes().iter().any(|p| {
            let parent = self.process_of(p.parent);
            p.group == group
                && p.lives()
                && parent.is_some_and(|q| q.lives() && q.group != group && q.session == p.session)
        })
    }
}
