//! Budgets and thresholds of a path, grouped by what they bound; crates/expr/src/policy.rs has those of terms.
//!
//! Each says what it decides, its unit, and its origin: the file of bench/results that measured it. `listing` and `facts`
//! decide what a path is, and stay as they are as long as [`PATH_FORMAT`](crate::PATH_FORMAT) does: where models are
//! listed, conditions become constants that would be decisions otherwise. All others decide no answer.

/// PATH_FORMAT: enumerated models of a path (`models.rs`, `by_models.rs`, `groups.rs`, `component.rs`, `implied.rs`).
pub(crate) mod listing {
    /// Models of some bytes are listed from this weight of the conditions on them; after a failure at twice the
    /// weight. A listing costs as much as hundreds of questions.
    /// Unit: weight of conditions (deep ones weigh more). Origin: 2026-11-25-live-rows-coreutils.txt (user seconds of
    /// wc, and of strtod of five characters: 24: 5.09, not measured; 32: 4.18, 18.1; 48: 2.97, 18.9; 64: 2.98, 22.4;
    /// 128: not measured, 53.1).
    pub(crate) const LEAST_WEIGHT: usize = 48;

    /// Depth for which a deep condition weighs one. Other conditions weigh one.
    /// Unit: nested arithmetic operations (at most 255). Origin: not measured; 2026-11-26-rows.txt has depth by all
    /// operations instead of arithmetic.
    pub(crate) const DEPTH_OF_WEIGHT: usize = 4;

    /// Combinations tried in one listing; more are not listed.
    /// Unit: combinations of values. Origin: not measured.
    pub(crate) const MOST_COMBINATIONS: usize = 1 << 18;

    /// Rows that a listing may leave, except for deep conditions.
    /// Unit: rows. Origin: 2026-11-25-floats.txt (2^14 and 2^17: as many paths of numbers like "dEdddd"; 2^18 with
    /// more work: hundred times as many, but slower on five characters).
    pub(crate) const MOST_ROWS: usize = 1 << 14;

    /// Work of a listing.
    /// Unit: units of `Terms::rows_of`, for each condition. Origin: not measured.
    pub(crate) const FUEL: usize = 1 << 14;

    /// The work of a listing is granted for at least this number of conditions.
    /// Unit: conditions. Origin: not measured.
    pub(crate) const LEAST_FUELLED: usize = 16;

    /// The same as `MOST_ROWS` for deep conditions after the first try and groups have failed.
    /// Unit: rows. Origin: not measured.
    pub(crate) const MOST_DEEP_ROWS: usize = 1 << 16;

    /// The same as `FUEL` for deep conditions after the first try and groups have failed: otherwise each question
    /// would try as many combinations.
    /// Unit: units of `Terms::rows_of`, for each condition. Origin: not measured.
    pub(crate) const DEEP_FUEL: usize = 1 << 17;

    /// Work for a condition on listed rows and on other bytes.
    /// Unit: units of `Terms::rows_of`. Origin: not measured.
    pub(crate) const CONDITION_FUEL: usize = 1 << 20;

    /// With at most this number of rows, each value that the program makes is looked up, so that a value that is
    /// constant costs nothing later.
    /// Unit: rows. Origin: not measured.
    pub(crate) const FEW_ROWS: usize = 256;

    /// A term becomes a table-encoded term if its bytes distinguish at most this number of rows for each of its
    /// steps. The table takes up to three times the memory of these terms.
    /// Unit: rows for each step of a term. Origin: 2026-11-26-rows.txt (16, 32 and 64: half of the time goes into
    /// entries at 64).
    pub(crate) const ROWS_OF_A_STEP: usize = 32;

    /// Bytes that no condition distinguishes may be omitted from rows, up to this number.
    /// Unit: bytes. Origin: not measured; 2026-11-26-rows.txt has listings without.
    pub(crate) const MOST_OMITTED: usize = 3;

    /// Parts of a condition that are looked up among the conditions of the path.
    /// Unit: terms. Origin: not measured.
    pub(crate) const KNOWN_PARTS: usize = 1000;
}

/// PATH_FORMAT: bounds and facts of words (`words/bounds.rs`, `component.rs`).
pub(crate) mod facts {
    /// Depth to which a comparison of an index is looked through.
    /// Unit: operators. Origin: not measured.
    pub(crate) const DEPTH_OF_INDEX: u32 = 16;

    /// A component of this number of conditions has facts: a pass over a shorter list is cheaper.
    /// Unit: conditions. Origin: not measured.
    pub(crate) const LEAST: usize = 32;
}

/// Memory of enumerated models (`models.rs`). It decides no answer: dropped vectors are computed again.
pub(crate) mod memory {
    /// A table is replaced by its remaining rows once at most one row in this number remains.
    /// Unit: rows for each remaining one. Origin: not measured.
    pub(crate) const THINNED: usize = 4;

    /// Tables of a path with at most this number of rows are not replaced.
    /// Unit: rows. Origin: not measured.
    pub(crate) const THINNED_OF: usize = 16;

    /// A condition is tried on a sample of this size before it is evaluated in all rows.
    /// Unit: rows. Origin: not measured.
    pub(crate) const SAMPLE: usize = 64;
}

/// Data structures (`persistent.rs`, `lookup.rs`). They decide no answer.
pub(crate) mod lists {
    /// Elements of a leaf of a chunked list, which a change copies.
    /// Unit: elements. Origin: not measured.
    pub(crate) const LEAF: usize = 8;

    /// Leaves below an inner node of a chunked list.
    /// Unit: leaves. Origin: not measured.
    pub(crate) const MIDDLE: usize = 16;

    /// Scans of lists for one term before a table pays.
    /// Unit: scans. Origin: not measured.
    pub(crate) const SCANS: u32 = 16;

    /// Lists up to this length are always scanned.
    /// Unit: conditions. Origin: not measured.
    pub(crate) const SHORT: usize = 8;

    /// A table is extended by up to this number of new conditions; with more it is rebuilt.
    /// Unit: conditions. Origin: not measured.
    pub(crate) const EXTENDED: usize = 64;
}
