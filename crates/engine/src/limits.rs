//! Limits behind which an index, a size or a length is decided value by value: their names, what is said of them, and how
//! often that happened where.

use std::collections::BTreeMap;

use crate::places::OpPlace;

/// Limits on one path's share of work that an option can move. Each is a part of the run: others have other paths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// A read of known values at a symbolic index is one read of a table of at most so many entries.
    pub table_entries: u64,
    /// A read of other values is a choice among at most so many places, and a write of a word changes at most so many bytes.
    pub choices: u64,
    /// An index may come out of so many reads at symbolic indices, one within the other (one less where few places are read): else the innermost
    /// index is decided.
    pub nested_reads: u64,
    /// An object whose size the path bounds by so many bytes is one object. A write at a symbolic place in as large a room, and
    /// a read after it, cost 80 MB of terms.
    pub bounded_size: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { table_entries: 1 << 22, choices: 256, nested_reads: 1, bounded_size: 1 << 18 }
    }
}

impl Limits {
    /// Those of runs that do not say: versions before the options had them.
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

            /// What is decided value by value, where `N` is the most that there was to decide among.
            fn what(self) -> &'static str {
                match self { $(Limit::$limit => $what,)* }
            }

            /// The option that moves it; empty where there is none.
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
    /// As many bytes as an operation on an object of symbolic size, or a write of bytes, may change.
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

    /// A sentence's end: what is decided value by value, among at most so many, and the option for that.
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

/// How often values were decided one by one, and the most that there was to decide among.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ByValue {
    /// So many values were decided; those of replays too.
    pub values: u64,
    /// The most values, places, bytes or objects, as the limit counts, that one of them was decided among.
    pub most: u64,
}

/// What the engine counts of its limits.
#[derive(Default)]
pub(crate) struct Counted {
    /// Of the op at hand.
    now: Vec<(Limit, OpPlace, u64)>,
    all: BTreeMap<(Limit, OpPlace), ByValue>,
}

impl Counted {
    /// A limit has the op at hand, at this place, decide a value among so many.
    pub(crate) fn add(&mut self, limit: Limit, place: OpPlace, most: u64) {
        self.now.push((limit, place, most));
    }

    /// All that was counted.
    pub(crate) fn all(&self) -> impl Iterator<Item = (Limit, OpPlace, ByValue)> {
        self.all.iter().map(|(&(limit, place), &count)| (limit, place, count))
    }

    /// The op at hand is done, or runs again; whether it has decided anything.
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
