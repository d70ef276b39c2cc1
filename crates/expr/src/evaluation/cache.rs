//! The evaluation cache: values of terms under the last two witnesses. Only `eval` uses it; a value is valid if its stamp is that
//! of the witness.

use rustc_hash::FxHashMap;

use crate::store::term::Term;
use crate::store::witness::Witness;

/// Values of terms under the witnesses they were last evaluated under. Stamps are the low halves of witnesses'
/// serial numbers; all are of one epoch, the high half.
#[derive(Default)]
pub(crate) struct Bank {
    /// The stamp of the witness that it was last used for.
    stamp: u32,
    pub(crate) stamps: Vec<u32>,
    pub(crate) values: Vec<u64>,
    pub(crate) wide: FxHashMap<Term, (u32, u128)>,
}

/// Two banks, for two witnesses that alternate: those of a region's two ends, while the region is followed.
#[derive(Default)]
pub(crate) struct Cache {
    epoch: u32,
    pub(crate) banks: [Bank; 2],
    /// The bank in use.
    pub(crate) at: usize,
    pub(crate) stack: Vec<Term>,
}

impl Cache {
    /// Selects the bank of a witness. A witness of another epoch clears both banks, because its stamps could be
    /// mistaken for older ones.
    #[inline]
    pub(crate) fn enter(&mut self, w: &Witness) {
        let (epoch, stamp) = ((w.serial >> 32) as u32, w.serial as u32);
        if epoch != self.epoch {
            self.epoch = epoch;
            for bank in &mut self.banks {
                bank.stamps.fill(0);
                bank.wide.clear();
            }
        }
        if self.banks[self.at].stamp != stamp {
            self.at ^= 1;
            self.banks[self.at].stamp = stamp;
        }
    }
}
