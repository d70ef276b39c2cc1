//! Budgets and thresholds of the terms, grouped by what they bound; crates/path/src/policy.rs has those of
//! paths, crates/solver/src/policy.rs those of the solver.
//!
//! Each says what it decides, its unit, and its origin: the file of bench/results that measured it. Where half and double
//! are given, they are ratios of work (bench/ablation/run) on the programs that change by more than 4 %, of 17, in
//! 2026-11-27-ablation.txt. Those of `paths` decide what a path is (`PATH_FORMAT`). All others decide only how long an
//! answer takes.

/// The definition of a path, as far as terms decide it (`terms.rs`, `build.rs`, `select.rs`, `by_row.rs`, `table.rs`).
/// PATH_FORMAT: a change of any of these needs another number in path/src/lib.rs.
pub(crate) mod paths {
    /// From this depth on a term is deep: its values are listed earlier, and it may become a table-encoded term.
    /// Unit: nested arithmetic operations. Origin: not measured; 2026-11-26-rows.txt has depth by all operations (tr
    /// 1.5 to 4.6 s).
    pub(crate) const DEEP: u8 = 24;

    /// The same for a term on one byte: nested choices have few arithmetic operations.
    /// Unit: nested operations of any kind. Origin: not measured; 2026-11-26-rows.txt has the rule beside none.
    pub(crate) const DEEP_ON_ONE_BYTE: u8 = 128;

    /// Rows that a table-encoded term distinguishes.
    /// Unit: rows. Origin: not measured.
    pub(crate) const NUMBERED_ROWS: usize = 1 << 13;

    /// Entries of a table that numbers the rows.
    /// Unit: entries. Origin: not measured.
    pub(crate) const NUMBERED_ENTRIES: usize = 1 << 16;

    /// Work of a floating-point operation that computes a number, where work limits a listing.
    /// Unit: units of other operations. Origin: not measured.
    pub(crate) const FLOAT_FUEL: usize = 32;

    /// Terms with which rows are filtered in turn; each takes a block of values.
    /// Unit: terms. Origin: not measured.
    pub(crate) const FILTERED_TERMS: usize = 1 << 15;

    /// Longer tables are replaced where their entry is compared: a solver handles a circuit of 65,536 words easily,
    /// one of a million is expensive.
    /// Unit: entries. Origin: not measured.
    pub(crate) const COMPARED_TABLE: usize = 1 << 16;

    /// Different copies and fills in an array among which the last one is searched.
    /// Unit: copies and fills. Origin: not measured.
    pub(crate) const FILLS: usize = 8;

    /// Comparisons with constants in one condition that says where a choice is taken.
    /// Unit: comparisons. Origin: not measured.
    pub(crate) const COMPARED_PARTS: usize = 8;
}

/// Rules of the solver's simpler forms (`rewrite.rs`, `sums.rs`, `cancelling.rs`). They decide no path.
pub(crate) mod rewriting {
    /// Entries of a table through which a function of an entry is propagated.
    /// Unit: entries. Origin: not measured.
    pub(crate) const ENTRIES: u64 = 256;

    /// Terms of a branch of a choice in which facts of the condition are substituted.
    /// Unit: terms. Origin: not measured.
    pub(crate) const BRANCH: usize = 512;

    /// Facts taken from a condition.
    /// Unit: facts. Origin: not measured.
    pub(crate) const FACTS: usize = 16;

    /// Nested choices through which the parts of a word are joined.
    /// Unit: choices. Origin: not measured.
    pub(crate) const WRITES: u32 = 256;

    /// Longer sums are left as they are.
    /// Unit: summands. Origin: not measured.
    pub(crate) const SUMMANDS: usize = 64;
}

/// Value vectors (`table.rs`, `lanes.rs`, `domain.rs`, `table_memory.rs`). They decide no answer.
pub(crate) mod vectors {
    /// Terms between two checks of the limit.
    /// Unit: terms. Origin: not measured.
    pub(crate) const LOOK: usize = 1 << 12;

    /// If more are missing, only some vectors are kept.
    /// Unit: blocks of 64 values. Origin: not measured.
    pub(crate) const MANY_BLOCKS: usize = 1 << 17;

    /// Size of the vectors that are then kept.
    /// Unit: bytes. Origin: not measured; 2026-11-26-rows.txt has one vector that is kept instead of many.
    pub(crate) const KEPT_BYTES: usize = 1 << 24;

    /// Vectors that are kept for the next query, at most four megabytes of a type: new ones from the system, which
    /// fills them with zeros, take longer than most trials.
    /// Unit: value vectors of a type. Origin: not measured.
    pub(crate) const REUSED: usize = 1 << 13;

    /// Larger conditions on one byte keep the value vectors of their terms for the next condition, which shares most
    /// of them.
    /// Unit: terms. Origin: not measured.
    /// Half: huffman 0.94. Double: huffman 1.05.
    pub(crate) const EVALUATED_WHOLE: usize = 64;

    /// Memory of the value vectors of all tables and of the solver's cached lists, where the caller sets none (the
    /// command line does). Above it vectors that were not used lately are dropped.
    /// Unit: bytes. Origin: not measured.
    pub(crate) const TABLES: usize = 1 << 28;

    /// Vectors are dropped again when this part of the limit was added to what was left.
    /// Unit: parts of the limit. Origin: not measured.
    pub(crate) const SLACK: usize = 8;

    /// Number of tables from which entries of those that are gone are removed.
    /// Unit: tables. Origin: not measured.
    pub(crate) const LEAST_PURGED: usize = 64;
}

/// Bounds and circuits of floating-point numbers (`forms.rs`, `boxes.rs`, `slopes.rs`, `linear.rs`,
/// `lower/remainder.rs`).
pub(crate) mod floats {
    /// Linear facts of a box.
    /// Unit: facts. Origin: not measured.
    pub(crate) const FACTS: usize = 24;

    /// Symbols of an affine form.
    /// Unit: noise symbols. Origin: not measured.
    pub(crate) const SYMBOLS: usize = 12;

    /// Times in a row that a box is narrowed.
    /// Unit: times. Origin: not measured.
    pub(crate) const CONTRACTIONS: usize = 3;

    /// Parts of the conditions of a question.
    /// Unit: parts. Origin: not measured.
    pub(crate) const PARTS: usize = 2000;

    /// Times that a box is made flatter.
    /// Unit: times. Origin: not measured.
    pub(crate) const FLATTENINGS: usize = 4;

    /// Digits of a quotient in a circuit: all of a quotient in single precision. In double precision there may be two
    /// thousand, of some six hundred gates each.
    /// Unit: binary digits. Origin: not measured.
    pub(crate) const REMAINDER_DIGITS: i32 = 300;

    /// Digits in the circuit if there may be more: the circuit is right only if the exponents are no farther apart.
    /// Unit: binary digits. Origin: not measured.
    pub(crate) const NEAR_DIGITS: i32 = 24;
}

/// Texts for people (`c_text.rs`).
pub(crate) mod text {
    /// Ranges of values that are written; the rest is left out.
    /// Unit: ranges. Origin: not measured.
    pub(crate) const RANGES: usize = 6;
}
