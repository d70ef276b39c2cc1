//! Families of checks that run on every path, each with a switch, in one table.

use std::fmt;
use std::str::FromStr;

macro_rules! families {
    ($($name:ident, $text:literal, $on:literal, $doc:literal;)*) => {
        /// A family of checks. Its discriminant is its bit in a set of [`Checks`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Family { $(#[doc = $doc] $name,)* }

        impl Family {
            /// All of them, in the order of the table.
            pub const ALL: &'static [Family] = &[$(Family::$name),*];
            /// Its name on the command line.
            pub const fn name(self) -> &'static str {
                match self { $(Family::$name => $text,)* }
            }
            /// The bugs that it finds, in a sentence.
            pub const fn doc(self) -> &'static str {
                match self { $(Family::$name => $doc,)* }
            }
            /// True if it is on by default: all that it finds is always a bug.
            pub const fn on(self) -> bool {
                match self { $(Family::$name => $on,)* }
            }
        }
    };
}

families! {
    Memory, "memory", true,
        "Accesses outside of every object, through null, to what is freed or constant, and wrong calls of free (always on)";
    Scope, "scope", true,
        "Accesses to local variables behind the end of the block that they belong to";
    Argument, "argument", true,
        "Accesses behind the end of a symbolic argument or variable; without it such a text keeps its room behind the NUL, as in KLEE";
    Overlap, "overlap", true,
        "Copies whose source and destination overlap: memcpy, strcpy, strcat and their kin, and assignments of structures";
    Leak, "leak", false,
        "Objects of the heap that nothing points to when the program ends by exit or by the end of main";
    Division, "division", true,
        "Integer divisions by zero, and the signed quotient that overflows";
    Shift, "shift", true,
        "Shifts by a negative amount, or by the width or more";
    Uninitialised, "uninitialised", true,
        "Values that were never set and that a decision, an address or an output depends on";
    Overflow, "overflow", true,
        "Signed arithmetic that overflows, in code that was compiled with -fsanitize=signed-integer-overflow or -ftrapv";
    Undefined, "undefined", true,
        "What else code that was compiled with -fsanitize=undefined checks: bounds, alignment, null, conversions, ...";
    Assumption, "assumption", false,
        "Assumptions (klee_assume) that no input of the path satisfies, as in KLEE; without it such paths count as assumed away";
    Klee, "klee", false,
        "Calls of klee_make_symbolic that KLEE refuses: of a part of an object, without a name";
    Efault, "efault", true,
        "Bad pointers that are given to system calls; without it the call fails with EFAULT, as on Linux";
    Format, "format", true,
        "Variable arguments that were not passed, or are of another kind or width than what is read (printf and its kin)";
    Subobject, "subobject", false,
        "Accesses beyond an array inside of a structure, to what stands behind it in the same object";
    Deadlock, "deadlock", true,
        "Waits that nobody can end: a mutex locked twice, a condition, an empty pipe; without it such paths end as unsupported";
    Descriptor, "descriptor", false,
        "Reads, writes and closes of file descriptors that are not open, or not open for that (close twice, write after close)";
    Race, "race", false,
        "Data races of C11 between threads: accesses that nothing orders, one of them a write, not both atomic (also --races)";
    Termination, "termination", true,
        "Loops in which the whole state of the program comes again without anything read in between, so that they never end";
    PointerCompare, "pointer-compare", false,
        "Pointers into two different objects that are compared by order (<) or subtracted";
    Contract, "contract", true,
        "Calls of the C library that its contract forbids: unlocking what is not locked, closing a stream twice";
}

impl Family {
    /// The family that has the name of this kind of bugs, as far as there is one.
    pub fn of_kind(kind: &str) -> Option<Family> {
        Family::ALL.iter().copied().find(|family| family.name() == kind)
    }

    /// True if a path ends in its bugs before the program does: something may lie behind them.
    pub const fn ends_early(self) -> bool {
        !matches!(self, Family::Leak)
    }

    /// True if it can be switched off.
    pub const fn has_switch(self) -> bool {
        !matches!(self, Family::Memory)
    }
}

/// A set of families.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checks(u32);

impl Default for Checks {
    /// The families that are on by default.
    fn default() -> Checks {
        let on = Family::ALL.iter().filter(|f| f.on());
        on.fold(Checks(0), |set, f| set.with(*f, true))
    }
}

impl Checks {
    /// Only the family that cannot be switched off.
    pub const NONE: Checks = Checks(1 << Family::Memory as u32);

    /// True if a family is on.
    #[inline]
    pub const fn has(self, family: Family) -> bool {
        self.0 & 1 << family as u32 != 0
    }

    /// The set with a family on or off.
    #[must_use]
    pub const fn with(self, family: Family, on: bool) -> Checks {
        let bit = 1 << family as u32;
        Checks(if on { self.0 | bit } else { self.0 & !bit })
    }

    /// The set changed by one word: `all`, `none`, a family to switch on, or with `-` or `no-` before it, off.
    ///
    /// # Errors
    /// A sentence that lists the names.
    pub fn change(self, word: &str) -> Result<Checks, String> {
        let (name, on) = match word.strip_prefix("no-").or_else(|| word.strip_prefix('-')) {
            Some(name) => (name, false),
            None => (word, true),
        };
        match (name, on) {
            ("all", true) | ("none", false) => {
                return Ok(Family::ALL.iter().fold(self, |set, f| set.with(*f, true)));
            }
            ("none", true) | ("all", false) => return Ok(Checks::NONE),
            ("memory", false) => {
                return Err("memory cannot be switched off, as an access to no object has no value".into());
            }
            _ => {}
        }
        match Family::ALL.iter().find(|f| f.name() == name) {
            Some(family) => Ok(self.with(*family, on)),
            None => {
                let names: Vec<&str> = Family::ALL.iter().map(|f| f.name()).collect();
                Err(format!(
                    "there is no check `{name}`; give all, none, or of {}, with - before the name to switch it off",
                    names.join(", ")
                ))
            }
        }
    }
}

impl fmt::Display for Checks {
    /// The families that are on, as [`Checks::from_str`] reads them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("none")?;
        let on = Family::ALL.iter().filter(|family| self.has(**family));
        on.into_iter().try_for_each(|family| write!(f, ",{}", family.name()))
    }
}

impl FromStr for Checks {
    type Err = String;

    /// The default set changed by words with commas between them, in their order.
    fn from_str(text: &str) -> Result<Checks, String> {
        text.split(',').filter(|word| !word.is_empty()).try_fold(Checks::default(), Checks::change)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_switch_families_on_and_off_in_their_order() {
        let read = |text: &str| text.parse::<Checks>();
        assert_eq!(read(""), Ok(Checks::default()));
        assert_eq!(read("none"), Ok(Checks::NONE));
        assert_eq!(read("-all"), Ok(Checks::NONE));
        let all = read("all").unwrap();
        assert!(Family::ALL.iter().all(|f| all.has(*f)));
        assert_eq!(read("none,format,shift,no-shift"), Ok(Checks::NONE.with(Family::Format, true)));
        assert_eq!(read("-overflow"), Ok(Checks::default().with(Family::Overflow, false)));
        for set in [Checks::NONE, Checks::default(), all] {
            assert_eq!(read(&set.to_string()), Ok(set));
        }
    }

    #[test]
    fn a_name_that_is_none_gets_a_sentence_with_all_names() {
        let said = "leek".parse::<Checks>().unwrap_err();
        assert!(Family::ALL.iter().all(|f| said.contains(f.name())), "{said}");
        assert!("-memory".parse::<Checks>().unwrap_err().contains("switched off"));
    }
}
