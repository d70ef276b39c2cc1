//! The orders of threads that are explored (`--explore-schedules`).

/// The orders of threads that a run explores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schedules {
    /// One: a thread runs until it waits.
    #[default]
    Fixed,
    /// Those in which a thread that could go on has to let another one go on at most so often.
    Preempted(u32),
    /// All, but of those that differ in the order of independent steps alone one.
    All,
    /// All.
    Every,
}

impl Schedules {
    /// Maximum number of preemptions on a path.
    pub fn preemptions(self) -> u32 {
        match self {
            Schedules::Fixed => 0,
            Schedules::Preempted(most) => most,
            Schedules::All | Schedules::Every => u32::MAX,
        }
    }
}

/// Place of a thread when another one may go on instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// In front of a function that uses data that threads share.
    Use,
    /// In front of a system call that others may see: its number.
    Call(u64),
    /// In front of an atomic or a volatile access.
    Access,
    /// In front of an access that is neither, and races.
    Plain,
    /// There, and it waits until another thread changes the data that it has read. The number counts the accesses that the path
    /// has come to so far.
    Spin(u64),
    /// A place where it may be cancelled, or cancels another one.
    Cancellation,
    /// In a call that waits.
    Wait,
    /// At its end.
    End,
}

/// A choice of an order: which thread has come to which point, and which goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The thread that has come to the point.
    pub tid: u64,
    /// The point.
    pub point: Point,
    /// Process and thread that go on; zeros if none does, because all wait.
    pub next: (u64, u64),
}
