//! Limits behind which an index, a size or a length is decided value by value: their names, their texts, and counts of these
//! decisions by place.

use std::collections::BTreeMap;

use crate::states::places::OpPlace;

/// Limits on the work that stays on one path, which options can move. Each is a part of the run: other limits give other paths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Maximum number of entries of the table that a read of known values at a symbolic index becomes.
    pub table_entries: u64,
    /// Maximum number of places among which a read of other values is a choice, and of bytes that a write of a word changes.
    pub choices: u64,
    /// Maximum number of reads at symbolic indices, one within the other, that an index may come out of (one less if few places
    /// are read). Above it the innermost index is decided.
    pub nested_reads: u64,
    /// Maximum number of bytes by which the path bounds the size of an object that is one object. A write at a symbolic place
    /// in as large a room, and a read after it, cost 80 MB of terms.
    pub bounded_size: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { table_entries: 1 << 22, choices: 256, nested_reads: 1, bounded_size: 1 << 18 }
    }
}

impl Limits {
    /// Limits of runs that do not record them: they come from versions before the options.
    pub const OF_OLD_RUNS: Limits =
        Limits { table_entries: 1 << 16, choices: 256, nested_reads: u64::MAX, bounded_size: 0 };
}

macro_rules! limits {
    ($($(#[$doc:meta])* $limit:ident: $name:literal, $what:literal, $option:literal;)*) => {
        /// A limit behind which values are decided one by one.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub enum Limit {
            $($(#[$doc])* $limit,)*
        }

        impl Limit {
            /// All of them.
            pub const ALL: &'static [Limit] = &[$(Limit::$limit),*];

            /// Its name in the account.
            pub fn name(self) -> &'static str {
                match self { $(Limit::$limit => $name,)* }
            }

            /// The value that is decided one by one, in words; `N` stands for the number of possible ones.
            fn what(self) -> &'static str {
                match self { $(Limit::$limit => $what,)* }
            }

            /// The option that moves it; empty if there is none.
            pub fn option(self) -> &'static str {
                match self { $(Limit::$limit => $option,)* }
            }
        }
    };
}

limits! {
    /// [`Limits::table_entries`].
    TableEntries: "table entries", "an index over N known entries", "--max-table-entries";
    /// [`Limits::choices`], of a read.
    Choices: "choices", "an index over N places of different contents", "--max-choices";
    /// [`Limits::choices`], of a write.
    Written: "written bytes", "the index of a write to N bytes", "--max-choices";
    /// Bytes that an operation on an object of symbolic size, or a write of bytes, may change.
    BytesAtOnce: "bytes at once", "the index of a write to N bytes", "--max-symbolic-size";
    /// [`Limits::nested_reads`].
    NestedReads: "nested reads", "an index over N places, out of which another index is read,", "--max-nested-reads";
    /// The largest size that stays symbolic.
    Size: "size", "a size of up to N bytes", "--max-symbolic-size";
    /// The room that local objects of symbolic sizes may have.
    StackRoom: "stack room", "the size of a local array, up to N bytes,", "";
    /// The longest copy or fill of a symbolic length.
    Length: "length", "the length of a copy or fill, up to N bytes,", "--max-symbolic-size";
    /// The C library's own copies.
    LibraryLength: "library length", "a length of up to N bytes in a copy of the C library", "";
    /// The address that a copy, a fill or the C library is given.
    Address: "address", "a pointer that is given to a copy or a call, over N places,", "";
    /// Objects that one pointer may point into.
    Objects: "objects", "a pointer that may point into any of N objects", "";
    /// Numbers that the kernel is given.
    Argument: "argument", "an argument of a system call, one of N values,", "";
}

impl Limit {
    /// The limit with this name.
    pub fn of_name(name: &str) -> Option<Limit> {
        Limit::ALL.iter().copied().find(|limit| limit.name() == name)
    }

    /// A sentence's end: the value that is decided among at most `most`, and the option that moves the limit.
    pub fn told(self, most: u64) -> String {
        let what = self.what().replace('N', &with_commas(most));
        match self.option() {
            "" => format!("{what} is decided value by value"),
            option => format!("{what} is decided value by value (limit: {option})"),
        }
    }
}

/// A number as people read it.
fn with_commas(n: u64) -> String {
    let digits = n.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|g| str::from_utf8(g).ok()).collect();
    groups.join(",")
}

/// Number of values that were decided one by one, and the most that one was decided among.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ByValue {
    /// Number of values decided, with those of replays.
    pub values: u64,
    /// The most values, places, bytes or objects, as the limit counts, that one of them was decided among.
    pub most: u64,
}

/// The engine's counts for its limits.
#[derive(Default)]
pub(crate) struct Counted {
    /// Counts of the op at hand.
    now: Vec<(Limit, OpPlace, u64)>,
    all: BTreeMap<(Limit, OpPlace), ByValue>,
}

impl Counted {
    /// Counts a value among at most `most` that a limit has the op at hand, at this place, decide.
    pub(crate) fn add(&mut self, limit: Limit, place: OpPlace, most: u64) {
        self.now.push((limit, place, most));
    }

    /// All counts of ops that are done.
    pub(crate) fn all(&self) -> impl Iterator<Item = (Limit, OpPlace, ByValue)> {
        self.all.iter().map(|(&(limit, place), &count)| (limit, place, count))
    }

    /// The op at hand is done, or runs again; its counts are kept if it has `decided` anything.
    pub(crate) fn end(&mut self, decided: bool) {
        for (limit, place, most) in self.now.drain(..).filter(|_| decided) {
            let so_far = self.all.entry((limit, place)).or_default();
            so_far.values += 1;
            so_far.most = so_far.most.max(most);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_told_with_its_option_and_found_by_its_name() {
        for &limit in Limit::ALL {
            assert_eq!(Limit::of_name(limit.name()), Some(limit));
            assert!(limit.what().contains('N') && limit.told(7).contains(limit.option()));
        }
        let told = Limit::TableEntries.told(5_000_000);
        assert_eq!(
            told,
            "an index over 5,000,000 known entries is decided value by value (limit: --max-table-entries)"
        );
        assert_eq!((with_commas(12), with_commas(1234)), ("12".to_string(), "1,234".to_string()));
    }

    #[test]
    fn what_an_op_decides_counts_when_it_is_done() {
        let mut counted = Counted::default();
        let place = OpPlace::from_raw(7);
        for (most, decided) in [(4, true), (9, false), (3, true)] {
            counted.add(Limit::Size, place, most);
            counted.end(decided);
        }
        assert_eq!(counted.all[&(Limit::Size, place)], ByValue { values: 2, most: 4 });
    }
}
