//! The order of threads that a test foretells. The engine's path records at each point the thread that goes on. Natively the
//! threads come to the same points and report them by a call, made by the program or by runtime/threads.c.

use crate::answers::table::SCHEDULE;
use cleave_linux::{Kernel, Point, Traits, Turn, call_is, nr};

/// Reports of threads; runtime/threads.c has the same numbers.
pub(crate) mod told {
    /// A thread is about to be made, by a program that has points.
    pub(crate) const READY: u64 = 1;
    /// A new thread has begun.
    pub(crate) const BORN: u64 = 2;
    /// A thread is at a point.
    pub(crate) const POINT: u64 = 3;
    /// The engine's path ends here, because the thread waits for itself.
    pub(crate) const STUCK: u64 = 4;
    /// A point of cancellation, or the cancellation of another thread. The second argument is 1 if a call follows at once.
    pub(crate) const CANCELLATION: u64 = 5;
    /// The thread is before an atomic or a volatile access.
    pub(crate) const ACCESS: u64 = 6;
    /// The thread has written at such an access.
    pub(crate) const WRITTEN: u64 = 7;
}

/// The order of threads that a test foretells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Turns {
    /// True if `list` has a turn for each point. Else it has only those of threads that spin ([`Point::Spin`]), and the model
    /// decides the others.
    pub explored: bool,
    /// The turns in order. There are none for plain accesses, because native threads do not stop there.
    pub list: Vec<Turn>,
    /// True if a thread is interrupted at a plain access, or before the end of the process. The behaviour of the native run is
    /// then not certain.
    pub loose: bool,
}

impl Turns {
    /// Makes the turns from all turns of a path.
    pub fn new(explored: bool, mut list: Vec<Turn>) -> Turns {
        let plain = |turn: &Turn| turn.point == Point::Plain;
        let unsure = |turn: &Turn| plain(turn) || turn.point == Point::Call(nr::EXIT_GROUP);
        let loose = list.iter().any(|turn| unsure(turn) && turn.next.1 != turn.tid);
        list.retain(|turn| !plain(turn));
        Turns { explored, list, loose }
    }
}

/// Comparison of a run with the foretold order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The run kept the order, or none was foretold.
    #[default]
    Kept,
    /// The run kept the order to the end of the engine's path, and then continued.
    Beyond,
    /// The run ended this number of points before the engine's path.
    Short(usize),
    /// The run left the order; the text says how.
    Left(String),
}

/// Progress of a run in the foretold order.
pub(crate) struct Course<'a> {
    turns: Option<&'a Turns>,
    at: usize,
    /// Number of accesses so far that are points.
    accesses: u64,
    order: Order,
    /// True if the engine's path has ended: no other thread gets the turn while this one can go on.
    alone: bool,
}

impl<'a> Course<'a> {
    pub(crate) fn new(turns: Option<&'a Turns>) -> Self {
        Course { turns, at: 0, accesses: 0, order: Order::Kept, alone: false }
    }

    /// Returns true if another thread may go on at a point.
    pub(crate) fn has_points(&self, kernel: &Kernel) -> bool {
        self.turns.is_some_and(|turns| turns.explored) && kernel.has_made().1 && !self.alone
    }

    /// Counts an access that a thread has come to.
    pub(crate) fn comes_to_access(&mut self) {
        self.accesses += 1;
    }

    /// If this thread is foretold to wait at its current access: the process and thread that go on. If orders are not explored,
    /// the model chose them.
    pub(crate) fn spins(&self, tid: u64) -> Option<(u64, u64)> {
        let turn = self.turns.filter(|_| !self.alone)?.list.get(self.at)?;
        ((turn.tid, turn.point) == (tid, Point::Spin(self.accesses))).then_some(turn.next)
    }

    /// The thread waits at its access, and the model has chosen another one. Returns true if the foretold thread `next` can go
    /// on.
    pub(crate) fn waits_at_access(&mut self, kernel: &Kernel, next: (u64, u64)) -> bool {
        self.at += 1;
        let explored = self.turns.is_some_and(|turns| turns.explored);
        let found = (kernel.running(), kernel.running_thread());
        let can = if explored { kernel.able().contains(&next) } else { found == next };
        if !can {
            self.leave(format!("thread {} goes on where another one spins; natively it cannot", next.1));
        }
        can
    }

    /// Records that the engine's path ends here.
    pub(crate) fn ends(&mut self) {
        self.alone = true;
    }

    /// Returns true if the engine's path has ended.
    pub(crate) fn is_over(&self) -> bool {
        self.alone
    }

    /// Returns true if the run has left the foretold order.
    pub(crate) fn is_left(&self) -> bool {
        matches!(self.order, Order::Left(_))
    }

    /// The process and thread that go on when a thread has come to a point; `None` if that thread itself goes on.
    pub(crate) fn next(&mut self, kernel: &Kernel, tid: u64, point: Point) -> Option<(u64, u64)> {
        let turns = self.turns.filter(|_| self.has_points(kernel))?;
        let Some(turn) = turns.list.get(self.at) else {
            self.order = Order::Beyond;
            self.alone = true;
            return None;
        };
        if (turn.tid, turn.point) != (tid, point) {
            let Turn { tid: other, point: there, .. } = turn;
            self.leave(format!("thread {other} at {there}; natively: thread {tid} at {point}"));
            return None;
        }
        self.at += 1;
        let (_, next) = turn.next;
        if next == kernel.running_thread() {
            return None;
        }
        if !kernel.able().contains(&turn.next) {
            self.leave(format!("thread {next} goes on behind {point}; natively it cannot"));
            return None;
        }
        Some(turn.next)
    }

    /// Records that the thread waits at its access and that no thread goes on.
    pub(crate) fn waits_for_ever(&mut self) {
        self.at += 1;
    }

    fn leave(&mut self, how: String) {
        self.order = Order::Left(format!("foretold as turn {} of its threads: {how}", self.at + 1));
        self.alone = true;
    }

    /// The comparison with the foretold order, at the end of the run.
    pub(crate) fn kept(&self) -> Order {
        let left = self.turns.map_or(0, |turns| turns.list.len() - self.at);
        match &self.order {
            Order::Kept if left > 0 => Order::Short(left),
            order => order.clone(),
        }
    }
}

/// Returns true if a call of a thread is a point.
pub(crate) fn is_point(number: u64, kernel: &Kernel) -> bool {
    let of_replay = matches!(number, SCHEDULE | nr::RT_SIGRETURN);
    !of_replay && !call_is(number, Traits::UNSEEN) && !kernel.resumes()
}
