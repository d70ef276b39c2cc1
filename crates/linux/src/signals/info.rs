//! The data that a handler gets with a signal.

use std::rc::Rc;

use cleave_memory::Byte;

use crate::env::world::UID;
use crate::kernel::record::Record;

/// Size of `siginfo_t`, in bytes.
pub(crate) const INFO_SIZE: usize = 128;

/// The data that a handler gets with a signal.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Info {
    /// The bytes of a `siginfo_t`. They may be symbolic.
    pub(crate) bytes: Rc<[Byte]>,
    /// The timer that sends it, by its number.
    pub(crate) timer: Option<u32>,
}

impl Info {
    /// Data of a signal with this code; `rest` stands from byte 16 on.
    pub(crate) fn new(signal: u32, code: i32, rest: Record) -> Info {
        let mut record = Record::default().u32(signal).u32(0).u32(code as u32).u32(0).into_bytes();
        record.extend(rest.into_bytes());
        record.resize(INFO_SIZE, 0);
        Info { bytes: record.into_iter().map(Byte::Known).collect(), timer: None }
    }

    /// Its code; none where the program made one that is symbolic.
    pub(crate) fn code(&self) -> Option<i32> {
        let mut code = [0; 4];
        for (value, byte) in code.iter_mut().zip(&self.bytes[8..12]) {
            let Byte::Known(known) = byte else { return None };
            *value = *known;
        }
        Some(i32::from_le_bytes(code))
    }

    /// Data of a signal that a process sent: `SI_USER` (0) by `kill`, `SI_TKILL` (-6) to a thread.
    pub(crate) fn sent(signal: u32, code: i32, by: u64) -> Info {
        Info::new(signal, code, Record::default().u32(by as u32).u32(UID))
    }

    /// Data about a child that has ended, stopped or continued: the kind of change (`CLD_EXITED` and its kin), its id, and its
    /// status or signal.
    pub(crate) fn of_child(signal: u32, code: i32, child: u64, status: Byte) -> Info {
        let mut bytes = Info::sent(signal, code, child).bytes.to_vec();
        bytes[24] = status;
        Info { bytes: bytes.into(), timer: None }
    }

    /// Data of a signal that the kernel sends for a reason of its own (`SI_KERNEL`).
    pub(crate) fn of_kernel(signal: u32) -> Info {
        Info::new(signal, 0x80, Record::default())
    }
}
