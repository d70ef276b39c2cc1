//! The value, range, byte set and support of each constructed term agree with the definitions of its operators,
//! computed here a second time without any rewriting.

use cleave_expr::{BinaryOp, ByteSet, Support, Term, Terms, Witness, mask, sign_extend};
use proptest::prelude::*;

/// A term as a plain tree, with its width.
#[derive(Clone, Debug)]
enum Tree {
    Byte(u32),
    Const(u8, u128),
    Not(Box<Tree>),
    Bin(BinaryOp, Box<Tree>, Box<Tree>),
    Ite(Box<Tree>, Box<Tree>, Box<Tree>),
    Extract(Box<Tree>, u32, u8),
    Zext(Box<Tree>, u8),
    Sext(Box<Tree>, u8),
    Table(Box<Tree>),
}

const TABLE: [u64; 7] = [3, 1, 4, 1, 5, 9, 2];

fn width(t: &Tree) -> u8 {
    match t {
        Tree::Byte(_) | Tree::Table(_) => 8,
        Tree::Const(w, _) | Tree::Extract(_, _, w) | Tree::Zext(_, w) | Tree::Sext(_, w) => *w,
        Tree::Not(a) | Tree::Ite(_, a, _) => width(a),
        Tree::Bin(BinaryOp::Concat, a, b) => width(a) + width(b),
        Tree::Bin(op, ..) if op.is_comparison() => 1,
        Tree::Bin(_, a, _) => width(a),
    }
}

fn build(t: &Tree, s: &mut Terms) -> Term {
    match t {
        Tree::Byte(i) => s.byte(0, *i),
        Tree::Const(w, v) => s.constant_of(*w, *v),
        Tree::Not(a) => {
            let a = build(a, s);
            s.not(a)
        }
        Tree::Bin(op, a, b) => {
            let (a, b) = (build(a, s), build(b, s));
            s.binary(*op, a, b)
        }
        Tree::Ite(c, a, b) => {
            let (c, a, b) = (build(c, s), build(a, s), build(b, s));
            s.ite(c, a, b)
        }
        Tree::Extract(a, low, w) => {
            let a = build(a, s);
            s.extract(a, *low, *w)
        }
        Tree::Zext(a, w) => {
            let a = build(a, s);
            s.zext(a, *w)
        }
        Tree::Sext(a, w) => {
            let a = build(a, s);
            s.sext(a, *w)
        }
        Tree::Table(a) => {
            let a = build(a, s);
            let id = s.intern_table(8, &TABLE);
            s.table(id, a)
        }
    }
}

fn value(t: &Tree, bytes: &[u8]) -> u128 {
    let m = mask(width(t));
    match t {
        Tree::Byte(i) => bytes[*i as usize] as u128,
        Tree::Const(_, v) => v & m,
        Tree::Not(a) => !value(a, bytes) & m,
        Tree::Bin(op, a, b) => {
            let (w, wb) = (width(a), width(b));
            let (x, y) = (value(a, bytes), value(b, bytes));
            let (sx, sy) = (sign_extend(x, w), sign_extend(y, wb));
            use BinaryOp::*;
            let v = match op {
                Add => x.wrapping_add(y),
                Sub => x.wrapping_sub(y),
                Mul => x.wrapping_mul(y),
                And => x & y,
                Or => x | y,
                Xor => x ^ y,
                UDiv if y == 0 => u128::MAX,
                UDiv => x / y,
                URem if y == 0 => x,
                URem => x % y,
                SDiv if sy == 0 => {
                    if sx < 0 {
                        1
                    } else {
                        u128::MAX
                    }
                }
                SDiv => sx.wrapping_div(sy) as u128,
                SRem if sy == 0 => x,
                SRem => sx.wrapping_rem(sy) as u128,
                Shl if y >= w as u128 => 0,
                Shl => x << y,
                LShr if y >= w as u128 => 0,
                LShr => x >> y,
                AShr => (sx >> y.min(127)) as u128,
                Eq => (x == y) as u128,
                Ult => (x < y) as u128,
                Slt => (sx < sy) as u128,
                Concat if wb == 128 => y,
                Concat => x << wb | y,
            };
            v & m
        }
        Tree::Ite(c, a, b) => {
            if value(c, bytes) != 0 {
                value(a, bytes)
            } else {
                value(b, bytes)
            }
        }
        Tree::Extract(a, low, _) => value(a, bytes) >> low & m,
        Tree::Zext(a, _) => value(a, bytes),
        Tree::Sext(a, _) => sign_extend(value(a, bytes), width(a)) as u128 & m,
        Tree::Table(a) => TABLE.get(value(a, bytes).min(1000) as usize).copied().unwrap_or(0) as u128,
    }
}

const OPS: [BinaryOp; 16] = {
    use BinaryOp::*;
    [Add, Sub, Mul, UDiv, SDiv, URem, SRem, And, Or, Xor, Shl, LShr, AShr, Eq, Ult, Slt]
};

/// Fits `t` to width `w`.
fn fit(t: Tree, w: u8, signed: bool) -> Tree {
    let from = width(&t);
    match from.cmp(&w) {
        std::cmp::Ordering::Equal => t,
        std::cmp::Ordering::Greater => Tree::Extract(Box::new(t), ((from - w) / 2) as u32 * signed as u32, w),
        std::cmp::Ordering::Less if signed => Tree::Sext(Box::new(t), w),
        std::cmp::Ordering::Less => Tree::Zext(Box::new(t), w),
    }
}

fn tree(bytes: u32) -> impl Strategy<Value = Tree> {
    let constant = (prop::sample::select(vec![1u8, 7, 8, 16, 32, 64, 65, 128]), any::<u64>(), 0..5u8)
        .prop_map(|(w, v, kind)| {
            let v = match kind {
                0 => (v % 4) as u128,
                1 => mask(w) - (v % 3) as u128 % (mask(w) + (w < 128) as u128).max(1),
                2 => 1u128 << (v % w as u64),
                3 => mask((v % w as u64) as u8),
                _ => v as u128,
            };
            Tree::Const(w, v & mask(w))
        });
    let leaf = prop_oneof![3 => (0..bytes).prop_map(Tree::Byte), 2 => constant];
    leaf.prop_recursive(6, 40, 3, |inner| {
        let signed = any::<bool>();
        prop_oneof![
            6 => (prop::sample::select(&OPS[..]), inner.clone(), inner.clone(), signed).prop_map(|(op, a, b, s)| {
                let b = fit(b, width(&a), s);
                Tree::Bin(op, Box::new(a), Box::new(b))
            }),
            1 => inner.clone().prop_map(|a| Tree::Not(Box::new(a))),
            2 => (inner.clone(), inner.clone(), inner.clone(), signed).prop_map(|(c, a, b, s)| {
                let b = fit(b, width(&a), s);
                Tree::Ite(Box::new(fit(c, 1, s)), Box::new(a), Box::new(b))
            }),
            2 => (inner.clone(), inner.clone()).prop_map(|(a, b)| {
                let (a, b) = (fit(a, 40, false), fit(b, 24, false));
                Tree::Bin(BinaryOp::Concat, Box::new(a), Box::new(b))
            }),
            2 => (inner.clone(), any::<u8>(), any::<u8>()).prop_map(|(a, l, n)| {
                let w = width(&a);
                let low = l % w;
                Tree::Extract(Box::new(a), low as u32, n % (w - low) + 1)
            }),
            2 => (inner.clone(), prop::sample::select(vec![8u8, 16, 32, 64, 128]), signed)
                .prop_map(|(a, w, s)| { let w = w.max(width(&a)); fit(a, w, s) }),
            1 => inner.prop_map(|a| Tree::Table(Box::new(a))),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 5000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_term_has_the_value_of_its_operators(t in tree(3), inputs in prop::collection::vec(any::<[u8; 3]>(), 8)) {
        let mut s = Terms::new();
        let term = build(&t, &mut s);
        prop_assert_eq!(s.width(term), width(&t));
        for bytes in inputs {
            let w = witness(&mut s, &bytes);
            let expected = value(&t, &bytes);
            prop_assert_eq!(s.eval_wide(term, &w), expected, "{}", s.text(term, 20));
            if s.width(term) <= 64 {
                let (lo, hi) = s.range(term);
                prop_assert!(lo as u128 <= expected && expected <= hi as u128, "range {lo}..={hi} of {}", s.text(term, 20));
            }
        }
    }

    #[test]
    fn a_byte_set_holds_exactly_the_values_for_which_the_condition_holds(t in tree(1)) {
        let mut s = Terms::new();
        let term = build(&fit(t.clone(), 1, false), &mut s);
        if let Some(set) = s.byte_set(term) {
            let mut expected = ByteSet::EMPTY;
            for v in 0..=255u8 {
                if value(&fit(t.clone(), 1, false), &[v]) != 0 { expected.insert(v); }
            }
            prop_assert_eq!(*set, expected, "{}", s.text(term, 20));
        } else {
            prop_assert_eq!(s.support(term), Support::None);
        }
    }

    #[test]
    fn a_term_is_the_same_whatever_was_made_before_it(t in tree(3), others in prop::collection::vec(tree(3), 3)) {
        let (mut s, mut s2) = (Terms::new(), Terms::new());
        let first = build(&t, &mut s);
        for o in &others { build(o, &mut s2); }
        let second = build(&t, &mut s2);
        prop_assert_eq!(s.text(first, 30), s2.text(second, 30));
        prop_assert_eq!(s.hash_of(first), s2.hash_of(second));
    }
}

fn witness(s: &mut Terms, bytes: &[u8]) -> Witness {
    let patch: Vec<_> = bytes.iter().enumerate().map(|(i, &v)| (s.byte_id(0, i as u32), v)).collect();
    let nothing = s.witness(&[]);
    s.patched(&nothing, patch)
}

#[test]
fn parts_of_a_long_chain_of_operations_do_not_go_through_all_of_it_each_time() {
    // A checksum whose values are stored to memory byte by byte. A walk through the chain for each part would take
    // minutes.
    let start = std::time::Instant::now();
    let mut terms = Terms::new();
    let (mut a, mut b) = (terms.constant_of(32, 1), terms.constant_of(32, 0));
    for i in 0..20_000 {
        let byte = terms.byte(0, i % 50);
        let word = terms.zext(byte, 32);
        a = terms.binary(BinaryOp::Add, a, word);
        let place = terms.constant_of(32, u128::from(i % 8));
        let shifted = terms.binary(BinaryOp::Shl, a, place);
        b = terms.binary(BinaryOp::Xor, b, shifted);
        for part in 0..4 {
            terms.extract(b, 8 * part, 8);
        }
    }
    assert!(start.elapsed() < std::time::Duration::from_secs(20), "{:?}", start.elapsed());
}
