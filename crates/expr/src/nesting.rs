//! How deep reads at unknown places lie one within the other in a term: the measure.

/// Choices by a place within the place of another choice: in what `d[d[d[i]]]` reads there are three of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Nesting {
    /// So many choices lie one within the other.
    pub depth: u16,
    /// So many places the outermost choice compares, of those that the term begins with.
    pub(crate) compared: u64,
}
