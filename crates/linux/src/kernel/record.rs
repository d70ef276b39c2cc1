//! Structures of the kernel's interface, as bytes.

use crate::files::inode::Time;

/// A structure of the kernel's interface, written field by field.
#[derive(Default)]
pub(crate) struct Record(Vec<u8>);

impl Record {
    pub(crate) fn u8(mut self, v: u8) -> Record {
        self.0.push(v);
        self
    }
    pub(crate) fn u16(mut self, v: u16) -> Record {
        self.0.extend(v.to_le_bytes());
        self
    }
    pub(crate) fn u32(mut self, v: u32) -> Record {
        self.0.extend(v.to_le_bytes());
        self
    }
    pub(crate) fn u64(mut self, v: u64) -> Record {
        self.0.extend(v.to_le_bytes());
        self
    }
    /// A `struct timespec`.
    pub(crate) fn time(self, (seconds, nanoseconds): Time) -> Record {
        self.u64(seconds as u64).u64(u64::from(nanoseconds))
    }
    /// Text in a field of `len` bytes.
    pub(crate) fn text(mut self, text: &str, len: usize) -> Record {
        let end = self.0.len() + len;
        self.0.extend(text.bytes().take(len));
        self.0.resize(end, 0);
        self
    }
    pub(crate) fn zeros(mut self, n: usize) -> Record {
        self.0.resize(self.0.len() + n, 0);
        self
    }
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}
