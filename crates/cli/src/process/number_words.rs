//! Numbers in sentences.

/// A number with a noun, whose plural has an s: `1 path`, `2 paths`.
pub fn counted(n: u64, noun: &str) -> String {
    format!("{n} {}", noun_of(n, noun))
}

/// The noun alone, as it stands behind a number.
pub fn noun_of(n: u64, noun: &str) -> String {
    if n == 1 { noun.to_string() } else { format!("{noun}s") }
}

/// The verb behind a number.
pub fn verb_of(n: u64, one: &'static str, several: &'static str) -> &'static str {
    if n == 1 { one } else { several }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular_and_all_else_plural() {
        assert_eq!([0, 1, 2].map(|n| counted(n, "path")), ["0 paths", "1 path", "2 paths"]);
        assert_eq!([0, 1, 2].map(|n| verb_of(n, "is", "are")), ["are", "is", "are"]);
    }
}
