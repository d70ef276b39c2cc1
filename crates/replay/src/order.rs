//! The order of threads that a test foretells. The engine's path has noted who goes on at each point;
//! natively the threads come to the same points, and each of them says so, by a call of the program or of runtime/threads.c.

use crate::table::nr;
use cleave_linux::{Kernel, Point, Turn, UNSEEN};

/// What threads tell: runtime/threads.c.
pub(crate) mod told {
    /// A thread is about to be made, by a program that has points.
    pub(crate) const READY: u64 = 1;
    /// A new thread has begun.
    pub(crate) const BORN: u64 = 2;
    /// A thread is at a point.
    pub(crate) const POINT: u64 = 3;
    /// The engine's path ends here: the thread waits for itself.
    pub(crate) const STUCK: u64 = 4;
    /// A thread may be cancelled here, or cancels another one. The second argument is 1 where a call follows at once.
    pub(crate) const CANCELLATION: u64 = 5;
    /// A thread is in front of an atomic or a volatile access.
    pub(crate) const ACCESS: u64 = 6;
    /// It has written there.
    pub(crate) const WRITTEN: u64 = 7;
}

/// The order of threads that a test foretells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Turns {
    /// Whether `list` has a turn for each point. Else it has those of threads that spin ([`Point::Spin`]), and the model says the
    /// others.
    pub explored: bool,
    /// The turns, in their order; none at plain accesses, where native threads do not stop.
    pub list: Vec<Turn>,
    /// Whether a thread is interrupted at such an access, or in front of the end of the process. What its native run does is not
    /// certain then.
    pub loose: bool,
}

impl Turns {
    /// Of all turns of a path.
    pub fn new(explored: bool, mut list: Vec<Turn>) -> Turns {
        let plain = |turn: &Turn| turn.point == Point::Plain;
        let unsure = |turn: &Turn| plain(turn) || turn.point == Point::Call(nr::EXIT_GROUP);
        let loose = list.iter().any(|turn| unsure(turn) && turn.next.1 != turn.tid);
        list.retain(|turn| !plain(turn));
        Turns { explored, list, loose }
    }
}

/// How a run kept to the foretold order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// As foretold, or none was foretold.
    #[default]
    Kept,
    /// As foretold to the end of the engine's path, and then it went on.
    Beyond,
    /// It ended so many points before the engine's path.
    Short(usize),
    /// It left it: how.
    Left(String),
}

/// How far a run has come in the foretold order.
pub(crate) struct Course<'a> {
    turns: Option<&'a Turns>,
    at: usize,
    /// So many accesses were come to that are points.
    accesses: u64,
    order: Order,
    /// The engine's path has ended: no other thread gets the turn while this one can go on.
    alone: bool,
}

impl<'a> Course<'a> {
    pub(crate) fn new(turns: Option<&'a Turns>) -> Self {
        Course { turns, at: 0, accesses: 0, order: Order::Kept, alone: false }
    }

    /// Whether there are points where somebody else may go on.
    pub(crate) fn has_points(&self, kernel: &Kernel) -> bool {
        self.turns.is_some_and(|turns| turns.explored) && kernel.has_made().1 && !self.alone
    }

    /// A thread has come to an access.
    pub(crate) fn comes_to_access(&mut self) {
        self.accesses += 1;
    }

    /// Who goes on now, if it is foretold that this thread waits at the access that it has come to. Where orders are not explored, the
    /// model has said who that is.
    pub(crate) fn spins(&self, tid: u64) -> Option<(u64, u64)> {
        let turn = self.turns.filter(|_| !self.alone)?.list.get(self.at)?;
        ((turn.tid, turn.point) == (tid, Point::Spin(self.accesses))).then_some(turn.next)
    }

    /// The thread waits there. Another one goes on, which the model has found: whether that is the one which is foretold.
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

    /// The engine's path ends here.
    pub(crate) fn ends(&mut self) {
        self.alone = true;
    }

    /// Whether it has ended.
    pub(crate) fn is_over(&self) -> bool {
        self.alone
    }

    /// Whether the run has left the foretold order.
    pub(crate) fn is_left(&self) -> bool {
        matches!(self.order, Order::Left(_))
    }

    /// Who goes on now that a thread has come to a point; none where that thread does.
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

    /// The thread waits there, and nobody goes on.
    pub(crate) fn waits_for_ever(&mut self) {
        self.at += 1;
    }

    fn leave(&mut self, how: String) {
        self.order = Order::Left(format!("foretold as turn {} of its threads: {how}", self.at + 1));
        self.alone = true;
    }

    /// How the run kept to the order, now that it is over.
    pub(crate) fn kept(&self) -> Order {
        let left = self.turns.map_or(0, |turns| turns.list.len() - self.at);
        match &self.order {
            Order::Kept if left > 0 => Order::Short(left),
            order => order.clone(),
        }
    }
}

/// Whether a call of a thread is a point.
pub(crate) fn is_point(number: u64, kernel: &Kernel) -> bool {
    let of_replay = matches!(number, nr::SCHEDULE | nr::RT_SIGRETURN);
    !of_replay && !UNSEEN.contains(&number) && !kernel.resumes()
}
