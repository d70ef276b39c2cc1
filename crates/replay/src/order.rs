//! The order of threads that a test foretells, where orders are explored. The engine's path has noted who goes on at each point;
//! natively the threads come to the same points, and each of them says so, by a call of the program or of runtime/threads.c.

use crate::table::nr;
use cleave_linux::{Kernel, Point, Turn, UNSEEN};

/// The signal of musl that cancels a thread.
const CANCELS: u64 = 33;

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
    turns: Option<&'a [Turn]>,
    at: usize,
    order: Order,
    /// The engine's path has ended: no other thread gets the turn while this one can go on.
    alone: bool,
}

impl<'a> Course<'a> {
    pub(crate) fn new(turns: Option<&'a [Turn]>) -> Self {
        Course { turns, at: 0, order: Order::Kept, alone: false }
    }

    /// Whether there are points where somebody else may go on.
    pub(crate) fn has_points(&self, kernel: &Kernel) -> bool {
        self.turns.is_some() && kernel.has_made().1 && !self.alone
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
        let Some(turn) = turns.get(self.at) else {
            self.order = Order::Beyond;
            self.alone = true;
            return None;
        };
        if (turn.tid, turn.point) != (tid, point) {
            let Turn { tid: other, point: there, .. } = turn;
            return self.leave(format!("thread {other} at {there}; natively: thread {tid} at {point}"));
        }
        self.at += 1;
        let (_, next) = turn.next;
        if next == kernel.running_thread() {
            return None;
        }
        if !kernel.able().contains(&turn.next) {
            return self.leave(format!("thread {next} goes on behind {point}; natively it cannot"));
        }
        Some(turn.next)
    }

    fn leave(&mut self, how: String) -> Option<(u64, u64)> {
        self.order = Order::Left(format!("foretold as turn {} of its threads: {how}", self.at + 1));
        self.alone = true;
        None
    }

    /// How the run kept to the order, now that it is over.
    pub(crate) fn kept(&self) -> Order {
        let left = self.turns.map_or(0, |turns| turns.len() - self.at);
        match &self.order {
            Order::Kept if left > 0 => Order::Short(left),
            order => order.clone(),
        }
    }
}

/// Whether a call of a thread is a point. The handler of musl that is told to cancel a thread may tell that once more.
pub(crate) fn is_point(number: u64, args: &[u64; 6], kernel: &Kernel) -> bool {
    let again = number == nr::TKILL && args[0] == kernel.running_thread() && args[1] == CANCELS;
    let of_replay = matches!(number, nr::SCHEDULE | nr::RT_SIGRETURN);
    !of_replay && !UNSEEN.contains(&number) && !again && !kernel.resumes()
}
