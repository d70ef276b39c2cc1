//! Bugs that a user excuses, in code that is deliberately undefined.

use std::fmt;
use std::str::FromStr;

use cleave_region::BugKind;

use crate::stop::TraceLine;

/// The kind that excuses an aligned read of a word of which a part lies in an object: the rest of the word reads as zero
/// and the path goes on. An aligned word lies in one page, so natively such a read does no harm. Bytes of a word that nobody
/// has set count as set there, as behind the end of a string in its buffer.
pub const WORD_READ: &str = "word-read";

/// The kind of the bug that a read of a word beyond its object is.
const OUT_OF_BOUNDS: &str = BugKind::OutOfBounds.name();

/// A character that stands for `::` while a line is parsed.
const HIDDEN: &str = "\u{1}";

/// One line of suppressions: `KIND:FUNCTION[:FILE]`, with `*` for any characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppression {
    text: String,
    kind: String,
    function: String,
    file: Option<String>,
}

impl FromStr for Suppression {
    type Err = String;

    fn from_str(text: &str) -> Result<Suppression, String> {
        // The two colons of a name of C++ part nothing.
        let hidden = text.replace("::", HIDDEN);
        let mut parts = hidden.splitn(3, ':').map(str::trim);
        let mut part = || parts.next().filter(|p| !p.is_empty()).map(|p| p.replace(HIDDEN, "::"));
        let (Some(kind), Some(function)) = (part(), part()) else {
            return Err(format!("`{text}` is no suppression; give KIND:FUNCTION or KIND:FUNCTION:FILE"));
        };
        let file = part();
        if hidden.matches(':').count() > 1 && file.is_none() {
            return Err(format!("`{text}` has no file behind its last colon; leave the colon out"));
        }
        Ok(Suppression { text: text.trim().into(), kind, function, file })
    }
}

impl fmt::Display for Suppression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Suppression {
    /// The kind of bug that it excuses; may have wildcards.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// True if it excuses a kind of bug in a stack: its function is one of the frames from the innermost up to the first one of
    /// the program, as a program can do nothing about the library's own frames.
    fn covers(&self, kind: &str, trace: &[TraceLine]) -> bool {
        let end = trace.iter().position(|f| !f.library).map_or(trace.len(), |i| i + 1);
        like(&self.kind, kind)
            && trace[..end].iter().any(|f| like(&self.function, &f.function) && self.lies_in(f))
    }

    /// The file is compared from its end, whole names at a time: `rawmemchr.c` and `lib/rawmemchr.c` are both in
    /// `/src/lib/rawmemchr.c`.
    fn lies_in(&self, frame: &TraceLine) -> bool {
        let Some(wanted) = &self.file else { return true };
        let Some(file) = &frame.file else { return false };
        let names = wanted.matches('/').count();
        let start = file.rmatch_indices('/').nth(names).map_or(0, |(i, _)| i + 1);
        like(wanted, &file[start..]) || like(wanted, file)
    }
}

/// True if `text` matches `pattern`, in which `*` stands for any characters.
fn like(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// All suppressions of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suppressions(pub Vec<Suppression>);

impl Suppressions {
    /// The first that excuses a kind of bug with such a stack, by its place in the list.
    pub(crate) fn find(&self, kind: &str, trace: &[TraceLine]) -> Option<usize> {
        self.0.iter().position(|s| s.covers(kind, trace))
    }

    /// True if there may be one that excuses a function of this name for reading by words.
    pub(crate) fn may_read_by_words(&self, function: &str) -> bool {
        self.0.iter().any(|s| s.kind == WORD_READ && like(&s.function, function))
    }

    /// The first that excuses the read of a word beyond its object.
    pub(crate) fn find_word_read(&self, trace: &[TraceLine]) -> Option<usize> {
        self.find(WORD_READ, trace).or_else(|| self.find(OUT_OF_BOUNDS, trace))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(function: &str, file: &str, library: bool) -> TraceLine {
        TraceLine {
            function: function.into(),
            file: Some(file.into()),
            line: 1,
            library,
            arguments: String::new(),
        }
    }

    #[test]
    fn wildcards_stand_for_any_characters() {
        for (pattern, text, expected) in [
            ("*", "", true),
            ("a*c", "abc", true),
            ("a*c", "ac", true),
            ("a*c", "a", false),
            ("a", "ab", false),
            ("*mem*chr", "rawmemchr", true),
            ("ab*ba", "aba", false),
            ("", "", true),
        ] {
            assert_eq!(like(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn frames_count_up_to_the_programs_innermost_one() {
        let trace = [
            frame("strlen", "/musl/src/string/strlen.c", true),
            frame("name", "/home/me/lib/name.c", false),
            frame("main", "main.c", false),
        ];
        let covers = |text: &str| text.parse::<Suppression>().unwrap().covers("out-of-bounds", &trace);
        for text in ["out-of-bounds:strlen", "*:name", "out-*:na*:name.c", "*:name:lib/name.c", "*:*:/home/*"]
        {
            assert!(covers(text), "{text}");
        }
        for text in ["out-of-bounds:main", "division:name", "*:name:ame.c", "*:name:other/name.c"] {
            assert!(!covers(text), "{text}");
        }
    }

    #[test]
    fn the_colons_of_names_of_cxx_part_nothing() {
        let trace = [frame("text::parse(std::string_view)", "src/text.cpp", false)];
        let covers = |text: &str| text.parse::<Suppression>().unwrap().covers("division", &trace);
        for text in ["division:text::parse(std::string_view)", "division:text::*", "*:*::parse(*:text.cpp"] {
            assert!(covers(text), "{text}");
        }
        assert!(!covers("division:text::parse") && !covers("division:text::*:other.cpp"));
    }

    #[test]
    fn what_is_no_suppression_is_refused_with_its_form() {
        for text in ["", "x", ":f", "division:", "division:f:"] {
            assert!(text.parse::<Suppression>().is_err(), "{text}");
        }
    }
}
