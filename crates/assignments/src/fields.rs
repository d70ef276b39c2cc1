//! Fields: the bits of the bytes that terms use. A byte of which only three bits are used has eight values, not 256.
//! The decision-diagram construction (`diagram`) assigns fields instead of whole bytes.

use rustc_hash::FxHashMap;

use cleave_expr::{ByteId, ByteSet, Node, Term, Terms, Witness};

/// Bits of a byte that terms use together; no term uses some of them together with others.
pub(crate) struct Field {
    pub(crate) byte: ByteId,
    pub(crate) mask: u8,
    /// All values of these bits, at their places in the byte; the witness's value comes first.
    pub(crate) values: Vec<u8>,
}

/// The bytes of a query.
pub(crate) struct Fields {
    /// In the order of the bytes, and within a byte from the lowest bit on.
    pub(crate) fields: Vec<Field>,
    /// Each byte, its values, the mask of its used bits, and its number of fields.
    pub(crate) bytes: Vec<(ByteId, ByteSet, u8, usize)>,
}

impl Fields {
    /// The fields of these bytes in a query; `below` are all its terms.
    pub(crate) fn new(
        terms: &Terms,
        below: &[(Term, [u32; 3])],
        bytes: &[(ByteId, ByteSet)],
        near: &Witness,
    ) -> Fields {
        let mut seen: FxHashMap<ByteId, Vec<u8>> = FxHashMap::default();
        for (id, mask) in looks(terms, below) {
            add(seen.entry(id).or_default(), mask);
        }
        let mut all = Fields { fields: Vec::new(), bytes: Vec::with_capacity(bytes.len()) };
        for &(id, set) in bytes {
            let mut masks = seen.remove(&id).unwrap_or_default();
            masks.sort_unstable();
            let whole = masks.iter().fold(0, |all, mask| all | mask);
            if set.is_empty() || !is_product(&set, &masks) {
                masks = vec![whole];
            }
            all.bytes.push((id, set, whole, masks.len()));
            for mask in masks {
                let now = near.get(id) & mask;
                let mut values: Vec<u8> = set.seen_through(mask).iter().collect();
                values.sort_unstable_by_key(|v| (*v != now, *v));
                all.fields.push(Field { byte: id, mask, values });
            }
        }
        all
    }

    /// A value of a byte with these used bits: the value in `near` if it has them. `byte` is an index of `bytes`.
    pub(crate) fn byte_with(&self, byte: usize, bits: u8, near: &Witness) -> Option<u8> {
        let (id, set, seen, _) = self.bytes.get(byte)?;
        set.value_with(*seen, bits, near.get(*id))
    }
}

/// True if each field may have each of its values independently of the others.
fn is_product(set: &ByteSet, masks: &[u8]) -> bool {
    let whole = masks.iter().fold(0, |all, mask| all | mask);
    let product: usize = masks.iter().map(|&mask| set.seen_through(mask).len() as usize).product();
    set.seen_through(whole).len() as usize == product
}

/// Adds a mask to disjoint masks; masks that overlap it are merged with it.
fn add(masks: &mut Vec<u8>, mut mask: u8) {
    masks.retain(|other| {
        let apart = other & mask == 0;
        mask |= if apart { 0 } else { *other };
        apart
    });
    masks.push(mask);
}

/// The mask of used bits of each of some bytes in these terms; `None` if there are more than `most` terms below them.
pub fn bits_seen(terms: &Terms, tops: &[Term], bytes: &[ByteId], most: usize) -> Option<Vec<u8>> {
    let mut seen: FxHashMap<ByteId, u8> = FxHashMap::default();
    for (id, mask) in looks(terms, &terms.below(tops, most)?) {
        *seen.entry(id).or_default() |= mask;
    }
    Some(bytes.iter().map(|id| seen.get(id).copied().unwrap_or(0)).collect())
}

/// Each byte that is an operand of one of these terms, with the mask of the bits that this term uses.
fn looks(terms: &Terms, below: &[(Term, [u32; 3])]) -> impl Iterator<Item = (ByteId, u8)> {
    below.iter().flat_map(move |&(t, _)| {
        terms.children(t).filter_map(move |child| match terms.node(child) {
            Node::Byte(id) => Some((id, terms.seen_by(t))),
            _ => None,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields_of(parts: &[(u32, u8)], set: ByteSet) -> Fields {
        let mut terms = Terms::default();
        let byte = terms.byte(0, 0);
        let tops: Vec<Term> = parts.iter().map(|&(low, w)| terms.extract(byte, low, w)).collect();
        let below = terms.below(&tops, 100).unwrap();
        let near = terms.witness(&[0x25]);
        let id = terms.byte_id(0, 0);
        Fields::new(&terms, &below, &[(id, set)], &near)
    }

    #[test]
    fn bits_that_are_seen_together_are_a_field() {
        let masks = |all: &Fields| all.fields.iter().map(|f| f.mask).collect::<Vec<_>>();
        let all = fields_of(&[(0, 3), (3, 3)], ByteSet::FULL);
        assert_eq!(masks(&all), [0b111, 0b111000]);
        assert_eq!(all.fields[1].values[0], 0x20, "that of the witness comes first");
        assert_eq!(all.fields[1].values.len(), 8);
        assert_eq!(masks(&fields_of(&[(0, 3), (2, 3), (6, 1)], ByteSet::FULL)), [0b11111, 0b1000000]);
        assert_eq!(masks(&fields_of(&[(0, 3), (2, 3), (4, 4)], ByteSet::FULL)), [0xFF]);
    }

    #[test]
    fn a_set_that_ties_the_fields_together_makes_them_one() {
        let mut set = ByteSet::EMPTY;
        [0b000_001, 0b001_000, 0b1100_1000].into_iter().for_each(|v| set.insert(v));
        let all = fields_of(&[(0, 3), (3, 3)], set);
        assert_eq!(all.fields.len(), 1);
        assert_eq!(all.fields[0].values, [0b001, 0b001_000]);
        let near = Terms::default().witness(&[]);
        assert_eq!(all.byte_with(0, 0b001_000, &near), Some(0b001_000));
        assert_eq!(all.byte_with(0, 0b010_000, &near), None);
        assert!(fields_of(&[(0, 3)], ByteSet::EMPTY).fields[0].values.is_empty());
    }
}
