//! Budgets and thresholds of the solver, grouped by what they bound. The layers read them; nothing else of the crate has a
//! number that is a choice, but small factors in formulas.
//!
//! Each says what it decides, its unit, and its origin: the file of bench/results that measured it. Where half and double
//! are given, they are ratios of work (bench/ablation/run) on the programs that change by more than 4 %, of 17, in
//! 2026-11-27-ablation.txt. They decide only which layer answers a question, and how long it takes, but for `refutation`;
//! crates/path/src/policy.rs has those that decide what a path is.

/// Fuel of the strategies for hard questions (`budget.rs`), in units of `Terms::sweep`: about 0.05 microseconds.
pub(crate) mod fuel {
    /// Fuel for one question: about 400 milliseconds.
    /// Unit: fuel. Origin: not measured.
    pub(crate) const MOST: usize = 1 << 23;

    /// Fuel of a strategy that has failed for a while.
    /// Unit: fuel. Origin: not measured.
    pub(crate) const LEAST: usize = 1 << 9;

    /// Work of the back ends (a tenth of a second) before all models of a path are listed. A program with less asks
    /// no hard questions, and a list would cost more than it saves.
    /// Unit: fuel. Origin: 2026-11-25-questions.txt (2^18 instead of 2^20: xmlwf 1.35 times the time, tasn1 2.4
    /// times, inflate 0.8 times).
    /// Half: matrix 1.42, bc 1.23. Double: m4 1.14, task_heap 0.81.
    pub(crate) const ALL_MODELS: usize = 1 << 20;

    /// A strategy begins with this share of their work, the whole; after each failure it gets half of what it had.
    /// Unit: parts of the work of the back ends. Origin: not measured.
    pub(crate) const WHOLE_SHARE: usize = 64;

    /// After this number of failures a strategy begins anew: the program may have moved on.
    /// Unit: failures. Origin: not measured.
    pub(crate) const FORGIVEN: usize = 64;

    /// The share of a strategy that found an answer grows by this factor.
    /// Unit: factor. Origin: not measured.
    pub(crate) const GROWTH: usize = 4;

    /// The average work of the back ends moves by one part in this number with each question.
    /// Unit: questions. Origin: not measured.
    pub(crate) const AVERAGED: usize = 8;

    /// Sweeping after a back end gets this many times the work that the back end took.
    /// Unit: factor. Origin: not measured.
    pub(crate) const LATE: usize = 4;

    /// A search for all models of a path may cost this many times the work of the back ends since the last one that
    /// failed.
    /// Unit: factor. Origin: not measured.
    pub(crate) const SEARCHED: usize = 2;
}

/// Exhaustive enumeration of a few bytes (`trying.rs`), and lists of models (`survivors.rs`, `solutions.rs`,
/// `values.rs`).
pub(crate) mod enumeration {
    /// Work for a definite answer: a few milliseconds, as a back end takes.
    /// Unit: units of `Terms::try_all`. Origin: not measured.
    /// Half: fixed_root 0.77, luhn 0.84, bc 1.14. Double: bc 1.23, flex 1.15.
    pub(crate) const ALL_BYTES: usize = 1 << 16;

    /// The same for floating-point numbers, a fraction of a second: a back end needs circuits of thousands of gates
    /// for them.
    /// Unit: units of `Terms::try_all`. Origin: not measured.
    pub(crate) const ALL_FLOATS: usize = 1 << 20;

    /// Work for the values of one byte.
    /// Unit: units of `Terms::try_byte`. Origin: not measured.
    /// Half and double: no difference.
    pub(crate) const ONE_BYTE: usize = 1 << 13;

    /// The same if the terms are large: a back end would take longer to translate them to clauses, and cannot invert
    /// a hash.
    /// Unit: units of `Terms::try_byte`. Origin: not measured.
    /// Half and double: no difference.
    pub(crate) const ONE_BYTE_LARGE: usize = 1 << 17;

    /// Bytes that are tried one by one with large terms.
    /// Unit: bytes. Origin: not measured.
    pub(crate) const LARGE_BYTES: usize = 8;

    /// Work for a question about a soft constraint: some hundred microseconds.
    /// Unit: units of `Terms::try_all`. Origin: not measured.
    pub(crate) const SOFT: usize = 1 << 12;

    /// Bytes of a slice that is enumerated.
    /// Unit: bytes. Origin: not measured.
    pub(crate) const MOST_BYTES: usize = 16;

    /// Length of a list of models, and number of values of a term, where the back ends take long.
    /// Unit: rows or values. Origin: not measured.
    pub(crate) const MOST_MODELS: usize = 1 << 17;

    /// Length of a list of models in any case.
    /// Unit: rows. Origin: not measured.
    /// Half: no difference. Double: bc 0.93.
    pub(crate) const FEW_MODELS: usize = 1 << 14;

    /// Lists of models are cached for paths of at least this number of conditions on the bytes.
    /// Unit: conditions. Origin: not measured.
    /// Half: huffman 0.85, m4 1.09. Double: huffman 1.13.
    pub(crate) const LEAST_CONDITIONS: usize = 4;

    /// Work for a question by a list of models.
    /// Unit: units of `Terms::rows_with`. Origin: not measured.
    /// Half: no difference. Double: bc 0.93.
    pub(crate) const LIST_FUEL: usize = 1 << 17;

    /// The same for a list of all models of a path: a fifth of a second.
    /// Unit: units of `Terms::rows_with`. Origin: not measured.
    pub(crate) const LONG_LIST_FUEL: usize = 1 << 22;

    /// A list may have one model for this much of the work.
    /// Unit: units of `Terms::rows_with`. Origin: not measured.
    pub(crate) const FUEL_OF_MODEL: usize = 8;

    /// The bits that conditions read are computed if the conditions have at most one term for this much of the work.
    /// Unit: units of `Terms::rows_with`. Origin: not measured.
    pub(crate) const FUEL_OF_TERM: usize = 1 << 4;

    /// A cached list serves the first look if at most this number of conditions came since.
    /// Unit: conditions. Origin: not measured.
    pub(crate) const NEAR: usize = 16;

    /// Bits are listed instead of bytes if they have this many times fewer combinations.
    /// Unit: factor. Origin: not measured.
    pub(crate) const FEWER: usize = 4;

    /// Terms whose values are kept.
    /// Unit: terms. Origin: not measured.
    pub(crate) const KEPT_TERMS: usize = 16;

    /// If at most this number of values answers a question, the inputs of each are tried.
    /// Unit: values. Origin: not measured.
    pub(crate) const LOOKS: usize = 8;

    /// Terms whose questions are counted.
    /// Unit: terms. Origin: not measured.
    pub(crate) const COUNTED_TERMS: usize = 1 << 12;
}

/// Local changes of the witness (`patch.rs`, `local.rs`).
pub(crate) mod patching {
    /// Values of a byte that are tried.
    /// Unit: values. Origin: not measured.
    /// Half: crc_frames 0.81. Double: crc_frames 1.18.
    pub(crate) const VALUES: usize = 16;

    /// Ways down a condition that are tried.
    /// Unit: attempts. Origin: not measured.
    /// Half: merge_sort 1.42, bit_tricks 1.19, task_heap 1.17, pid 0.92. Double: crc_frames 0.74, task_heap 0.94.
    pub(crate) const ATTEMPTS: u32 = 10;

    /// Conditions that a change broke and further changes mend.
    /// Unit: conditions. Origin: not measured.
    pub(crate) const REPAIRS: u32 = 3;

    /// Steps down a condition in one attempt.
    /// Unit: steps. Origin: not measured.
    pub(crate) const STEPS: u32 = 200;

    /// Conditions of a slice that are searched for bounds of a word.
    /// Unit: conditions. Origin: not measured.
    pub(crate) const BOUNDING: usize = 256;

    /// Longer tables are searched from the current index on: they hold a value in many places, and conditions on the
    /// index leave few of them.
    /// Unit: entries. Origin: not measured.
    pub(crate) const LARGE_TABLE: usize = 1 << 16;
}

/// Floating-point numbers: branch and prune, and local search (`numbers.rs`).
pub(crate) mod floats {
    /// Words of a question; more make too many boxes.
    /// Unit: words. Origin: not measured.
    pub(crate) const MOST_WORDS: usize = 6;

    /// Boxes of a round.
    /// Unit: boxes. Origin: not measured.
    pub(crate) const MOST_BOXES: usize = 4000;

    /// Parts over all boxes of a round.
    /// Unit: parts of conditions. Origin: not measured.
    pub(crate) const MOST_BOX_PARTS: usize = 400_000;

    /// Further rounds; one starts only if its share of the work shows that the rest fits the rounds left.
    /// Unit: rounds. Origin: not measured.
    pub(crate) const MOST_ROUNDS: usize = 32;

    /// Boxes on which affine arithmetic is tried before its success counts.
    /// Unit: boxes. Origin: not measured.
    pub(crate) const AFFINE_BOXES: usize = 64;

    /// The same if the boxes have this number of parts.
    /// Unit: parts of conditions. Origin: not measured.
    pub(crate) const AFFINE_PARTS: usize = 20_000;

    /// The same at least.
    /// Unit: boxes. Origin: not measured.
    pub(crate) const LEAST_AFFINE_BOXES: usize = 4;

    /// Affine arithmetic goes on while it helps with one box in this number.
    /// Unit: boxes. Origin: not measured.
    pub(crate) const AFFINE_PAYS: usize = 16;

    /// After this number narrowing must pay more: it takes some hundred times as long as intervals.
    /// Unit: boxes. Origin: not measured.
    pub(crate) const MANY_NARROWED: usize = 256;

    /// Narrowing goes on while one box in this number becomes much smaller.
    /// Unit: boxes. Origin: not measured.
    pub(crate) const NARROWED_PAYS: usize = 3;

    /// Least limit of the points that a search evaluates.
    /// Unit: points. Origin: not measured.
    pub(crate) const LEAST_POINTS: usize = 3000;

    /// Greatest limit of the points that a search evaluates.
    /// Unit: points. Origin: not measured.
    pub(crate) const MOST_POINTS: usize = 48_000;

    /// Parts over all points of a search; the limit of points between these two follows from it.
    /// Unit: parts of conditions. Origin: not measured.
    pub(crate) const POINT_PARTS: usize = 1_200_000;

    /// A start of the search draws one in this number of its points at random and descends from the nearest.
    /// Unit: points. Origin: not measured.
    pub(crate) const DESCENTS: usize = 64;

    /// Halvings of an interval by value before a random place is drawn from the rest.
    /// Unit: halvings. Origin: not measured.
    pub(crate) const HALVINGS: usize = 10;

    /// Depth to which conditions are searched for an `int` that is a single bit.
    /// Unit: operators. Origin: not measured.
    pub(crate) const DEPTH_OF_BITS: u32 = 48;

    /// Distance of a condition that fails and has no order.
    /// Unit: 256ths of a doubling. Origin: not measured.
    pub(crate) const FAR: u64 = 64 << 8;
}

/// Difference constraints and bounds of words (`words.rs`, `numbers.rs`).
pub(crate) mod differences {
    /// Conditions of a slice in which a cycle is searched.
    /// Unit: conditions. Origin: not measured.
    pub(crate) const MOST_EDGES: usize = 4096;

    /// Depth to which bounds of words are computed.
    /// Unit: operators. Origin: not measured.
    pub(crate) const DEPTH: u32 = 8;
}

/// Cores of earlier questions (`recent.rs`).
pub(crate) mod recent {
    /// Cores that are kept, the last used ones.
    /// Unit: unsatisfiable cores. Origin: not measured.
    /// Half: pid 1.12, task_heap 1.09. Double: task_heap 0.87.
    pub(crate) const CORES: usize = 48;
}

/// Simpler forms of the conditions (`rewriting.rs`); the rules have their own in cleave-expr.
pub(crate) mod rewriting {
    /// Greatest factor that is enumerated to see if a product can be between two bounds.
    /// Unit: number. Origin: not measured.
    pub(crate) const FACTOR: u64 = 0xFFFF;
}

/// The back ends (`rounds.rs`, `chain.rs`, `blast/`, `smtlib.rs`).
pub(crate) mod back_ends {
    use std::time::Duration;

    /// Brief rounds of the first back end on a question, each with a sweep behind it.
    /// Unit: rounds. Origin: not measured.
    pub(crate) const ROUNDS: u32 = 3;

    /// The same for a question that may wait: a tenth of a second.
    /// Unit: rounds. Origin: not measured.
    pub(crate) const ROUNDS_OF_WAITING: u32 = 2;

    /// Work of the first back end behind which a question that may wait does so at once, without a sweep: to write down a hash of the
    /// input takes as much.
    /// Unit: tenths of a microsecond. Origin: bench/results/2026-11-30-shares.txt.
    pub(crate) const WORK_OF_WAITING: u64 = 1 << 20;

    /// Length of the first brief round: some ten milliseconds; each further one is eight times as long.
    /// Unit: decisions of the SAT solver. Origin: not measured.
    /// Half: luhn 0.50, pid 0.77. Double: luhn 1.99, pid 1.15.
    pub(crate) const FIRST_ROUND: usize = 1 << 12;

    /// Most propagations of the first brief round, where decisions are dear (a hash of the input has a hundred thousand gates); each further
    /// round may have eight times as many.
    /// Unit: propagations of the SAT solver, of a tenth to a fifth of a microsecond. Origin: bench/results/2026-11-30-shares.txt.
    pub(crate) const FIRST_PROPAGATIONS: u64 = 1 << 17;

    /// Decisions of a round after which its propagations are counted for the first time: they show how many a decision has.
    /// Unit: decisions of the SAT solver. Origin: not measured.
    pub(crate) const COUNTED: usize = 64;

    /// Work charged for a query to a later back end: it is asked only after the first has spent its time.
    /// Unit: tenths of a microsecond. Origin: not measured.
    pub(crate) const LATER_CALL: u64 = 1 << 20;

    /// Work that the explorer is charged for the same beside it.
    /// Unit: tenths of a microsecond. Origin: not measured.
    pub(crate) const LATER_CALL_METERED: u64 = 1 << 22;

    /// A larger instance of the bit-blaster is replaced when little of it is in use: the SAT solver propagates the
    /// unused part too.
    /// Unit: variables. Origin: a measurement that is not in bench/results: 77 us a question on paths over 16 bytes;
    /// 4000 and a slack of 6 gave 214.
    pub(crate) const SMALL_INSTANCE: u32 = 1_000;

    /// Little is in use if the instance is more than this many times as large as the query needs.
    /// Unit: factor. Origin: as of `SMALL_INSTANCE`.
    pub(crate) const SLACK: u32 = 3;

    /// Interval between two looks at the flag that stops a query.
    /// Unit: time. Origin: not measured.
    pub(crate) const PROCESS_LOOK: Duration = Duration::from_millis(20);

    /// Time beyond the limit of a query after which its process is killed.
    /// Unit: time. Origin: not measured.
    pub(crate) const PROCESS_GRACE: Duration = Duration::from_millis(100);

    /// Time of one question in the back ends, where the caller sets none (the command line does).
    /// Unit: time. Origin: not measured.
    pub(crate) const TIMEOUT: Duration = Duration::from_secs(30);

    /// Time of each back end but the last for a question.
    /// Unit: time. Origin: not measured.
    pub(crate) const FIRST_LIMIT: Duration = Duration::from_secs(1);
}

/// The instance of Bitwuzla that a worker holds (`bitwuzla.rs`).
#[cfg(feature = "bitwuzla")]
pub(crate) mod bitwuzla {
    /// Queries after which an instance of Bitwuzla is replaced: its learnt clauses slow it down by then.
    /// Unit: queries. Origin: not measured.
    pub(crate) const MOST_QUERIES: u32 = 64;

    /// Terms after which an instance of Bitwuzla is replaced.
    /// Unit: terms. Origin: not measured.
    pub(crate) const MOST_TERMS: usize = 100_000;

    /// Translated terms between two looks at the clock and the stop flag.
    /// Unit: terms. Origin: not measured.
    pub(crate) const LOOK: usize = 256;
}

/// Guards of arms (`refute.rs`). They decide what a path is where arms are joined (`--merge on`), as do the decisions of a first brief
/// question to the bit-blaster.
pub(crate) mod refutation {
    /// Operators of a condition that is looked at; one of more is not refuted.
    /// Unit: operators. Origin: not measured.
    pub(crate) const MOST_OPERATORS: usize = 1 << 14;
}

/// Texts of errors (`disagreement.rs`).
pub(crate) mod text {
    /// Depth to which an error writes out the terms of a question.
    /// Unit: operators. Origin: not measured.
    pub(crate) const DEPTH: u32 = 12;
}
