//! Witnesses: concrete values for input bytes. [`Terms`](crate::Terms) makes them and evaluates terms under them.

use std::rc::Rc;

use crate::store::term::ByteId;

/// Concrete values of the input bytes of one [`Terms`](crate::Terms), by id; bytes behind the end are zero. Cheap to clone.
/// Its serial number lets [`Terms::eval`](crate::Terms::eval) cache values under the last two witnesses.
#[derive(Clone, Debug)]
pub struct Witness {
    pub(crate) serial: u64,
    pub(crate) bytes: Rc<[u8]>,
}

impl Witness {
    /// The value of a byte.
    #[inline(always)]
    pub fn get(&self, id: ByteId) -> u8 {
        self.bytes.get(id.0 as usize).copied().unwrap_or(0)
    }

    /// All values, by id.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}
