//! Witnesses: concrete values for input bytes.

use std::rc::Rc;

use crate::terms::{ByteId, Terms};

/// Concrete values of the input bytes of one [`Terms`], by id; bytes behind the end are zero. Cheap to clone.
/// Its serial number lets [`Terms::eval`] remember values under the witness it was last asked about.
#[derive(Clone, Debug)]
pub struct Witness {
    pub(crate) serial: u64,
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
        self.numbered(bytes.into())
    }

    fn numbered(&mut self, bytes: Rc<[u8]>) -> Witness {
        self.last_witness += 1;
        if self.last_witness as u32 == 0 {
            self.last_witness += 1; // a stamp of zero means that there is no value
        }
        Witness { serial: self.last_witness, bytes }
    }

    /// `from` with other values for some bytes.
    pub fn patched(&mut self, from: &Witness, patch: impl IntoIterator<Item = (ByteId, u8)>) -> Witness {
        // One allocation where no byte is behind the end, as this is on the path of most questions.
        let mut bytes: Rc<[u8]> = Rc::from(&*from.bytes);
        for (id, value) in patch {
            let i = id.0 as usize;
            if i >= bytes.len() {
                let mut longer = bytes.to_vec();
                longer.resize(i + 1, 0);
                bytes = longer.into();
            }
            if let Some(bytes) = Rc::get_mut(&mut bytes) {
                bytes[i] = value;
            }
        }
        self.numbered(bytes)
    }
}
