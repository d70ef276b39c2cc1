//! The part of Bitwuzla's C interface that is used; see its `include/bitwuzla/c/bitwuzla.h`.

use std::ffi::{c_char, c_int, c_void};

/// An opaque object of Bitwuzla's.
#[repr(C)]
pub(crate) struct Opaque {
    _private: [u8; 0],
}

pub(crate) type Options = *mut Opaque;
pub(crate) type Manager = *mut Opaque;
pub(crate) type Solver = *mut Opaque;
pub(crate) type Sort = *mut Opaque;
pub(crate) type Term = *mut Opaque;

pub(crate) const SAT: c_int = 10;
pub(crate) const UNSAT: c_int = 20;

pub(crate) const OPTION_PRODUCE_MODELS: c_int = 1;
pub(crate) const OPTION_PRODUCE_UNSAT_ASSUMPTIONS: c_int = 2;
pub(crate) const OPTION_PP_NORMALIZE: c_int = 44;

pub(crate) const EXTRACT: c_int = 63;
pub(crate) const SIGN_EXTEND: c_int = 67;
pub(crate) const ZERO_EXTEND: c_int = 68;

unsafe extern "C" {
    pub(crate) fn bitwuzla_set_abort_callback(f: extern "C" fn(*const c_char));
    pub(crate) fn bitwuzla_options_new() -> Options;
    pub(crate) fn bitwuzla_options_delete(options: Options);
    pub(crate) fn bitwuzla_set_option(options: Options, option: c_int, value: u64);
    pub(crate) fn bitwuzla_term_manager_new() -> Manager;
    pub(crate) fn bitwuzla_term_manager_delete(manager: Manager);
    pub(crate) fn bitwuzla_new(manager: Manager, options: Options) -> Solver;
    pub(crate) fn bitwuzla_delete(solver: Solver);
    pub(crate) fn bitwuzla_set_termination_callback(
        solver: Solver,
        f: extern "C" fn(*mut c_void) -> i32,
        state: *mut c_void,
    );
    pub(crate) fn bitwuzla_check_sat_assuming(solver: Solver, count: u32, assumptions: *mut Term) -> c_int;
    pub(crate) fn bitwuzla_is_unsat_assumption(solver: Solver, term: Term) -> bool;
    pub(crate) fn bitwuzla_get_value(solver: Solver, term: Term) -> Term;
    pub(crate) fn bitwuzla_term_value_get_str_fmt(term: Term, base: u8) -> *const c_char;
    pub(crate) fn bitwuzla_mk_bv_sort(manager: Manager, width: u64) -> Sort;
    pub(crate) fn bitwuzla_mk_true(manager: Manager) -> Term;
    pub(crate) fn bitwuzla_mk_false(manager: Manager) -> Term;
    pub(crate) fn bitwuzla_mk_bv_value_uint64(manager: Manager, sort: Sort, value: u64) -> Term;
    pub(crate) fn bitwuzla_mk_const(manager: Manager, sort: Sort, symbol: *const c_char) -> Term;
    pub(crate) fn bitwuzla_mk_term1(manager: Manager, kind: c_int, a: Term) -> Term;
    pub(crate) fn bitwuzla_mk_term2(manager: Manager, kind: c_int, a: Term, b: Term) -> Term;
    pub(crate) fn bitwuzla_mk_term3(manager: Manager, kind: c_int, a: Term, b: Term, c: Term) -> Term;
    pub(crate) fn bitwuzla_mk_term1_indexed1(manager: Manager, kind: c_int, a: Term, i: u64) -> Term;
    pub(crate) fn bitwuzla_mk_term1_indexed2(manager: Manager, kind: c_int, a: Term, i: u64, j: u64) -> Term;
}
