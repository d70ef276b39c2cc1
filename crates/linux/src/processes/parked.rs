//! The processes of a program beside the one that runs, and what the kernel keeps once there are several.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::env::world::PID;
use crate::processes::process::Process;
use crate::processes::status::Status;

/// The processes beside the one that runs, once there were any.
#[derive(Clone, Debug)]
pub(crate) struct Others {
    pub(crate) parked: BTreeMap<u64, Rc<Process>>,
    pub(crate) next_pid: u64,
    pub(crate) next_ticket: u64,
    /// Two flags: processes were made; threads were made.
    pub(crate) made: (bool, bool),
    /// Number of calls that have returned.
    pub(crate) returned: u64,
    /// The end of the program's first process.
    pub(crate) main: Option<Status>,
}

impl Others {
    pub(crate) fn new() -> Others {
        Others {
            parked: BTreeMap::new(),
            next_pid: PID + 1,
            next_ticket: 1,
            made: (false, false),
            returned: 0,
            main: None,
        }
    }
}
