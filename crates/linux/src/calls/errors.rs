//! How system calls fail at will: as KLEE lets them, or with the errors of the table.

use crate::kernel::errno::Errno;

/// The calls that fail at will, and their errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Failures {
    /// Those on files that the program opened itself, with an error of input or output, as KLEE's `--max-fail`.
    #[default]
    Klee,
    /// Those that would succeed, with each error that their manual pages name.
    Named,
}

impl Failures {
    /// The least byte that means an error or one above it.
    pub fn least_byte(self, errno: Errno) -> u8 {
        match self {
            Failures::Klee => 1,
            Failures::Named => u8::try_from(errno.0).unwrap_or(u8::MAX),
        }
    }

    /// The error that a byte of a test means: the greatest whose least byte it reaches.
    pub fn chosen(self, errors: &[Errno], byte: u8) -> Option<Errno> {
        errors.iter().rev().find(|&&errno| byte >= self.least_byte(errno)).copied()
    }
}
