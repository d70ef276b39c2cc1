//! Questions about a few values need no back end, in whatever form they come.

use cleave_expr::{BinaryOp, Term, Terms, Witness};
use cleave_solver::{Answer, LayerName, PathCondition, Solver, SolverOptions};

/// A path with its solver and its model, for questions about it.
struct Asked {
    terms: Terms,
    pc: PathCondition,
    solver: Solver,
    near: Witness,
}

impl Asked {
    fn new() -> Asked {
        let mut terms = Terms::new();
        let near = terms.witness(&[]);
        Asked {
            terms,
            pc: PathCondition::default(),
            solver: Solver::new(SolverOptions::default()).unwrap(),
            near,
        }
    }

    /// Returns true if the condition can hold; then it is assumed.
    fn can_be(&mut self, cond: Term) -> bool {
        match self.solver.ask(&mut self.terms, &self.pc, cond, &self.near) {
            Answer::Sat(w) => {
                self.solver.assume(&mut self.terms, &mut self.pc, cond);
                assert!(self.pc.conditions().into_iter().all(|c| self.terms.holds(c, &w)));
                self.near = w;
                true
            }
            Answer::Unsat(core) => {
                // The core has conditions of the path, or conjuncts of them, and suffices.
                let disabled = LayerName::ALL.into_iter().filter(|layer| *layer != LayerName::Sat).collect();
                let mut alone = Solver::new(SolverOptions { disabled, ..SolverOptions::default() }).unwrap();
                let mut blamed = PathCondition::default();
                for c in core.conditions.unwrap() {
                    alone.assume(&mut self.terms, &mut blamed, c);
                }
                assert!(matches!(alone.ask(&mut self.terms, &blamed, cond, &self.near), Answer::Unsat(_)));
                false
            }
            Answer::Unknown(why) => panic!("{why}"),
        }
    }

    fn compare(&mut self, op: BinaryOp, a: Term, b: u128) -> Term {
        let b = self.terms.constant_of(self.terms.width(a), b);
        self.terms.binary(op, a, b)
    }
}

#[test]
fn the_number_that_two_digits_make_is_told_from_all_others_without_a_back_end() {
    let mut a = Asked::new();
    let mut n = a.terms.constant_of(64, 0);
    for i in 0..2 {
        let digit = a.terms.byte(0, i);
        let above = a.compare(BinaryOp::Ult, digit, u128::from(b'0'));
        let above = a.terms.not(above);
        let below = a.compare(BinaryOp::Ult, digit, u128::from(b'9') + 1);
        assert!(a.can_be(above) && a.can_be(below));
        let digit = a.terms.zext(digit, 64);
        let zero = a.terms.constant_of(64, u128::from(b'0'));
        let digit = a.terms.binary(BinaryOp::Sub, digit, zero);
        let ten = a.terms.constant_of(64, 10);
        n = a.terms.binary(BinaryOp::Mul, n, ten);
        n = a.terms.binary(BinaryOp::Add, n, digit);
    }
    // A tab stop, as `expand -t` makes it concrete: remainders are nothing that a witness can be patched for.
    let seven = a.terms.constant_of(64, 7);
    let rest = a.terms.binary(BinaryOp::URem, n, seven);
    let rest = a.compare(BinaryOp::Eq, rest, 3);
    assert!(a.can_be(rest));
    let of_seven: Vec<u128> = (0..100).filter(|n| n % 7 == 3).collect();
    for (i, &k) in of_seven.iter().enumerate() {
        let it = a.compare(BinaryOp::Eq, n, k + 1);
        assert!(!a.can_be(it));
        let it = a.compare(BinaryOp::Eq, n, k);
        let other = a.terms.not(it);
        assert_eq!(a.can_be(other), i + 1 < of_seven.len(), "{k} is the last one that is left, or is not");
    }
    assert_eq!(a.solver.stats().smt_calls, 0);
    assert!(a.solver.stats().answered_by["trying"] > 0);
}

#[test]
fn what_one_value_in_256_gives_a_checksum_is_found_without_a_back_end() {
    let mut a = Asked::new();
    let word = |a: &mut Asked, v: u128| a.terms.constant_of(32, v);
    let mut sum = word(&mut a, 0x6745_2301);
    for round in 0..400u128 {
        let byte = a.terms.byte(0, round as u32 % 6);
        let byte = a.terms.zext(byte, 32);
        let (left, right) = (word(&mut a, 5), word(&mut a, 27));
        let high = a.terms.binary(BinaryOp::Shl, sum, left);
        let low = a.terms.binary(BinaryOp::LShr, sum, right);
        let turned = a.terms.binary(BinaryOp::Or, high, low);
        let mixed = a.terms.binary(BinaryOp::Xor, turned, byte);
        let odd = word(&mut a, 0x9E37_79B1 + round);
        let times = a.terms.binary(BinaryOp::Mul, mixed, odd);
        sum = a.terms.binary(BinaryOp::Add, times, turned);
    }
    // The digits of the sum, as a program prints it: each question leaves one value of a byte of it.
    for (low, wanted) in [(0, 0), (8, 0x2F)] {
        let byte = a.terms.extract(sum, low, 8);
        let it = a.compare(BinaryOp::Eq, byte, wanted);
        let at_all = a.compare(BinaryOp::Ult, byte, wanted + 16);
        assert!(a.can_be(at_all));
        if low == 0 {
            assert!(a.can_be(it));
        }
    }
    assert_eq!(a.solver.stats().smt_calls, 0);
    assert!(a.solver.stats().answered_by["trying"] > 0);
}
