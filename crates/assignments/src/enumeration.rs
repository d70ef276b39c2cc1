//! Exhaustive enumeration of a few bytes: evaluates conditions for all combinations of their values, 64 at a time. The solver
//! calls it for small queries.

use cleave_expr::{
    ByteId, ByteSet, LANES, Limit, Node, Term, Terms, Value, Witness, asked, holding, of_kind,
};

/// The result of an enumeration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tried {
    /// All conditions hold with these values.
    Holds(Vec<(ByteId, u8)>),
    /// There are no such values; these conditions alone exclude all (an unsat core).
    Never(Vec<Term>),
    /// The enumeration did not finish: it needs too much work, or the limit stopped it.
    TooMuch,
}

/// All combinations of some bytes' values, in lexicographic order: the last byte changes fastest.
struct Combinations {
    bytes: Vec<(ByteId, Vec<u8>)>,
    count: usize,
}

impl Combinations {
    fn new(bytes: &[(ByteId, ByteSet)], most: usize) -> Option<Combinations> {
        let mut count = 1usize;
        for (_, set) in bytes {
            count = count.checked_mul(set.len() as usize).filter(|count| *count <= most)?;
        }
        Some(Combinations {
            bytes: bytes.iter().map(|(id, set)| (*id, set.iter().collect())).collect(),
            count,
        })
    }

    /// Number of blocks of 64 combinations.
    fn blocks(&self) -> usize {
        self.count.div_ceil(LANES)
    }

    /// Writes the values of the byte at `place` in a block.
    fn column<V: Value>(&self, place: usize, block: usize, out: &mut [V; LANES]) {
        let slower: usize = self.bytes[place + 1..].iter().map(|(_, values)| values.len()).product();
        let values = &self.bytes[place].1;
        for (lane, o) in out.iter_mut().enumerate() {
            *o = V::from_wide(values[(block * LANES + lane) / slower % values.len()].into());
        }
    }

    /// True if the values of the byte at `place` may differ between these two blocks.
    fn differ(&self, place: usize, one: usize, other: usize) -> bool {
        let slower: usize = self.bytes[place + 1..].iter().map(|(_, values)| values.len()).product();
        let turns = |block: usize| (block * LANES / slower, ((block + 1) * LANES - 1) / slower);
        let (one, other) = (turns(one), turns(other));
        one.0 != one.1 || one != other
    }

    fn at(&self, mut number: usize) -> Vec<(ByteId, u8)> {
        let mut values = Vec::with_capacity(self.bytes.len());
        for (id, of) in self.bytes.iter().rev() {
            values.push((*id, of[number % of.len()]));
            number /= of.len();
        }
        values
    }
}

/// Conditions for several enumerations, with all terms below them.
pub struct Conditions {
    conds: Vec<Term>,
    below: Vec<(Term, [u32; 3])>,
    /// The width of the widest of these terms, in bits.
    width: u8,
}

/// Tries all values of `bytes` (each with the set of its values), all other bytes being as in `near`, until all of
/// `conds` (one bit each) hold. `most` is the fuel: a unit is one term under 64 combinations.
pub fn try_all<'a>(
    terms: &Terms,
    conds: &[Term],
    bytes: &[(ByteId, ByteSet)],
    near: &Witness,
    most: impl Into<Limit<'a>>,
) -> Tried {
    let limit = most.into();
    let Some(combinations) = Combinations::new(bytes, limit.most.saturating_mul(LANES)) else {
        return Tried::TooMuch;
    };
    if combinations.count == 0 {
        return Tried::Never(Vec::new());
    }
    let Some(conds) = conditions(terms, conds, limit.most / combinations.blocks()) else {
        return Tried::TooMuch;
    };
    try_combinations(terms, &conds, &combinations, near, limit)
}

/// Prepares conditions for several enumerations; `None` if there are more than `most` terms below them.
pub fn conditions(terms: &Terms, conds: &[Term], most: usize) -> Option<Conditions> {
    let below = terms.below(conds, most)?;
    let width = terms.widest(below.iter().map(|(node, _)| *node));
    Some(Conditions { conds: conds.to_vec(), below, width })
}

/// As [`Terms::try_all`] for the values of one byte.
pub fn try_byte<'a>(
    terms: &Terms,
    conds: &Conditions,
    byte: (ByteId, ByteSet),
    near: &Witness,
    most: impl Into<Limit<'a>>,
) -> Tried {
    let limit = most.into();
    match Combinations::new(&[byte], LANES.saturating_mul(limit.most)) {
        Some(all) if all.count == 0 => Tried::Never(Vec::new()),
        Some(all) if conds.below.len() <= limit.most / all.blocks() => {
            try_combinations(terms, conds, &all, near, limit)
        }
        _ => Tried::TooMuch,
    }
}

fn try_combinations(
    terms: &Terms,
    conds: &Conditions,
    combinations: &Combinations,
    near: &Witness,
    limit: Limit<'_>,
) -> Tried {
    of_kind!(conds.width, V => try_in::<V>(terms, conds, (combinations, limit), near))
}

fn try_in<V: Value>(
    terms: &Terms,
    conds: &Conditions,
    way: (&Combinations, Limit<'_>),
    near: &Witness,
) -> Tried {
    let mut columns = V::room(conds.below.len());
    let tried = try_columns(terms, &conds.below, &conds.conds, way, near, &mut columns);
    V::give_back(columns);
    tried
}

/// `columns` may hold anything: values are written before they are read.
fn try_columns<V: Value>(
    terms: &Terms,
    below: &[(Term, [u32; 3])],
    conds: &[Term],
    (combinations, limit): (&Combinations, Limit<'_>),
    near: &Witness,
    columns: &mut [[V; LANES]],
) -> Tried {
    let (blocks, bytes) = (combinations.blocks(), &combinations.bytes);
    let asked = asked(below, conds);
    let mut blamed = vec![false; below.len()];
    // The block, from 1, for which each column was computed: most are the same in the next block.
    let mut made_for = vec![0; below.len()];
    for block in 0..blocks {
        if limit.is_over() {
            return Tried::TooMuch;
        }
        let lanes = (combinations.count - block * LANES).min(LANES);
        let mut left = u64::MAX >> (LANES - lanes);
        for (place, (node, operands)) in below.iter().enumerate() {
            let (before, rest) = columns.split_at_mut(place);
            let Some(out) = rest.first_mut() else { break };
            let since = made_for[place];
            let stale = match terms.node(*node) {
                Node::Byte(id) => match bytes.iter().position(|(b, _)| *b == id) {
                    Some(byte) if since == 0 || combinations.differ(byte, since - 1, block) => {
                        combinations.column(byte, block, out);
                        true
                    }
                    None if since == 0 => {
                        out.fill(V::from_wide(near.get(id).into()));
                        true
                    }
                    _ => false,
                },
                _ => terms.eval_anew((*node, *operands), (before, &made_for), since, out),
            };
            if stale {
                made_for[place] = block + 1;
            }
            if asked[place] {
                let holds = holding(out);
                blamed[place] |= left & !holds != 0;
                left &= holds;
                if left == 0 {
                    break;
                }
            }
        }
        if left != 0 {
            return Tried::Holds(combinations.at(block * LANES + left.trailing_zeros() as usize));
        }
    }
    let because = below.iter().zip(blamed).filter(|(_, blamed)| *blamed);
    Tried::Never(because.map(|((node, _), _)| *node).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use cleave_expr::BinaryOp;

    fn digits() -> ByteSet {
        let mut set = ByteSet::EMPTY;
        (b'0'..=b'9').for_each(|v| set.insert(v));
        set
    }

    /// `10 * a + b` for two bytes, in 32 bits.
    fn number(terms: &mut Terms) -> (ByteId, ByteId, Term) {
        let (a, b) = (terms.byte_id(0, 0), terms.byte_id(0, 1));
        let [x, y] = [0, 1].map(|i| {
            let byte = terms.byte(0, i);
            terms.zext(byte, 32)
        });
        let ten = terms.constant_of(32, 10);
        let x = terms.binary(BinaryOp::Mul, x, ten);
        (a, b, terms.binary(BinaryOp::Add, x, y))
    }

    fn is(terms: &mut Terms, t: Term, v: u128) -> Term {
        let v = terms.constant_of(32, v);
        terms.binary(BinaryOp::Eq, t, v)
    }

    #[test]
    fn the_values_are_found_wherever_they_are_and_exactly_these() {
        let mut terms = Terms::default();
        let (a, b, n) = number(&mut terms);
        let near = terms.witness(&[]);
        let bytes = [(a, digits()), (b, digits())];
        for v in 0..=99 {
            let wanted = is(&mut terms, n, 528 + v);
            let (tens, ones) = (b'0' + (v / 10) as u8, b'0' + (v % 10) as u8);
            let Tried::Holds(mut found) = try_all(&terms, &[wanted], &bytes, &near, 1000) else {
                panic!("{v}")
            };
            found.sort();
            assert_eq!(found, [(a, tens), (b, ones)]);
        }
    }

    #[test]
    fn what_never_holds_is_blamed_on_conditions_that_suffice() {
        let mut terms = Terms::default();
        let (a, b, n) = number(&mut terms);
        let near = terms.witness(&[]);
        let bytes = [(a, digits()), (b, digits())];
        let equal = is(&mut terms, n, 528 + 7);
        let other = is(&mut terms, n, 528 + 8);
        let not_other = terms.not(other);
        let small = terms.constant_of(32, 528 + 5);
        let small = terms.binary(BinaryOp::Ult, n, small);
        let Tried::Never(core) = try_all(&terms, &[equal, not_other, small], &bytes, &near, 1000) else {
            panic!()
        };
        assert_eq!(core.len(), 2);
        assert!(core.contains(&equal) && core.contains(&small));
    }

    #[test]
    fn other_bytes_are_as_they_were_and_too_much_work_is_not_begun() {
        let mut terms = Terms::default();
        let (a, b, n) = number(&mut terms);
        let near = terms.witness(&[]);
        let near = terms.patched(&near, [(a, b'4')]);
        let wanted = is(&mut terms, n, 528 + 42);
        assert_eq!(try_all(&terms, &[wanted], &[(b, digits())], &near, 100), Tried::Holds(vec![(b, b'2')]));
        let all = [(a, ByteSet::FULL), (b, ByteSet::FULL)];
        assert_eq!(try_all(&terms, &[wanted], &all, &near, 100), Tried::TooMuch);
    }
}
