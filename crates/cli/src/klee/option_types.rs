//! Translation of KLEE's options for Cleave: the types of the table.

use std::ffi::OsString;

/// Translation of an option of KLEE.
pub enum Meaning {
    /// This option of `cleave run`, with the same value.
    Same(&'static str),
    /// Words of `cleave run`, or a sentence that says what is wrong with the value.
    Becomes(fn(&KleeCommandLine<'_>, &str) -> Result<Vec<String>, String>),
    /// Cleave does so in any case, or it only concerns how KLEE works inside.
    Nothing,
    /// Cleave has no such thing, and the run goes on without it: a sentence without its full stop.
    Without(&'static str),
    /// The run would not be what was asked for: a sentence without its full stop.
    Refused(&'static str),
}

/// An option of KLEE.
pub struct KleeOption {
    /// Its name without hyphens. One that ends in `*` stands for all names that begin so.
    pub name: &'static str,
    /// Default of an option that is true or false; `None` for an option with a value.
    pub flag: Option<bool>,
    /// Its translation.
    pub meaning: Meaning,
}

/// A command line of KLEE.
pub struct KleeCommandLine<'a> {
    /// Its options, with their values as they were given; `true` or `false` for flags.
    pub options: Vec<(&'static KleeOption, String)>,
    /// The program and its arguments.
    pub program: &'a [OsString],
}

impl KleeCommandLine<'_> {
    /// The last value of an option.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.options.iter().rev().find(|(option, _)| option.name == name).map(|(_, value)| value.as_str())
    }
}
