//! Witnesses: concrete values for input bytes.

use std::rc::Rc;

use crate::terms::{ByteId, Terms};

/// Concrete values of the input bytes of one [`Terms`], by id; bytes behind the end are zero. Cheap to clone.
/// Its serial number lets [`Terms::eval`] remember values under the witness it was last asked about.
#[derive(Clone, Debug)]
pub struct Witness {
    pub(crate) serial: u32,
    bytes: Rc<[u8]>,
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

impl Terms {
    /// A witness with these values, by byte id.
    pub fn witness(&mut self, bytes: &[u8]) -> Witness {
        self.last_witness = self.last_witness.wrapping_add(1);
        if self.last_witness == 0 {
            self.cache.forget(); // serials begin anew: old stamps must not be taken for theirs
            self.last_witness = 1;
        }
        Witness { serial: self.last_witness, bytes: bytes.into() }
    }

    /// `from` with other values for some bytes.
    pub fn patched(&mut self, from: &Witness, patch: impl IntoIterator<Item = (ByteId, u8)>) -> Witness {
        let mut bytes = from.bytes.to_vec();
        for (id, value) in patch {
            let i = id.0 as usize;
            if i >= bytes.len() {
                bytes.resize(i + 1, 0);
            }
            bytes[i] = value;
        }
        self.witness(&bytes)
    }
}
