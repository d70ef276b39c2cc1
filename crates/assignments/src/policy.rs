//! Budgets and thresholds of the searches over assignments, grouped by what they bound; crates/expr/src/policy.rs has those
//! of value vectors. Each says what it decides, its unit, and its origin: the file of bench/results that measured it. They
//! decide no answer, only if there is one, and how long it takes.

/// Decision-diagram construction (`diagram.rs`, `abstract_bounds.rs`, `spans.rs`) and dominator terms (`dominator.rs`).
pub(crate) mod sweep {
    /// Prefix states of a level. If there are more, some are dropped, and the search can only show that all
    /// conditions hold together, not that they never do.
    /// Unit: prefix states. Origin: not measured.
    /// Half and double: no difference.
    pub(crate) const PREFIXES: usize = 1 << 17;

    /// Values of terms in the prefix states of a level.
    /// Unit: values. Origin: not measured.
    pub(crate) const PREFIX_VALUES: usize = 1 << 22;

    /// Smaller levels are not pruned.
    /// Unit: prefix states. Origin: not measured.
    pub(crate) const PRUNED: usize = 256;

    /// Pruning of a level stops after this number if it removes less than an eighth.
    /// Unit: blocks of 64 prefix states. Origin: not measured.
    pub(crate) const PRUNED_BLOCKS: usize = 4;

    /// Fuel for looking up 64 prefix states.
    /// Unit: terms in 64 lanes. Origin: not measured.
    pub(crate) const LOOKUP_FUEL: usize = 32;

    /// Steps of a level that are kept.
    /// Unit: steps. Origin: not measured.
    pub(crate) const STEPS: usize = 1 << 21;

    /// Fuel for the abstract bounds of a term.
    /// Unit: terms in 64 lanes. Origin: not measured.
    pub(crate) const SPAN_FUEL: usize = 8;

    /// Terms of the conditions.
    /// Unit: terms. Origin: not measured.
    pub(crate) const MOST_TERMS: usize = 1 << 14;

    /// Open terms of a level; levels with more have no abstract bounds.
    /// Unit: terms. Origin: not measured.
    pub(crate) const OPEN_TERMS: usize = 1 << 12;

    /// Entries of a table that are bounded one by one.
    /// Unit: entries. Origin: not measured.
    pub(crate) const BOUNDED_ENTRIES: u64 = 16;

    /// Terms above a dominator term that are searched.
    /// Unit: terms. Origin: not measured.
    pub(crate) const ABOVE_DOMINATOR: usize = 64;
}

/// Memory of cached lists of models (`cached_models.rs`). It decides no answer: dropped lists are computed again.
pub(crate) mod memory {
    /// Cached lists of models; at this number those of ended paths are dropped.
    /// Unit: entries. Origin: not measured.
    pub(crate) const CACHED_ENTRIES: usize = 1 << 16;

    /// Lists of more models keep only the bits of the remaining ones, and no value vectors.
    /// Unit: rows. Origin: not measured.
    pub(crate) const VECTORS_OF_ROWS: usize = 1 << 14;
}
