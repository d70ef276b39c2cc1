//! Bitwuzla, an SMT solver for bit-vectors and floating point (Niemetz, Preiner, CAV 2023), behind a safe interface: one solver
//! under assumptions with models, failed assumptions and a time limit.
//!
//! Its sources are compiled by `build.rs`; nothing of it is kept here.

// The one foreign interface of this crate: each block says why it is sound.
#![allow(unsafe_code)]

mod ffi;

use std::cell::{Cell, RefCell};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::fmt;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Bitwuzla's objection: a call that was wrong, or a resource that ran out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error(pub String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bitwuzla: {}", self.0)
    }
}

impl std::error::Error for Error {}

/// A term of one [`Bitwuzla`]; of no use with another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Term(u32);

/// Operators. `Bool` and one-bit vectors are different sorts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(i32)]
#[allow(missing_docs)]
pub enum Kind {
    /// Of `Bool`.
    And = 4,
    /// Of any sort; `Bool`.
    Equal = 6,
    /// Of `Bool`.
    Not = 9,
    /// Of `Bool`.
    Or = 10,
    /// Of `Bool`.
    Xor = 11,
    /// The condition is `Bool`.
    Ite = 12,
    BvAdd = 19,
    BvAnd = 20,
    BvAshr = 21,
    BvConcat = 23,
    BvMul = 26,
    BvNot = 31,
    BvOr = 32,
    BvSdiv = 40,
    BvShl = 43,
    BvShr = 44,
    /// `Bool`.
    BvSlt = 46,
    BvSrem = 49,
    BvSub = 51,
    BvUdiv = 53,
    /// `Bool`.
    BvUle = 56,
    /// `Bool`.
    BvUlt = 57,
    BvUrem = 59,
    BvXor = 62,
}

/// Result of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Satisfiability {
    /// All assumptions hold together under some values: see [`Bitwuzla::value`].
    Sat,
    /// They do not: see [`Bitwuzla::failed`].
    Unsat,
    /// It gave up, most likely because of the time limit.
    Unknown,
}

thread_local! {
    /// Message of the abort callback on this thread that has not been read yet.
    static COMPLAINT: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Called by Bitwuzla instead of `exit`. It must not unwind through C++, so nothing in it can panic.
extern "C" fn on_abort(message: *const c_char) {
    let text = if message.is_null() {
        String::from("it gave no reason")
    } else {
        // SAFETY: Bitwuzla passes a string that ends in a zero byte and lives until this returns.
        unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned()
    };
    let _ = COMPLAINT.try_with(|c| {
        if let Ok(mut c) = c.try_borrow_mut() {
            c.get_or_insert(text);
        }
    });
}

/// When to stop. Clock and flag are read at every 16th ask.
struct Deadline {
    at: Cell<Option<Instant>>,
    stop: Arc<AtomicBool>,
    asked: Cell<u32>,
}

/// Called by Bitwuzla now and then; a result other than 0 makes it stop.
extern "C" fn is_over(state: *mut c_void) -> i32 {
    // SAFETY: `state` is the `Deadline` in the box that the `Bitwuzla` being asked owns, and only shared
    // references to it exist.
    let deadline = unsafe { &*(state as *const Deadline) };
    let asked = deadline.asked.get().wrapping_add(1);
    deadline.asked.set(asked);
    if !asked.is_multiple_of(16) {
        return 0;
    }
    let late = deadline.at.get().is_some_and(|at| Instant::now() >= at);
    (late || deadline.stop.load(Ordering::Relaxed)) as i32
}

/// A solver with its own terms. Terms live as long as it does.
pub struct Bitwuzla {
    options: ffi::Options,
    manager: ffi::Manager,
    solver: ffi::Solver,
    terms: Vec<ffi::Term>,
    /// Number of the terms that are products.
    products: usize,
    deadline: Box<Deadline>,
}

/// Maximum number of products for Bitwuzla's normalisation of sums and products, which precedes a first check and sees that
/// `x * (y + z)` is `x * y + x * z`. It counts the gates of all terms for that, and does not test the time limit meanwhile ...
const FEW_PRODUCTS: usize = 12;
/// ... and the maximum number of terms: it then takes tenths of a second.
const FEW_TERMS: usize = 4000;

impl Bitwuzla {
    /// A new solver without terms.
    ///
    /// # Errors
    /// If Bitwuzla refuses its options.
    pub fn new() -> Result<Bitwuzla, Error> {
        Bitwuzla::stopped_by(Arc::default())
    }

    /// As [`Bitwuzla::new`]; while `stop` is true, a check gives up at once.
    ///
    /// # Errors
    /// If Bitwuzla refuses its options.
    pub fn stopped_by(stop: Arc<AtomicBool>) -> Result<Bitwuzla, Error> {
        let deadline = Box::new(Deadline { at: Cell::new(None), stop, asked: Cell::new(0) });
        let null = ptr::null_mut();
        let mut new =
            Bitwuzla { options: null, manager: null, solver: null, terms: Vec::new(), products: 0, deadline };
        // SAFETY: the calls are in the order that the interface asks for; both are owned by `new`, whose `drop` deletes them, and only
        // those that are not null.
        unsafe {
            ffi::bitwuzla_set_abort_callback(on_abort);
            new.options = ffi::bitwuzla_options_new();
            ffi::bitwuzla_set_option(new.options, ffi::OPTION_PRODUCE_MODELS, 1);
            ffi::bitwuzla_set_option(new.options, ffi::OPTION_PRODUCE_UNSAT_ASSUMPTIONS, 1);
            new.manager = ffi::bitwuzla_term_manager_new();
        }
        complaint()?;
        Ok(new)
    }

    /// The solver, which is made for the first check, because its options depend on the terms of that check.
    fn begun(&mut self) -> Result<ffi::Solver, Error> {
        if !self.solver.is_null() {
            return Ok(self.solver);
        }
        let normalises = self.products <= FEW_PRODUCTS && self.terms.len() <= FEW_TERMS;
        // SAFETY: options and manager are alive, and outlive the solver, and the deadline's box does not move: all are owned by `self`, whose
        // `drop` deletes them in reverse order.
        unsafe {
            ffi::bitwuzla_set_option(self.options, ffi::OPTION_PP_NORMALIZE, normalises.into());
            self.solver = ffi::bitwuzla_new(self.manager, self.options);
            complaint()?;
            let state = ptr::from_ref::<Deadline>(&self.deadline) as *mut c_void;
            ffi::bitwuzla_set_termination_callback(self.solver, is_over, state);
        }
        complaint()?;
        Ok(self.solver)
    }

    /// The solver after a check.
    fn checked(&self) -> Result<ffi::Solver, Error> {
        if self.solver.is_null() { Err(Error("nothing was checked".into())) } else { Ok(self.solver) }
    }

    /// Number of terms that were made.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Returns true if no term was made.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    fn get(&self, t: Term) -> Result<ffi::Term, Error> {
        self.terms.get(t.0 as usize).copied().ok_or_else(|| Error("a term of another solver".into()))
    }

    fn keep(&mut self, term: ffi::Term) -> Result<Term, Error> {
        complaint()?;
        if term.is_null() {
            return Err(Error("it made no term".into()));
        }
        self.terms.push(term);
        Ok(Term(self.terms.len() as u32 - 1))
    }

    /// A constant of sort `Bool`.
    ///
    /// # Errors
    /// As all constructors of terms: if the operands do not fit, or are another solver's.
    pub fn boolean(&mut self, value: bool) -> Result<Term, Error> {
        // SAFETY: the manager is alive.
        let t = unsafe {
            if value { ffi::bitwuzla_mk_true(self.manager) } else { ffi::bitwuzla_mk_false(self.manager) }
        };
        self.keep(t)
    }

    /// A bit-vector of `width` bits, at most 64, with this value.
    ///
    /// # Errors
    /// See [`Bitwuzla::boolean`].
    pub fn value_of(&mut self, width: u64, value: u64) -> Result<Term, Error> {
        // SAFETY: the manager is alive; the sort is one of its own.
        let t = unsafe {
            let sort = ffi::bitwuzla_mk_bv_sort(self.manager, width);
            ffi::bitwuzla_mk_bv_value_uint64(self.manager, sort, value)
        };
        self.keep(t)
    }

    /// An unknown bit-vector of `width` bits.
    ///
    /// # Errors
    /// See [`Bitwuzla::boolean`].
    pub fn unknown(&mut self, width: u64) -> Result<Term, Error> {
        // SAFETY: the manager is alive; the sort is one of its own; a null symbol is allowed.
        let t = unsafe {
            let sort = ffi::bitwuzla_mk_bv_sort(self.manager, width);
            ffi::bitwuzla_mk_const(self.manager, sort, ptr::null())
        };
        self.keep(t)
    }

    /// An operator of one operand.
    ///
    /// # Errors
    /// See [`Bitwuzla::boolean`].
    pub fn unary(&mut self, kind: Kind, a: Term) -> Result<Term, Error> {
        let a = self.get(a)?;
        // SAFETY: the manager is alive, the term is one of its own.
        let t = unsafe { ffi::bitwuzla_mk_term1(self.manager, kind as c_int, a) };
        self.keep(t)
    }

    /// An operator of two operands.
    ///
    /// # Errors
    /// See [`Bitwuzla::boolean`].
    pub fn binary(&mut self, kind: Kind, a: Term, b: Term) -> Result<Term, Error> {
        let (a, b) = (self.get(a)?, self.get(b)?);
        // SAFETY: the manager is alive, the terms are its own.
        let t = unsafe { ffi::bitwuzla_mk_term2(self.manager, kind as c_int, a, b) };
        self.products += usize::from(kind == Kind::BvMul);
        self.keep(t)
    }

    /// `c ? a : b`.
    ///
    /// # Errors
    /// See [`Bitwuzla::boolean`].
    pub fn ite(&mut self, c: Term, a: Term, b: Term) -> Result<Term, Error> {
        let (c, a, b) = (self.get(c)?, self.get(a)?, self.get(b)?);
        // SAFETY: the manager is alive, the terms are its own.
        let t = unsafe { ffi::bitwuzla_mk_term3(self.manager, Kind::Ite as c_int, c, a, b) };
        self.keep(t)
    }

    /// Bits `low ..= high` of a bit-vector.
    ///
    /// # Errors
    /// See [`Bitwuzla::boolean`].
    pub fn extract(&mut self, a: Term, high: u64, low: u64) -> Result<Term, Error> {
        let a = self.get(a)?;
        // SAFETY: the manager is alive, the term is one of its own.
        let t = unsafe { ffi::bitwuzla_mk_term1_indexed2(self.manager, ffi::EXTRACT, a, high, low) };
        self.keep(t)
    }

    /// A bit-vector with `by` more bits in front: zeros, or copies of the sign.
    ///
    /// # Errors
    /// See [`Bitwuzla::boolean`].
    pub fn extend(&mut self, a: Term, signed: bool, by: u64) -> Result<Term, Error> {
        let a = self.get(a)?;
        let kind = if signed { ffi::SIGN_EXTEND } else { ffi::ZERO_EXTEND };
        // SAFETY: the manager is alive, the term is one of its own.
        let t = unsafe { ffi::bitwuzla_mk_term1_indexed1(self.manager, kind, a, by) };
        self.keep(t)
    }

    /// Checks if these terms of sort `Bool` can hold together, within about `limit`.
    ///
    /// # Errors
    /// If a term does not fit, or Bitwuzla objects.
    pub fn check(&mut self, assumptions: &[Term], limit: Duration) -> Result<Satisfiability, Error> {
        let mut given = assumptions.iter().map(|&t| self.get(t)).collect::<Result<Vec<_>, _>>()?;
        if given.is_empty() {
            let t = self.boolean(true)?;
            given.push(self.get(t)?); // a null pointer is not accepted
        }
        let count = u32::try_from(given.len()).map_err(|_| Error("too many assumptions".into()))?;
        let solver = self.begun()?;
        self.deadline.at.set(Instant::now().checked_add(limit));
        // SAFETY: solver and terms are alive and belong together; `given` has `count` elements, which are only
        // read.
        let result = unsafe { ffi::bitwuzla_check_sat_assuming(solver, count, given.as_mut_ptr()) };
        self.deadline.at.set(None);
        complaint()?;
        Ok(match result {
            ffi::SAT => Satisfiability::Sat,
            ffi::UNSAT => Satisfiability::Unsat,
            _ => Satisfiability::Unknown,
        })
    }

    /// Returns true if the last check, whose result was [`Satisfiability::Unsat`], failed because of this assumption among
    /// others.
    ///
    /// # Errors
    /// If the last check had another result.
    pub fn failed(&mut self, assumption: Term) -> Result<bool, Error> {
        let (solver, t) = (self.checked()?, self.get(assumption)?);
        // SAFETY: solver and term are alive and belong together.
        let failed = unsafe { ffi::bitwuzla_is_unsat_assumption(solver, t) };
        complaint()?;
        Ok(failed)
    }

    /// The value of a bit-vector of at most 128 bits after a check that came to [`Satisfiability::Sat`].
    ///
    /// # Errors
    /// If the last check came to something else.
    pub fn value(&mut self, t: Term) -> Result<u128, Error> {
        let (solver, t) = (self.checked()?, self.get(t)?);
        // SAFETY: solver and term are alive and belong together; the string is copied before the next call,
        // which overwrites it, and is not read if it is null.
        let text = unsafe {
            let value = ffi::bitwuzla_get_value(solver, t);
            if value.is_null() {
                complaint()?;
                return Err(Error("a term has no value".into()));
            }
            let text = ffi::bitwuzla_term_value_get_str_fmt(value, 2);
            if text.is_null() { None } else { Some(CStr::from_ptr(text).to_string_lossy().into_owned()) }
        };
        complaint()?;
        let text = text.ok_or_else(|| Error("a value has no text".into()))?;
        u128::from_str_radix(&text, 2).map_err(|_| Error(format!("a value is written `{text}`")))
    }
}

impl Drop for Bitwuzla {
    fn drop(&mut self) {
        // SAFETY: each is deleted once, after what uses it, and only if it was made; all terms are the
        // manager's and go with it.
        unsafe {
            if !self.solver.is_null() {
                ffi::bitwuzla_delete(self.solver);
            }
            if !self.manager.is_null() {
                ffi::bitwuzla_term_manager_delete(self.manager);
            }
            if !self.options.is_null() {
                ffi::bitwuzla_options_delete(self.options);
            }
        }
    }
}

/// The message of the abort callback since the last call of this function, as an error.
fn complaint() -> Result<(), Error> {
    let complaint = COMPLAINT.try_with(|c| c.try_borrow_mut().ok().and_then(|mut c| c.take()));
    match complaint {
        Ok(Some(message)) => Err(Error(message)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(20);

    #[test]
    fn it_finds_models_and_failed_assumptions() {
        let mut b = Bitwuzla::new().unwrap();
        let x = b.unknown(32).unwrap();
        let k = b.value_of(32, 1000).unwrap();
        let product = b.binary(Kind::BvMul, x, x).unwrap();
        let square = b.binary(Kind::Equal, product, k).unwrap();
        let small = b.binary(Kind::BvUlt, x, k).unwrap();
        let ten = b.value_of(32, 100).unwrap();
        let hundred = b.binary(Kind::BvMul, ten, ten).unwrap();
        let is_square = b.binary(Kind::Equal, product, hundred).unwrap();
        assert_eq!(b.check(&[small, is_square], LIMIT), Ok(Satisfiability::Sat));
        let v = b.value(x).unwrap() as u32;
        assert!(v < 1000 && v.wrapping_mul(v) == 10_000);
        assert_eq!(b.check(&[small, square], LIMIT), Ok(Satisfiability::Unsat));
        assert_eq!(b.failed(square), Ok(true));
    }

    #[test]
    fn a_wrong_call_is_an_error_and_not_the_end_of_the_process() {
        let mut b = Bitwuzla::new().unwrap();
        let (x, y) = (b.unknown(8).unwrap(), b.unknown(9).unwrap());
        assert!(b.binary(Kind::BvAdd, x, y).is_err());
        assert!(b.binary(Kind::BvAdd, x, x).is_ok());
    }

    #[test]
    fn it_stops_at_its_time_limit() {
        let mut b = Bitwuzla::new().unwrap();
        let (x, y) = (b.unknown(64).unwrap(), b.unknown(64).unwrap());
        let product = b.binary(Kind::BvMul, x, y).unwrap();
        // a product of two primes near 2^31, in 64 bits, with factors below 2^32
        let n = b.value_of(64, 4_611_685_975_477_714_963).unwrap();
        let bound = b.value_of(64, 1 << 32).unwrap();
        let one = b.value_of(64, 1).unwrap();
        let all = [
            b.binary(Kind::Equal, product, n).unwrap(),
            b.binary(Kind::BvUlt, x, bound).unwrap(),
            b.binary(Kind::BvUlt, y, bound).unwrap(),
            b.binary(Kind::BvUlt, one, x).unwrap(),
            b.binary(Kind::BvUlt, one, y).unwrap(),
        ];
        let start = Instant::now();
        let outcome = b.check(&all, Duration::from_millis(100));
        assert!(start.elapsed() < Duration::from_secs(3));
        assert_ne!(outcome, Ok(Satisfiability::Unsat));
    }

    #[test]
    fn what_normalising_shows_is_found_at_once() {
        let mut b = Bitwuzla::new().unwrap();
        let [x, y, z] = [(); 3].map(|()| b.unknown(64).unwrap());
        let sum = b.binary(Kind::BvAdd, y, z).unwrap();
        let [whole, one, other] = [sum, y, z].map(|t| b.binary(Kind::BvMul, x, t).unwrap());
        let parts = b.binary(Kind::BvAdd, one, other).unwrap();
        let equal = b.binary(Kind::Equal, whole, parts).unwrap();
        let differ = b.unary(Kind::Not, equal).unwrap();
        assert!(b.failed(differ).is_err() && b.value(x).is_err());
        assert_eq!(b.check(&[differ], Duration::from_secs(20)), Ok(Satisfiability::Unsat));
    }

    #[test]
    fn it_stops_at_its_time_limit_while_it_prepares_many_sums_and_products() {
        for products in [FEW_PRODUCTS, 300] {
            stops_with(products);
        }
    }

    fn stops_with(products: usize) {
        let mut b = Bitwuzla::new().unwrap();
        let unknowns: Vec<Term> = (0..40).map(|_| b.unknown(64).unwrap()).collect();
        let mut all = Vec::new();
        let mut sum = unknowns[0];
        for i in 0..products {
            let (x, y) = (unknowns[i * 7 % 40], unknowns[i * 11 % 40]);
            let product = b.binary(Kind::BvMul, if i % 3 == 0 { sum } else { x }, y).unwrap();
            sum = b.binary(Kind::BvAdd, product, sum).unwrap();
            if i % 8 == 0 {
                all.push(b.binary(Kind::BvUlt, sum, x).unwrap());
            }
        }
        let start = Instant::now();
        let outcome = b.check(&all, Duration::from_millis(100));
        assert!(start.elapsed() < Duration::from_secs(3), "{products}: {:?}", start.elapsed());
        assert!(outcome.is_ok());
    }
}
